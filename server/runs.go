package server

import (
	"encoding/json"
	"net/http"
	"time"

	"github.com/sandboxd/sandboxd"
	"github.com/sandboxd/sandboxd/limits"
	"github.com/sandboxd/sandboxd/problem"
	"github.com/sandboxd/sandboxd/workspace"
)

// runRequest is the body of POST /api/runs.
type runRequest struct {
	Script     string          `json:"script"`
	Name       string          `json:"name"`        // shown in errors; "….ts" means TypeScript
	Language   string          `json:"language"`    // js or ts; "" goes by the name, then by what parses
	Args       json.RawMessage `json:"args"`        // the script's args
	Session    string          `json:"session_id"`  // provenance of what the run makes
	OnConflict string          `json:"on_conflict"` // "" is last writer wins; "fail" fails
	TimeoutMs  int64           `json:"timeout_ms"`  // at most the server's own limit
}

// runMembers are its members, for whoever sends another one.
const runMembers = "script, name, language, args, session_id, on_conflict, timeout_ms"

// requestBytes is how large a JSON body may be: a script, its args, and their quoting.
const requestBytes = 8 * limits.MB

func (s *server) submitRun(w http.ResponseWriter, r *http.Request) {
	var req runRequest
	err := readJSON(w, r, requestBytes, &req)
	if err == nil {
		err = req.check()
	}
	if err != nil {
		s.fail(w, r, err)
		return
	}
	most := s.Host.Limits().WallTime
	timeout := most
	if req.TimeoutMs > 0 && req.TimeoutMs < most.Milliseconds() {
		timeout = time.Duration(req.TimeoutMs) * time.Millisecond
	}
	s.answer(w, r, s.Host.Run(r.Context(), sandboxd.Run{
		Script: req.Script, Name: req.Name, Language: req.Language, Args: req.Args,
		Session: req.Session, OnConflict: req.OnConflict,
		Limits: limits.Limits{WallTime: timeout},
	}))
}

func (req *runRequest) check() error {
	switch {
	case req.Script == "":
		return invalid("script", "expected the source text of a script, got nothing")
	case req.Language != "" && req.Language != "js" && req.Language != "ts":
		return invalid("language", `expected "js" or "ts", got %.100q`, req.Language)
	case req.OnConflict != "" && req.OnConflict != workspace.ConflictFails:
		return invalid("on_conflict", `expected "fail" or nothing, got %.100q`, req.OnConflict)
	case req.TimeoutMs < 0:
		return invalid("timeout_ms", "expected milliseconds from 1, got %d", req.TimeoutMs)
	}
	return nil
}

// answer writes a run's answer. A script that fails is a good request with a bad
// outcome, hence 200 and ok: false; a problem is only what kept the run from being made:
// it never began, or the host had no place for it or broke.
func (s *server) answer(w http.ResponseWriter, r *http.Request, answer sandboxd.Answer) {
	if e := answer.Error; e != nil && (answer.Receipt.RunID == "" || e.Code == problem.Busy || e.Code == problem.Internal) {
		s.fail(w, r, e)
		return
	}
	writeJSON(w, http.StatusOK, answer)
}

func (s *server) listRuns(w http.ResponseWriter, r *http.Request) {
	limit, err := numberParameter(r, "limit")
	if err != nil {
		s.fail(w, r, err)
		return
	}
	runs, err := s.Host.Runs("").List(r.Context(), workspace.RunQuery{Limit: int(limit), Before: r.URL.Query().Get("before")})
	if err != nil {
		s.fail(w, r, err)
		return
	}
	if runs == nil {
		runs = []workspace.Record{}
	}
	writeJSON(w, http.StatusOK, map[string]any{"runs": runs})
}

func (s *server) showRun(w http.ResponseWriter, r *http.Request) {
	run, err := s.Host.Runs("").Get(r.Context(), r.PathValue("id"))
	if err != nil {
		s.fail(w, r, err)
		return
	}
	writeJSON(w, http.StatusOK, run)
}

func (s *server) undoRun(w http.ResponseWriter, r *http.Request) {
	force, err := flagParameter(r, "force")
	if err != nil {
		s.fail(w, r, err)
		return
	}
	result, err := s.Host.Runs("").Undo(r.Context(), r.PathValue("id"), force)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	writeJSON(w, http.StatusOK, result)
}
