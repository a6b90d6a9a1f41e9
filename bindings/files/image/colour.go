package image

import (
	"encoding/hex"
	"image/color"
	"strings"

	"golang.org/x/image/colornames"

	"github.com/sandboxd/sandboxd/problem"
)

// parseColor reads #RGB, #RGBA, #RRGGBB, #RRGGBBAA, a name of CSS, or transparent.
func parseColor(text, argument string) (color.NRGBA, error) {
	s := strings.ToLower(strings.TrimSpace(text))
	if s == "transparent" {
		return color.NRGBA{}, nil
	}
	if c, ok := colornames.Map[s]; ok {
		return color.NRGBA{c.R, c.G, c.B, c.A}, nil
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
	return color.NRGBA{}, problem.New(problem.InvalidArgument, "%s: expected a colour such as \"#FF0000\", \"red\" or \"transparent\", got %q", argument, text).
		With("argument", argument)
}
