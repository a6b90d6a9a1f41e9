package runtime

import (
	"context"
	"testing"
	"time"

	"github.com/dlclark/regexp2/v2"

	"github.com/sandboxd/sandboxd/problem"
)

// A back-reference that backtracks for ever is ended by the bound, and then the run by
// its time: what the match answered is not acted on.
func TestBoundedRegexps(t *testing.T) {
	defer BoundRegexps(regexp2.DefaultMatchTimeout) // it is the whole process's
	BoundRegexps(time.Second)
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	out := Run(ctx, Config{}, Script{Source: "/^(a+)+\\1b$/.test('a'.repeat(40)) ? 'yes' : 'no'"})
	if out.Error == nil || out.Error.Code != problem.Timeout {
		t.Errorf("answers %s, error %v", out.Result, out.Error)
	}
}
