package sandboxd_test

import (
	"strings"
	"testing"
	"time"

	"github.com/sandboxd/sandboxd"
	"github.com/sandboxd/sandboxd/problem"
	"github.com/sandboxd/sandboxd/workspace"
)

// A workspace that is full of old versions has room again once they are too old, without
// anybody doing anything.
func TestTheQuotaFallsByItself(t *testing.T) {
	h := open(t, sandboxd.Config{CollectEvery: 10 * time.Millisecond,
		Retention: workspace.Retention{Versions: 200 * time.Millisecond, Undo: 200 * time.Millisecond}})
	put := func(text string) {
		t.Helper()
		if _, err := h.Files("").Put(t.Context(), sandboxd.Upload{Name: "a", Replace: true, Body: strings.NewReader(strings.Repeat(text, 100_000))}); err != nil {
			t.Fatal(err)
		}
	}
	put("1")
	put("2")
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(5 * time.Millisecond) { // time itself is what is awaited
		u, err := h.Usage(t.Context(), "")
		if err != nil {
			t.Fatal(err)
		}
		if u.Files == 100_000 && u.VersionCount == 1 {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("the workspace still has %+v", u)
		}
	}
	if versions, err := h.Files("").Versions(t.Context(), "a"); err != nil || len(versions) != 1 || versions[0].Version != 2 {
		t.Errorf("there are versions %+v, %v", versions, err)
	}
}

func TestCollect(t *testing.T) {
	h := open(t, sandboxd.Config{CollectEvery: -1, Retention: workspace.Retention{Versions: time.Nanosecond, Undo: time.Nanosecond, Kept: 1}})
	for range 3 {
		must(t, h.Run(t.Context(), sandboxd.Run{Script: `await files.writeText("a.txt", String(Math.random())).catch(() => files.create("a.txt"))`}))
	}
	time.Sleep(2 * time.Millisecond) // ages are counted in whole ones: the clock is what is awaited
	would, err := h.Collect(t.Context(), true)
	if err != nil || would.Versions != 2 {
		t.Errorf("it would remove %+v, %v", would, err)
	}
	if list, err := h.Files("").Versions(t.Context(), "a.txt"); err != nil || len(list) != 3 {
		t.Errorf("a dry run removed versions: %+v, %v", list, err)
	}
	if did, err := h.Collect(t.Context(), false); err != nil || did.Versions != 2 {
		t.Errorf("it removed %+v, %v", did, err)
	}
	if _, err := h.Files("").Open(t.Context(), "a.txt", 1); problem.CodeOf(err) != problem.NotFound {
		t.Errorf("version 1: %v", err)
	}
}
