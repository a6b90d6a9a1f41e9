package worker

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/sandboxd/sandboxd/host"
	"github.com/sandboxd/sandboxd/limits"
	"github.com/sandboxd/sandboxd/problem"
)

// A process that a script has taken over may answer anything.
func TestAnswersAreBounded(t *testing.T) {
	l := limits.Limits{ResultBytes: 1000, ConsoleBytes: 1000}
	long := strings.Repeat("x", 1<<20)
	a := runAnswer{Result: json.RawMessage(`"` + long + `"`), Calls: map[string]int{}}
	for i := range 5000 {
		a.Calls[fmt.Sprint(i)] = i
		a.Logs = append(a.Logs, host.LogLine{Text: ""})
	}
	a.accept(l)
	if a.Error == nil || a.Error.Code != problem.ResultTooLarge || a.Result != nil || a.Calls != nil || len(a.Logs) > 4000 {
		t.Errorf("%v, %d bytes, %d calls, %d lines", a.Error, len(a.Result), len(a.Calls), len(a.Logs))
	}

	a = runAnswer{Error: &problem.Error{Code: "made_up", Message: long}, Result: json.RawMessage("1"), Logs: []host.LogLine{{Text: "first"}, {Text: long}, {Text: "last"}}}
	a.accept(l)
	if a.Error.Code != problem.Internal || len(a.Error.Error()) > 1000 || a.Result != nil || len(a.Logs) != 1 {
		t.Errorf("%v, %s, %d lines", a.Error.Code, a.Result, len(a.Logs))
	}

	a = runAnswer{Error: &problem.Error{Code: problem.NotFound, Message: long, Stack: long, Hint: long}}
	a.accept(l)
	if size := len(a.Error.Message) + len(a.Error.Stack) + len(a.Error.Hint); a.Error.Code != problem.NotFound || size > 100_000 {
		t.Errorf("%v with %d bytes of text", a.Error.Code, size)
	}
}

// A run with a small budget is not blamed for what an earlier one with a large one left.
func TestEarlierRunsDoNotCount(t *testing.T) {
	p := start(t, Config{Size: 1, Limits: limits.Limits{Memory: 512 * limits.MB}})
	for range 3 {
		job := script(t, "await test.hoard(200 * 2**20)")
		out := p.Run(t.Context(), job)
		if out.Error != nil {
			t.Fatal(out.Error)
		}
		job = script(t, "return 1")
		job.Limits.Memory = 96 * limits.MB
		want(t, p.Run(t.Context(), job), "1")
	}
	if n := len(p.idlePids()["w"]); n != 1 {
		t.Errorf("%d processes", n)
	}
}
