package image_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/sandboxd/sandboxd/bindings/files/image"
	"github.com/sandboxd/sandboxd/bindings/files/image/vips"
	"github.com/sandboxd/sandboxd/engine"
	"github.com/sandboxd/sandboxd/engine/enginetest"
	"github.com/sandboxd/sandboxd/host/hosttest"
	"github.com/sandboxd/sandboxd/limits"
	"github.com/sandboxd/sandboxd/op"
	"github.com/sandboxd/sandboxd/op/optest"
	"github.com/sandboxd/sandboxd/problem"
)

var table = image.Operations()

func TestTableIsSound(t *testing.T) {
	if err := table.Check(); err != nil {
		t.Fatal(err)
	}
}

func TestExamplesCompile(t *testing.T) { optest.Examples(t, table) }

// run is one run in a workspace of its own, with one of the engines.
type run struct {
	t    testing.TB
	host *hosttest.Memory
	env  *op.Env
}

// withVips is a run with libvips; it skips the test where there is none.
func withVips(t testing.TB) *run {
	t.Helper()
	at := enginetest.Places(t)
	if at.Libvips == "" {
		t.Skip("libvips is not installed: make engines")
	}
	r := withBuiltin(t)
	r.env.Engines = engine.NewSet([]engine.Engine{vips.Engine()}, at)
	switch _, err := engine.Of[*vips.Vips](r.env.Engines, vips.Name); {
	case errors.Is(err, engine.ErrMissing):
		t.Skip("libvips is not part of this build")
	case err != nil:
		t.Fatal(err)
	}
	return r
}

func withBuiltin(t testing.TB) *run {
	t.Helper()
	h := hosttest.New(t)
	return &run{t, h, op.NewEnv(h, limits.Limits{}, op.NewCache(64<<20))}
}

// onBoth runs a test with each engine.
func onBoth(t *testing.T, test func(t *testing.T, r *run)) {
	t.Run("builtin", func(t *testing.T) { test(t, withBuiltin(t)) })
	t.Run("libvips", func(t *testing.T) { test(t, withVips(t)) })
}

// js calls an operation by its JavaScript name; args are JSON.
func (r *run) js(name string, args ...any) (map[string]any, error) {
	r.t.Helper()
	o, ok := table.Lookup("files.image." + name)
	if !ok {
		r.t.Fatalf("there is no operation %s", name)
	}
	text, err := json.Marshal(args)
	if err != nil {
		r.t.Fatal(err)
	}
	plain, err := op.DecodeJSON(text)
	if err != nil {
		r.t.Fatal(err)
	}
	in, wrong := o.BindJS(plain.([]any))
	if wrong != nil {
		return nil, wrong
	}
	out, err := o.Call(context.Background(), r.env, in)
	if err != nil {
		return nil, err
	}
	answer, err := o.ResultTool(out)
	if err != nil {
		r.t.Fatal(err)
	}
	var tree map[string]any
	if err := json.Unmarshal(answer, &tree); err != nil {
		r.t.Fatal(err)
	}
	return tree, nil
}

// do is js for calls that must succeed.
func (r *run) do(name string, args ...any) map[string]any {
	r.t.Helper()
	out, err := r.js(name, args...)
	if err != nil {
		r.t.Fatalf("%s%v: %v", name, args, err)
	}
	return out
}

// fails is js for calls that must end with a code.
func (r *run) fails(want problem.Code, name string, args ...any) *problem.Error {
	r.t.Helper()
	out, err := r.js(name, args...)
	if problem.CodeOf(err) != want {
		r.t.Fatalf("%s%v: %v, %v, want %s", name, args, out, err, want)
	}
	return problem.From(err)
}

type o = map[string]any

const corpus = "../../../../shared/corpus/image"

// corpusFile is a picture of the corpus; it skips the test where there is none.
func corpusFile(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(corpus, name))
	if err != nil {
		t.Skip("the corpus is not here: ", err)
	}
	return data
}
