package server

import (
	"io"
	"net/http"
	"strings"

	"github.com/sandboxd/sandboxd"
	"github.com/sandboxd/sandboxd/host"
	"github.com/sandboxd/sandboxd/problem"
)

// putFile stores the body as it streams in.
func (s *server) putFile(w http.ResponseWriter, r *http.Request) error {
	file, made, err := s.files(r).PutAt(r.Context(), r.PathValue("id"),
		sandboxd.Upload{Session: textOf(r, "session_id"), Body: s.rawBody(w, r)}, conditions(r))
	if err != nil {
		s.drain(r)
		return err
	}
	s.answerPut(w, file, made)
	return nil
}

func (s *server) answerPut(w http.ResponseWriter, file host.File, made bool) {
	s.metrics.received.AddInt64(file.Size)
	w.Header().Set("ETag", etag(file.Hash))
	status := http.StatusOK
	if made {
		status = http.StatusCreated
	}
	writeJSON(w, status, uploadedOf(file))
}

// rawBody is a body that is a file. One byte more than a file may have is enough to refuse it.
func (s *server) rawBody(w http.ResponseWriter, r *http.Request) io.Reader {
	return http.MaxBytesReader(w, r.Body, s.Host.Limits().FileBytes+1)
}

// drain reads what a client whose upload was refused is still sending: it would see the
// connection break instead of the answer. One that waits to be asked for it is not asked.
func (s *server) drain(r *http.Request) {
	if body, ok := r.Body.(*hurried); ok && !body.begun && r.Header.Get("Expect") != "" {
		return
	}
	_, _ = io.CopyN(io.Discard, r.Body, s.Host.Limits().FileBytes)
}

// conditions are the preconditions of RFC 9110 that make sense for a change, or nil.
func conditions(r *http.Request) func(old *host.File) error {
	match, none := strings.Join(r.Header.Values("If-Match"), ","), strings.Join(r.Header.Values("If-None-Match"), ",")
	if match == "" && none == "" {
		return nil
	}
	return func(old *host.File) error {
		switch {
		case none != "" && old != nil && listed(none, old.Hash, true):
			return problem.New(problem.PreconditionFailed, "there is a file %q already", old.Name).With("id", old.ID)
		case match != "" && (old == nil || !listed(match, old.Hash, false)):
			return problem.New(problem.PreconditionFailed, "the file is not what If-Match says it is").WithHint("Look at the file, then send If-Match with its ETag.")
		}
		return nil
	}
}

// listed tells whether a list of ETags has a file's. If-Match wants the very tag, and
// If-None-Match takes a weak one for it (RFC 9110, 13.1).
func listed(tags, hash string, weak bool) bool {
	for _, tag := range strings.Split(tags, ",") {
		tag = strings.TrimSpace(tag)
		if weak {
			tag = strings.TrimPrefix(tag, "W/")
		}
		if tag == "*" || tag == etag(hash) {
			return true
		}
	}
	return false
}
