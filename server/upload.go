package server

import (
	"bufio"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/sandboxd/sandboxd"
	"github.com/sandboxd/sandboxd/host"
	"github.com/sandboxd/sandboxd/limits"
	"github.com/sandboxd/sandboxd/problem"
)

// Bounds of an upload's form, beside the host's limits of a file and of a workspace.
const (
	formParts  = 1000
	fieldBytes = 64 * limits.KB
	readBytes  = 128 << 10
)

// uploaded is what an upload answers: every file, and, when there was just one, its
// members at the top too.
type uploaded struct {
	ID       string         `json:"id,omitempty"`
	Name     string         `json:"name,omitempty"`
	Size     *int64         `json:"size,omitempty"`
	MimeType string         `json:"mime_type,omitempty"`
	Version  int64          `json:"version,omitempty"`
	Files    []uploadedFile `json:"files"`
}

type uploadedFile struct {
	ID       string `json:"id"`
	Name     string `json:"name"`
	Size     int64  `json:"size"`
	MimeType string `json:"mime_type"`
	Version  int64  `json:"version"`
}

func uploadedOf(file host.File) uploadedFile {
	return uploadedFile{file.ID, file.Name, file.Size, file.MimeType, file.Version}
}

// uploadForm is the form that an upload takes, for the document.
var uploadForm = &jsonschema.Schema{
	Type: "object",
	Properties: map[string]*jsonschema.Schema{"file": {Type: "array", Items: &jsonschema.Schema{Type: "string", ContentMediaType: bytesMedia},
		Description: "The files; each part has a filename. The field's name does not matter."}},
	Required: []string{"file"},
}

func (s *server) upload(w http.ResponseWriter, r *http.Request) error {
	return s.receiveForm(w, r, askedOf(r).workspace, sandboxd.Upload{Replace: flagOf(r, "replace"), Session: textOf(r, "session_id")})
}

// receiveForm stores every file part of a form as it streams in, all of them or none; like
// says how, and under which name if it has one, which is then for a single file.
func (s *server) receiveForm(w http.ResponseWriter, r *http.Request, workspace string, like sandboxd.Upload) error {
	most := s.Host.Limits().WorkspaceSize + requestBytes
	body := http.MaxBytesReader(w, r.Body, most)
	// Read in large pieces: multipart would ask the connection for 4 KB at a time.
	r.Body = whole{io.MultiReader(bufio.NewReaderSize(body, readBytes), strings.NewReader("\r\n\r\n")), body}
	parts, err := r.MultipartReader()
	if err != nil {
		return problem.New(problem.InvalidArgument, "the body: expected multipart/form-data with at least one file, got %.100q", r.Header.Get("Content-Type")).
			WithHint("For example: curl -F file=@data.csv").WithCause(err)
	}
	form := &form{parts: parts, max: most, like: like}
	files, err := s.Host.Files(workspace).PutAll(r.Context(), form.next)
	if err == nil && len(files) == 0 {
		err = problem.New(problem.InvalidArgument, "the form has no file; expected at least one part with a filename").
			WithHint("For example: curl -F file=@data.csv")
	}
	if err != nil {
		// Whoever is still sending would see the connection break instead of the answer.
		_, _ = io.CopyN(io.Discard, r.Body, s.Host.Limits().FileBytes)
		return err
	}
	answer := uploaded{Files: make([]uploadedFile, len(files))}
	for i, file := range files {
		answer.Files[i] = uploadedOf(file)
		s.metrics.received.AddInt64(file.Size)
	}
	if len(files) == 1 {
		one := &answer.Files[0]
		answer.ID, answer.Name, answer.Size, answer.MimeType, answer.Version = one.ID, one.Name, &one.Size, one.MimeType, one.Version
	}
	writeJSON(w, http.StatusCreated, answer)
	return nil
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
	parts *multipart.Reader
	max   int64
	seen  int
	like  sandboxd.Upload
	given int // files
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
		if err := readable(part); err != nil {
			return sandboxd.Upload{}, err
		}
		if name := part.FileName(); name != "" {
			u := f.like
			if u.Body = (formReader{part, f}); u.Name == "" {
				u.Name = name
			} else if f.given++; f.given > 1 {
				return sandboxd.Upload{}, problem.New(problem.InvalidArgument, "the link takes one file, but the form has more")
			}
			return u, nil
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

var (
	quoted    = regexp.MustCompile(`"(\\.|[^"\\])*"`)
	namesFile = regexp.MustCompile(`(?i);\s*filename[*0-9]*\s*=`)
)

// readable refuses a part that is a file whose name cannot be read: the form would be kept
// without it. One in another coding than its own is refused too, as a whole body is.
func readable(part *multipart.Part) error {
	disposition := part.Header.Get("Content-Disposition")
	_, params, err := mime.ParseMediaType(disposition)
	if _, named := params["filename"]; (err != nil || !named) && namesFile.MatchString(quoted.ReplaceAllString(disposition, `""`)) {
		return problem.New(problem.InvalidArgument, "the form: the filename in %.200q cannot be read", disposition).
			WithHint("Send it as filename=\"data.csv\", in UTF-8.").WithCause(err)
	}
	for name, plain := range map[string]string{"Content-Encoding": "identity", "Content-Transfer-Encoding": "7bit 8bit binary"} {
		if coding := part.Header.Get(name); coding != "" && !slices.Contains(strings.Fields(plain), strings.ToLower(coding)) {
			return problem.New(problem.UnsupportedFormat, "the form: %s: expected the file as it is, got %.100q", name, coding).
				WithHint("Send the file's own bytes, without this header.")
		}
	}
	return nil
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
