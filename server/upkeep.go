package server

import (
	"net/http"
	"time"

	"github.com/sandboxd/sandboxd/access"
	"github.com/sandboxd/sandboxd/backup"
	"github.com/sandboxd/sandboxd/problem"
	"github.com/sandboxd/sandboxd/workspace"
)

// upkeepRoutes is what the operator does to the whole data folder while the server runs.
func (s *server) upkeepRoutes() []route {
	return []route{
		gives(route{method: "POST", path: "/api/gc", id: "collect", tag: "upkeep", scopes: ruling, summary: "Remove old versions and records, and contents that nothing needs any more.",
			details: "What is too old is the server's retention. It happens by itself, too.",
			query:   []parameter{{"dry_run", flag, false, "Only tell what would be removed."}}}, s.collect),
		{method: "POST", path: "/api/backup", id: "backup", tag: "upkeep", scopes: ruling, streams: true, summary: "Back up the whole data folder, while runs go on.",
			details: "The answer is a tar archive in zstd, for sandboxd restore. It holds keys and hashes of tokens too. One that ends without the file backup.json was cut off.",
			answers: []content{{status: 200, doc: "The backup.", media: "application/zstd"}}, serve: s.backup},
	}
}

// ofAll refuses callers that are not for all workspaces.
func ofAll(r *http.Request) error {
	if askedOf(r).caller.Workspace != access.Everywhere {
		return problem.New(problem.Forbidden, "this is about the whole data folder; the token is for one workspace")
	}
	return nil
}

func (s *server) collect(r *http.Request) (workspace.Collected, error) {
	if err := ofAll(r); err != nil {
		return workspace.Collected{}, err
	}
	return s.Host.Collect(r.Context(), flagOf(r, "dry_run"))
}

// backup streams a backup, as long as the client reads.
func (s *server) backup(w http.ResponseWriter, r *http.Request) error {
	if err := ofAll(r); err != nil {
		return err
	}
	h := w.Header()
	h.Set("Content-Type", "application/zstd")
	h.Set("Content-Disposition", attachment("sandboxd-"+time.Now().UTC().Format("20060102-150405")+".tar.zst"))
	out := &steady{ResponseWriter: w, conn: http.NewResponseController(w), pause: s.ReadPause, sent: s.metrics.sent}
	to, err := backup.ToStream(out)
	if err == nil {
		_, err = s.Host.Backup(r.Context(), to)
	}
	if err == nil {
		return nil
	}
	if out.total == 0 && out.err == nil {
		h.Del("Content-Disposition")
		return err
	}
	s.Log.ErrorContext(r.Context(), "the backup was cut off", "error", err)
	panic(http.ErrAbortHandler) // an end in the middle must not look like the end
}
