package workspace

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/uptrace/bun"

	"github.com/sandboxd/sandboxd/event"
	"github.com/sandboxd/sandboxd/limits"
	"github.com/sandboxd/sandboxd/problem"
)

// planner resolves a run's overlay against what others committed meanwhile. Nothing may
// commit to the workspace between a plan and its writing.
type planner struct {
	run *Run
	planView
	change  *change
	receipt *limits.Receipt
	names   map[string]string // name → id, of the changed files as they will be
	unique  map[string]bool   // ids of files that may be given a numbered name
	freed   map[string]bool   // names that changed files give up
	revived map[string]bool   // ids of files that were deleted and are there again
}

// planView is the metadata that a plan is made for: in its transaction, or before it.
type planView struct {
	db     bun.IDB
	usage  func(ctx context.Context, workspace string) (*workspaceRow, error)
	holder *sql.Stmt // see holderText
}

// plan answers what the commit of a run has to write, and completes its receipt. It fails
// with conflict or workspace_full.
func (r *Run) plan(ctx context.Context, view planView, receipt *limits.Receipt) (*change, error) {
	p := &planner{run: r, planView: view, change: &change{}, receipt: receipt,
		names: map[string]string{}, unique: map[string]bool{}, freed: map[string]bool{}, revived: map[string]bool{}}
	for _, step := range []func(context.Context) error{p.files, p.collisions, p.contents, p.states, p.quotas} {
		if err := step(ctx); err != nil {
			return nil, err
		}
	}
	p.report()
	return p.change, nil
}

