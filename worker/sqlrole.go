package worker

import (
	"context"
	"sync"

	"github.com/sandboxd/sandboxd/agentdb"
	"github.com/sandboxd/sandboxd/host/frame"
)

// sqlRole holds a workspace's agent database in the child.
type sqlRole struct {
	silent
	settings settings

	mu sync.Mutex
	db *agentdb.DB
}

var _ role = (*sqlRole)(nil)

// open opens the database at the first call and not before: the file's bytes may be
// hostile, and by then the process is hardened.
func (r *sqlRole) open(ctx context.Context) (*agentdb.DB, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.db != nil {
		return r.db, nil
	}
	// SQLite's allocator gives nothing back: without a bound of its own, one statement that
	// runs into RLIMIT_DATA makes every later one fail.
	if err := agentdb.LimitHeap(r.settings.Limits.Memory / 4); err != nil {
		return nil, err
	}
	db, err := agentdb.Open(ctx, agentdb.Config{Dir: r.settings.Dir, Limits: r.settings.Limits})
	r.db = db
	return db, err
}

func (r *sqlRole) Handle(ctx context.Context, req frame.Request) (frame.Reply, error) {
	db, err := r.open(ctx)
	if err != nil {
		return frame.Reply{}, err
	}
	body, err := agentdb.Serve(ctx, db, req.Method, req.Body)
	return frame.Reply{Body: body}, err
}

// close closes the files in good order. The contexts of calls under way have ended, which
// ends the statements; the daemon kills a process that takes too long.
func (r *sqlRole) close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.db == nil {
		return nil
	}
	return r.db.Close()
}
