package worker

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sandboxd/sandboxd/engine"
	"github.com/sandboxd/sandboxd/op"
)

// testEngines are what workers of these tests load: a "compiled" file in the cache and
// the names of the fonts there are.
func testEngines() []engine.Engine {
	return []engine.Engine{{
		Name: "test", Title: "the test's engine", Get: "Install it.",
		Warm: func(at engine.Places) error {
			return os.WriteFile(filepath.Join(at.Cache, "compiled"), []byte("compiled"), 0o600)
		},
		Load: func(at engine.Places) (any, error) {
			if at.PDFium == "" {
				return nil, engine.ErrMissing
			}
			compiled, err := os.ReadFile(filepath.Join(at.Cache, "compiled"))
			if err != nil {
				return nil, err
			}
			if f, err := os.Create(filepath.Join(at.Cache, "planted")); err == nil {
				f.Close()
				return nil, errors.New("a worker can write the cache that others run")
			}
			if _, err := os.ReadFile("/etc/passwd"); err == nil {
				return nil, errors.New("a worker can read other files while it loads engines")
			}
			return &testEngine{text: string(compiled)}, nil
		},
	}}
}

type testEngine struct{ text string }

func testEngineOp(_ context.Context, env *op.Env, _ refIn) (textOut, error) {
	e, err := engine.Of[*testEngine](env.Engines, "test")
	if err != nil {
		return textOut{}, err
	}
	return textOut{e.text}, nil
}

// TestEnginesAreLoadedBeforeTheDoorShuts has a worker use what it loaded from files that
// it can no longer open, after a process of its own has made the cache.
func TestEnginesAreLoadedBeforeTheDoorShuts(t *testing.T) {
	dir := t.TempDir()
	at := engine.Places{PDFium: filepath.Join(dir, "pdfium.wasm"), Cache: filepath.Join(dir, "cache")}
	if err := os.WriteFile(at.PDFium, []byte("wasm"), 0o600); err != nil {
		t.Fatal(err)
	}
	source := `[await test.engine('x'), await test.attempt('open a file'), await test.attempt('make memory executable')].join(' ')`
	for range 2 { // the second pool finds the cache made
		p := start(t, Config{Size: 1, Spare: -1, Engines: at})
		out := p.Run(t.Context(), script(t, source))
		if out.Error != nil || !strings.HasPrefix(string(out.Result), `"compiled `) || strings.Contains(string(out.Result), "SUCCEEDED") {
			t.Errorf("got %s, %v", out.Result, out.Error)
		}
	}
	marks, _ := filepath.Glob(filepath.Join(at.Cache, "warm-*"))
	if len(marks) != 1 {
		t.Errorf("marks of a made cache: %q", marks)
	}
	report, err := Doctor(t.Context(), Config{Engines: at})
	if err != nil || len(report.Engines) != 1 || report.Engines[0].Missing || report.Engines[0].Error != "" {
		t.Errorf("Doctor says %+v, %v", report.Engines, err)
	}
}

func TestMissingEngineSaysWhatToDo(t *testing.T) {
	p := start(t, Config{Size: 1, Spare: -1})
	out := p.Run(t.Context(), script(t, `try { await test.engine('x') } catch (e) { [e.code, e.message, e.hint].join(' | ') }`))
	want(t, out, `"engine_missing | this needs the test's engine, which is not installed here | Install it."`)
}
