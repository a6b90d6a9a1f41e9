package worker

import (
	"fmt"

	"github.com/sandboxd/sandboxd/host"
	"github.com/sandboxd/sandboxd/limits"
	"github.com/sandboxd/sandboxd/problem"
)

const (
	// maxErrorText is the longest message, hint or stack that is taken from a process.
	maxErrorText = 32 << 10
	// maxCallNames is more than there are operations.
	maxCallNames = 1000
)

// accept takes a process's answer as what it is: the word of something that a script may
// have taken over. What a client will see or what will be stored is of a known kind and of
// bounded size afterwards.
func (a *runAnswer) accept(l limits.Limits) {
	if a.Error == nil && int64(len(a.Result)) > l.ResultBytes {
		a.Error = tooLarge(int64(len(a.Result)), l.ResultBytes)
	}
	if p := a.Error; p != nil {
		a.Result = nil
		if _, known := problem.Lookup(p.Code); !known {
			p = problem.New(problem.Internal, "something went wrong inside sandboxd").
				WithCause(fmt.Errorf("worker: the process answered the unknown code %q", clipped(string(p.Code), 64)))
			a.Error = p
		}
		p.Message, p.Hint, p.Stack = clipped(p.Message, maxErrorText), clipped(p.Hint, maxErrorText), clipped(p.Stack, maxErrorText)
		if len(p.Details) > maxCallNames {
			p.Details = nil
		}
	}
	if len(a.Calls) > maxCallNames {
		a.Calls = nil
	}
	a.Logs = within(a.Logs, l.ConsoleBytes)
}

// within keeps the lines that fit: those of an honest process all do, with its marker for
// what was cut.
func within(lines []host.LogLine, max int64) []host.LogLine {
	const marker = 1 << 10
	left := max + marker
	for i := range lines {
		if left -= 1 + int64(len(lines[i].Text)); left < 0 {
			return lines[:i]
		}
		lines[i].Level = clipped(lines[i].Level, len("error"))
	}
	return lines
}

func clipped(s string, max int) string {
	if len(s) <= max {
		return s
	}
	return s[:max] + "…"
}
