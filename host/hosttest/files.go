package hosttest

import (
	"context"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
	"github.com/gabriel-vasile/mimetype"

	"github.com/sandboxd/sandboxd/host"
	"github.com/sandboxd/sandboxd/problem"
)

// file is a file with all its versions, oldest first; what it is now is host.File.
type file struct {
	host.File
	versions []host.Version
	deleted  bool
}

func (m *Memory) add(name, mimeType, source, hash string, size int64) host.File {
	f := &file{File: host.File{ID: m.newID(), Name: name, MimeType: mimeType, Source: source, SourceSessionID: m.SessionID}}
	m.files[f.ID] = f
	f.change(m, "created", hash, size)
	f.CreatedOn = f.ModifiedOn
	return f.File
}

// change makes a new version.
func (f *file) change(m *Memory, action, hash string, size int64) host.File {
	f.Version++
	f.Hash, f.Size, f.ModifiedOn = hash, size, m.now()
	f.versions = append(f.versions, host.Version{Version: f.Version, Name: f.Name, Size: size, MimeType: f.MimeType,
		Hash: hash, Action: action, RunID: m.RunID, ModifiedOn: f.ModifiedOn})
	return f.File
}

// byName are the types that bytes alone do not tell from plain text.
var byName = map[string]string{
	".csv": "text/csv", ".tsv": "text/tab-separated-values", ".md": "text/markdown", ".json": "application/json",
	".html": "text/html", ".js": "text/javascript", ".ts": "text/typescript", ".css": "text/css", ".sql": "application/sql",
	".xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", ".pdf": "application/pdf",
}

func detect(name string, data []byte) string {
	found, _, _ := strings.Cut(mimetype.Detect(data).String(), ";")
	if named := byName[path.Ext(name)]; named != "" && (found == "text/plain" || len(data) == 0) {
		return named
	}
	return found
}

// List gives the files that a doublestar pattern matches.
func (m *Memory) List(ctx context.Context, pattern string) ([]host.File, error) {
	if pattern != "" && !doublestar.ValidatePattern(pattern) {
		return nil, problem.New(problem.InvalidArgument, "the pattern %q is not a glob", pattern)
	}
	if err := m.enter(ctx, "List", pattern); err != nil {
		return nil, err
	}
	defer m.mu.Unlock()
	list := []host.File{}
	for _, f := range m.files {
		if !f.deleted && (pattern == "" || doublestar.MatchUnvalidated(pattern, f.Name)) {
			list = append(list, f.File)
		}
	}
	slices.SortFunc(list, func(a, b host.File) int { return strings.Compare(a.Name, b.Name) })
	return list, nil
}

// Stat gives one file.
func (m *Memory) Stat(ctx context.Context, ref string) (host.File, error) {
	if err := m.enter(ctx, "Stat", ref); err != nil {
		return host.File{}, err
	}
	defer m.mu.Unlock()
	f, err := m.find(ref)
	if err != nil {
		return host.File{}, err
	}
	return f.File, nil
}

// Open opens a version's content read-only.
func (m *Memory) Open(ctx context.Context, ref string, version int64) (*host.Opened, error) {
	if err := m.enter(ctx, "Open", ref); err != nil {
		return nil, err
	}
	defer m.mu.Unlock()
	f, err := m.find(ref)
	if err != nil {
		return nil, err
	}
	opened := f.File
	if version != 0 {
		v, err := f.version(version)
		if err != nil {
			return nil, err
		}
		opened.Version, opened.Name, opened.Size, opened.MimeType, opened.Hash, opened.ModifiedOn =
			v.Version, v.Name, v.Size, v.MimeType, v.Hash, v.ModifiedOn
	}
	data, err := os.Open(m.blob(opened.Hash))
	if err != nil {
		return nil, problem.From(err)
	}
	return &host.Opened{File: opened, Data: data}, nil
}

func (f *file) version(n int64) (host.Version, error) {
	for _, v := range f.versions {
		if v.Version == n {
			return v, nil
		}
	}
	return host.Version{}, problem.New(problem.NotFound, "%q has no version %d", f.Name, n)
}

// Stage gives a temporary file.
func (m *Memory) Stage(ctx context.Context) (*host.Staged, error) {
	if err := m.enter(ctx, "Stage", ""); err != nil {
		return nil, err
	}
	defer m.mu.Unlock()
	data, err := os.CreateTemp(m.dir, "stage-*")
	if err != nil {
		return nil, problem.From(err)
	}
	id := int64(len(m.stages) + 1)
	m.stages[id] = data.Name()
	return &host.Staged{ID: id, Data: data}, nil
}

// take reads what was staged; a stage is taken once.
func (m *Memory) take(stage int64) ([]byte, error) {
	if stage == 0 {
		return nil, nil
	}
	staged := m.stages[stage]
	if staged == "" {
		return nil, problem.New(problem.Internal, "there is no stage %d", stage)
	}
	info, err := os.Stat(staged)
	if err != nil {
		return nil, problem.From(err)
	}
	if info.Size() > m.Limits.FileBytes {
		return nil, problem.New(problem.FileTooLarge, "the file would have %d bytes; %d are allowed", info.Size(), m.Limits.FileBytes)
	}
	data, err := os.ReadFile(staged)
	if err != nil {
		return nil, problem.From(err)
	}
	m.stages[stage] = ""
	return data, os.Remove(staged)
}

