package workspace

import (
	"strings"
	"testing"

	"github.com/sandboxd/sandboxd/problem"
)

func TestNames(t *testing.T) {
	for _, name := range []string{
		"a.txt", "reports/2026/may.csv", "Ünï — “quotes”.md", "日本語/ファイル.csv", "it's (2) [x] {y} #1 & co; 100%.txt", ".env", "a..b", "...",
		"Screenshot 3.04\u202fPM.png", "family 👩‍👩‍👧.png", "می‌خواهم.txt", strings.Repeat("x", 255),
	} {
		if got, err := CleanName(name); err != nil || got != name {
			t.Errorf("%q: got %q, %v", name, got, err)
		}
	}
	if got, _ := CleanName("cafe\u0301"); got != "caf\u00e9" {
		t.Errorf("got %q, want the composed form", got)
	}
	for name, why := range map[string]string{
		"":                         "empty",
		"/etc/passwd":              "absolute",
		"../up":                    `".."`,
		"a/../b":                   `".."`,
		"a/./b":                    `"."`,
		"a//b":                     "no name",
		"a/":                       "no name",
		" a":                       "space",
		"a ":                       "space",
		"a/ b":                     "space",
		`a\b`:                      "backslash",
		"a\x00b":                   "U+0000",
		"a\nb":                     "U+000A",
		"a\x7f":                    "U+007F",
		"evil\u202etxt.exe":        "U+202E",
		"zero\u200bwidth":          "U+200B",
		"\ufeffbom":                "U+FEFF",
		"private\ue000":            "U+E000",
		"a\xffb":                   "UTF-8",
		strings.Repeat("x", 256):   "256 bytes",
		strings.Repeat("é", 128):   "256 bytes",
		strings.Repeat("x/", 5000): "bytes",
	} {
		_, err := CleanName(name)
		if problem.CodeOf(err) != problem.InvalidArgument || !strings.Contains(problem.From(err).Message, why) {
			t.Errorf("%.40q: got %v, want a reason with %q", name, err, why)
		}
		if err != nil && len(problem.From(err).Message) > 3000 {
			t.Errorf("%.40q: the message has %d bytes", name, len(problem.From(err).Message))
		}
	}
}

func TestNumberedNames(t *testing.T) {
	for name, want := range map[string]string{
		"a.txt": "a (2).txt", "a": "a (2)", "dir.d/a": "dir.d/a (2)", ".env": ".env (2)", "a.tar.gz": "a.tar (2).gz",
		strings.Repeat("é", 125) + ".txt": strings.Repeat("é", 123) + " (2).txt",
	} {
		got := numbered(name, 2)
		if got != want {
			t.Errorf("%q: got %q, want %q", name, got, want)
		}
		if _, err := CleanName(got); err != nil {
			t.Error(err)
		}
	}
}

func FuzzSafeName(f *testing.F) {
	for _, s := range []string{"a.txt", "../../etc/passwd", `C:\x\y.doc`, "", "..", " . ", strings.Repeat("é", 300) + ".pdf", "a\x00b\xff", "x/\u202e"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		name := SafeName(text, "download")
		clean, err := CleanName(name)
		if err != nil || clean != name || strings.Contains(name, "/") {
			t.Errorf("%q became %q: %v", text, name, err)
		}
		if n := numbered(name, 1234); nameFault(n) != "" {
			t.Errorf("%q became %q: %s", name, n, nameFault(n))
		}
	})
}

func TestWorkspaceNames(t *testing.T) {
	for name, good := range map[string]bool{"main": true, "Team-1_x.y": true, "0": true, strings.Repeat("x", 64): true,
		"": false, ".": false, "..": false, "a/b": false, "-a": false, "a.": false, "é": false, strings.Repeat("x", 65): false, "a b": false} {
		if err := CheckWorkspace(name); (err == nil) != good {
			t.Errorf("%q: %v", name, err)
		}
	}
}
