package workspace

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/uptrace/bun"

	"github.com/sandboxd/sandboxd/problem"
)

// collectBatch bounds how long commits wait for a collection.
const collectBatch = 200

// GC removes contents that no version and no run needs any more, and what failed runs left
// in files/. Commits wait while a batch of it is at work. It may be called at any time.
func (s *Store) GC(ctx context.Context) (Collected, error) {
	s.collecting.Lock()
	defer s.collecting.Unlock()
	return s.gc(ctx)
}

func (s *Store) gc(ctx context.Context) (total Collected, err error) {
	if err := s.whileNobodyCommits(ctx, s.removeStrays); err != nil {
		return total, problemOrNil(err)
	}
	for _, step := range []func(context.Context, *Collected) (bool, error){s.releaseUnused, s.collect} {
		for more := true; more && err == nil; {
			began := time.Now()
			if more, err = step(ctx, &total); more {
				rest(ctx, time.Since(began))
			}
		}
	}
	return total, problemOrNil(err)
}

// whileNobodyCommits runs a short piece of work between commits.
func (s *Store) whileNobodyCommits(ctx context.Context, work func(context.Context) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.publishing.Lock()
	defer s.publishing.Unlock()
	if s.fences.Load() > 0 {
		return nil // a redo record that waits may name any content
	}
	return work(ctx)
}

func problemOrNil(err error) error {
	if err == nil {
		return nil
	}
	return problem.From(err)
}

// Conditions on contents that nobody needs. They are looked for while commits go on, which
// takes as long as there are contents, and looked at again where they are removed.
const (
	unused   = "NOT EXISTS (SELECT 1 FROM agent_file_versions AS v WHERE v.workspace = wb.workspace AND v.hash = wb.hash)"
	unneeded = "NOT EXISTS (SELECT 1 FROM workspace_blobs AS wb WHERE wb.hash = b.hash) AND " +
		"NOT EXISTS (SELECT 1 FROM runs AS r WHERE r.db_changeset = b.hash AND r.db_changeset <> '')"
)

// releaseUnused takes contents that no version of a workspace has off its account.
func (s *Store) releaseUnused(ctx context.Context, _ *Collected) (more bool, err error) {
	var rows []workspaceBlobRow
	if err := s.meta.read.NewSelect().Model(&rows).Where(unused).Limit(collectBatch).Scan(ctx); err != nil || len(rows) == 0 {
		return false, err
	}
	err = s.whileNobodyCommits(ctx, func(context.Context) error {
		more = true
		return s.writer.do(nil, func(ctx context.Context, b *batch) error {
			these, values := pairs("wb.hash", "wb.workspace", rows, func(row workspaceBlobRow) (string, any) { return row.Hash, row.Workspace })
			var gone []workspaceBlobRow
			err := b.tx.NewRaw("DELETE FROM workspace_blobs AS wb WHERE "+these+" AND "+unused+" RETURNING workspace, hash, size", values...).Scan(ctx, &gone)
			if err != nil {
				return err
			}
			for _, row := range gone {
				usage, err := b.usage(ctx, row.Workspace)
				if err != nil {
					return err
				}
				usage.FileBytes -= row.Size
			}
			return nil
		})
	})
	return more, err
}

// collect removes a batch of contents that nobody needs.
func (s *Store) collect(ctx context.Context, done *Collected) (more bool, err error) {
	var hashes []string
	if err := s.meta.read.NewSelect().Model((*blobRow)(nil)).Column("hash").Where(unneeded).Limit(collectBatch).Scan(ctx, &hashes); err != nil || len(hashes) == 0 {
		return false, err
	}
	err = s.whileNobodyCommits(ctx, func(context.Context) error {
		var gone []blobRow
		err := s.writer.do(nil, func(ctx context.Context, b *batch) error {
			gone = nil
			err := b.tx.NewSelect().Model(&gone).Column("hash", "size").
				ColumnExpr("CASE WHEN b.data IS NULL THEN NULL ELSE b.hash END AS data"). // whether, not what
				Where("b.hash IN (?)", bun.List(hashes)).Where(unneeded).Scan(ctx)
			if err != nil || len(gone) == 0 {
				return err
			}
			_, err = b.tx.NewDelete().Model((*blobRow)(nil)).Where("hash IN (?)", bun.List(hashesOf(gone))).Exec(ctx)
			return err
		})
		if err != nil {
			return fmt.Errorf("collect contents: %w", err)
		}
		s.config.Faults("gc.forgotten")
		more = true
		for _, blob := range gone {
			done.Blobs++
			done.Bytes += blob.Size
			if blob.Data == nil {
				if err := s.removeFile(blob.Hash); err != nil {
					return err
				}
			}
		}
		return nil
	})
	return more, err
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
