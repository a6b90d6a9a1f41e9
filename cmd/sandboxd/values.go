package main

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/sandboxd/sandboxd/limits"
)

// size is a number of bytes, as people write it: 50MB. KB, MB and GB are powers of two.
type size int64

var units = []struct {
	name  string
	bytes int64
}{{"GB", limits.GB}, {"MB", limits.MB}, {"KB", limits.KB}}

// UnmarshalText implements encoding.TextUnmarshaler.
func (s *size) UnmarshalText(text []byte) error {
	number, scale := strings.TrimSpace(string(text)), int64(1)
	for _, unit := range units {
		if rest, ok := strings.CutSuffix(strings.ToUpper(number), unit.name); ok {
			number, scale = strings.TrimSpace(rest), unit.bytes
			break
		}
	}
	n, err := strconv.ParseFloat(number, 64)
	if err != nil || !(n > 0) || n*float64(scale) > float64(1<<60) {
		return fmt.Errorf("expected a size such as 50MB, got %.100q", text)
	}
	*s = size(n * float64(scale))
	return nil
}

// String is the shortest way to write it.
func (s size) String() string {
	for _, unit := range units {
		if n := int64(s); n > 0 && n%unit.bytes == 0 {
			return strconv.FormatInt(n/unit.bytes, 10) + unit.name
		}
	}
	return strconv.FormatInt(int64(s), 10)
}

// age is how long something is kept: days, hours and so on, or for ever.
type age time.Duration

const (
	day     = 24 * time.Hour
	forever = "forever"
)

// UnmarshalText implements encoding.TextUnmarshaler.
func (a *age) UnmarshalText(text []byte) error {
	word := strings.TrimSpace(string(text))
	if word == forever {
		*a = -1
		return nil
	}
	d, err := time.ParseDuration(word)
	if days, ok := strings.CutSuffix(word, "d"); ok {
		var n float64
		if n, err = strconv.ParseFloat(days, 64); n > 100_000 {
			n = -1
		}
		d = time.Duration(n * float64(day))
	}
	if err != nil || d <= 0 {
		return fmt.Errorf("expected a time such as 90d, 12h or %s, got %.100q", forever, text)
	}
	*a = age(d)
	return nil
}

// String is the way to write it.
func (a age) String() string {
	switch d := time.Duration(a); {
	case d < 0:
		return forever
	case d >= day && d%day == 0:
		return strconv.FormatInt(int64(d/day), 10) + "d"
	default:
		return brief(d)
	}
}
