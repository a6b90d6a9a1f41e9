package worker

import (
	"encoding/json"
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

// wireAnswer is a runAnswer as it comes: what may be large is decoded only once it is known
// to be no larger than an honest process would make it. Decoded, two bytes of JSON take
// forty, so that a frame of 32 MB could take a gigabyte of the daemon's memory.
type wireAnswer struct {
	Result json.RawMessage `json:"result"`
	Error  json.RawMessage `json:"error"`
	Logs   json.RawMessage `json:"logs"`
	Calls  json.RawMessage `json:"calls"`
	Spent  bool            `json:"spent"`
}

const (
	maxErrorBytes = 1 << 20 // of JSON; texts are cut to maxErrorText besides
	maxCallsBytes = 256 << 10
)

// accept decodes what is of a sensible size and makes it acceptable. What is not is left
// out; an error that is too large is one all the same.
func (w *wireAnswer) accept(l limits.Limits) *runAnswer {
	a := &runAnswer{Result: w.Result, Spent: w.Spent}
	if len(w.Error) > 0 && string(w.Error) != "null" {
		a.Error = new(problem.Error)
		if err := decodeUpTo(w.Error, maxErrorBytes, a.Error); err != nil {
			a.Error = problem.New(problem.Internal, "something went wrong inside sandboxd").
				WithCause(fmt.Errorf("worker: the process's error: %w", err))
		}
	}
	// A line is a byte of text at least, and its JSON some sixty more.
	if decodeUpTo(w.Logs, 64*l.ConsoleBytes+maxErrorBytes, &a.Logs) != nil {
		a.Logs = nil
	}
	if decodeUpTo(w.Calls, maxCallsBytes, &a.Calls) != nil {
		a.Calls = nil
	}
	a.accept(l)
	return a
}

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

// decodeUpTo decodes JSON of at most max bytes; none is nothing.
func decodeUpTo(data json.RawMessage, max int64, into any) error {
	if len(data) == 0 {
		return nil
	}
	if int64(len(data)) > max {
		return fmt.Errorf("%d bytes of JSON are more than %d", len(data), max)
	}
	return json.Unmarshal(data, into)
}
