package server

import (
	_ "embed"
	"html/template"
	"net/http"

	"github.com/sandboxd/sandboxd/workspace"
)

//go:embed index.html
var indexHTML string

var indexPage = template.Must(template.New("index").Parse(indexHTML))

// index shows a person what is in the workspace: the files, and the latest runs.
func (s *server) index(w http.ResponseWriter, r *http.Request) {
	files, err := s.Host.Files("").List(r.Context(), "")
	if err != nil {
		s.fail(w, r, err)
		return
	}
	runs, err := s.Host.Runs("").List(r.Context(), workspace.RunQuery{Limit: 20})
	if err != nil {
		s.fail(w, r, err)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
	if err := indexPage.Execute(w, map[string]any{"Files": files, "Runs": runs}); err != nil {
		s.Log.ErrorContext(r.Context(), "index page", "cause", err)
	}
}
