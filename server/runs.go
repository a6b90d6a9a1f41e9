package server

import (
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"github.com/sandboxd/sandboxd"
	"github.com/sandboxd/sandboxd/limits"
	"github.com/sandboxd/sandboxd/problem"
	"github.com/sandboxd/sandboxd/workspace"
)

// runRequest is the body of POST /api/runs.
type runRequest struct {
	Script     string          `json:"script" jsonschema:"The body of an async function, in JavaScript or TypeScript."`
	Name       string          `json:"name,omitempty" jsonschema:"Shown in errors; a name that ends in .ts means TypeScript."`
	Language   string          `json:"language,omitempty" jsonschema:"js or ts. Left out, it goes by the name, then by what parses."`
	Args       json.RawMessage `json:"args,omitempty" jsonschema:"What the script finds in args."`
	Session    string          `json:"session_id,omitempty" jsonschema:"Provenance of what the run makes."`
	OnConflict string          `json:"on_conflict,omitempty" jsonschema:"fail makes the run fail where another changed the same thing meanwhile. Left out, the last writer wins."`
	TimeoutMs  int64           `json:"timeout_ms,omitempty" jsonschema:"How long the run may take, at most the server's own limit."`
	Wait       *bool           `json:"wait,omitempty" jsonschema:"false answers at once with the run's id. Defaults to true."`
}

// runAnswer is what a run answers when it was waited for.
type runAnswer = sandboxd.Answer

// runStarted is what a run answers that is not waited for.
type runStarted struct {
	ID     string `json:"id"`
	Status string `json:"status"` // running
	URL    string `json:"url"`    // the run
	Logs   string `json:"logs"`   // its console, as server-sent events
}

func (s *server) submitRun(w http.ResponseWriter, r *http.Request) error {
	var req runRequest
	if err := readJSON(w, r, requestBytes, &req); err != nil {
		return err
	}
	if err := req.check(); err != nil {
		return err
	}
	most := s.Host.Limits().WallTime
	timeout := most
	if req.TimeoutMs > 0 && req.TimeoutMs < most.Milliseconds() {
		timeout = time.Duration(req.TimeoutMs) * time.Millisecond
	}
	run := sandboxd.Run{Workspace: askedOf(r).workspace,
		Script: req.Script, Name: req.Name, Language: req.Language, Args: req.Args,
		Session: req.Session, OnConflict: req.OnConflict,
		Limits: limits.Limits{WallTime: timeout},
	}
	if req.Wait == nil && respondAsync(r) || req.Wait != nil && !*req.Wait {
		run.Keep = true
		id, err := s.Host.Start(r.Context(), run)
		if err != nil {
			return err
		}
		at := "/api/runs/" + id
		w.Header().Set("Location", at)
		writeJSON(w, http.StatusAccepted, runStarted{id, workspace.StatusRunning, at, at + "/logs"})
		return nil
	}
	answer, err := outcome(s.Host.Run(r.Context(), run))
	if err != nil {
		return err
	}
	writeJSON(w, http.StatusOK, answer)
	return nil
}

// respondAsync is a preference of RFC 7240.
func respondAsync(r *http.Request) bool {
	for _, preference := range strings.Split(strings.Join(r.Header.Values("Prefer"), ","), ",") {
		if name, _, _ := strings.Cut(preference, ";"); strings.EqualFold(strings.TrimSpace(name), "respond-async") {
			return true
		}
	}
	return false
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

// outcome is a run's answer. A script that fails is a good request with a bad outcome; a
// problem is only what kept the run from being made: it never began, or the host had no
// place for it or broke.
func outcome(answer sandboxd.Answer) (runAnswer, error) {
	if e := answer.Error; e != nil && (answer.Receipt.RunID == "" || e.Code == problem.Busy || e.Code == problem.Internal) {
		return runAnswer{}, e
	}
	return answer, nil
}

type runList struct {
	Runs []workspace.Record `json:"runs"`
}

func (s *server) listRuns(r *http.Request) (runList, error) {
	runs, err := s.runs(r).List(r.Context(), workspace.RunQuery{Limit: int(countOf(r, "limit")), Before: textOf(r, "before")})
	if runs == nil {
		runs = []workspace.Record{}
	}
	return runList{runs}, err
}

func (s *server) showRun(r *http.Request) (workspace.Record, error) {
	return s.runs(r).Get(r.Context(), r.PathValue("id"))
}

type runCancelled struct {
	ID       string `json:"id"`
	Canceled bool   `json:"canceled"`
}

func (s *server) cancelRun(r *http.Request) (runCancelled, error) {
	id := r.PathValue("id")
	return runCancelled{id, true}, s.runs(r).Cancel(r.Context(), id)
}

func (s *server) undoRun(r *http.Request) (workspace.UndoResult, error) {
	return s.runs(r).Undo(r.Context(), r.PathValue("id"), flagOf(r, "force"))
}
