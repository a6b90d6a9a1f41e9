package server

import (
	"encoding/json"
	"net/http"
	"strconv"
	"time"

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
		s.Log.ErrorContext(r.Context(), "request failed", "method", r.Method, "path", pathOf(r), "code", p.Code, "cause", p.Cause)
	}
	h := w.Header()
	if p.Code == problem.Busy || p.Code == problem.Locked {
		after, _ := p.Details[retryAfter].(int64)
		h.Set("Retry-After", strconv.FormatInt(max(1, after), 10))
	}
	if p.Code == problem.Unauthorized {
		h.Set("WWW-Authenticate", `Bearer realm="sandboxd"`)
	}
	body, err := json.Marshal(problemDetails{Type: entry.Anchor(), Title: entry.Title, Status: entry.Status,
		Detail: p.Message, Code: p.Code, Hint: p.Hint, Details: p.Details})
	if err != nil { // details that are no JSON
		s.Log.ErrorContext(r.Context(), "problem details", "code", p.Code, "cause", err)
		body = []byte(`{}`)
	}
	h.Set("Content-Type", problemMedia)
	send(w, entry.Status, body)
}

// invalid is what a request's parameter is told.
func invalid(parameter, format string, args ...any) error {
	return problem.New(problem.InvalidArgument, parameter+": "+format, args...).With("argument", parameter).
		WithHint("GET /api/openapi.json says what each request takes.")
}

func writeJSON(w http.ResponseWriter, status int, value any) {
	body, err := encodeJSON(value)
	if err != nil { // nothing that is answered has no JSON
		panic("server: " + err.Error())
	}
	w.Header().Set("Content-Type", jsonMedia)
	send(w, status, body)
}

// sendPause is how long a client may take to read an answer that is in one piece.
const sendPause = time.Minute

// send writes a whole answer. A client that does not read it is given up.
func send(w http.ResponseWriter, status int, body []byte) {
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(sendPause))
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	w.Write(body) // the client has gone if this fails
}

// routed answers what no route takes as problem details; the mux's own answers are text.
func (s *server) routed(routes *http.ServeMux) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r = overridden(r)
		refuse, pattern := routes.Handler(r)
		if pattern != "" {
			routes.ServeHTTP(w, r)
			return
		}
		asked := unsent{header: http.Header{}}
		refuse.ServeHTTP(&asked, r)
		if allow := asked.header.Get("Allow"); asked.status == http.StatusMethodNotAllowed {
			w.Header().Set("Allow", allow)
			s.fail(w, r, problem.New(problem.MethodNotAllowed, "%s does not take %.20s; it takes %s", clip(r.URL.Path), r.Method, allow))
			return
		}
		s.fail(w, r, problem.New(problem.NotFound, "there is nothing at %s", clip(r.URL.Path)).
			WithHint("GET /api/openapi.json lists what there is."))
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
