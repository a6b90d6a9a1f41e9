package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The line that says how long a script is at work is for people: on a terminal only, and
// gone when the run has ended.
func TestTheProgressLineIsForTerminals(t *testing.T) {
	script := filepath.Join(t.TempDir(), "slow.js")
	if err := os.WriteFile(script, []byte("console.log('up'); await new Promise(done => setTimeout(done, 1200)); console.log('on')"), 0o600); err != nil {
		t.Fatal(err)
	}
	line := regexp.MustCompile(`(\r\x1b\[Kslow\.js: running for \d+ s)+\r\x1b\[K`)
	for _, terminal := range []bool{true, false} {
		var out, err bytes.Buffer
		a := &app{ctx: t.Context(), in: strings.NewReader(""), out: &out, err: &err, terminal: terminal}
		if code := command(a, []string{"run", script}); code != exitOK {
			t.Fatalf("exit code %d: %s", code, err.String())
		}
		if got := line.Match(err.Bytes()); got != terminal {
			t.Errorf("terminal %t: %q", terminal, err.String())
		}
		if shown := line.ReplaceAllString(err.String(), ""); shown != "up\non\n" {
			t.Errorf("terminal %t: what stays is %q", terminal, shown)
		}
	}
}
