// Package enginetest finds the engines for tests and benchmarks, whose binaries lie
// elsewhere than sandboxd's.
package enginetest

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/sandboxd/sandboxd/engine"
)

// Places are those of `make engines`, in bin/engines of the module, with a cache beside
// them. What is not there is empty.
func Places(t testing.TB) engine.Places {
	t.Helper()
	p, err := InModule()
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// InModule is Places outside of a test.
func InModule() (engine.Places, error) {
	root, err := moduleRoot()
	if err != nil {
		return engine.Places{}, err
	}
	p := engine.FindIn(filepath.Join(root, "bin", "engines"))
	p.Cache = filepath.Join(root, ".cache", "wazero")
	return p, os.MkdirAll(p.Cache, 0o700)
}

// Use has the whole test binary, and the processes that it starts, find what `make
// engines` made, unless the environment names another place. For TestMain
// and for programs that go run makes.
func Use() {
	at, err := InModule()
	if err != nil {
		return // a test binary that was started as a command, with an environment of its own
	}
	setenv(engine.EnvDir, filepath.Join(filepath.Dir(filepath.Dir(at.Cache)), "bin", "engines"))
	setenv(engine.EnvCache, at.Cache)
}

func setenv(name, value string) {
	if os.Getenv(name) == "" {
		os.Setenv(name, value)
	}
}

// moduleRoot is the folder of go.mod above the working folder.
func moduleRoot() (string, error) {
	dir, err := os.Getwd()
	for ; err == nil; dir = filepath.Dir(dir) {
		if _, e := os.Stat(filepath.Join(dir, "go.mod")); e == nil {
			return dir, nil
		}
		if dir == filepath.Dir(dir) {
			return "", os.ErrNotExist
		}
	}
	return "", err
}
