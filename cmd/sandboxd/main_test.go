package main

import (
	"bufio"
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/sandboxd/sandboxd"
	"github.com/sandboxd/sandboxd/engine"
	"github.com/sandboxd/sandboxd/engine/enginetest"
)

func TestMain(m *testing.M) {
	sandboxd.Worker()
	enginetest.Use()
	testscript.Main(m, map[string]func(){"sandboxd": main})
}

// TestCommands plays the command lines in testdata/*.txt as a person would type them.
func TestCommands(t *testing.T) {
	// The first worker of a new binary says that it prepares PDFium; the tests read what
	// commands say besides.
	h, err := sandboxd.Open(t.Context(), sandboxd.Config{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	if err := h.Close(); err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir: "testdata",
		Setup: func(env *testscript.Env) error {
			env.Setenv("SANDBOXD_DATA", env.WorkDir+"/data")
			env.Setenv("HOME", env.WorkDir+"/home")
			env.Setenv(engine.EnvDir, os.Getenv(engine.EnvDir))
			env.Setenv(engine.EnvCache, os.Getenv(engine.EnvCache))
			env.Setenv("SANDBOXD_PLAIN_WORKER", os.Getenv("SANDBOXD_PLAIN_WORKER"))
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits":    exits,
			"appears":  appears,
			"setmatch": setMatch,
			"takeport": takePort,
			"workbook": workbook,
			"cells":    cells,
			"field":    field,
		},
		UpdateScripts: os.Getenv("UPDATE") != "",
	})
}

// exits CODE COMMAND [ARG...] runs a command that must end with this exit code.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE COMMAND [ARG...]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	got := 0
	var ended *exec.ExitError
	if errors.As(err, &ended) {
		got = ended.ExitCode()
	} else {
		ts.Check(err)
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

// appears FILE TEXT waits until a background command has written a text to a file.
func appears(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: appears FILE TEXT")
	}
	for deadline := time.Now().Add(2 * time.Minute); time.Now().Before(deadline); {
		if raw, err := os.ReadFile(ts.MkAbs(args[0])); err == nil && strings.Contains(string(raw), args[1]) {
			return
		}
		time.Sleep(10 * time.Millisecond) // files have no event
	}
	ts.Fatalf("%q does not appear in %s", args[1], args[0])
}

// setmatch VARIABLE FILE PREFIX sets a variable to the rest of the first line that has a prefix.
func setMatch(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: setmatch VARIABLE FILE PREFIX")
	}
	lines := bufio.NewScanner(strings.NewReader(ts.ReadFile(args[1])))
	for lines.Scan() {
		if rest, ok := strings.CutPrefix(strings.TrimSpace(lines.Text()), args[2]); ok {
			ts.Setenv(args[0], strings.Trim(rest, `", `))
			return
		}
	}
	ts.Fatalf("no line of %s begins with %q", args[1], args[2])
}

// takeport VARIABLE listens on a free address until the script ends.
func takePort(ts *testscript.TestScript, neg bool, args []string) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	ts.Check(err)
	ts.Defer(func() { listener.Close() })
	ts.Setenv(args[0], listener.Addr().String())
}

// A folder of the user's is the last resort for data.
func TestTheDataFolder(t *testing.T) {
	t.Setenv("XDG_DATA_HOME", "")
	t.Setenv("HOME", "/home/somebody")
	for want, f := range map[string]dataFlag{"/named": {Data: "/named"}, "/home/somebody/.local/share/sandboxd": {}} {
		if got, err := f.dir(); err != nil || got != filepath.FromSlash(want) {
			t.Errorf("%+v is in %q, %v", f, got, err)
		}
	}
	t.Setenv("XDG_DATA_HOME", "/xdg")
	if got, err := (dataFlag{}).dir(); err != nil || got != "/xdg/sandboxd" {
		t.Errorf("with XDG_DATA_HOME it is in %q, %v", got, err)
	}
}
