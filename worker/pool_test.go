package worker

import (
	"testing"

	"github.com/sandboxd/sandboxd/problem"
)

func TestRun(t *testing.T) {
	p := start(t, Config{})
	want(t, p.Run(t.Context(), script(t, "1+1")), "2")
	wantCode(t, p.Run(t.Context(), script(t, "throw new Error('no')")), problem.ScriptError)
	job := script(t, "await test.stat('none')")
	wantCode(t, p.Run(t.Context(), job), problem.NotFound)
}
