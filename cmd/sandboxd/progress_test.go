package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
)

// The line that says how long a script is at work is for people: on a terminal only, and
// gone when there is something else to show and when the run has ended.
func TestTheProgressLineIsForTerminals(t *testing.T) {
	shown := run(t, false, "console.log('up'); console.log('on')", "never")
	if shown != "up\non\n" {
		t.Errorf("without a terminal: %q", shown)
	}
	shown = run(t, true, "console.log('up'); for (;;) { await new Promise(done => setTimeout(done, 200)); console.log('on') }", "running for")
	line := regexp.MustCompile(`(\r\x1b\[Kslow\.js: running for \d+ s)+\r\x1b\[K`)
	if !line.MatchString(shown) {
		t.Errorf("on a terminal: %q", shown)
	}
	if stays := line.ReplaceAllString(shown, ""); !regexp.MustCompile(`^up\n(on\n)+canceled( at line 1, column \d+)?: [^\x1b]*$`).MatchString(stays) {
		t.Errorf("what stays on a terminal is %q", stays)
	}
}

// run runs a script as a person does, who ends it by Ctrl-C once a text and then a line of
// the script's have been shown, and gives what was shown.
func run(t *testing.T, terminal bool, script, until string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "slow.js")
	if err := os.WriteFile(path, []byte(script), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var out bytes.Buffer
	err := &screen{until: until, seen: cancel}
	a := &app{ctx: ctx, in: strings.NewReader(""), out: &out, err: err, terminal: terminal}
	if code := command(a, []string{"run", path, "--timeout", "5m"}); code != exitOK && ctx.Err() == nil {
		t.Fatalf("exit code %d: %s", code, err.text.String())
	}
	return err.text.String()
}

// screen keeps what is written and calls seen after a text and the next line of a script.
type screen struct {
	until string
	seen  func()

	mu   sync.Mutex
	text strings.Builder
}

func (s *screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.text.Write(p)
	if _, after, ok := strings.Cut(s.text.String(), s.until); ok && strings.Contains(after, "on\n") {
		s.seen()
	}
	return len(p), nil
}
