package server

import (
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"

	"github.com/sandboxd/sandboxd/problem"
)

// problemDetails is an error as RFC 9457 has it, with our code and hint as extensions.
type problemDetails struct {
	Type    string         `json:"type"`
	Title   string         `json:"title"`
	Status  int            `json:"status"`
	Detail  string         `json:"detail"`
	Code    problem.Code   `json:"code"`
	Hint    string         `json:"hint,omitempty"`
	Details map[string]any `json:"details,omitempty"`
}

// fail answers with problem details and logs what the client does not get to see.
func (s *server) fail(w http.ResponseWriter, r *http.Request, err error) {
	p := problem.From(err)
	entry, _ := problem.Lookup(p.Code)
	if p.Cause != nil && entry.Status >= 500 {
		s.Log.ErrorContext(r.Context(), "request failed", "method", r.Method, "path", r.URL.Path, "code", p.Code, "cause", p.Cause)
	}
	if p.Code == problem.Busy {
		w.Header().Set("Retry-After", "1")
	}
	body, _ := json.Marshal(problemDetails{Type: entry.Anchor(), Title: entry.Title, Status: entry.Status,
		Detail: p.Message, Code: p.Code, Hint: p.Hint, Details: p.Details})
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(entry.Status)
	w.Write(body)
}

func (s *server) notFound(w http.ResponseWriter, r *http.Request) {
	s.fail(w, r, problem.New(problem.NotFound, "there is nothing at %s %s", r.Method, r.URL.Path).
		WithHint("The API lies below /api/."))
}

func writeJSON(w http.ResponseWriter, status int, value any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.Encode(value) // the client has gone if this fails
}

// readJSON reads a request's body of at most max bytes into value and refuses members it does not know.
func readJSON(w http.ResponseWriter, r *http.Request, max int64, value any) error {
	if kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); kind != "application/json" {
		return problem.New(problem.InvalidArgument, "the body must be application/json, not %q", r.Header.Get("Content-Type"))
	}
	dec := json.NewDecoder(http.MaxBytesReader(w, r.Body, max))
	dec.DisallowUnknownFields()
	err := dec.Decode(value)
	if err == nil && dec.More() {
		err = errors.New("more than one JSON value")
	}
	var tooLarge *http.MaxBytesError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &tooLarge):
		return problem.New(problem.InvalidArgument, "the body is larger than %d bytes", max)
	case errors.Is(err, io.EOF):
		return problem.New(problem.InvalidArgument, "the body is empty; expected a JSON object")
	}
	var syntax *json.SyntaxError
	var wrongType *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		return problem.New(problem.InvalidArgument, "the body is not valid JSON: at byte %d", syntax.Offset).WithCause(err)
	case errors.As(err, &wrongType):
		return problem.New(problem.InvalidArgument, "%s must be %s, not %s", wrongType.Field, wrongType.Type, wrongType.Value).WithCause(err)
	}
	return problem.New(problem.InvalidArgument, "the body is not the expected JSON object: %v", err).WithCause(err)
}
