package server

import (
	"encoding/json"
	"net/http"
	"strconv"
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

// requestBytes is how large a JSON body may be: a script, its args, and their quoting.
const requestBytes = 8 * limits.MB

func (s *server) submitRun(w http.ResponseWriter, r *http.Request) {
	var req runRequest
	if err := readJSON(w, r, requestBytes, &req); err != nil {
		s.fail(w, r, err)
		return
	}
	if req.Script == "" {
		s.fail(w, r, problem.New(problem.InvalidArgument, "script is missing; expected the source text of a script"))
		return
	}
	answer := s.Host.Run(r.Context(), sandboxd.Run{
		Script: req.Script, Name: req.Name, Language: req.Language, Args: req.Args,
		Session: req.Session, OnConflict: req.OnConflict,
		Limits: limits.Limits{WallTime: time.Duration(req.TimeoutMs) * time.Millisecond},
	})
	s.answer(w, r, answer)
}

func (s *server) callTool(w http.ResponseWriter, r *http.Request) {
	var args json.RawMessage
	if err := readJSON(w, r, requestBytes, &args); err != nil {
		s.fail(w, r, err)
		return
	}
	s.answer(w, r, s.Host.Call(r.Context(), sandboxd.Call{
		Tool: r.PathValue("tool"), Args: args, Session: r.URL.Query().Get("session_id"),
	}))
}

// answer writes a run's answer. A script that fails is a good request with a bad
// outcome, hence 200 and ok: false; only a host that could not take it is a problem.
func (s *server) answer(w http.ResponseWriter, r *http.Request, answer sandboxd.Answer) {
	if e := answer.Error; e != nil && (e.Code == problem.Busy || e.Code == problem.Internal) {
		s.fail(w, r, e)
		return
	}
	writeJSON(w, http.StatusOK, answer)
}

func (s *server) listRuns(w http.ResponseWriter, r *http.Request) {
	limit, _ := strconv.Atoi(r.URL.Query().Get("limit"))
	runs, err := s.Host.Runs("").List(r.Context(), workspace.RunQuery{Limit: limit, Before: r.URL.Query().Get("before")})
	if err != nil {
		s.fail(w, r, err)
		return
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
	result, err := s.Host.Runs("").Undo(r.Context(), r.PathValue("id"), r.URL.Query().Get("force") == "true")
	if err != nil {
		s.fail(w, r, err)
		return
	}
	writeJSON(w, http.StatusOK, result)
}
