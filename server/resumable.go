package server

import (
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/sandboxd/sandboxd"
	"github.com/sandboxd/sandboxd/problem"
	"github.com/sandboxd/sandboxd/workspace"
)

// Resumable uploads after the tus protocol 1.0.0 (https://tus.io/protocols/resumable-upload)
// with its extensions creation, creation-with-upload, expiration and termination. The
// parts lie in a folder beside the workspaces until the last byte is there; then the file
// is stored like any other upload.

const (
	tusVersion    = "1.0.0"
	tusExtensions = "creation,creation-with-upload,expiration,termination"
	partMedia     = "application/offset+octet-stream"
	fileIDHeader  = "Sandboxd-File-Id"
)

func (s *server) uploadRoutes() []route {
	resumable := parameter{"Tus-Resumable", text, true, "1.0.0"}
	offset := map[string]string{"Upload-Offset": "How many bytes are there.", fileIDHeader: "The file, once all of it is there."}
	whole := map[string]string{"Upload-Metadata": "As it was given."}
	maps.Copy(whole, offset)
	tag := "uploads"
	return []route{
		{method: "OPTIONS", path: "/api/uploads", id: "describeUploads", tag: tag, scopes: writing, summary: "What resumable uploads can do (tus 1.0.0).",
			answers: []content{{status: 204, doc: "See the headers Tus-Version, Tus-Extension and Tus-Max-Size."}}, serve: s.describeUploads},
		{method: "POST", path: "/api/uploads", id: "beginUpload", tag: tag, scopes: writing, summary: "Begin a resumable upload.",
			query: []parameter{replaceParameter, sessionParameter},
			headers: []parameter{resumable, {"Upload-Length", text, true, "Bytes of the whole file."},
				{"Upload-Metadata", text, true, "filename, and its value in base64."}},
			answers: []content{{status: 201, doc: "It has begun.", header: map[string]string{"Location": "Where the parts go.", "Upload-Offset": offset["Upload-Offset"]}}}, serve: s.beginUpload},
		{method: "HEAD", path: "/api/uploads/{id}", id: "showUpload", tag: tag, scopes: writing, summary: "How much of an upload is there?",
			headers: []parameter{resumable}, answers: []content{{status: 204, doc: "See the headers.", header: whole}}, serve: s.showUpload},
		{method: "PATCH", path: "/api/uploads/{id}", id: "continueUpload", tag: tag, scopes: writing, summary: "Send the next part of an upload.",
			headers: []parameter{resumable, {"Upload-Offset", text, true, "How many bytes are there already; conflict if not."}},
			body:    &content{media: partMedia},
			answers: []content{{status: 204, doc: "The part is there; after the last one the file is.", header: offset}}, serve: s.continueUpload},
		{method: "DELETE", path: "/api/uploads/{id}", id: "endUpload", tag: tag, scopes: writing, summary: "Give up an upload.",
			headers: []parameter{resumable}, answers: []content{{status: 204, doc: "It is gone."}}, serve: s.endUpload},
	}
}