// files makes the new row and version of each changed file.
func (p *planner) files(ctx context.Context) error {
	var changed []*entry
	var ids []string
	for _, e := range p.run.files {
		if !e.dirty() {
			continue
		}
		changed = append(changed, e)
		if e.base != nil {
			ids = append(ids, e.file.ID)
		}
	}
	slices.SortFunc(changed, func(a, b *entry) int {
		return cmp.Or(strings.Compare(a.file.Name, b.file.Name), strings.Compare(a.file.ID, b.file.ID))
	})
	current := map[string]*fileRow{}
	err := inChunks(ids, func(chunk []string) error {
		var rows []fileRow
		err := p.db.NewSelect().Model(&rows).Where("f._id IN (?)", bun.List(chunk)).Scan(ctx)
		for i := range rows {
			current[rows[i].ID] = &rows[i]
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("read changed files: %w", err)
	}
	for _, e := range changed {
		now := current[e.file.ID]
		if e.base != nil && now == nil {
			return errForgotten(e.file.Name)
		}
		if err := p.file(ctx, e, now); err != nil {
			return err
		}
	}
	return nil
}

// file lays one entry over what the file is now (nil: this run made it).
func (p *planner) file(ctx context.Context, e *entry, now *fileRow) error {
	row := e.file
	action := e.action()
	if now != nil {
		if now.Version != e.base.Version {
			if e.deleted && now.DeletedOn != "" {
				return nil // both deleted it
			}
			if err := p.conflict(ctx, e, now); err != nil {
				return err
			}
		}
		row = *now
		row.Version++
		row.ModifiedOn = e.file.ModifiedOn
		switch {
		case e.deleted:
			row.DeletedOn = p.run.store.now()
		default:
			row.DeletedOn = ""
			p.revived[row.ID] = now.DeletedOn != ""
			if e.written {
				row.Hash, row.Size, row.DiskPath, row.MimeType = e.file.Hash, e.file.Size, e.file.DiskPath, e.file.MimeType
			}
			if e.renamed || now.DeletedOn != "" {
				row.Name = e.file.Name
			}
			if row.Name != now.Name {
				row.MimeType = renamedType(row.MimeType, row.Name)
			}
			if row.Hash == now.Hash && row.Name == now.Name && row.MimeType == now.MimeType && row.DeletedOn == now.DeletedOn {
				return nil // written as it was
			}
		}
		if now.DeletedOn == "" && (row.Name != now.Name || row.DeletedOn != "") {
			p.freed[now.Name] = true
		}
	}
	if row.DeletedOn == "" {
		if other, taken := p.names[row.Name]; taken {
			return p.nameTaken(row.Name, other)
		}
		p.names[row.Name] = row.ID
		p.unique[row.ID] = e.unique
	}
	was := now != nil && now.DeletedOn == ""
	switch is := row.DeletedOn == ""; {
	case is && !was:
		p.change.Grown++
	case was && !is:
		p.change.Grown--
	}
	p.change.Files = append(p.change.Files, row)
	v := versionRow{FileID: row.ID, Version: row.Version, Workspace: row.Workspace, Name: row.Name, MimeType: row.MimeType, Size: row.Size,
		Hash: row.Hash, Action: action, RunID: p.run.row.ID, ModifiedOn: row.ModifiedOn}
	if e.deleted {
		v.Size, v.Hash = 0, ""
	}
	p.change.Versions = append(p.change.Versions, v)
	return nil
}

// conflict notes that another run changed the file since the first look, or refuses.
func (p *planner) conflict(ctx context.Context, e *entry, now *fileRow) error {
	var losing versionRow
	err := p.db.NewSelect().Model(&losing).Where("v.file_id = ? AND v.version = ?", now.ID, now.Version).Scan(ctx)
	if err != nil {
		return fmt.Errorf("read the conflicting version: %w", err)
	}
	if p.run.start.OnConflict == ConflictFails {
		return problem.New(problem.Conflict, "the file %q was changed by run %s since this run first looked at it", e.file.Name, losing.RunID).
			With("id", now.ID).With("name", e.file.Name).With("version", now.Version).With("run_id", losing.RunID)
	}
	p.receipt.Conflicts = append(p.receipt.Conflicts, limits.FileConflict{ID: now.ID, Name: e.file.Name, LosingRun: losing.RunID, LosingVersion: now.Version})
	return nil
}

// collisions makes sure that no name is used twice. A file that may be numbered gives way.
func (p *planner) collisions(ctx context.Context) error {
	ours := map[string]bool{}
	for i := range p.change.Files {
		ours[p.change.Files[i].ID] = true
	}
	for i := range p.change.Files {
		row := &p.change.Files[i]
		p.change.Moved = p.change.Moved || row.DeletedOn == "" && p.freed[row.Name]
	}
	holders, err := p.holders(ctx, slices.Collect(maps.Keys(p.names)))
	if err != nil {
		return err
	}
	for i := range p.change.Files {
		row := &p.change.Files[i]
		holder, taken := holders[row.Name]
		if row.DeletedOn != "" || !taken || ours[holder] {
			continue
		}
		if !p.unique[row.ID] {
			return p.nameTaken(row.Name, holder)
		}
		for n := 2; ; n++ {
			next := numbered(row.Name, n)
			found, err := p.holders(ctx, []string{next})
			if err != nil {
				return err
			}
			if _, used := p.names[next]; !used && (found[next] == "" || ours[found[next]]) {
				p.names[next] = row.ID
				row.Name, p.change.Versions[i].Name = next, next
				break
			}
		}
	}
	return nil
}

// holders tells which files have the names, as things are now.
func (p *planner) holders(ctx context.Context, names []string) (map[string]string, error) {
	holders := map[string]string{}
	for _, name := range names {
		var id string
		err := p.holder.QueryRowContext(ctx, p.run.row.Workspace, name).Scan(&id)
		if errors.Is(err, sql.ErrNoRows) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("look for names: %w", err)
		}
		holders[name] = id
	}
	return holders, nil
}

func (p *planner) nameTaken(name, holder string) error {
	return problem.New(problem.Conflict, "the name %q was taken by another run meanwhile", name).With("name", name).With("id", holder)
}

// contents lists the blobs that the versions need, and makes sure of those that the run
// found stored: they may have been collected since.
func (p *planner) contents(ctx context.Context) error {
	brought := map[string]*blob{}
	for _, e := range p.run.files {
		if e.blob != nil {
			brought[e.blob.hash] = e.blob
		}
	}
	needed := map[string]bool{}
	var stored []string
	now := p.run.store.now()
	for i := range p.change.Versions {
		v := &p.change.Versions[i]
		if v.Hash == "" || needed[v.Hash] {
			continue
		}
		needed[v.Hash] = true
		b := brought[v.Hash]
		if b == nil {
			stored = append(stored, v.Hash)
			continue
		}
		row := blobRow{Hash: b.hash, Size: b.size, CreatedOn: now}
		if b.path == "" {
			row.Data = append([]byte{}, b.data...) // not nil, even if it is empty
		}
		p.change.Blobs = append(p.change.Blobs, row)
	}
	for i := range p.change.Files {
		if f := &p.change.Files[i]; brought[f.Hash] != nil && brought[f.Hash].path != "" {
			f.DiskPath = diskPath(f.Hash) // also of a small content that was one too many
		}
	}
	return inChunks(stored, func(chunk []string) error {
		n, err := p.db.NewSelect().Model((*blobRow)(nil)).Where("b.hash IN (?)", bun.List(chunk)).Count(ctx)
		if err != nil {
			return fmt.Errorf("look for contents: %w", err)
		}
		if int(n) < len(chunk) {
			return problem.New(problem.Conflict, "an old version that this run restored or copied was removed meanwhile")
		}
		return nil
	})
}

// states resolves the keys that the run wrote.
func (p *planner) states(ctx context.Context) error {
	var keys []string
	for key, e := range p.run.state {
		if e.written {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	current := map[string]stateRow{}
	err := inChunks(keys, func(chunk []string) error {
		var rows []stateRow
		err := p.db.NewSelect().Model(&rows).Where("s.workspace = ? AND s.key IN (?)", p.run.row.Workspace, bun.List(chunk)).Scan(ctx)
		for _, row := range rows {
			current[row.Key] = row
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("read changed state: %w", err)
	}
	for _, key := range keys {
		e := p.run.state[key]
		now, there := current[key]
		if p.run.start.OnConflict == ConflictFails && now.Seq != e.seq {
			return problem.New(problem.Conflict, "the state %q was changed by another run since this run first looked at it", key).With("key", key)
		}
		if there == e.there && now.Value == e.value {
			continue
		}
		c := stateChange{Key: key}
		if there {
			c.Before = &now.Value
		}
		if e.there {
			c.After = &e.value
		}
		p.change.State = append(p.change.State, c)
	}
	return nil
}

// report writes the receipt's lists and the events.
func (p *planner) report() {
	r, c := p.run, p.change
	state := event.State{Set: []string{}, Deleted: []string{}}
	for i := range c.Files {
		f, action := &c.Files[i], c.Versions[i].Action
		fc := limits.FileChange{ID: f.ID, Name: f.Name, Version: f.Version, Action: action, Size: f.Size}
		kind, payload := event.FileModified, event.File{ID: f.ID, Name: f.Name, Size: &f.Size, ModifiedOn: f.ModifiedOn}
		switch {
		case action == actionDeleted:
			fc.Version, fc.Size = 0, 0
			kind, payload = event.FileDeleted, event.File{ID: f.ID}
		case action == actionCreated || p.revived[f.ID]:
			kind, payload = event.FileCreated, event.File{ID: f.ID, Name: f.Name, Size: &f.Size, MimeType: f.MimeType, SourceSessionID: &f.SourceSessionID}
		}
		p.receipt.Files = append(p.receipt.Files, fc)
		c.Events = append(c.Events, r.event(kind, payload))
	}
	slices.SortFunc(p.receipt.Files, func(a, b limits.FileChange) int {
		return cmp.Or(strings.Compare(a.Name, b.Name), strings.Compare(a.ID, b.ID))
	})
	for _, s := range c.State {
		p.receipt.State = append(p.receipt.State, s.Key)
		if s.After != nil {
			state.Set = append(state.Set, s.Key)
		} else {
			state.Deleted = append(state.Deleted, s.Key)
		}
	}
	if len(c.State) > 0 {
		c.Events = append(c.Events, r.event(event.StateChange, state))
	}
}
