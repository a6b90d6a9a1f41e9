package main

import (
	"bytes"
	"io"
	"log/slog"
	"strings"
	"testing"

	"github.com/sandboxd/sandboxd"
	"github.com/sandboxd/sandboxd/access"
	"github.com/sandboxd/sandboxd/workspace"
)

// Names are whatever a script's author or a tenant chose. In a list each record is a line,
// and no name makes another one.
func TestAttackOnListsByNames(t *testing.T) {
	dir := t.TempDir()
	const name = "clean.js  1 ms\n2026-01-01T00:00:00Z\tdefault\toperator\x1b[2J\r\nforged"
	h, err := sandboxd.Open(t.Context(), sandboxd.Config{Dir: dir, Log: slog.New(slog.NewTextHandler(io.Discard, nil)), Concurrency: 1})
	if err != nil {
		t.Fatal(err)
	}
	run := h.Run(t.Context(), sandboxd.Run{Name: name, Script: "await state.set('a\\nforged', 1)"})
	if run.Error != nil {
		t.Fatal(run.Error)
	}
	if _, _, err := h.Tokens().Create(t.Context(), workspace.NewToken{Name: name, Workspace: "default", Scopes: access.Scopes()}); err != nil {
		t.Fatal(err)
	}
	if err := h.Close(); err != nil {
		t.Fatal(err)
	}
	for list, lines := range map[string]int{"audit ls": 2, "runs ls": 1, "tokens ls": 1, "runs show " + run.Receipt.RunID: 0} {
		var out, errs bytes.Buffer
		a := &app{ctx: t.Context(), in: strings.NewReader(""), out: &out, err: &errs}
		if code := command(a, append(strings.Fields(list), "--data", dir)); code != exitOK {
			t.Fatalf("%s: exit code %d: %s", list, code, errs.String())
		}
		got := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
		if lines > 0 && len(got) != lines || strings.ContainsAny(out.String(), "\x1b\r") {
			t.Errorf("%s is %q", list, out.String())
		}
		for _, line := range got {
			if strings.HasPrefix(line, "2026-01-01") || strings.HasPrefix(line, "forged") {
				t.Errorf("%s has the line %q", list, line)
			}
		}
	}
}
