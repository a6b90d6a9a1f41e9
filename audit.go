package sandboxd

import (
	"context"
	"time"

	"github.com/sandboxd/sandboxd/audit"
	"github.com/sandboxd/sandboxd/host"
	"github.com/sandboxd/sandboxd/problem"
	"github.com/sandboxd/sandboxd/workspace"
)

// Audit gives the records of what was done, newest first unless the query says otherwise. Who
// did it is what the contexts of the calls said: access.With and audit.With.
func (h *Host) Audit(ctx context.Context, q audit.Query) ([]audit.Record, error) {
	return h.store.AuditRecords(ctx, q)
}

// AuditScript gives the source of a script by the hash that a record of a workspace names;
// of any workspace if it is "". It answers not_found if there is none.
func (h *Host) AuditScript(ctx context.Context, workspace, hash string) (string, error) {
	return h.store.AuditScript(ctx, workspace, hash)
}

// audit records what was done outside of any run, and how it went.
func (h *Host) audit(ctx context.Context, began time.Time, rec audit.Record, err error) {
	rec.Who = audit.From(ctx)
	rec.Time = began.UTC().Format("2006-01-02T15:04:05.000Z")
	rec.DurationMs = milliseconds(time.Since(began))
	rec.Code = string(problem.CodeOf(err))
	h.store.Audit(rec)
}

// refused records a run that could not begin.
func (h *Host) refused(start workspace.Start, err error) {
	h.store.Audit(audit.Record{Action: start.Kind, Workspace: start.Workspace, SessionID: start.SessionID, Name: start.Name, RunID: start.RunID,
		ScriptHash: start.ScriptHash, Who: start.Who, Code: string(problem.CodeOf(err))})
}

// Send gives a file's bytes to whoever sends them on, and records how many were sent:
// send answers that, and its error if they did not all arrive.
func (f *Files) Send(ctx context.Context, ref string, version int64, send func(*host.Opened) (sent int64, err error)) error {
	began := time.Now()
	rec := audit.Record{Action: audit.Download, Workspace: f.workspace, Name: ref}
	opened, err := f.host.store.Open(ctx, f.workspace, ref, version)
	if err == nil {
		defer opened.Data.Close()
		file := opened.File
		rec.Name = file.Name
		rec.Files = []audit.File{{ID: file.ID, Name: file.Name, Version: file.Version, Action: audit.Read}}
		rec.BytesOut, err = send(opened)
	}
	f.host.audit(ctx, began, rec, err)
	return err
}
