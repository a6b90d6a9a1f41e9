package server

import (
	"bytes"
	_ "embed"
	"html/template"
	"net/http"

	"github.com/sandboxd/sandboxd/workspace"
)

//go:embed index.html
var indexHTML string

var indexPage = template.Must(template.New("index").Parse(indexHTML))

// index shows a person what is in the workspace: the files, and the latest runs.
func (s *server) index(w http.ResponseWriter, r *http.Request) error {
	files, err := s.files(r).List(r.Context(), "")
	if err != nil {
		return err
	}
	runs, err := s.runs(r).List(r.Context(), workspace.RunQuery{Limit: 20})
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
	var page bytes.Buffer
	if err := indexPage.Execute(&page, map[string]any{"Files": files, "Runs": runs}); err != nil {
		return err
	}
	send(w, http.StatusOK, page.Bytes())
	return nil
}
