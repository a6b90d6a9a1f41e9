package sandboxd

import (
	"context"
	"io"

	"github.com/sandboxd/sandboxd/host"
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
	Body    io.Reader
}

// List gives the files whose name matches a glob ("" is all), ordered by name.
func (f *Files) List(ctx context.Context, pattern string) ([]host.File, error) {
	return f.host.store.Files(ctx, f.workspace, pattern)
}

// Stat gives one file by id or name.
func (f *Files) Stat(ctx context.Context, ref string) (host.File, error) {
	return f.host.store.Stat(ctx, f.workspace, ref)
}

// Open opens a file's bytes; version 0 is the latest. The caller closes Data.
func (f *Files) Open(ctx context.Context, ref string, version int64) (*host.Opened, error) {
	return f.host.store.Open(ctx, f.workspace, ref, version)
}

// Versions lists a file's versions, newest first.
func (f *Files) Versions(ctx context.Context, ref string) ([]host.Version, error) {
	return f.host.store.Versions(ctx, f.workspace, ref)
}

// Put stores a file as it streams in.
func (f *Files) Put(ctx context.Context, u Upload) (file host.File, err error) {
	err = f.change(ctx, workspace.Start{Kind: workspace.KindUpload, Name: u.Name, SessionID: u.Session}, func(run *workspace.Run) error {
		stage, err := run.Receive(ctx, body{u})
		if err != nil {
			return err
		}
		if u.Replace {
			if _, err := run.Stat(ctx, u.Name); err == nil {
				file, err = run.Put(ctx, u.Name, stage)
				return err
			}
		}
		file, err = run.Create(ctx, host.NewFile{Name: u.Name, Source: host.SourceUpload, Stage: stage, Unique: true})
		return err
	})
	return file, err
}

// body makes the end of an upload before its time the sender's problem.
type body struct{ Upload }

func (b body) Read(p []byte) (int, error) {
	n, err := b.Body.Read(p)
	if err != nil && err != io.EOF {
		err = problem.New(problem.InvalidArgument, "the upload of %q ended before its end", b.Name).
			WithHint("Send it again.").WithCause(err)
	}
	return n, err
}

// Delete removes files, all of them or none.
func (f *Files) Delete(ctx context.Context, refs ...string) error {
	return f.change(ctx, workspace.Start{Kind: "delete"}, func(run *workspace.Run) error {
		for _, ref := range refs {
			if _, err := run.Delete(ctx, ref); err != nil {
				return err
			}
		}
		return nil
	})
}

// Restore makes an old version of a file the newest one.
func (f *Files) Restore(ctx context.Context, ref string, version int64) (file host.File, err error) {
	err = f.change(ctx, workspace.Start{Kind: "restore"}, func(run *workspace.Run) error {
		file, err = run.Restore(ctx, ref, version)
		return err
	})
	return file, err
}

// change is one run of the host's own.
func (f *Files) change(ctx context.Context, start workspace.Start, work func(*workspace.Run) error) error {
	start.Workspace = f.workspace
	run, err := f.host.store.Begin(ctx, start)
	if err != nil {
		return err
	}
	if err := work(run); err != nil {
		_, _ = run.Abort(context.WithoutCancel(ctx), workspace.Finish{Error: problem.From(err)})
		return err
	}
	_, err = run.Commit(context.WithoutCancel(ctx), workspace.Finish{})
	return err
}