// Create makes a new file.
func (m *Memory) Create(ctx context.Context, file host.NewFile) (host.File, error) {
	if err := m.enter(ctx, "Create", file.Name); err != nil {
		return host.File{}, err
	}
	defer m.mu.Unlock()
	name := file.Name
	if file.Unique {
		name = m.unique(name)
	} else if err := m.free(name); err != nil {
		return host.File{}, err
	}
	data, err := m.take(file.Stage)
	if err != nil {
		return host.File{}, err
	}
	hash, err := m.keep(data)
	if err != nil {
		return host.File{}, problem.From(err)
	}
	if file.MimeType == "" {
		file.MimeType = detect(name, data)
	}
	if file.Source == "" {
		file.Source = host.SourceCreated
	}
	return m.add(name, file.MimeType, file.Source, hash, int64(len(data))), nil
}

// Put makes staged bytes the new content.
func (m *Memory) Put(ctx context.Context, ref string, stage int64) (host.File, error) {
	if err := m.enter(ctx, "Put", ref); err != nil {
		return host.File{}, err
	}
	defer m.mu.Unlock()
	f, err := m.find(ref)
	if err != nil {
		return host.File{}, err
	}
	data, err := m.take(stage)
	if err != nil {
		return host.File{}, err
	}
	hash, err := m.keep(data)
	if err != nil {
		return host.File{}, problem.From(err)
	}
	f.MimeType = detect(f.Name, data)
	return f.change(m, "modified", hash, int64(len(data))), nil
}

// Delete removes a file; its versions stay.
func (m *Memory) Delete(ctx context.Context, ref string) (host.File, error) {
	if err := m.enter(ctx, "Delete", ref); err != nil {
		return host.File{}, err
	}
	defer m.mu.Unlock()
	f, err := m.find(ref)
	if err != nil {
		return host.File{}, err
	}
	f.deleted = true
	return f.change(m, "deleted", f.Hash, f.Size), nil
}

// Rename changes a file's name.
func (m *Memory) Rename(ctx context.Context, ref, name string) (host.File, error) {
	if err := m.enter(ctx, "Rename", ref); err != nil {
		return host.File{}, err
	}
	defer m.mu.Unlock()
	f, err := m.find(ref)
	if err != nil {
		return host.File{}, err
	}
	if f.Name == name {
		return f.File, nil
	}
	if err := m.free(name); err != nil {
		return host.File{}, err
	}
	f.Name = name
	return f.change(m, "renamed", f.Hash, f.Size), nil
}

// Copy makes a new file of the same content.
func (m *Memory) Copy(ctx context.Context, ref, name string) (host.File, error) {
	if err := m.enter(ctx, "Copy", ref); err != nil {
		return host.File{}, err
	}
	defer m.mu.Unlock()
	f, err := m.find(ref)
	if err != nil {
		return host.File{}, err
	}
	if err := m.free(name); err != nil {
		return host.File{}, err
	}
	return m.add(name, f.MimeType, host.SourceDerived, f.Hash, f.Size), nil
}

// Versions lists a file's versions, newest first.
func (m *Memory) Versions(ctx context.Context, ref string) ([]host.Version, error) {
	if err := m.enter(ctx, "Versions", ref); err != nil {
		return nil, err
	}
	defer m.mu.Unlock()
	f, err := m.everFound(ref)
	if err != nil {
		return nil, err
	}
	versions := slices.Clone(f.versions)
	slices.Reverse(versions)
	return versions, nil
}

// Restore makes an old version the newest.
func (m *Memory) Restore(ctx context.Context, ref string, version int64) (host.File, error) {
	if err := m.enter(ctx, "Restore", ref); err != nil {
		return host.File{}, err
	}
	defer m.mu.Unlock()
	f, err := m.everFound(ref)
	if err != nil {
		return host.File{}, err
	}
	old, err := f.version(version)
	if err != nil {
		return host.File{}, err
	}
	if f.deleted {
		if err := m.free(f.Name); err != nil {
			return host.File{}, err
		}
	}
	f.deleted, f.MimeType = false, old.MimeType
	return f.change(m, "restored", old.Hash, old.Size), nil
}

// everFound is find, which turns to the latest deleted file if there is no other.
func (m *Memory) everFound(ref string) (*file, error) {
	found, err := m.find(ref)
	if err == nil {
		return found, nil
	}
	for _, f := range m.files {
		if (f.ID == ref || f.Name == ref) && (found == nil || f.ModifiedOn > found.ModifiedOn) {
			found = f
		}
	}
	if found == nil {
		return nil, err
	}
	return found, nil
}

// Fetch makes a file of what Get answers.
func (m *Memory) Fetch(ctx context.Context, url, name string) (host.File, error) {
	if err := m.enter(ctx, "Fetch", url); err != nil {
		return host.File{}, err
	}
	m.mu.Unlock()
	if m.Get == nil {
		return host.File{}, problem.New(problem.FetchFailed, "%s cannot be reached", url)
	}
	found, data, err := m.Get(ctx, url)
	if err != nil {
		return host.File{}, err
	}
	if name == "" {
		name = found
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	hash, err := m.keep(data)
	if err != nil {
		return host.File{}, problem.From(err)
	}
	return m.add(m.unique(name), detect(name, data), host.SourceCreated, hash, int64(len(data))), nil
}
