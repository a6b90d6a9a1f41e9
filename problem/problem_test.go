package problem_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/sandboxd/sandboxd/problem"
)

func TestEveryCodeHasAnEntry(t *testing.T) {
	seen := map[problem.Code]bool{}
	for _, e := range problem.Table() {
		if seen[e.Code] {
			t.Errorf("%s is in the table twice", e.Code)
		}
		seen[e.Code] = true
		if e.Title == "" || e.Hint == "" || e.Status < 400 || e.Status > 599 {
			t.Errorf("%s: the entry is incomplete: %+v", e.Code, e)
		}
	}
}

// What happened underneath is for the operator and must not cross the boundary.
func TestTheCauseIsNotSerialised(t *testing.T) {
	cause := errors.New("open /srv/data/secret: permission denied")
	text, err := json.Marshal(problem.New(problem.NotFound, "no file named %q", "a.txt").WithCause(cause))
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(text), "secret") {
		t.Errorf("the cause leaked: %s", text)
	}
}

func TestFrom(t *testing.T) {
	exists := problem.New(problem.Exists, "taken").With("id", "7")
	for _, c := range []struct {
		err  error
		code problem.Code
	}{
		{fmt.Errorf("creating: %w", exists), problem.Exists},
		{fmt.Errorf("waiting: %w", context.DeadlineExceeded), problem.Timeout},
		{context.Canceled, problem.Canceled},
		{errors.New("disk on fire"), problem.Internal},
	} {
		if got := problem.From(c.err); got.Code != c.code {
			t.Errorf("From(%v) is %s, want %s", c.err, got.Code, c.code)
		}
	}
	if problem.From(nil) != nil || problem.CodeOf(nil) != "" {
		t.Error("no error is not a problem")
	}
	if got := problem.From(errors.New("disk on fire")); strings.Contains(got.Message, "fire") {
		t.Errorf("Go error text in the message: %q", got.Message)
	}
}

func TestWithDoesNotChangeTheOriginal(t *testing.T) {
	a := problem.New(problem.Exists, "taken").With("id", "1")
	b := a.With("id", "2").WithHint("other")
	if a.Details["id"] != "1" || a.Hint == "other" || b.Details["id"] != "2" {
		t.Errorf("a %+v, b %+v", a, b)
	}
}
