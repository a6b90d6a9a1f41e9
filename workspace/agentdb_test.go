package workspace_test

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/sandboxd/sandboxd/agentdb"
	"github.com/sandboxd/sandboxd/workspace"
)

// agentDBs gives agents' databases in this process, under the data folder.
type agentDBs struct {
	dir string
	// wrap may put something between the store and a database.
	wrap func(workspace.AgentDB) workspace.AgentDB

	mu   sync.Mutex
	open map[string]*agentdb.DB
}

func newAgentDBs(t testing.TB, dir string) *agentDBs {
	a := &agentDBs{dir: filepath.Join(dir, "db"), open: map[string]*agentdb.DB{}}
	if t != nil {
		t.Cleanup(a.close)
	}
	return a
}

func (a *agentDBs) close() {
	a.mu.Lock()
	defer a.mu.Unlock()
	for name, db := range a.open {
		db.Close()
		delete(a.open, name)
	}
}

func (a *agentDBs) AgentDB(ctx context.Context, name string) (workspace.AgentDB, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	db, ok := a.open[name]
	if !ok {
		dir := filepath.Join(a.dir, name)
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return nil, err
		}
		var err error
		if db, err = agentdb.Open(ctx, agentdb.Config{Dir: dir}); err != nil {
			return nil, err
		}
		a.open[name] = db
	}
	var given workspace.AgentDB = agentDB{db}
	if a.wrap != nil {
		given = a.wrap(given)
	}
	return given, nil
}

// agentDB has the store's own types at its edge.
type agentDB struct{ *agentdb.DB }

func (a agentDB) Prepare(ctx context.Context) (workspace.Prepared, error) {
	p, err := a.DB.Prepare(ctx)
	return workspace.Prepared(p), err
}

func (a agentDB) Markers(ctx context.Context) ([]workspace.Marker, error) {
	var markers []workspace.Marker
	found, err := a.DB.Markers(ctx)
	for _, m := range found {
		markers = append(markers, workspace.Marker(m))
	}
	return markers, err
}

func (a agentDB) Close() {}
