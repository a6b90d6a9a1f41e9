package sandboxd

import (
	"context"
	"io"
	"path/filepath"

	"github.com/sandboxd/sandboxd/fetch"
	"github.com/sandboxd/sandboxd/worker"
	"github.com/sandboxd/sandboxd/workspace"
)

// dbDir is the folder of a workspace's agent database, the only one that its worker can open.
func dbDir(data string) func(string) (string, error) {
	return func(name string) (string, error) {
		if err := workspace.CheckWorkspace(name); err != nil {
			return "", err
		}
		return filepath.Join(data, "db", name), nil
	}
}

// agentDBs gives the store the agent's databases, which live in workers.
type agentDBs struct{ pool *worker.Pool }

var _ workspace.AgentDBs = agentDBs{}

func (a agentDBs) AgentDB(ctx context.Context, name string) (workspace.AgentDB, error) {
	db, err := a.pool.AgentDB(ctx, name)
	if err != nil {
		return nil, err
	}
	return agentDB{db}, nil
}

// agentDB has the store's own types at its edge.
type agentDB struct{ *worker.AgentDB }

func (a agentDB) Prepare(ctx context.Context) (workspace.Prepared, error) {
	p, err := a.AgentDB.Prepare(ctx)
	return workspace.Prepared(p), err
}

func (a agentDB) Markers(ctx context.Context) ([]workspace.Marker, error) {
	var markers []workspace.Marker
	found, err := a.AgentDB.Markers(ctx)
	for _, m := range found {
		markers = append(markers, workspace.Marker(m))
	}
	return markers, err
}

// fetcher gives the store downloads.
type fetcher struct{ client *fetch.Client }

func (f fetcher) Fetch(ctx context.Context, url string, dst io.Writer, max int64) (workspace.Fetched, error) {
	meta, err := f.client.GetUpTo(ctx, url, dst, max)
	return workspace.Fetched{Name: meta.Name, MimeType: meta.MimeType}, err
}
