package workspace

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"golang.org/x/text/unicode/norm"

	"github.com/sandboxd/sandboxd/host"
	"github.com/sandboxd/sandboxd/problem"
)

// lookupAny is lookup that finds deleted files too, by id or by the last name that they
// had; of several with one name, the one deleted last.
func (r *Run) lookupAny(ctx context.Context, ref string) (*entry, error) {
	e, err := r.lookup(ctx, ref)
	if problem.CodeOf(err) != problem.NotFound {
		return e, err
	}
	if isID(ref) {
		if e, err := r.byID(ctx, ref); err != nil || e != nil {
			return e, err
		}
	}
	name := norm.NFC.String(ref)
	var found *entry
	for _, e := range r.files {
		if e.deleted && e.base != nil && e.base.DeletedOn == "" && e.file.Name == name {
			found = e // deleted by this run, so later than all others
		}
	}
	if found != nil {
		return found, nil
	}
	if strings.ContainsRune(name, 0) {
		return nil, err
	}
	row, rerr := r.store.lastDeleted(ctx, r.row.Workspace, name)
	switch {
	case rerr != nil:
		return nil, rerr
	case row == nil:
		return nil, err
	}
	if e, ok := r.files[row.ID]; ok {
		return e, nil
	}
	return r.remember(row), nil
}

func (s *Store) lastDeleted(ctx context.Context, workspace, name string) (*fileRow, error) {
	var row fileRow
	err := s.meta.read.NewSelect().Model(&row).Where("f.workspace = ? AND f.name = ? AND f.deleted_on <> ''", workspace, name).
		Order("deleted_on DESC", "_id DESC").Limit(1).Scan(context.WithoutCancel(ctx))
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the metadata: %w", err)
	}
	return &row, nil
}

// version gives one committed version of a file that has content.
func (r *Run) version(ctx context.Context, e *entry, version int64) (*versionRow, error) {
	if e.base == nil {
		return nil, noVersion(e, version)
	}
	v, err := r.store.versionRow(ctx, e.file.ID, version)
	if err != nil {
		return nil, err
	}
	if v == nil {
		return nil, noVersion(e, version)
	}
	if v.Action == actionDeleted {
		return nil, problem.New(problem.NotFound, "version %d of %q is its deletion and has no content", version, e.file.Name).
			WithHint("Use the version before it.")
	}
	return v, nil
}

func noVersion(e *entry, version int64) error {
	return problem.New(problem.NotFound, "the file %q has no version %d", e.file.Name, version).
		WithHint("files.versions(id) lists the versions that there are.").With("id", e.file.ID)
}

// versionRow reads one version, or nil.
func (s *Store) versionRow(ctx context.Context, id string, version int64) (*versionRow, error) {
	var v versionRow
	err := s.meta.read.NewSelect().Model(&v).Where("v.file_id = ? AND v.version = ?", id, version).Scan(context.WithoutCancel(ctx))
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read a version: %w", err)
	}
	return &v, nil
}

// Versions implements host.Host. A change that this run made and has not committed yet is
// the first of the list.
func (r *Run) Versions(ctx context.Context, ref string) ([]host.Version, error) {
	unlock, err := r.lock(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()
	e, err := r.lookupAny(ctx, ref)
	if err != nil {
		return nil, problem.From(err)
	}
	versions := []host.Version{}
	if e.dirty() {
		f := e.file
		if e.deleted {
			f.Size, f.Hash = 0, ""
		}
		versions = append(versions, host.Version{Version: f.Version, Name: f.Name, Size: f.Size, MimeType: f.MimeType, Hash: f.Hash,
			Action: e.action(), RunID: r.row.ID, ModifiedOn: f.ModifiedOn})
	}
	if e.base == nil {
		return versions, nil
	}
	var rows []versionRow
	err = r.store.meta.read.NewSelect().Model(&rows).Where("v.file_id = ? AND v.version <= ?", e.file.ID, e.base.Version).
		Order("version DESC").Scan(context.WithoutCancel(ctx))
	if err != nil {
		return nil, problem.From(fmt.Errorf("list versions: %w", err))
	}
	for i := range rows {
		versions = append(versions, rows[i].version())
	}
	return versions, nil
}

// Restore implements host.Host. The file keeps its name, a deleted one its last name;
// exists if that is taken by now.
func (r *Run) Restore(ctx context.Context, ref string, version int64) (host.File, error) {
	return r.change(ctx, func() (*entry, error) {
		e, err := r.lookupAny(ctx, ref)
		if err != nil {
			return nil, err
		}
		v, err := r.version(ctx, e, version)
		if err != nil {
			return nil, err
		}
		return e, r.restore(ctx, e, v, e.file.Name, false)
	})
}

// restore makes a file what it was in a version, under a name.
func (r *Run) restore(ctx context.Context, e *entry, v *versionRow, name string, unique bool) error {
	if e.deleted || name != e.file.Name {
		free, err := r.freeName(ctx, name, unique)
		if err != nil {
			return err
		}
		r.setName(e, free)
		e.deleted, e.unique = false, unique
		e.renamed = free != e.base.Name
	}
	r.setContent(e, nil, v.Hash, v.Size)
	e.restored = true
	e.file.MimeType = v.MimeType
	e.touch(r.store.now())
	return nil
}

// action is what the run did to the file, as its version will say.
func (e *entry) action() string {
	switch {
	case e.deleted:
		return actionDeleted
	case e.base == nil:
		return actionCreated
	case e.restored:
		return actionRestored
	case e.written:
		return actionModified
	}
	return actionRenamed
}
