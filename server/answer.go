package server

import (
	"encoding/json"
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
	entry, ok := problem.Lookup(p.Code)
	if !ok {
		entry, _ = problem.Lookup(problem.Internal)
	}
	if p.Cause != nil && entry.Status >= 500 {
		s.Log.ErrorContext(r.Context(), "request failed", "method", r.Method, "path", r.URL.Path, "code", p.Code, "cause", p.Cause)
	}
	if p.Code == problem.Busy {
		w.Header().Set("Retry-After", "1")
	}
	body, err := json.Marshal(problemDetails{Type: entry.Anchor(), Title: entry.Title, Status: entry.Status,
		Detail: p.Message, Code: p.Code, Hint: p.Hint, Details: p.Details})
	if err != nil { // details that are no JSON
		s.Log.ErrorContext(r.Context(), "problem details", "code", p.Code, "cause", err)
		body = []byte(`{}`)
	}
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(entry.Status)
	w.Write(body)
}

// invalid is what a request's parameter is told.
func invalid(parameter, format string, args ...any) error {
	return problem.New(problem.InvalidArgument, parameter+": "+format, args...).With("argument", parameter).
		WithHint("See the HTTP section of the README for what each request takes.")
}

func writeJSON(w http.ResponseWriter, status int, value any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.Encode(value) // the client has gone if this fails
}

// routed answers what no route takes as problem details; the mux's own answers are text.
func (s *server) routed(routes *http.ServeMux) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		refuse, pattern := routes.Handler(r)
		if pattern != "" {
			routes.ServeHTTP(w, r)
			return
		}
		asked := unsent{header: http.Header{}}
		refuse.ServeHTTP(&asked, r)
		if allow := asked.header.Get("Allow"); asked.status == http.StatusMethodNotAllowed {
			w.Header().Set("Allow", allow)
			s.fail(w, r, problem.New(problem.MethodNotAllowed, "%s does not take %s; it takes %s", r.URL.Path, r.Method, allow))
			return
		}
		s.fail(w, r, problem.New(problem.NotFound, "there is nothing at %s", r.URL.Path).
			WithHint("The API lies below /api/: runs, tools and files."))
	})
}

// unsent takes an answer that is only looked at.
type unsent struct {
	header http.Header
	status int
}

func (u *unsent) Header() http.Header         { return u.header }
func (u *unsent) Write(p []byte) (int, error) { return len(p), nil }
func (u *unsent) WriteHeader(status int)      { u.status = status }
