package sheet

import (
	"strings"
	"unicode/utf8"

	"github.com/sandboxd/sandboxd/problem"
)

// CheckName tells whether a sheet of a workbook may be called so; invalid_argument if not.
func CheckName(name string) error {
	long := 0
	for _, r := range name {
		if long++; r > 0xffff { // Excel counts units of UTF-16
			long++
		}
	}
	if name == "" || long > 31 || !utf8.ValidString(name) || strings.ContainsAny(name, `:\/?*[]`) || strings.HasPrefix(name, "'") || strings.HasSuffix(name, "'") ||
		strings.IndexFunc(name, func(r rune) bool { return r < ' ' }) >= 0 || strings.EqualFold(name, "History") {
		return problem.New(problem.InvalidArgument, "name: a sheet's name has 1 to 31 characters, none of : \\ / ? * [ ], no ' at its ends, and is not \"History\"; got %q", clipName(name)).
			With("argument", "name")
	}
	return nil
}

func clipName(name string) string {
	if len(name) > 60 {
		return name[:60] + "…"
	}
	return name
}
