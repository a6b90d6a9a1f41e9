package workspace

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"github.com/google/uuid"
	"golang.org/x/text/unicode/norm"

	"github.com/sandboxd/sandboxd/problem"
)

// entry is one file as a run sees it: what it was at the first look, and what the run made
// of it since.
type entry struct {
	base *fileRow // nil: this run made it
	file fileRow
	blob *blob // content that came in with this run; nil: it is stored under file.Hash

	written  bool // has other content
	renamed  bool
	restored bool
	deleted  bool
	unique   bool // may get a numbered name if its own is taken at the commit
}

// dirty says whether the run changed the file.
func (e *entry) dirty() bool {
	if e.base == nil {
		return !e.deleted
	}
	return e.written || e.renamed || e.restored || e.deleted != (e.base.DeletedOn != "")
}

// touch gives the file its provisional version, which the commit may have to raise.
func (e *entry) touch(now string) {
	e.file.ModifiedOn = now
	if e.base != nil {
		e.file.Version = e.base.Version + 1
	}
}

// setContent replaces a file's content: by a blob, counted as used once more, or by
// content that is stored already.
func (r *Run) setContent(e *entry, b *blob, hash string, size int64) {
	if b != nil {
		b.refs++
		r.incoming += b.size
	}
	r.dropContent(e)
	if e.blob = b; b != nil {
		b.head = nil // its type is known by now
	}
	e.file.Hash, e.file.Size = hash, size
	e.file.DiskPath = ""
	if size > inlineBytes {
		e.file.DiskPath = diskPath(hash)
	}
	e.written = true
}

func (r *Run) dropContent(e *entry) {
	if e.blob != nil {
		r.incoming -= e.blob.size
		e.blob.release()
		e.blob = nil
	}
}

// lookup finds a file by id or name as the run sees it; not_found if there is none.
// The run's lock is held.
func (r *Run) lookup(ctx context.Context, ref string) (*entry, error) {
	if isID(ref) {
		if e, err := r.byID(ctx, ref); err != nil {
			return nil, err
		} else if e != nil && !e.deleted {
			return e, nil
		}
	}
	e, err := r.byName(ctx, norm.NFC.String(ref))
	if err != nil {
		return nil, err
	}
	if e == nil {
		return nil, r.noFile(ref)
	}
	return e, nil
}

// noFile says that there is no such file, and what the run calls it that had the name before.
func (r *Run) noFile(ref string) error {
	wrong := problem.New(problem.NotFound, "there is no file %q in this workspace", cut(ref, 2*MaxName)).With("ref", cut(ref, 2*MaxName))
	if e := r.formerly[norm.NFC.String(ref)]; e != nil && !e.deleted {
		return wrong.WithHint("This run renamed it: it is %q now.", e.file.Name)
	}
	return wrong
}

func isID(ref string) bool {
	return len(ref) == 36 && uuid.Validate(ref) == nil
}

// byID gives the file with an id, deleted or not, or nil.
func (r *Run) byID(ctx context.Context, id string) (*entry, error) {
	if e, ok := r.files[id]; ok {
		return e, nil
	}
	row, err := fileBy(ctx, r.store.meta.reads.fileByID, id, r.row.Workspace)
	if err != nil || row == nil {
		return nil, err
	}
	return r.remember(row), nil
}

// byName gives the file that has a name, or nil.
func (r *Run) byName(ctx context.Context, name string) (*entry, error) {
	if e, ok := r.names[name]; ok {
		return e, nil
	}
	if strings.ContainsRune(name, 0) { // which no name has, and no statement may have
		return nil, nil
	}
	row, err := fileBy(ctx, r.store.meta.reads.fileByName, r.row.Workspace, name)
	if err != nil || row == nil {
		return nil, err
	}
	if e, ok := r.files[row.ID]; ok {
		// The run looked at it before. What it saw then, or made of it, holds.
		if !e.deleted && e.file.Name == name {
			return e, nil
		}
		return nil, nil
	}
	return r.remember(row), nil
}

// remember keeps a row as the run's first look at the file.
func (r *Run) remember(row *fileRow) *entry {
	base := *row
	e := &entry{base: &base, file: *row, deleted: row.DeletedOn != ""}
	r.files[row.ID] = e
	if !e.deleted {
		if _, taken := r.names[row.Name]; !taken {
			r.names[row.Name] = e
		}
	}
	return e
}

// setName moves a file to a free name.
func (r *Run) setName(e *entry, name string) {
	r.dropName(e)
	e.file.Name = name
	r.names[name] = e
}

func (r *Run) dropName(e *entry) {
	if r.names[e.file.Name] == e {
		delete(r.names, e.file.Name)
	}
}

// freeName answers exists if a name is taken, or with unique the next free one.
func (r *Run) freeName(ctx context.Context, name string, unique bool) (string, error) {
	taken, err := r.byName(ctx, name)
	if err != nil || taken == nil {
		return name, err
	}
	if !unique {
		return "", errExists(name, taken.file.ID)
	}
	for n := 2; ; n++ {
		if err := ctx.Err(); err != nil {
			return "", err
		}
		next := numbered(name, n)
		taken, err := r.byName(ctx, next)
		if err != nil || taken == nil {
			return next, err
		}
	}
}

func errExists(name, id string) error {
	return problem.New(problem.Exists, "there is a file %q already", name).With("id", id).With("name", name)
}

// fileBy reads one row by a statement for fileColumns, or nil.
func fileBy(ctx context.Context, stmt *sql.Stmt, args ...any) (*fileRow, error) {
	var row fileRow
	err := stmt.QueryRowContext(context.WithoutCancel(ctx), args...).Scan(row.columns()...)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the metadata: %w", err)
	}
	return &row, nil
}
