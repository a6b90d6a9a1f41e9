package main

import (
	"fmt"
	"log/slog"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/alecthomas/kong"

	"github.com/sandboxd/sandboxd/audit"
	"github.com/sandboxd/sandboxd/limits"
)

// Every limit can be set, under the name that it has in JSON, and its default is that of
// the package limits: a limit that somebody adds and forgets fails here.
func TestEveryLimitIsASetting(t *testing.T) {
	var defaults serverSettings
	parser, err := kong.New(&defaults)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := parser.Parse(nil); err != nil {
		t.Fatal(err)
	}
	if got := defaults.host().Limits; got != limits.Default() {
		t.Errorf("the settings' defaults are\n%+v, those of limits\n%+v", got, limits.Default())
	}
	names := known()
	fields := reflect.TypeFor[limits.Limits]()
	for i := range fields.NumField() {
		name := fields.Field(i).Tag.Get("json")
		flag := "limits-" + strings.ReplaceAll(name, "_", "-")
		if !strings.Contains(" "+strings.Join(names, " ")+" ", " "+flag+" ") {
			t.Errorf("limits.%s is no setting", name)
		}
		value := "7"
		if fields.Field(i).Type == reflect.TypeFor[time.Duration]() {
			value = "7ns"
		}
		var set serverSettings
		parser, err := kong.New(&set)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := parser.Parse([]string{"--" + flag, value}); err != nil {
			t.Fatal(err)
		}
		if got := reflect.ValueOf(set.host().Limits).Field(i).Int(); got != 7 {
			t.Errorf("--%s 7 makes %s %d", flag, fields.Field(i).Name, got)
		}
	}
}

// What the page of the HTTP API promises each token is what sandboxd serve gives it.
func TestThePageHasTheBoundsOfATokenRight(t *testing.T) {
	var defaults serverSettings
	parser, err := kong.New(&defaults)
	if err == nil {
		_, err = parser.Parse(nil)
	}
	page, readErr := os.ReadFile("../../docs/http.md")
	if err != nil || readErr != nil {
		t.Fatal(err, readErr)
	}
	words := strings.ReplaceAll(strings.Join(strings.Fields(string(page)), " "), ",", "")
	says := fmt.Sprintf("%.0f requests a second (%d at once after a pause) %d requests under way and %d event streams",
		defaults.Rate, defaults.Burst, defaults.Request, defaults.Streams)
	if !strings.Contains(words, says) {
		t.Errorf("the page does not say: %s", says)
	}
}

func TestSizesAndAges(t *testing.T) {
	for text, want := range map[string]int64{"50MB": 50 << 20, "1.5 kb": 1536, "12": 12, "1gb": 1 << 30, "0": -1, "-1MB": -1, "MB": -1, "": -1, "1TB": -1,
		"NaN": -1, "inf": -1, "1e300GB": -1} {
		var s size
		if err := s.UnmarshalText([]byte(text)); (err != nil) != (want < 0) || err == nil && int64(s) != want {
			t.Errorf("%q is %d, %v", text, s, err)
		}
	}
	for text, want := range map[string]time.Duration{"90d": 90 * day, "12h": 12 * time.Hour, "0.5d": 12 * time.Hour, "forever": -1, "0d": 0, "-1h": 0, "d": 0,
		"1e9d": 0, "NaNd": 0, "": 0, "soon": 0} {
		var a age
		if err := a.UnmarshalText([]byte(text)); (err != nil) != (want == 0) || err == nil && time.Duration(a) != want {
			t.Errorf("%q is %v, %v", text, time.Duration(a), err)
		}
	}
	for value, want := range map[size]string{50 << 20: "50MB", 1 << 30: "1GB", 1025: "1025", 1536 << 10: "1536KB"} {
		if value.String() != want {
			t.Errorf("%d is written %s", value, value)
		}
	}
	for value, want := range map[age]string{age(90 * day): "90d", -1: "forever", age(time.Hour): "1h", age(90 * time.Minute): "1h30m"} {
		if value.String() != want {
			t.Errorf("%d is written %s", value, value)
		}
	}
}

// A line of the log says which request it belongs to, also from a logger made of another.
func TestTheLogSaysWhichRequest(t *testing.T) {
	var out strings.Builder
	settings := logSettings{Format: "json", Level: slog.LevelInfo}
	log := settings.logger(&out).With("part", "x").WithGroup("g")
	log.InfoContext(audit.With(t.Context(), audit.Origin{RequestID: "r-1"}), "hello")
	log.InfoContext(t.Context(), "nobody's")
	log.DebugContext(t.Context(), "too little")
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != 2 || !strings.Contains(lines[0], `"request":"r-1"`) || strings.Contains(lines[1], "request") {
		t.Errorf("logged %s", out.String())
	}
}
