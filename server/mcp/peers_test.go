package mcp_test

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// peers is where npm puts the clients and suites that the tests drive the server with.
const peers = "testdata/peers"

// node finds a Node that the peers run on: the machine's own, or the one among them.
func node(t *testing.T) string {
	t.Helper()
	if _, err := os.Stat(filepath.Join(peers, "node_modules", "@modelcontextprotocol", "sdk")); err != nil {
		t.Skip("the MCP peers are not installed: run npm ci in server/mcp/" + peers)
	}
	if path, err := exec.LookPath("node"); err == nil {
		out, err := exec.Command(path, "--version").Output()
		major, _, _ := strings.Cut(strings.TrimPrefix(string(out), "v"), ".")
		if n, numeric := strconv.Atoi(major); err == nil && numeric == nil && n >= 22 {
			return path
		}
	}
	found, _ := filepath.Glob(filepath.Join(peers, "node_modules", "node-*", "bin", "node"))
	if len(found) == 0 {
		t.Skip("there is no Node of version 22 or later, and npm has none for this machine")
	}
	path, err := filepath.Abs(found[0])
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// peer runs a program of the peers in their folder; its exit code is the caller's to judge.
func peer(t *testing.T, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 15*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, node(t), args...)
	cmd.Dir = peers
	var out, err bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &err
	if e := cmd.Run(); e != nil && cmd.ProcessState == nil {
		t.Fatal(e)
	}
	return out.String(), err.String(), cmd.ProcessState.ExitCode()
}
