package server

import (
	"encoding/json"
	"net/http"

	"github.com/sandboxd/sandboxd"
	"github.com/sandboxd/sandboxd/bindings"
	"github.com/sandboxd/sandboxd/problem"
)

// listTools gives the operations as a model's client wants them: names, docs and schemas.
func (s *server) listTools(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, http.StatusOK, map[string]any{"tools": bindings.Table().Definitions()})
}

func (s *server) callTool(w http.ResponseWriter, r *http.Request) {
	var args json.RawMessage
	if err := readJSON(w, r, requestBytes, &args); err != nil {
		s.fail(w, r, err)
		return
	}
	answer := s.Host.Call(r.Context(), sandboxd.Call{
		Tool: r.PathValue("tool"), Args: args, Session: r.URL.Query().Get("session_id"),
	})
	if answer.Error != nil && answer.Error.Code == problem.UnknownOperation {
		// The address is what is wrong.
		s.fail(w, r, answer.Error.WithHint("GET /api/tools lists the tools."))
		return
	}
	s.answer(w, r, answer)
}
