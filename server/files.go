package server

import (
	"io"
	"net/http"
	"net/url"
	"path"
	"strings"
	"time"

	"github.com/sandboxd/sandboxd/host"
)

func (s *server) listFiles(w http.ResponseWriter, r *http.Request) {
	files, err := s.Host.Files("").List(r.Context(), r.URL.Query().Get("pattern"))
	if err != nil {
		s.fail(w, r, err)
		return
	}
	if files == nil {
		files = []host.File{}
	}
	writeJSON(w, http.StatusOK, map[string]any{"files": files})
}

// download answers a file's bytes, with ranges and conditional requests, always as an
// attachment: a page made by a script must not run in this origin.
func (s *server) download(w http.ResponseWriter, r *http.Request) {
	version, err := numberParameter(r, "version")
	if err != nil {
		s.fail(w, r, err)
		return
	}
	opened, err := s.Host.Files("").Open(r.Context(), r.PathValue("id"), version)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	defer opened.Data.Close()
	h := w.Header()
	h.Set("Content-Type", opened.File.MimeType)
	h.Set("Content-Disposition", attachment(path.Base(opened.File.Name)))
	h.Set("Content-Security-Policy", "sandbox; default-src 'none'")
	h.Set("ETag", `"`+opened.File.Hash+`"`)
	h.Set("Cache-Control", "private, no-cache")
	if modified, err := time.Parse(time.RFC3339, opened.File.ModifiedOn); err == nil {
		h.Set("Last-Modified", modified.UTC().Format(http.TimeFormat))
	}
	// No time for ServeContent: two versions may be of one second, only the hash is a validator.
	http.ServeContent(w, r, "", time.Time{}, io.NewSectionReader(opened.Data, 0, opened.File.Size))
}

// attachment is a Content-Disposition as RFC 6266 advises: a plain name for clients that
// know no other, and then the real one.
func attachment(name string) string {
	plain := strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' || strings.ContainsRune(`"\%`, r) {
			return '_'
		}
		return r
	}, name)
	value := `attachment; filename="` + plain + `"`
	if plain != name {
		value += "; filename*=UTF-8''" + strings.ReplaceAll(url.QueryEscape(name), "+", "%20")
	}
	return value
}
