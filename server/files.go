package server

import (
	"io"
	"math"
	"net/http"
	"net/url"
	"path"
	"strings"
	"time"

	vm "github.com/VictoriaMetrics/metrics"

	"github.com/sandboxd/sandboxd/host"
	"github.com/sandboxd/sandboxd/problem"
)

type fileList struct {
	Files []host.File `json:"files"`
}

func (s *server) listFiles(r *http.Request) (fileList, error) {
	files, err := s.files(r).List(r.Context(), textOf(r, "pattern"))
	if files == nil {
		files = []host.File{}
	}
	return fileList{files}, err
}

func (s *server) showFile(r *http.Request) (host.File, error) {
	return s.files(r).Stat(r.Context(), r.PathValue("id"))
}

type versionList struct {
	Versions []host.Version `json:"versions"`
}

func (s *server) listVersions(r *http.Request) (versionList, error) {
	versions, err := s.files(r).Versions(r.Context(), r.PathValue("id"))
	return versionList{versions}, err
}

type restoreRequest struct {
	Version int64 `json:"version" jsonschema:"Which version."`
}

func (s *server) restoreFile(r *http.Request, in restoreRequest) (host.File, error) {
	if in.Version < 1 {
		return host.File{}, invalid("version", "expected a version from 1, got %d", in.Version)
	}
	return s.files(r).Restore(r.Context(), r.PathValue("id"), in.Version)
}

type renameRequest struct {
	Name string `json:"name" jsonschema:"The new name."`
}

func (s *server) renameFile(r *http.Request, in renameRequest) (host.File, error) {
	return s.files(r).Rename(r.Context(), r.PathValue("id"), in.Name)
}

type fileDeleted struct {
	Deleted bool `json:"deleted"`
}

func (s *server) deleteFile(r *http.Request) (fileDeleted, error) {
	err := s.files(r).DeleteIf(r.Context(), r.PathValue("id"), conditions(r))
	return fileDeleted{err == nil}, err
}

func (s *server) download(w http.ResponseWriter, r *http.Request) error {
	return s.sendFile(w, r, askedOf(r).workspace, r.PathValue("id"), countOf(r, "version"))
}

// sendFile answers a file's bytes, with ranges and conditional requests, always as an
// attachment: a page made by a script must not run in this origin.
func (s *server) sendFile(w http.ResponseWriter, r *http.Request, workspace, ref string, version int64) error {
	parts, some, err := partsOf(r)
	if err != nil {
		return err
	}
	begun := false
	err = s.Host.Files(workspace).Send(r.Context(), ref, version, func(opened *host.Opened) (int64, error) {
		begun = true
		if r.Header.Del("Range"); some && opened.File.Size > 0 { // an empty file has no parts, but can be had
			r.Header.Set("Range", rangesOf(parts, opened.File.Size))
		}
		return s.sendOpened(w, r, opened)
	})
	if begun {
		return nil // the answer is on its way, or lost with the connection
	}
	return err
}

// sendOpened answers an open file, and how many bytes of it the client took.
func (s *server) sendOpened(w http.ResponseWriter, r *http.Request, opened *host.Opened) (int64, error) {
	h := w.Header()
	h.Set("Content-Type", opened.File.MimeType)
	h.Set("Content-Disposition", attachment(path.Base(opened.File.Name)))
	h.Set("Content-Security-Policy", "sandbox; default-src 'none'")
	h.Set("ETag", etag(opened.File.Hash))
	h.Set("Cache-Control", "private, no-cache")
	if modified, err := time.Parse(time.RFC3339, opened.File.ModifiedOn); err == nil {
		h.Set("Last-Modified", modified.UTC().Format(http.TimeFormat))
	}
	out := &steady{ResponseWriter: w, conn: http.NewResponseController(w), pause: s.ReadPause, sent: s.metrics.sent}
	// No time for ServeContent: two versions may be of one second, only the hash is a
	// validator. The file is this request's own, so its offset is too.
	http.ServeContent(out, r, "", time.Time{}, opened.Data)
	if err := refusal(out.refused, opened.File); err != nil {
		for _, name := range []string{"Content-Disposition", "Content-Security-Policy", "Last-Modified"} {
			h.Del(name)
		}
		s.fail(w, r, err)
		return 0, err
	}
	if out.err != nil {
		return out.total, problem.New(problem.Canceled, "the client did not read all of the answer").WithCause(out.err)
	}
	return out.total, nil
}

// refusal is what a request for a file is told that http.ServeContent refuses, or nil.
func refusal(status int, file host.File) error {
	switch status {
	case http.StatusRequestedRangeNotSatisfiable:
		return problem.New(problem.RangeNotSatisfiable, "Range: the file has %d bytes", file.Size).With("size", file.Size)
	case http.StatusPreconditionFailed:
		return problem.New(problem.PreconditionFailed, "the file is not what If-Match says it is").WithHint("Look at the file, then send If-Match with its ETag.")
	}
	return nil
}

func etag(hash string) string { return `"` + hash + `"` }

// steadyBytes is what a client must read within a pause.
const steadyBytes = 1 << 20

// steady gives up on a client that does not go on reading. Large pieces of a file go the
// short way, from the file to the connection within the kernel.
type steady struct {
	http.ResponseWriter
	conn  *http.ResponseController
	pause time.Duration
	sent  *vm.Counter
	total int64
	err   error

	refused int // the status of an answer that is not sent, because ours says more
}

func (w *steady) WriteHeader(status int) {
	if status == http.StatusRequestedRangeNotSatisfiable || status == http.StatusPreconditionFailed {
		w.refused = status
		return
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *steady) count(n int64, err error) {
	w.sent.AddInt64(n)
	w.total += n
	if w.err == nil {
		w.err = err
	}
}

func (w *steady) Write(p []byte) (int, error) {
	if w.refused != 0 {
		return len(p), nil
	}
	_ = w.conn.SetWriteDeadline(time.Now().Add(w.pause))
	n, err := w.ResponseWriter.Write(p)
	w.count(int64(n), err)
	_ = w.conn.SetWriteDeadline(time.Time{}) // of HTTP/2 it would end an answer of which there is no more yet
	return n, err
}

// ReadFrom implements io.ReaderFrom, which io.Copy uses. What ServeContent copies is a file
// within a limit; a limit within a limit would be copied here instead of in the kernel.
func (w *steady) ReadFrom(src io.Reader) (total int64, err error) {
	left := int64(math.MaxInt64)
	if limited, ok := src.(*io.LimitedReader); ok {
		src, left = limited.R, limited.N
		defer func() { limited.N -= total }()
	}
	for total < left {
		_ = w.conn.SetWriteDeadline(time.Now().Add(w.pause))
		n, err := io.CopyN(w.ResponseWriter, src, min(steadyBytes, left-total))
		total += n
		if err == io.EOF {
			w.count(n, nil)
			return total, nil
		}
		if w.count(n, err); err != nil {
			return total, err
		}
	}
	return total, nil
}

// Unwrap is for http.ResponseController.
func (w *steady) Unwrap() http.ResponseWriter { return w.ResponseWriter }

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
