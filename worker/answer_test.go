package worker

import (
	"encoding/json"
	"fmt"
	"runtime"
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

// What is far larger than an honest process would make it is not even decoded.
func TestAnswersAreBoundedBeforeTheyAreDecoded(t *testing.T) {
	l := limits.Limits{ResultBytes: 1000, ConsoleBytes: 1000}
	many := func(item string) json.RawMessage {
		return json.RawMessage("[" + strings.TrimSuffix(strings.Repeat(item+",", 4<<20), ",") + "]")
	}
	hostile := map[string]wireAnswer{
		"error": {Error: json.RawMessage(`{"code":"not_found","details":{"a":` + string(many("0")) + `}}`)},
		"logs":  {Logs: many("{}")},
		"calls": {Calls: json.RawMessage(`{"` + strings.Repeat("x", 8<<20) + `":1}`)},
	}
	for name, wire := range hostile {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		a := wire.accept(l)
		runtime.ReadMemStats(&after)
		if took := after.TotalAlloc - before.TotalAlloc; took > 4<<20 {
			t.Errorf("%s: took %d MB", name, took>>20)
		}
		if len(a.Logs) > 0 || len(a.Calls) > 0 || (name == "error") != (problem.CodeOf(problemOrNil(a.Error)) == problem.Internal) {
			t.Errorf("%s: %d lines, %d calls, %v", name, len(a.Logs), len(a.Calls), a.Error)
		}
	}
	honest := wireAnswer{Error: json.RawMessage(`{"code":"not_found","message":"m","details":{"id":"1"}}`),
		Logs: json.RawMessage(`[{"level":"log","text":"t"}]`), Calls: json.RawMessage(`{"files.list":2}`)}
	if a := honest.accept(l); a.Error.Code != problem.NotFound || a.Error.Details["id"] != "1" || len(a.Logs) != 1 || a.Calls["files.list"] != 2 {
		t.Errorf("an honest answer: %+v", a)
	}
}

func problemOrNil(p *problem.Error) error {
	if p == nil {
		return nil
	}
	return p
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
