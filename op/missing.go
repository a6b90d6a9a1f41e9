package op

import (
	"context"
	"path"
	"strings"
	"unicode/utf8"

	"github.com/sandboxd/sandboxd/problem"
)

const (
	// suggestions is how often a run is told what file it may have meant: each looks
	// through the list of files.
	suggestions = 10
	// suggestionsFrom is how many files are looked at.
	suggestionsFrom = 2000
)

// suggestFile puts the names that a file's wrong name may have meant before the hint of a
// not_found.
func (e *Env) suggestFile(ctx context.Context, wrong *problem.Error) *problem.Error {
	ref, ok := wrong.Details["ref"].(string)
	if !ok || e == nil || e.suggested.Add(1) > suggestions {
		return wrong
	}
	files, err := e.Direct.List(ctx, "")
	if err != nil {
		return wrong
	}
	names := make([]string, 0, min(len(files), suggestionsFrom))
	for _, f := range files[:min(len(files), suggestionsFrom)] {
		names = append(names, f.Name)
	}
	near := nearestFiles(ref, names, 3)
	if len(near) == 0 {
		return wrong
	}
	hint := "Did you mean " + strings.Join(near, " or ") + "?"
	if wrong.Hint != problem.New(wrong.Code, "").Hint {
		hint += " " + wrong.Hint
	}
	return wrong.WithHint("%s", hint)
}

// nearestFiles gives up to n names that a wrong one may have meant, quoted, best first:
// other letters of the same case, a few wrong letters, another folder or another extension.
func nearestFiles(wrong string, names []string, n int) []string {
	if utf8.RuneCountInString(wrong) > longest {
		return nil
	}
	wrong = strings.TrimLeft(strings.ToLower(wrong), "./")
	base, stem := path.Base(wrong), strings.TrimSuffix(path.Base(wrong), path.Ext(wrong))
	limit := utf8.RuneCountInString(stem) / 3
	near := rank(names, n, limit*unit, func(name string) int {
		name = strings.ToLower(name)
		switch other := path.Base(name); {
		case name == wrong:
			return 0
		case other == base:
			return 1
		case strings.TrimSuffix(other, path.Ext(other)) == stem && stem != "":
			return 2
		}
		if apart := len(name) - len(wrong); apart > 4*limit || apart < -4*limit { // bytes
			return (limit + 1) * unit
		}
		return distance(wrong, name) * unit
	})
	for i := range near {
		near[i] = `"` + near[i] + `"`
	}
	return near
}
