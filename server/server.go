// Package server is the HTTP host that agents and people talk to.
//
// It authenticates, turns requests into calls of the embedding API and answers into
// JSON; errors are problem details (RFC 9457) from the one error table. It parses no
// file and runs no script.
//
// Imports sandboxd and what lies below it; nothing imports server but cmd. Start reading
// at New, which has the routes, or at Serve, which owns a listener.
package server

import (
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/sandboxd/sandboxd"
)

// Config is what a server needs.
type Config struct {
	// Host runs the scripts and keeps the files. Required.
	Host *sandboxd.Host
	// Token opens the API as "Authorization: Bearer TOKEN", and a browser's session as
	// ?token=TOKEN. Required: with an empty one nothing opens.
	Token string
	// Hosts are the names that a request's Host header may carry beside localhost and IP
	// addresses; any other is refused, so that no page can reach the server by DNS
	// rebinding. Defaults to none.
	Hosts []string
	// BodyPause is how long a client may pause while it sends a body. Defaults to 30 s.
	BodyPause time.Duration
	// Drain is how long requests under way may take to end when Serve stops; then they
	// are cancelled. Defaults to 30 s.
	Drain time.Duration
	// Log gets one line for each request that failed through no fault of the client.
	// Defaults to slog.Default().
	Log *slog.Logger
}

func (c Config) withDefaults() Config {
	hosts := make([]string, len(c.Hosts))
	for i, name := range c.Hosts {
		hosts[i] = strings.ToLower(name)
	}
	c.Hosts = hosts
	if c.BodyPause <= 0 {
		c.BodyPause = 30 * time.Second
	}
	if c.Drain <= 0 {
		c.Drain = 30 * time.Second
	}
	if c.Log == nil {
		c.Log = slog.Default()
	}
	return c
}

type server struct {
	Config
	session string // what a browser's cookie holds
}

// New gives the handler of the whole API:
//
//	GET    /healthz                    is it up; the only one that needs no token
//	GET    /                           what is in the workspace, for people
//	POST   /api/runs                   run a script, wait for its answer
//	GET    /api/runs                   the latest runs, ?limit= and ?before=
//	GET    /api/runs/{id}              one run
//	POST   /api/runs/{id}/undo         undo a run, ?force=true over later changes
//	GET    /api/tools                  the operations, with their JSON Schemas
//	POST   /api/tools/{tool}           call one operation
//	POST   /api/files/upload           multipart/form-data, any number of files, ?replace=true
//	GET    /api/files                  list, ?pattern=
//	GET    /api/files/{id}/download    a file's bytes, ?version=
func New(config Config) http.Handler {
	config = config.withDefaults()
	s := &server{config, sessionOf(config.Token)}
	api := http.NewServeMux()
	api.HandleFunc("POST /api/runs", s.submitRun)
	api.HandleFunc("GET /api/runs", s.listRuns)
	api.HandleFunc("GET /api/runs/{id}", s.showRun)
	api.HandleFunc("POST /api/runs/{id}/undo", s.undoRun)
	api.HandleFunc("GET /api/tools", s.listTools)
	api.HandleFunc("POST /api/tools/{tool}", s.callTool)
	api.HandleFunc("POST /api/files/upload", s.upload)
	api.HandleFunc("GET /api/files", s.listFiles)
	api.HandleFunc("GET /api/files/{id}/download", s.download)
	api.HandleFunc("GET /{$}", s.index)

	root := http.NewServeMux()
	root.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) {
		writeJSON(w, http.StatusOK, map[string]bool{"ok": true})
	})
	root.Handle("/", s.guarded(s.authenticated(s.routed(api))))
	return s.prepared(root)
}

// prepared sets what every answer carries, and bounds how slowly a body may come.
func (s *server) prepared(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Frame-Options", "DENY")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cache-Control", "no-store")
		hurry(w, r, s.BodyPause)
		next.ServeHTTP(w, r)
	})
}
