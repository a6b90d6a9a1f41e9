package sandboxd

import (
	"cmp"
	"context"
	"errors"
	"io"
	"time"

	"github.com/sandboxd/sandboxd/audit"
	"github.com/sandboxd/sandboxd/host"
	"github.com/sandboxd/sandboxd/limits"
	"github.com/sandboxd/sandboxd/problem"
	"github.com/sandboxd/sandboxd/workspace"
)

// Files is the files of a workspace, for programs and people; scripts have files.*.
// Every change is a run of its own and can be undone as one.
type Files struct {
	host      *Host
	workspace string
}

// Files gives the files of a workspace; "" is DefaultWorkspace.
func (h *Host) Files(workspace string) *Files { return &Files{h, workspaceOr(workspace)} }

// Upload is a file to be put into a workspace.
type Upload struct {
	Name    string
	Session string
	// Replace makes a new version of a file of the same name; otherwise a taken name
	// becomes "name (2).ext".
	Replace bool
	// RunID is the id of the run that stores it, and of those that follow it in PutAll: an
	// upload that is told twice is stored once, the second is exists. Defaults to a new one.
	RunID string
	Body  io.Reader
}

// List gives the files whose name matches a glob ("" is all), ordered by name.
func (f *Files) List(ctx context.Context, pattern string) ([]host.File, error) {
	return f.host.store.Files(ctx, f.workspace, pattern)
}

// Stat gives one file by id or name.
func (f *Files) Stat(ctx context.Context, ref string) (host.File, error) {
	return f.host.store.Stat(ctx, f.workspace, ref)
}

// StatVersion gives one file as it was in a version; 0 is the latest.
func (f *Files) StatVersion(ctx context.Context, ref string, version int64) (host.File, error) {
	if version <= 0 {
		return f.Stat(ctx, ref)
	}
	opened, err := f.host.store.Open(ctx, f.workspace, ref, version)
	if err != nil {
		return host.File{}, err
	}
	return opened.File, opened.Data.Close()
}

// Open opens a file's bytes; version 0 is the latest. The caller closes Data. It is a
// download of the whole file to the audit, whatever is read of it.
func (f *Files) Open(ctx context.Context, ref string, version int64) (*host.Opened, error) {
	began := time.Now()
	opened, err := f.host.store.Open(ctx, f.workspace, ref, version)
	rec := audit.Record{Action: audit.Download, Workspace: f.workspace, Name: ref}
	if err == nil {
		file := opened.File
		rec.Name, rec.BytesOut = file.Name, file.Size
		rec.Files = []audit.File{{ID: file.ID, Name: file.Name, Version: file.Version, Action: audit.Read}}
	}
	f.host.audit(ctx, began, rec, err)
	return opened, err
}

// Versions lists a file's versions, newest first.
func (f *Files) Versions(ctx context.Context, ref string) ([]host.Version, error) {
	return f.host.store.Versions(ctx, f.workspace, ref)
}

// Put stores a file as it streams in.
func (f *Files) Put(ctx context.Context, u Upload) (host.File, error) {
	given := false
	files, err := f.PutAll(ctx, func() (Upload, error) {
		if given {
			return Upload{}, io.EOF
		}
		given = true
		return u, nil
	})
	if err != nil {
		return host.File{}, err
	}
	return files[0], nil
}