func (s *server) describeUploads(w http.ResponseWriter, _ *http.Request) error {
	h := w.Header()
	h.Set("Tus-Resumable", tusVersion)
	h.Set("Tus-Version", tusVersion)
	h.Set("Tus-Extension", tusExtensions)
	h.Set("Tus-Max-Size", strconv.FormatInt(s.Host.Limits().FileBytes, 10))
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// overridden is a request as its client means it, which may be unable to send what is not GET
// or POST; tus has a header for that. Only another change is heard of: what a change must
// prove, such as where it comes from, has been asked before.
func overridden(r *http.Request) *http.Request {
	method := r.Header.Get("X-HTTP-Method-Override")
	if r.Method != http.MethodPost || method != http.MethodPatch && method != http.MethodDelete || !strings.HasPrefix(r.URL.Path, "/api/uploads/") {
		return r
	}
	meant := r.WithContext(r.Context())
	meant.Method = method
	return meant
}

// speaksTus refuses clients of another version of the protocol, in its words.
func speaksTus(w http.ResponseWriter, r *http.Request) error {
	w.Header().Set("Tus-Resumable", tusVersion)
	if version := r.Header.Get("Tus-Resumable"); version != tusVersion {
		w.Header().Set("Tus-Version", tusVersion)
		return problem.New(problem.PreconditionFailed, "Tus-Resumable: expected %s, got %.20q", tusVersion, version)
	}
	return nil
}

func (s *server) beginUpload(w http.ResponseWriter, r *http.Request) error {
	if err := speaksTus(w, r); err != nil {
		return err
	}
	length, err := strconv.ParseInt(r.Header.Get("Upload-Length"), 10, 64)
	if err != nil || length < 0 {
		return invalid("Upload-Length", "expected the bytes of the whole file, got %.100q", r.Header.Get("Upload-Length"))
	}
	if most := s.Host.Limits().FileBytes; length > most {
		return problem.New(problem.FileTooLarge, "the file has %d bytes; a file may have %d", length, most)
	}
	metadata := r.Header.Get("Upload-Metadata")
	name, err := filename(metadata)
	if err != nil {
		return err
	}
	a := askedOf(r)
	u, err := s.uploads.begin(upload{Workspace: a.workspace, Name: name, Metadata: metadata, Length: length, Replace: flagOf(r, "replace"), Session: textOf(r, "session_id")},
		s.Host.Limits().WorkspaceSize)
	if err != nil {
		return err
	}
	w.Header().Set("Location", "/api/uploads/"+u.ID)
	if r.Header.Get("Content-Type") == partMedia || length == 0 {
		if err := s.addPart(w, r, u, 0); err != nil {
			return err
		}
	} else {
		u.describe(w, 0)
	}
	w.WriteHeader(http.StatusCreated)
	return nil
}

// filename is that of the metadata: pairs of a key and a value in base64.
func filename(metadata string) (string, error) {
	for pair := range strings.SplitSeq(metadata, ",") {
		key, value, _ := strings.Cut(strings.TrimSpace(pair), " ")
		if key != "filename" {
			continue
		}
		name, err := base64.StdEncoding.DecodeString(value)
		if err != nil {
			return "", invalid("Upload-Metadata", "the value of filename is not base64")
		}
		return workspace.CleanName(string(name))
	}
	return "", invalid("Upload-Metadata", "expected a filename")
}

func (s *server) showUpload(w http.ResponseWriter, r *http.Request) error {
	if err := speaksTus(w, r); err != nil {
		return err
	}
	u, release, err := s.uploads.take(r, askedOf(r).workspace, r.PathValue("id"))
	if err != nil {
		return err
	}
	defer release()
	offset, err := u.offset()
	if err == nil {
		err = s.storeWhole(r, u, offset)
	}
	if err != nil {
		return err
	}
	u.describe(w, offset)
	w.Header().Set("Upload-Metadata", u.Metadata)
	w.WriteHeader(http.StatusNoContent)
	return nil
}

func (s *server) continueUpload(w http.ResponseWriter, r *http.Request) error {
	if err := speaksTus(w, r); err != nil {
		return err
	}
	if kind := r.Header.Get("Content-Type"); kind != partMedia {
		return problem.New(problem.UnsupportedFormat, "Content-Type: expected %s, got %.100q", partMedia, kind)
	}
	offset, err := strconv.ParseInt(r.Header.Get("Upload-Offset"), 10, 64)
	if err != nil || offset < 0 {
		return invalid("Upload-Offset", "expected how many bytes are there, got %.100q", r.Header.Get("Upload-Offset"))
	}
	u, release, err := s.uploads.take(r, askedOf(r).workspace, r.PathValue("id"))
	if err != nil {
		return err
	}
	defer release()
	if err := s.addPart(w, r, u, offset); err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// addPart writes what the body has to where the upload is, and stores the file once all of
// it is there. What came before the body broke off stays.
func (s *server) addPart(w http.ResponseWriter, r *http.Request, u *upload, at int64) error {
	offset, err := u.offset()
	if err != nil {
		return err
	}
	if at != offset {
		return problem.New(problem.Conflict, "the upload has %d bytes, not %d", offset, at).With("offset", offset).
			WithHint("Ask with HEAD where to go on.")
	}
	if u.FileID == "" {
		n, err := u.receive(w, r, offset)
		if err != nil {
			s.drain(r)
			return err
		}
		offset += n
		if err := s.storeWhole(r, u, offset); err != nil {
			return err
		}
	}
	u.describe(w, offset)
	return nil
}

// receive adds a body to the part, of which offset bytes are there. A body that is too long
// leaves nothing: where it and the upload went apart is not known.
func (u *upload) receive(w http.ResponseWriter, r *http.Request, offset int64) (n int64, err error) {
	most := u.Length - offset
	long := problem.New(problem.RequestTooLarge, "more bytes came than the %d of the upload's length", u.Length).
		WithHint("Ask with HEAD where to go on.")
	if r.ContentLength > most {
		return 0, long
	}
	file, err := os.OpenFile(u.part(), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return 0, fmt.Errorf("open the upload: %w", err)
	}
	n, err = io.Copy(file, http.MaxBytesReader(w, r.Body, most))
	if tooLarge(err) {
		return 0, errors.Join(long, file.Truncate(offset), file.Close())
	}
	err = errors.Join(err, file.Sync(), file.Close())
	if err != nil && n < most {
		return n, problem.New(problem.InvalidArgument, "the part ended before its end; %d bytes of the upload are there", offset+n).
			WithHint("Ask with HEAD where to go on.").WithCause(err)
	}
	return n, nil
}

// storeWhole stores an upload of which all is there, if that did not happen yet: who asks
// for it must not be told that it is whole while there is no file.
func (s *server) storeWhole(r *http.Request, u *upload, offset int64) error {
	if u.FileID != "" || offset < u.Length {
		return nil
	}
	return s.storeUpload(r, u)
}

// storeUpload makes a file of an upload that is whole. Its run has the upload's id, so that
// it is stored once, also if the server dies before it knows.
func (s *server) storeUpload(r *http.Request, u *upload) error {
	part, err := os.Open(u.part())
	if err != nil {
		return fmt.Errorf("open the upload: %w", err)
	}
	defer part.Close()
	file, err := s.Host.Files(u.Workspace).Put(r.Context(), sandboxd.Upload{RunID: u.Run, Name: u.Name, Replace: u.Replace, Session: u.Session, Body: part})
	switch run, known := s.Host.Runs(u.Workspace).Get(r.Context(), u.Run); {
	case err == nil:
		u.FileID = file.ID
		s.metrics.received.AddInt64(file.Size)
	case known == nil && run.Receipt != nil && len(run.Receipt.Files) == 1:
		u.FileID = run.Receipt.Files[0].ID
	default:
		if known == nil { // it failed, such as for want of room: the next try is another run
			_ = u.renew()
		}
		return err
	}
	return u.stored()
}

func (s *server) endUpload(w http.ResponseWriter, r *http.Request) error {
	if err := speaksTus(w, r); err != nil {
		return err
	}
	u, release, err := s.uploads.take(r, askedOf(r).workspace, r.PathValue("id"))
	if err != nil {
		return err
	}
	defer release()
	if err := u.remove(); err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// describe tells a client where an upload is.
func (u *upload) describe(w http.ResponseWriter, offset int64) {
	h := w.Header()
	h.Set("Upload-Offset", strconv.FormatInt(offset, 10))
	h.Set("Upload-Length", strconv.FormatInt(u.Length, 10))
	h.Set("Upload-Expires", u.Expires.UTC().Format(http.TimeFormat))
	if u.FileID != "" {
		h.Set(fileIDHeader, u.FileID)
	}
}

// uploadTime is how long a part that nobody continues is kept.
const uploadTime = 24 * time.Hour
