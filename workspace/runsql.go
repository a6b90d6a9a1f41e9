package workspace

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"sync"

	"github.com/sandboxd/sandboxd/host"
	"github.com/sandboxd/sandboxd/problem"
)

// agentTx is a run's transaction in the agent's database. It begins at the first use and
// holds the workspace's turn from then on.
type agentTx struct {
	mu    sync.Mutex
	space *space
	db    AgentDB
	open  bool
}

// SQL implements host.Host.
func (r *Run) SQL(ctx context.Context, query host.Query) (*host.QueryResult, error) {
	var result *host.QueryResult
	err := r.withDB(ctx, func(db AgentDB) (err error) {
		result, err = db.Query(ctx, query)
		return err
	})
	return result, err
}

// Schema implements host.Host.
func (r *Run) Schema(ctx context.Context) ([]host.Table, error) {
	var tables []host.Table
	err := r.withDB(ctx, func(db AgentDB) (err error) {
		tables, err = db.Schema(ctx)
		return err
	})
	return tables, err
}

// withDB calls fn with the run's transaction, one call at a time.
func (r *Run) withDB(ctx context.Context, fn func(AgentDB) error) error {
	if r.store.config.AgentDBs == nil {
		return problem.New(problem.EngineMissing, "this sandboxd has no SQL database")
	}
	r.sql.mu.Lock()
	defer r.sql.mu.Unlock()
	unlock, err := r.lock(ctx)
	if err != nil {
		return err
	}
	unlock() // Commit and Abort close the overlay first, then wait for sql.mu
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(r.life, cancel)()
	if !r.sql.open {
		if err := r.beginSQL(ctx); err != nil {
			return problem.From(err)
		}
	}
	if err := fn(r.sql.db); err != nil {
		return problem.From(err)
	}
	return nil
}

func (r *Run) beginSQL(ctx context.Context) error {
	sp := r.space
	if err := sp.turn.take(ctx); err != nil {
		return err
	}
	err := func() error {
		if err := sp.fault(); err != nil {
			return err
		}
		db, err := r.store.config.AgentDBs.AgentDB(ctx, sp.name)
		if err != nil {
			return err
		}
		if err = r.store.openAgent(ctx, sp, db); err == nil {
			err = db.BeginWithin(ctx, r.limits)
		}
		if err != nil {
			db.Close()
			return err
		}
		r.sql.db = db
		return nil
	}()
	if err != nil {
		sp.turn.give()
		return err
	}
	r.sql.space, r.sql.open = sp, true
	return nil
}

// prepare asks what the transaction, if there is one, would commit.
func (t *agentTx) prepare(ctx context.Context) (Prepared, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.open {
		return Prepared{}, nil
	}
	return t.db.Prepare(ctx)
}

// abandon rolls the transaction back, if it is open.
func (t *agentTx) abandon(ctx context.Context) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.open && t.db != nil {
		// A worker that does not answer any more has lost its transaction with its life.
		_ = t.db.Rollback(ctx)
	}
	t.finish()
}

// committed gives the turn on after a commit.
func (t *agentTx) committed() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.finish()
}

// lost forgets a database that answered an error to Commit; the turn is still held.
func (t *agentTx) lost() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.db.Close()
	t.db = nil
}

func (t *agentTx) finish() {
	if !t.open {
		return
	}
	if t.db != nil {
		t.db.Close()
	}
	t.open, t.db = false, nil
	t.space.turn.give()
}

// maxChangeset bounds what is kept to undo a run's changes of the database.
const maxChangeset = 8 << 20

// keepChangeset puts what is needed to undo the run's changes of the database into its
// change. A large one becomes a blob, durable at once, which is answered.
func (r *Run) keepChangeset(c *change, p Prepared) (*blob, error) {
	r.row.DBChanged = 1
	switch {
	case !p.Undoable:
		r.row.DBReason = p.Reason
		return nil, nil
	case len(p.Changeset) == 0:
		return nil, nil
	case len(p.Changeset) > maxChangeset:
		r.row.DBReason = "the run changed too much of the database: more than " + bytesText(maxChangeset)
		return nil, nil
	}
	sum := sha256.Sum256(p.Changeset)
	b := &blob{hash: hex.EncodeToString(sum[:]), size: int64(len(p.Changeset)), data: p.Changeset}
	r.row.DBChangeset = b.hash
	row := blobRow{Hash: b.hash, Size: b.size, Data: p.Changeset, CreatedOn: r.store.now()}
	if b.size > inlineBytes {
		if err := b.spill(r.store.tmpName()); err != nil {
			return nil, err
		}
		if err := r.store.blobs.keep(b); err != nil {
			return nil, err
		}
		row.Data = nil
	}
	c.Blobs = append(c.Blobs, row)
	return b, nil
}
