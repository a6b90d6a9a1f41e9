package workspace

import (
	"context"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
	"github.com/google/uuid"
	"golang.org/x/text/unicode/norm"

	"github.com/sandboxd/sandboxd/host"
	"github.com/sandboxd/sandboxd/problem"
)

// List implements host.Host. A pattern without "/" is held against the last part of the
// name too, so that "*.csv" finds "reports/may.csv", as people expect of a search.
func (r *Run) List(ctx context.Context, pattern string) ([]host.File, error) {
	match, err := matcher(pattern)
	if err != nil {
		return nil, err
	}
	unlock, err := r.lock(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()
	files := []host.File{}
	for _, e := range r.files {
		if !e.deleted && match(e.file.Name) {
			files = append(files, e.file.file())
		}
		if err := ctx.Err(); err != nil {
			return nil, problem.From(err)
		}
	}
	err = r.store.eachFile(ctx, r.row.Workspace, func(row *fileRow) {
		if _, known := r.files[row.ID]; !known && match(row.Name) {
			files = append(files, row.file())
		}
	})
	if err != nil {
		return nil, problem.From(err)
	}
	slices.SortFunc(files, func(a, b host.File) int { return strings.Compare(a.Name, b.Name) })
	return files, nil
}

func matcher(pattern string) (func(name string) bool, error) {
	pattern = norm.NFC.String(pattern)
	if pattern == "" {
		return func(string) bool { return true }, nil
	}
	if len(pattern) > 1000 || !doublestar.ValidatePattern(pattern) {
		return nil, problem.New(problem.InvalidArgument, "pattern: expected a glob pattern such as \"**/*.csv\", got %q", cut(pattern, 100)).
			With("argument", "pattern")
	}
	if n := alternatives(pattern); n > maxAlternatives {
		return nil, problem.New(problem.InvalidArgument, "pattern: expected at most %d combinations of {…} alternatives, got more", maxAlternatives).
			With("argument", "pattern").WithHint("Use * or ? in the place of some {…}, or list with several patterns.")
	}
	anywhere := !strings.Contains(pattern, "/")
	return func(name string) bool {
		return doublestar.MatchUnvalidated(pattern, name) || anywhere && doublestar.MatchUnvalidated(pattern, path.Base(name))
	}, nil
}

// maxAlternatives bounds the ways in which the {…} of a pattern combine. Each of them is
// tried on each name, in the daemon: {a,a} sixty times over would keep it busy for ever.
const maxAlternatives = 256

// alternatives is how many patterns without {…} a pattern stands for, at most; it stops
// counting beyond maxAlternatives. The pattern is valid, so that every { has its }.
func alternatives(pattern string) int {
	total := 1
	var open []int // alternatives so far of each { that is open
	for i := 0; i < len(pattern) && total <= maxAlternatives; i++ {
		switch pattern[i] {
		case '\\':
			i++
		case '[':
			for i++; i < len(pattern) && pattern[i] != ']'; i++ {
				if pattern[i] == '\\' {
					i++
				}
			}
		case '{':
			open = append(open, 1)
		case ',':
			if len(open) > 0 {
				open[len(open)-1]++
			}
		case '}':
			if len(open) > 0 {
				total *= open[len(open)-1]
				open = open[:len(open)-1]
			}
		}
	}
	return total
}

// eachFile goes through the files of a workspace that are there.
func (s *Store) eachFile(ctx context.Context, workspace string, do func(*fileRow)) error {
	rows, err := s.meta.read.NewSelect().Model((*fileRow)(nil)).
		Column("_id", "name", "mime_type", "size", "disk_path", "source", "source_session_id", "created_on", "modified_on", "version", "hash").
		Where("f.workspace = ? AND f.deleted_on = ''", workspace).Rows(context.WithoutCancel(ctx))
	if err != nil {
		return fmt.Errorf("list files: %w", err)
	}
	defer rows.Close()
	for rows.Next() {
		var f fileRow
		if err := rows.Scan(&f.ID, &f.Name, &f.MimeType, &f.Size, &f.DiskPath, &f.Source, &f.SourceSessionID, &f.CreatedOn, &f.ModifiedOn,
			&f.Version, &f.Hash); err != nil {
			return fmt.Errorf("list files: %w", err)
		}
		f.Workspace = workspace
		do(&f)
		if err := ctx.Err(); err != nil { // the driver's rows do not look at the context
			return err
		}
	}
	return rows.Err()
}

// Stat implements host.Host.
func (r *Run) Stat(ctx context.Context, ref string) (host.File, error) {
	return r.change(ctx, func() (*entry, error) { return r.lookup(ctx, ref) })
}

// change runs fn under the overlay's lock and answers the file that it gives.
func (r *Run) change(ctx context.Context, fn func() (*entry, error)) (host.File, error) {
	unlock, err := r.lock(ctx)
	if err != nil {
		return host.File{}, err
	}
	defer unlock()
	e, err := fn()
	if err != nil {
		return host.File{}, problem.From(err)
	}
	return e.file.file(), nil
}

// Open implements host.Host.
func (r *Run) Open(ctx context.Context, ref string, version int64) (*host.Opened, error) {
	unlock, err := r.lock(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()
	file, b, err := r.find(ctx, ref, version)
	if err != nil {
		return nil, problem.From(err)
	}
	var data *os.File
	if b != nil {
		data, err = b.open()
	} else {
		data, err = r.store.openContent(ctx, file.Hash, file.Size)
	}
	if err != nil {
		return nil, problem.From(fmt.Errorf("open a file: %w", err))
	}
	r.bytesRead.Add(file.Size)
	r.noteRead(file.ID, file.Name, file.Version)
	return &host.Opened{File: file, Data: data}, nil
}

// find gives a file as of a version, with its content if that came in with this run.
func (r *Run) find(ctx context.Context, ref string, version int64) (host.File, *blob, error) {
	e, err := r.lookup(ctx, ref)
	if version <= 0 || err == nil && version == e.file.Version {
		if err != nil {
			return host.File{}, nil, err
		}
		return e.file.file(), e.blob, nil
	}
	if e, err = r.lookupAny(ctx, ref); err != nil {
		return host.File{}, nil, err
	}
	v, err := r.version(ctx, e, version)
	if err != nil {
		return host.File{}, nil, err
	}
	file := e.file.file()
	file.Version, file.Name, file.Size, file.MimeType, file.Hash, file.ModifiedOn = v.Version, v.Name, v.Size, v.MimeType, v.Hash, v.ModifiedOn
	return file, nil, nil
}

// openContent opens stored content.
func (s *Store) openContent(ctx context.Context, hash string, size int64) (*os.File, error) {
	if size == 0 {
		return openBytes(nil)
	}
	if size <= inlineBytes {
		var row blobRow
		err := s.meta.read.NewSelect().Model(&row).Where("b.hash = ?", hash).Scan(context.WithoutCancel(ctx))
		if err != nil {
			return nil, fmt.Errorf("read content %s: %w", hash, err)
		}
		if row.Data != nil {
			return openBytes(row.Data)
		}
	}
	return os.Open(s.folder.blob(hash))
}

// Create implements host.Host.
func (r *Run) Create(ctx context.Context, file host.NewFile) (host.File, error) {
	name, err := CleanName(file.Name)
	if err != nil {
		return host.File{}, err
	}
	switch file.Source {
	case "":
		file.Source = host.SourceCreated
	case host.SourceCreated, host.SourceDerived, host.SourceUpload:
	default:
		return host.File{}, problem.New(problem.InvalidArgument, "source: expected upload, created or derived, got %q", cut(file.Source, 100)).
			With("argument", "source")
	}
	if file.MimeType != "" && mediaType(file.MimeType) == "" {
		return host.File{}, problem.New(problem.InvalidArgument, "mime: expected a type such as \"text/csv\", got %q", cut(file.MimeType, 100)).
			WithHint("Leave it out to have the type detected. Content goes into the options: files.create(name, undefined, {content: \"…\"}).").
			With("argument", "mime")
	}
	b, done, err := r.content(ctx, file.Stage)
	if err != nil {
		return host.File{}, err
	}
	defer done()
	return r.change(ctx, func() (*entry, error) {
		e, err := r.create(ctx, name, file.Source, mimeOf(b.head, name, file.MimeType), file.Unique)
		if err != nil {
			return nil, err
		}
		if err := r.room(ctx, e, b); err != nil {
			r.forget(e)
			return nil, err
		}
		r.setContent(e, b, b.hash, b.size)
		r.consume(file.Stage)
		r.bytesWritten.Add(b.size)
		return e, nil
	})
}

// create adds a file without content to the overlay.
func (r *Run) create(ctx context.Context, name, source, mimeType string, unique bool) (*entry, error) {
	if err := r.roomForOne(ctx); err != nil {
		return nil, err
	}
	name, err := r.freeName(ctx, name, unique)
	if err != nil {
		return nil, err
	}
	id, err := uuid.NewV7()
	if err != nil {
		return nil, err
	}
	now := r.store.now()
	e := &entry{unique: unique, written: true, file: fileRow{ID: id.String(), Name: name, MimeType: mimeType, Source: source,
		SourceSessionID: r.row.SessionID, CreatedOn: now, ModifiedOn: now, Workspace: r.row.Workspace, Version: 1}}
	r.files[e.file.ID] = e
	r.names[name] = e
	return e, nil
}

// forget takes back a create.
func (r *Run) forget(e *entry) {
	r.dropName(e)
	delete(r.files, e.file.ID)
}

// Put implements host.Host.
func (r *Run) Put(ctx context.Context, ref string, stage int64) (host.File, error) {
	b, done, err := r.content(ctx, stage)
	if err != nil {
		return host.File{}, err
	}
	defer done()
	return r.change(ctx, func() (*entry, error) {
		e, err := r.lookup(ctx, ref)
		if err != nil {
			return nil, err
		}
		if err := r.room(ctx, e, b); err != nil {
			return nil, err
		}
		e.file.MimeType = mimeOf(b.head, e.file.Name, e.file.MimeType)
		r.setContent(e, b, b.hash, b.size)
		e.touch(r.store.now())
		r.consume(stage)
		r.bytesWritten.Add(b.size)
		return e, nil
	})
}

// Delete implements host.Host.
func (r *Run) Delete(ctx context.Context, ref string) (host.File, error) {
	return r.change(ctx, func() (*entry, error) {
		e, err := r.lookup(ctx, ref)
		if err != nil {
			return nil, err
		}
		r.remove(e)
		return e, nil
	})
}

func (r *Run) remove(e *entry) {
	r.dropName(e)
	e.deleted = true
	r.dropContent(e)
	e.touch(r.store.now())
}

// Rename implements host.Host.
func (r *Run) Rename(ctx context.Context, ref, name string) (host.File, error) {
	name, err := CleanName(name)
	if err != nil {
		return host.File{}, err
	}
	return r.change(ctx, func() (*entry, error) {
		e, err := r.lookup(ctx, ref)
		if err != nil || e.file.Name == name {
			return e, err
		}
		if name, err = r.freeName(ctx, name, false); err != nil {
			return nil, err
		}
		r.formerly[e.file.Name] = e
		r.setName(e, name)
		e.renamed, e.unique = true, false
		e.file.MimeType = renamedType(e.file.MimeType, name)
		e.touch(r.store.now())
		return e, nil
	})
}

// Copy implements host.Host.
func (r *Run) Copy(ctx context.Context, ref, name string) (host.File, error) {
	name, err := CleanName(name)
	if err != nil {
		return host.File{}, err
	}
	return r.change(ctx, func() (*entry, error) {
		from, err := r.lookup(ctx, ref)
		if err != nil {
			return nil, err
		}
		e, err := r.create(ctx, name, host.SourceDerived, renamedType(from.file.MimeType, name), false)
		if err != nil {
			return nil, err
		}
		r.setContent(e, from.blob, from.file.Hash, from.file.Size)
		r.noteRead(from.file.ID, from.file.Name, from.file.Version)
		return e, nil
	})
}
