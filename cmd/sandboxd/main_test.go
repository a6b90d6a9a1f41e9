package main

import (
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/sandboxd/sandboxd"
)

func TestMain(m *testing.M) {
	sandboxd.Worker()
	testscript.Main(m, map[string]func(){"sandboxd": main})
}

// TestCommands plays the command lines in testdata/*.txt as a person would type them.
func TestCommands(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata",
		Setup: func(env *testscript.Env) error {
			env.Setenv("SANDBOXD_DATA", env.WorkDir+"/data")
			return nil
		},
		UpdateScripts: os.Getenv("UPDATE") != "",
	})
}
