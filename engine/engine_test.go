package engine_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/sandboxd/sandboxd/engine"
	"github.com/sandboxd/sandboxd/problem"
)

func TestOfLoadsOnceAndAnswersWhatIsMissing(t *testing.T) {
	loads := 0
	set := engine.NewSet([]engine.Engine{
		{Name: "here", Title: "Here", Load: func(engine.Places) (any, error) { loads++; return "loaded", nil }},
		{Name: "gone", Title: "Gone", Get: "Run make gone.", Load: func(engine.Places) (any, error) { return nil, engine.ErrMissing }},
		{Name: "broken", Title: "Broken", Load: func(engine.Places) (any, error) { panic("no such symbol") }},
	}, engine.Places{})
	for range 2 {
		got, err := engine.Of[string](set, "here")
		if got != "loaded" || err != nil {
			t.Fatalf("got %q, %v", got, err)
		}
	}
	if loads != 1 {
		t.Errorf("loaded %d times", loads)
	}
	for _, name := range []string{"gone", "broken", "unheard of"} {
		if _, err := engine.Of[string](set, name); problem.CodeOf(err) != problem.EngineMissing {
			t.Errorf("%s: %v", name, err)
		}
	}
	var asProblem *problem.Error
	_, err := engine.Of[string](set, "gone")
	if !errors.As(err, &asProblem) || asProblem.Hint != "Run make gone." {
		t.Errorf("the hint does not tell how to get it: %+v", asProblem)
	}
	status := set.Status()
	if status[0].Missing || !status[1].Missing || status[2].Missing || status[2].Error == "" {
		t.Errorf("status %+v", status)
	}
}

func TestFindInPrefersTheNewestAndTheEnvironment(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"pdfium.wasm", "libvips-cpp.so.8.17.1", "libvips-cpp.so.8.18.7"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv(engine.EnvPDFium, "")
	t.Setenv(engine.EnvLibvips, "")
	p := engine.FindIn(dir)
	if p.PDFium != filepath.Join(dir, "pdfium.wasm") || filepath.Base(p.Libvips) != "libvips-cpp.so.8.18.7" {
		t.Errorf("found %+v", p)
	}
	t.Setenv(engine.EnvLibvips, "none")
	t.Setenv(engine.EnvPDFium, "/elsewhere/pdfium.wasm")
	if p := engine.FindIn(dir); p.Libvips != "" || p.PDFium != "/elsewhere/pdfium.wasm" {
		t.Errorf("found %+v", p)
	}
}
