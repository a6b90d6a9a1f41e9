package sandboxd_test

import (
	"context"
	"strings"
	"testing"
	"time"

	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/sandboxd/sandboxd"
	"github.com/sandboxd/sandboxd/problem"
)

// A run is a span with its parts below it, and below that of whoever called.
func TestRunsAreTraced(t *testing.T) {
	recorder := tracetest.NewSpanRecorder()
	provider := sdk.NewTracerProvider(sdk.WithSpanProcessor(recorder))
	h := open(t, sandboxd.Config{Tracing: provider})
	ctx, caller := provider.Tracer("test").Start(t.Context(), "caller")
	must(t, h.Call(ctx, sandboxd.Call{Tool: "file_list"}))
	h.Run(ctx, sandboxd.Run{Script: "throw new Error('no')"})
	h.Run(ctx, sandboxd.Run{Workspace: "/"})
	caller.End()
	var told []string
	byID := map[string]string{}
	for _, s := range recorder.Ended() {
		byID[s.SpanContext().SpanID().String()] = s.Name()
	}
	for _, s := range recorder.Ended() {
		line := byID[s.Parent().SpanID().String()] + "/" + s.Name()
		for _, a := range s.Attributes() {
			if a.Key == "error.type" {
				line += " " + a.Value.AsString()
			}
		}
		if s.Name() != "queue" { // there may have been none
			told = append(told, line)
		}
	}
	want := "tool file_list/work tool file_list/commit caller/tool file_list script/work script/commit caller/script script_error caller/script invalid_argument /caller"
	if got := strings.Join(told, " "); got != want {
		t.Errorf("the spans are\n%s\nwant\n%s", got, want)
	}
}

// Shutdown gives runs the time that it is given, and then ends them; they change nothing.
func TestShutdownIsBounded(t *testing.T) {
	dir := t.TempDir()
	h, err := sandboxd.Open(t.Context(), sandboxd.Config{Dir: dir, Concurrency: 2, Limits: unhurried})
	if err != nil {
		t.Fatal(err)
	}
	answers := make(chan sandboxd.Answer, 1)
	id, err := h.Start(t.Context(), sandboxd.Run{Script: `await files.create("long.txt"); await new Promise(done => setTimeout(done, 200_000))`})
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		answers <- h.Run(t.Context(), sandboxd.Run{Script: `await files.create("short.txt"); return 1`})
	}()
	if a := <-answers; !a.OK {
		t.Fatal(a.Error)
	}
	began := time.Now()
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	if err := h.Shutdown(ctx); err != nil {
		t.Error(err)
	}
	if took := time.Since(began); took < 150*time.Millisecond || took > time.Minute {
		t.Errorf("it took %v", took)
	}
	again := open(t, sandboxd.Config{Dir: dir})
	record, err := again.Runs("").Get(t.Context(), id)
	if err != nil || record.Status != "failed" || record.Error.Code != problem.Canceled {
		t.Errorf("the long run is %+v, %v", record, err)
	}
	if list, err := again.Files("").List(t.Context(), ""); err != nil || len(list) != 1 || list[0].Name != "short.txt" {
		t.Errorf("there is %+v, %v", list, err)
	}
}
