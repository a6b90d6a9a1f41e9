package workspace_test

import (
	"context"
	"strings"
	"testing"

	"github.com/sandboxd/sandboxd/problem"
	"github.com/sandboxd/sandboxd/workspace"
)

// A pattern is matched in the daemon, where nothing can stop it: one with few characters
// and very many combinations of alternatives is refused before it is tried.
func TestPatternsThatWouldNeverEnd(t *testing.T) {
	ctx := context.Background()
	s := open(t, workspace.Config{})
	r, err := s.Begin(ctx, workspace.Start{Workspace: "w"})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Abort(ctx, workspace.Finish{})
	for _, name := range []string{strings.Repeat("a", 120), "a,b.csv", strings.Repeat("a/", 100) + "x"} {
		if err := write(ctx, r, name, "x"); err != nil {
			t.Fatal(err)
		}
	}
	for _, pattern := range []string{
		strings.Repeat("{a,a}", 60) + "b",
		strings.Repeat("{a,{a,a}}", 60) + "b",
		strings.Repeat("{a,[}]a,\\},a}", 60) + "b",
		strings.Repeat("a{,}", 60) + "b",
	} {
		if _, err := r.List(ctx, pattern); problem.CodeOf(err) != problem.InvalidArgument {
			t.Errorf("%.20s…: %v", pattern, err)
		}
	}
	for pattern, want := range map[string]int{
		"{a*,b*}{a,c}":                     1, // 120 times a; the others have "/" or another end
		"*.{csv,tsv,xlsx}":                 1,
		"a[,{]b.{csv,tsv}":                 1,
		"a\\,b.*":                          1,
		strings.Repeat("**/", 200) + "y":   0,
		strings.Repeat("*a", 300) + "b":    0,
		strings.Repeat("{a}", 120):         1,
		"{a,{b,c}}/{a,{b,c}}/**/{w,x,y,z}": 1,
	} {
		files, err := r.List(ctx, pattern)
		if err != nil || len(files) != want {
			t.Errorf("%.20s…: %d files, want %d (%v)", pattern, len(files), want, err)
		}
	}
}
