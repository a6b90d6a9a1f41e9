package workspace

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/uptrace/bun"
)

// pruneBatch is how many rows go in one transaction, so that commits need not wait long.
const pruneBatch = 500

// scriptsKept is how long a source is kept at least: its record comes when its run ends.
const scriptsKept = day

// Collect removes what is older than the retention allows, and then the contents that
// nothing needs any more, so that workspaces have room again. Commits go on meanwhile. With
// dry it only counts. What was removed before an error is told too.
func (s *Store) Collect(ctx context.Context, r Retention, dry bool) (done Collected, err error) {
	s.collecting.Lock()
	defer s.collecting.Unlock()
	now := s.config.Now()
	r = r.withDefaults()
	p := &pruner{store: s, dry: dry, done: &done, now: now, kept: int64(r.Kept),
		versions: before(now, r.Versions), undo: before(now, r.Undo), runs: before(now, r.Runs)}
	steps := []func(context.Context) error{
		p.pruneVersions, p.pruneFiles, p.pruneRuns,
		func(ctx context.Context) error {
			return p.pruneLog(ctx, "events", "created_on", before(now, r.Events), &done.Events)
		},
		func(ctx context.Context) error {
			return p.pruneLog(ctx, "audit", "at", before(now, r.Audit), &done.Audit)
		},
		p.pruneScripts,
		p.contents,
	}
	for _, step := range steps {
		if err := step(ctx); err != nil {
			return done, problemOrNil(err)
		}
	}
	return done, nil
}

// pruner is one collection at work.
type pruner struct {
	store                *Store
	dry                  bool
	done                 *Collected
	now                  time.Time
	kept                 int64
	versions, undo, runs string // too old if before
}

// expired is the condition on a version v of a file f to go, with its arguments. A version
// is needed to undo the run that made the next one, so its age is counted from there; runs
// that overlap may have times a little out of order, hence any later one.
func (p *pruner) expired() (string, []any) {
	const later = "EXISTS (SELECT 1 FROM agent_file_versions AS n WHERE n.file_id = v.file_id AND n.version > v.version AND n.modified_on < ?)"
	where := "(f.deleted_on <> '' AND f.deleted_on < ? OR v.version < f.version AND (" + later + " OR ? > 0 AND v.version <= f.version - ? AND " + later + "))"
	return where, []any{p.versions, p.versions, p.kept, p.kept, p.undo}
}

const versionsOfFiles = "agent_file_versions AS v JOIN agent_files AS f ON f._id = v.file_id"

func (p *pruner) pruneVersions(ctx context.Context) error {
	where, args := p.expired()
	if p.dry {
		return p.count(ctx, &p.done.Versions, "SELECT COUNT(*) FROM "+versionsOfFiles+" WHERE "+where, args...)
	}
	return p.inBatches(ctx, func() (int, error) {
		// Looked for outside of the transaction, because that goes through all of them.
		var found []versionRow
		err := p.store.meta.read.NewRaw("SELECT v.file_id, v.version FROM "+versionsOfFiles+" WHERE "+where+" LIMIT ?",
			append(args[:len(args):len(args)], pruneBatch)...).Scan(ctx, &found)
		if err != nil || len(found) == 0 {
			return 0, err
		}
		var removed int64
		err = p.store.writer.do(nil, func(ctx context.Context, b *batch) error {
			gone := map[string]int64{}
			removed = 0 // if this is not the first attempt
			// One that is needed again, because its file was restored since, stays.
			these, values := pairs("v.file_id", "v.version", found, func(v versionRow) (string, any) { return v.FileID, v.Version })
			var workspaces []string
			err := b.tx.NewRaw("DELETE FROM agent_file_versions AS v WHERE "+these+" AND EXISTS (SELECT 1 FROM agent_files AS f WHERE f._id = v.file_id AND "+
				where+") RETURNING workspace", append(values, args...)...).Scan(ctx, &workspaces)
			if err != nil {
				return err
			}
			for _, name := range workspaces {
				gone[name]++
			}
			for name, n := range gone {
				usage, err := b.usage(ctx, name)
				if err != nil {
					return err
				}
				usage.Versions -= n
				removed += n
			}
			return nil
		})
		p.done.Versions += removed
		return len(found), err
	})
}

