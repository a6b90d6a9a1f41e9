package workspace_test

import (
	"context"
	"errors"
	"testing"

	"github.com/sandboxd/sandboxd/workspace"
	"github.com/sandboxd/sandboxd/workspace/workspacetest"
)

// open opens a store in a fresh folder, closed with the test.
func open(t testing.TB, config workspace.Config) *workspace.Store {
	t.Helper()
	if config.Dir == "" {
		config.Dir = t.TempDir()
	}
	if config.AgentDBs == nil {
		config.AgentDBs = newAgentDBs(t, config.Dir)
	}
	s, err := workspace.Open(context.Background(), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return s
}

func TestSQLite(t *testing.T) {
	workspacetest.Exercise(t, func(t *testing.T, config workspace.Config) *workspace.Store { return open(t, config) })
}

func TestASecondDaemonIsKeptOff(t *testing.T) {
	s := open(t, workspace.Config{})
	if _, err := workspace.Open(context.Background(), workspace.Config{Dir: s.Dir()}); !errors.Is(err, workspace.ErrLocked) {
		t.Fatalf("got %v, want ErrLocked", err)
	}
}
