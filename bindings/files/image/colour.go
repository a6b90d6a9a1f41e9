package image

import (
	"encoding/hex"
	"image/color"
	"strconv"
	"strings"

	"golang.org/x/image/colornames"

	"github.com/sandboxd/sandboxd/problem"
)

// parseColor reads #RGB, #RGBA, #RRGGBB, #RRGGBBAA, rgb() and rgba(), a name of CSS, or
// transparent.
func parseColor(text, argument string) (color.NRGBA, error) {
	s := strings.ToLower(strings.TrimSpace(text))
	if s == "transparent" {
		return color.NRGBA{}, nil
	}
	if c, ok := colornames.Map[s]; ok {
		return color.NRGBA{c.R, c.G, c.B, c.A}, nil
	}
	if c, ok := functional(s); ok {
		return c, nil
	}
	if digits, ok := strings.CutPrefix(s, "#"); ok {
		if len(digits) == 3 || len(digits) == 4 {
			var long []byte
			for _, d := range []byte(digits) {
				long = append(long, d, d)
			}
			digits = string(long)
		}
		if len(digits) == 6 {
			digits += "ff"
		}
		if b, err := hex.DecodeString(digits); err == nil && len(b) == 4 {
			return color.NRGBA{b[0], b[1], b[2], b[3]}, nil
		}
	}
	return color.NRGBA{}, problem.New(problem.InvalidArgument, "%s: expected a colour such as \"#FF0000\", \"#FF000080\", \"red\" or \"transparent\", got %q", argument, text).
		With("argument", argument)
}

// functional reads rgb(255, 128, 0), rgba(255, 128, 0, 0.5) and rgb(100% 50% 0% / 50%), as CSS
// Color 4 has them.
func functional(s string) (c color.NRGBA, ok bool) {
	for _, name := range []string{"rgba(", "rgb("} {
		inner, found := strings.CutPrefix(s, name)
		if inner, ok = strings.CutSuffix(inner, ")"); !found || !ok {
			continue
		}
		parts := strings.Fields(strings.NewReplacer(",", " ", "/", " ").Replace(inner))
		if len(parts) != 3 && len(parts) != 4 {
			return c, false
		}
		channels := [4]byte{3: 255}
		for i, part := range parts {
			most := 255.0
			if i == 3 {
				most = 1
			}
			number, percent := strings.CutSuffix(part, "%")
			v, err := strconv.ParseFloat(number, 64)
			if percent {
				most = 100
			}
			if err != nil || !(v >= 0 && v <= most) {
				return c, false
			}
			channels[i] = byte(v/most*255 + 0.5)
		}
		return color.NRGBA{channels[0], channels[1], channels[2], channels[3]}, true
	}
	return c, false
}