// pruneFiles removes deleted files whose versions have all gone.
func (p *pruner) pruneFiles(ctx context.Context) error {
	const old = "f.deleted_on <> '' AND f.deleted_on < ?"
	if p.dry {
		return p.count(ctx, &p.done.Files, "SELECT COUNT(*) FROM agent_files AS f WHERE "+old, p.versions)
	}
	return p.inBatches(ctx, func() (int, error) {
		return p.delete(ctx, &p.done.Files, "DELETE FROM agent_files WHERE _id IN (SELECT f._id FROM agent_files AS f WHERE "+old+
			" AND NOT EXISTS (SELECT 1 FROM agent_file_versions AS v WHERE v.file_id = f._id) LIMIT ?)", p.versions, pruneBatch)
	})
}

// oldRuns is the condition on a run r to go. The last one that changed a workspace's
// database stays: its marker may still be there, and without the record it would be redone
// after a crash.
const oldRuns = "r.status <> 'running' AND r.finished_on < ? AND NOT (r.db_changed <> 0 AND NOT EXISTS " +
	"(SELECT 1 FROM runs AS l WHERE l.workspace = r.workspace AND l.db_changed <> 0 AND l.seq > r.seq))"

// pruneRuns removes records of runs, and with them the past of state that undoing them
// would need.
func (p *pruner) pruneRuns(ctx context.Context) error {
	if p.dry {
		return p.count(ctx, &p.done.Runs, "SELECT COUNT(*) FROM runs AS r WHERE "+oldRuns, p.runs)
	}
	return p.inBatches(ctx, func() (int, error) {
		var found []string
		if err := p.store.meta.read.NewRaw("SELECT r.id FROM runs AS r WHERE "+oldRuns+" LIMIT ?", p.runs, pruneBatch).Scan(ctx, &found); err != nil || len(found) == 0 {
			return 0, err
		}
		err := p.store.writer.do(nil, func(ctx context.Context, b *batch) error {
			var past []struct {
				Workspace string
				Bytes     int64
			}
			err := b.tx.NewRaw("SELECT workspace, SUM(OCTET_LENGTH(key) + COALESCE(OCTET_LENGTH(before), 0) + COALESCE(OCTET_LENGTH(after), 0)) AS bytes "+
				"FROM agent_state_changes WHERE run_id IN (?) GROUP BY workspace", bun.List(found)).Scan(ctx, &past)
			if err != nil {
				return err
			}
			for _, row := range past {
				usage, err := b.usage(ctx, row.Workspace)
				if err != nil {
					return err
				}
				usage.HistoryBytes -= row.Bytes
			}
			if _, err := b.tx.NewRaw("DELETE FROM agent_state_changes WHERE run_id IN (?)", bun.List(found)).Exec(ctx); err != nil {
				return err
			}
			_, err = b.tx.NewRaw("DELETE FROM runs WHERE id IN (?)", bun.List(found)).Exec(ctx)
			return err
		})
		if err == nil {
			p.done.Runs += int64(len(found))
		}
		return len(found), err
	})
}

// pruneLog removes the oldest rows of a log, up to the first that is young enough.
func (p *pruner) pruneLog(ctx context.Context, table, at, old string, removed *int64) error {
	if p.dry {
		return p.count(ctx, removed, "SELECT COUNT(*) FROM ? WHERE ? < ?", bun.Ident(table), bun.Ident(at), old)
	}
	return p.inBatches(ctx, func() (int, error) {
		var rows []struct {
			Seq int64
			At  string
		}
		err := p.store.meta.read.NewRaw("SELECT seq, ? AS at FROM ? ORDER BY seq LIMIT ?", bun.Ident(at), bun.Ident(table), pruneBatch).Scan(ctx, &rows)
		if err != nil {
			return 0, err
		}
		last := int64(0)
		for _, row := range rows {
			if row.At >= old {
				break
			}
			last = row.Seq
		}
		if last == 0 {
			return 0, nil
		}
		return p.delete(ctx, removed, "DELETE FROM ? WHERE seq <= ?", bun.Ident(table), last)
	})
}

