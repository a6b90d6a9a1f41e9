package server

import (
	"errors"
	"io"
	"mime"
	"net/http"
	"path"
	"strconv"
	"time"

	"github.com/sandboxd/sandboxd"
	"github.com/sandboxd/sandboxd/host"
	"github.com/sandboxd/sandboxd/problem"
)

// uploaded is what an upload answers: every file, and, when there was just one, its
// members at the top too.
type uploaded struct {
	*uploadedFile
	Files []uploadedFile `json:"files"`
}

type uploadedFile struct {
	ID       string `json:"id"`
	Name     string `json:"name"`
	Size     int64  `json:"size"`
	MimeType string `json:"mime_type"`
}

// upload stores every file part of a form as it streams in. ?replace=true makes a new
// version of a file of the same name; otherwise the upload is named "name (2).ext".
func (s *server) upload(w http.ResponseWriter, r *http.Request) {
	parts, err := r.MultipartReader()
	if err != nil {
		s.fail(w, r, problem.New(problem.InvalidArgument, "expected multipart/form-data with at least one file").WithCause(err))
		return
	}
	var answer uploaded
	for {
		part, err := parts.NextPart()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			s.fail(w, r, problem.New(problem.InvalidArgument, "the form ended early or is damaged").WithCause(err))
			return
		}
		if part.FileName() == "" {
			part.Close()
			continue // a plain field
		}
		file, err := s.Host.Files("").Put(r.Context(), sandboxd.Upload{
			Name: part.FileName(), Replace: r.URL.Query().Get("replace") == "true",
			Session: r.URL.Query().Get("session_id"), Body: part,
		})
		part.Close()
		if err != nil {
			s.fail(w, r, err)
			return
		}
		answer.Files = append(answer.Files, uploadedFile{file.ID, file.Name, file.Size, file.MimeType})
	}
	switch len(answer.Files) {
	case 0:
		s.fail(w, r, problem.New(problem.InvalidArgument, "the form has no file; expected at least one part with a filename"))
		return
	case 1:
		answer.uploadedFile = &answer.Files[0]
	}
	writeJSON(w, http.StatusCreated, answer)
}

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
	var version int64
	if text := r.URL.Query().Get("version"); text != "" {
		var err error
		if version, err = strconv.ParseInt(text, 10, 64); err != nil || version < 1 {
			s.fail(w, r, problem.New(problem.InvalidArgument, "version must be a whole number from 1, not %q", text))
			return
		}
	}
	opened, err := s.Host.Files("").Open(r.Context(), r.PathValue("id"), version)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	defer opened.Data.Close()
	h := w.Header()
	h.Set("Content-Type", opened.File.MimeType)
	h.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": path.Base(opened.File.Name)}))
	h.Set("Content-Security-Policy", "sandbox; default-src 'none'")
	h.Set("ETag", `"`+opened.File.Hash+`"`)
	h.Set("Cache-Control", "private, no-cache")
	modified, _ := time.Parse(time.RFC3339, opened.File.ModifiedOn)
	http.ServeContent(w, r, "", modified, io.NewSectionReader(opened.Data, 0, opened.File.Size))
}
