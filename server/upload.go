package server

import (
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"strings"

	"github.com/sandboxd/sandboxd"
	"github.com/sandboxd/sandboxd/limits"
	"github.com/sandboxd/sandboxd/problem"
)

// Bounds of an upload's form, beside the host's limits of a file and of a workspace.
const (
	formParts  = 1000
	fieldBytes = 64 * limits.KB
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
	Version  int64  `json:"version"`
}

// upload stores every file part of a form as it streams in, all of them or none.
// ?replace=true makes a new version of a file of the same name; otherwise the upload is
// named "name (2).ext".
func (s *server) upload(w http.ResponseWriter, r *http.Request) {
	replace, err := flagParameter(r, "replace")
	if err != nil {
		s.fail(w, r, err)
		return
	}
	max := s.Host.Limits().WorkspaceSize + requestBytes
	body := http.MaxBytesReader(w, r.Body, max)
	r.Body = whole{io.MultiReader(body, strings.NewReader("\r\n\r\n")), body}
	parts, err := r.MultipartReader()
	if err != nil {
		s.fail(w, r, problem.New(problem.InvalidArgument, "the body: expected multipart/form-data with at least one file, got %q", r.Header.Get("Content-Type")).
			WithHint("For example: curl -F file=@data.csv").WithCause(err))
		return
	}
	form := &form{parts: parts, max: max, replace: replace, session: r.URL.Query().Get("session_id")}
	files, err := s.Host.Files("").PutAll(r.Context(), form.next)
	if err == nil && len(files) == 0 {
		err = problem.New(problem.InvalidArgument, "the form has no file; expected at least one part with a filename").
			WithHint("For example: curl -F file=@data.csv")
	}
	if err != nil {
		// Whoever is still sending would see the connection break instead of the answer.
		_, _ = io.CopyN(io.Discard, r.Body, s.Host.Limits().FileBytes)
		s.fail(w, r, err)
		return
	}
	answer := uploaded{Files: make([]uploadedFile, len(files))}
	for i, file := range files {
		answer.Files[i] = uploadedFile{file.ID, file.Name, file.Size, file.MimeType, file.Version}
	}
	if len(files) == 1 {
		answer.uploadedFile = &answer.Files[0]
	}
	writeJSON(w, http.StatusCreated, answer)
}

// whole is a form with an empty line after it. That changes nothing of a form which ends as
// it must, but makes each one that was cut off an error: multipart would take one that ends
// after "--boundary" for a good one.
type whole struct {
	io.Reader
	io.Closer
}

// form gives the files of a form, one after the other.
type form struct {
	parts   *multipart.Reader
	max     int64
	seen    int
	replace bool
	session string
}

func (f *form) next() (sandboxd.Upload, error) {
	for {
		part, err := f.parts.NextPart()
		if err == io.EOF { // the bare one; others wrap it
			return sandboxd.Upload{}, io.EOF
		}
		if err != nil {
			return sandboxd.Upload{}, f.problem(err)
		}
		if f.seen++; f.seen > formParts {
			return sandboxd.Upload{}, problem.New(problem.InvalidArgument, "the form has more than %d parts", formParts).WithHint("Send several forms.")
		}
		if name := part.FileName(); name != "" {
			return sandboxd.Upload{Name: name, Replace: f.replace, Session: f.session, Body: formReader{part, f}}, nil
		}
		// A plain field says nothing to us.
		if n, err := io.CopyN(io.Discard, part, fieldBytes+1); n > fieldBytes {
			return sandboxd.Upload{}, problem.New(problem.InvalidArgument, "the form's field %.100q has more than %d bytes", part.FormName(), fieldBytes).
				WithHint("A file needs a filename in its Content-Disposition.")
		} else if err != nil && err != io.EOF {
			return sandboxd.Upload{}, f.problem(err)
		}
	}
}

// formReader reads a part, and says what is wrong when it ends before its end.
type formReader struct {
	io.Reader
	form *form
}

func (r formReader) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	if err != nil && err != io.EOF {
		err = r.form.problem(err)
	}
	return n, err
}

func (f *form) problem(err error) error {
	if tooLarge(err) {
		return problem.New(problem.RequestTooLarge, "the form has more than %d bytes", f.max).WithHint("Send the files one by one.")
	}
	return problem.New(problem.InvalidArgument, "the form is damaged or ended before its end; nothing of it was kept").
		WithHint("Send it again.").WithCause(fmt.Errorf("read the form: %w", err))
}
