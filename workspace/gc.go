package workspace

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/uptrace/bun"

	"github.com/sandboxd/sandboxd/problem"
)

// Collected is what a collection freed.
type Collected struct {
	Blobs int   `json:"blobs"`
	Bytes int64 `json:"bytes"`
}

// collectBatch bounds how long commits wait for a collection.
const collectBatch = 200

// GC removes contents that no version and no run needs any more, and what failed runs left
// in files/. Commits wait while a batch of it is at work. It may be called at any time.
func (s *Store) GC(ctx context.Context) (Collected, error) {
	var total Collected
	for {
		batch, more, err := s.collect(ctx)
		total.Blobs += batch.Blobs
		total.Bytes += batch.Bytes
		if err != nil || !more {
			return total, problemOrNil(err)
		}
	}
}

func problemOrNil(err error) error {
	if err == nil {
		return nil
	}
	return problem.From(err)
}

func (s *Store) collect(ctx context.Context) (done Collected, more bool, err error) {
	if err := ctx.Err(); err != nil {
		return done, false, err
	}
	s.publishing.Lock()
	defer s.publishing.Unlock()
	if s.fences.Load() > 0 {
		return done, false, nil // a redo record that waits may name any of them
	}
	if err := s.removeStrays(ctx); err != nil {
		return done, false, err
	}
	var gone []blobRow
	err = s.writer.do(nil, func(ctx context.Context, b *batch) error {
		released, err := b.releaseUnused(ctx)
		if err != nil {
			return err
		}
		more = released == collectBatch
		err = b.tx.NewSelect().Model(&gone).Column("hash", "size").
			ColumnExpr("CASE WHEN b.data IS NULL THEN NULL ELSE b.hash END AS data"). // whether, not what
			Where("NOT EXISTS (SELECT 1 FROM workspace_blobs AS wb WHERE wb.hash = b.hash)").
			Where("NOT EXISTS (SELECT 1 FROM runs AS r WHERE r.db_changeset = b.hash AND r.db_changeset <> '')").
			Limit(collectBatch).Scan(ctx)
		if err != nil || len(gone) == 0 {
			return err
		}
		_, err = b.tx.NewDelete().Model((*blobRow)(nil)).Where("hash IN (?)", bun.List(hashesOf(gone))).Exec(ctx)
		return err
	})
	if err != nil {
		return done, false, fmt.Errorf("collect contents: %w", err)
	}
	s.config.Faults("gc.forgotten")
	for _, blob := range gone {
		done.Blobs++
		done.Bytes += blob.Size
		if blob.Data == nil {
			if err := s.removeFile(blob.Hash); err != nil {
				return done, false, err
			}
		}
	}
	return done, more || len(gone) == collectBatch, nil
}

// releaseUnused takes contents that no version of a workspace has off its account.
func (b *batch) releaseUnused(ctx context.Context) (int, error) {
	const unused = "NOT EXISTS (SELECT 1 FROM agent_file_versions AS v WHERE v.workspace = wb.workspace AND v.hash = wb.hash)"
	var rows []workspaceBlobRow
	if err := b.tx.NewSelect().Model(&rows).Where(unused).Limit(collectBatch).Scan(ctx); err != nil {
		return 0, err
	}
	for _, row := range rows {
		if _, err := b.tx.NewDelete().Model(&row).WherePK().Exec(ctx); err != nil {
			return 0, err
		}
		usage, err := b.usage(ctx, row.Workspace)
		if err != nil {
			return 0, err
		}
		usage.FileBytes -= row.Size
	}
	return len(rows), nil
}

// removeStrays removes what failed runs published and nobody else refers to.
func (s *Store) removeStrays(ctx context.Context) error {
	strays := s.blobs.strays()
	if len(strays) == 0 {
		return nil
	}
	filed, err := s.filedHashes(ctx, strays)
	if err != nil {
		return err
	}
	for _, hash := range strays {
		if !filed[hash] {
			if err := s.removeFile(hash); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *Store) removeFile(hash string) error {
	if err := os.Remove(s.folder.blob(hash)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove content %s: %w", hash, err)
	}
	return nil
}

func hashesOf(rows []blobRow) []string {
	hashes := make([]string, len(rows))
	for i, row := range rows {
		hashes[i] = row.Hash
	}
	return hashes
}
