// Package server is the HTTP host that agents and people talk to.
//
// It authenticates, turns requests into calls of the embedding API and answers into
// JSON; errors are problem details (RFC 9457) from the one error table. It parses no
// file and runs no script.
//
// Imports sandboxd and what lies below it; nothing imports server but cmd. Start reading
// at New.
package server

import (
	"log/slog"
	"net/http"

	"github.com/sandboxd/sandboxd"
)

// Config is what a server needs.
type Config struct {
	// Host runs the scripts and keeps the files.
	Host *sandboxd.Host
	// Token opens the API, as "Authorization: Bearer TOKEN" or ?token=TOKEN. Required.
	Token string
	// Hosts are the names that a request's Host header may carry beside the loopback
	// addresses; anything else is refused, so that no page can reach the server by DNS
	// rebinding. Defaults to none.
	Hosts []string
	// Log gets one line per failed request. Defaults to slog.Default().
	Log *slog.Logger
}

type server struct {
	Config
}

// New gives the handler of the whole API:
//
//	GET    /healthz                    is it up
//	GET    /                           what is in the workspace, for people
//	POST   /api/runs                   run a script, wait for its answer
//	GET    /api/runs                   the latest runs
//	GET    /api/runs/{id}              one run
//	POST   /api/runs/{id}/undo         undo a run
//	POST   /api/tools/{tool}           call one operation
//	POST   /api/files/upload           multipart/form-data, any number of files
//	GET    /api/files                  list, ?pattern=
//	GET    /api/files/{id}/download    a file's bytes, ?version=
func New(config Config) http.Handler {
	if config.Log == nil {
		config.Log = slog.Default()
	}
	s := &server{config}
	api := http.NewServeMux()
	api.HandleFunc("POST /api/runs", s.submitRun)
	api.HandleFunc("GET /api/runs", s.listRuns)
	api.HandleFunc("GET /api/runs/{id}", s.showRun)
	api.HandleFunc("POST /api/runs/{id}/undo", s.undoRun)
	api.HandleFunc("POST /api/tools/{tool}", s.callTool)
	api.HandleFunc("POST /api/files/upload", s.upload)
	api.HandleFunc("GET /api/files", s.listFiles)
	api.HandleFunc("GET /api/files/{id}/download", s.download)
	api.HandleFunc("GET /{$}", s.index)
	api.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) { s.notFound(w, r) })

	root := http.NewServeMux()
	root.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) {
		writeJSON(w, http.StatusOK, map[string]bool{"ok": true})
	})
	root.Handle("/", s.authenticated(api))
	return s.guarded(root)
}