// pruneScripts removes sources that no audit record names. A run that ends meanwhile keeps
// its own: it is no longer known to be kept, so the run writes it again.
func (p *pruner) pruneScripts(ctx context.Context) error {
	const unnamed = "s.created_on < ? AND NOT EXISTS (SELECT 1 FROM audit AS a WHERE a.script_hash = s.hash)"
	old := before(p.now, scriptsKept)
	if p.dry { // those that go now, not those whose records would go with this collection
		return p.count(ctx, &p.done.Scripts, "SELECT COUNT(*) FROM audit_scripts AS s WHERE "+unnamed, old)
	}
	return p.inBatches(ctx, func() (int, error) {
		var found []string
		if err := p.store.meta.read.NewRaw("SELECT s.hash FROM audit_scripts AS s WHERE "+unnamed+" LIMIT ?", old, pruneBatch).Scan(ctx, &found); err != nil || len(found) == 0 {
			return 0, err
		}
		p.store.scripts.forget(found)
		if err := p.store.writer.flush(); err != nil { // records of runs that ended before that
			return 0, err
		}
		return p.delete(ctx, &p.done.Scripts, "DELETE FROM audit_scripts AS s WHERE s.hash IN (?) AND "+unnamed, bun.List(found), old)
	})
}

// contents frees what no version and no run needs, or counts what the rest of this
// collection would leave without need.
func (p *pruner) contents(ctx context.Context) error {
	if !p.dry {
		freed, err := p.store.gc(ctx)
		p.done.Blobs, p.done.Bytes = freed.Blobs, freed.Bytes
		return err
	}
	where, args := p.expired()
	var row struct {
		Blobs int
		Bytes int64
	}
	err := p.store.meta.read.NewRaw("SELECT COUNT(*) AS blobs, COALESCE(SUM(b.size), 0) AS bytes FROM blobs AS b WHERE NOT EXISTS (SELECT 1 FROM "+versionsOfFiles+
		" WHERE v.hash = b.hash AND v.workspace IN (SELECT wb.workspace FROM workspace_blobs AS wb WHERE wb.hash = b.hash) AND NOT "+where+
		") AND NOT EXISTS (SELECT 1 FROM runs AS r WHERE r.db_changeset = b.hash AND r.db_changeset <> '' AND NOT ("+oldRuns+"))",
		append(args, p.runs)...).Scan(ctx, &row)
	p.done.Blobs, p.done.Bytes = row.Blobs, row.Bytes
	return err
}

func (p *pruner) count(ctx context.Context, n *int64, query string, args ...any) error {
	if err := p.store.meta.read.NewRaw(query, args...).Scan(ctx, n); err != nil {
		return fmt.Errorf("count what is too old: %w", err)
	}
	return nil
}

// pairs is the condition that two columns have the values of one of the rows. SQLite looks
// no pair up in an index, only single values, so the first column is asked for by itself too.
func pairs[T any](first, second string, rows []T, of func(T) (string, any)) (where string, args []any) {
	var firsts []string
	var values []any
	for _, row := range rows {
		a, b := of(row)
		firsts = append(firsts, a)
		values = append(values, a, b)
	}
	return first + " IN (?) AND (" + first + ", " + second + ") IN (VALUES " + strings.TrimSuffix(strings.Repeat("(?, ?), ", len(rows)), ", ") + ")",
		append([]any{bun.List(firsts)}, values...)
}

// inBatches removes batches until there is nothing left to remove. It rests as long as it
// works, because commits have waited meanwhile, and nobody waits for this.
func (p *pruner) inBatches(ctx context.Context, remove func() (found int, err error)) error {
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		began := time.Now()
		found, err := remove()
		if found > 0 && err == nil {
			rest(ctx, time.Since(began))
		}
		switch {
		case err != nil:
			return fmt.Errorf("remove what is too old: %w", err)
		case found == 0:
			return nil
		}
	}
}

func rest(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}

func (p *pruner) delete(ctx context.Context, removed *int64, query string, args ...any) (int, error) {
	var n int64
	err := p.store.writer.do(nil, func(ctx context.Context, b *batch) error {
		res, err := b.tx.NewRaw(query, args...).Exec(ctx)
		if err == nil {
			n, err = res.RowsAffected()
		}
		return err
	})
	if err == nil {
		*removed += n
	}
	return int(n), err
}
