package xlsx

import (
	"net/url"

	"github.com/sandboxd/sandboxd/problem"
)

func damaged(format string, args ...any) *problem.Error {
	return problem.New(problem.DamagedFile, format, args...)
}

func tooComplex(format string, args ...any) *problem.Error {
	return problem.New(problem.TooComplex, format, args...)
}

// clip shortens a name that came from the file, for messages.
func clip(name string) string {
	if len(name) > 80 {
		return name[:80] + "…"
	}
	return name
}

func unescapePath(target string) (string, error) { return url.PathUnescape(target) }