// PutAll stores the files that next gives until io.EOF, as they stream in: all of them or,
// after any error, none. A body is read to its end before next is called again.
func (f *Files) PutAll(ctx context.Context, next func() (Upload, error)) (files []host.File, err error) {
	u, err := next()
	if err == io.EOF {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	receipt, err := f.change(ctx, workspace.Start{RunID: u.RunID, Kind: workspace.KindUpload, Name: u.Name, SessionID: u.Session}, func(run *workspace.Run) error {
		for ; err == nil; u, err = next() {
			file, err := receive(ctx, run, u)
			if err != nil {
				return err
			}
			files = append(files, file)
		}
		if err != io.EOF {
			return err
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	// Another run may have taken a name, or changed a file, since it was looked at.
	for _, c := range receipt.Files {
		for i := range files {
			if files[i].ID == c.ID {
				files[i].Name, files[i].Version = c.Name, c.Version
			}
		}
	}
	return files, nil
}

// PutAt stores what streams in as a new version of the file with this id or name, or else
// as a new file of this name; made tells which. check, if it is not nil, is asked before
// anything is read, with the file that is there or nil, and nothing may change after it.
func (f *Files) PutAt(ctx context.Context, ref string, u Upload, check func(old *host.File) error) (file host.File, made bool, err error) {
	u.Name = ref
	name := ref
	start := workspace.Start{RunID: u.RunID, Kind: workspace.KindUpload, Name: ref, SessionID: u.Session}
	if check != nil {
		start.OnConflict = workspace.ConflictFails
	}
	receipt, err := f.change(ctx, start, func(run *workspace.Run) error {
		var there *host.File
		old, err := run.Stat(ctx, ref)
		switch {
		case err == nil:
			there = &old
		case problem.CodeOf(err) != problem.NotFound:
			return err
		default:
			if ref, err = workspace.CleanName(ref); err != nil {
				return err
			}
		}
		if check != nil {
			if err := check(there); err != nil {
				return err
			}
		}
		stage, err := run.Receive(ctx, body{u})
		if err != nil {
			return err
		}
		if there != nil {
			file, err = run.Put(ctx, old.ID, stage)
			return err
		}
		made = true
		file, err = run.Create(ctx, host.NewFile{Name: ref, Source: host.SourceUpload, Stage: stage})
		return err
	})
	if err == nil && len(receipt.Files) == 1 {
		file.Version = receipt.Files[0].Version
	}
	return file, made, f.outrun(ctx, name, check, err)
}

// outrun is the error of a change that was checked and then lost at its commit: what the
// check says now, where it says anything.
func (f *Files) outrun(ctx context.Context, ref string, check func(old *host.File) error, err error) error {
	if code := problem.CodeOf(err); check == nil || code != problem.Conflict && code != problem.Exists {
		return err
	}
	var there *host.File
	if now, err := f.Stat(ctx, ref); err == nil {
		there = &now
	}
	return cmp.Or(check(there), err)
}

// receive takes one upload into a run.
func receive(ctx context.Context, run *workspace.Run, u Upload) (host.File, error) {
	name, err := workspace.CleanName(u.Name) // before all of its bytes are read
	if err != nil {
		return host.File{}, err
	}
	stage, err := run.Receive(ctx, body{u})
	if err != nil {
		return host.File{}, err
	}
	if u.Replace {
		// A name may look like another file's id.
		if old, err := run.Stat(ctx, name); err == nil && old.Name == name {
			return run.Put(ctx, old.ID, stage)
		}
	}
	return run.Create(ctx, host.NewFile{Name: name, Source: host.SourceUpload, Stage: stage, Unique: true})
}

// body makes the end of an upload before its time the sender's problem.
type body struct{ Upload }

func (b body) Read(p []byte) (int, error) {
	n, err := b.Body.Read(p)
	var known *problem.Error
	if err != nil && err != io.EOF && !errors.As(err, &known) {
		err = problem.New(problem.InvalidArgument, "the upload of %q ended before its end", b.Name).
			WithHint("Send it again.").WithCause(err)
	}
	return n, err
}

// Delete removes files, all of them or none.
func (f *Files) Delete(ctx context.Context, refs ...string) error {
	_, err := f.change(ctx, workspace.Start{Kind: "delete"}, func(run *workspace.Run) error {
		for _, ref := range refs {
			if _, err := run.Delete(ctx, ref); err != nil {
				return err
			}
		}
		return nil
	})
	return err
}

// DeleteIf removes a file if check, which is asked as PutAt asks it, has nothing against it.
func (f *Files) DeleteIf(ctx context.Context, ref string, check func(old *host.File) error) error {
	start := workspace.Start{Kind: "delete"}
	if check != nil {
		start.OnConflict = workspace.ConflictFails
	}
	_, err := f.change(ctx, start, func(run *workspace.Run) error {
		old, err := run.Stat(ctx, ref)
		if err == nil && check != nil {
			err = check(&old)
		}
		if err != nil {
			return err
		}
		_, err = run.Delete(ctx, ref)
		return err
	})
	return f.outrun(ctx, ref, check, err)
}

// Restore makes an old version of a file the newest one.
func (f *Files) Restore(ctx context.Context, ref string, version int64) (file host.File, err error) {
	_, err = f.change(ctx, workspace.Start{Kind: "restore"}, func(run *workspace.Run) error {
		file, err = run.Restore(ctx, ref, version)
		return err
	})
	return file, err
}

// Rename gives a file another name; exists if that is taken.
func (f *Files) Rename(ctx context.Context, ref, name string) (file host.File, err error) {
	_, err = f.change(ctx, workspace.Start{Kind: "rename"}, func(run *workspace.Run) error {
		file, err = run.Rename(ctx, ref, name)
		return err
	})
	return file, err
}

// change is one run of the host's own. Close waits for its commit, but not for its work: a
// client that stalls in an upload must not hold up the end.
func (f *Files) change(ctx context.Context, start workspace.Start, work func(*workspace.Run) error) (limits.Receipt, error) {
	start.Workspace, start.Who = f.workspace, audit.From(ctx)
	run, err := f.host.store.Begin(ctx, start)
	if err != nil {
		f.host.refused(start, err)
		return limits.Receipt{}, f.host.orClosing(err)
	}
	err = work(run)
	if err == nil {
		err = f.host.enter()
	}
	if err != nil {
		err = f.host.orClosing(err)
		_, _ = run.Abort(context.WithoutCancel(ctx), workspace.Finish{Error: problem.From(err)})
		return limits.Receipt{}, err
	}
	defer f.host.runs.Done()
	return run.Commit(context.WithoutCancel(ctx), workspace.Finish{})
}
