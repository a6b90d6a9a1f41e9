package server

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/sandboxd/sandboxd"
	"github.com/sandboxd/sandboxd/access"
	"github.com/sandboxd/sandboxd/limits"
	"github.com/sandboxd/sandboxd/problem"
)

// route is one request that the API takes: what serves it and what documents it. Its body
// and its answer are those of the function that serves it, see takes and gives.
type route struct {
	method, path string // as http.ServeMux has them
	id           string // operationId of the document
	tag          string
	summary      string
	details      string
	scopes       []access.Scope // one of which the token must have; none: any token will do
	open         bool           // needs no token
	streams      bool           // is counted with the streams, not with the requests
	query        []parameter
	headers      []parameter
	body         *content
	answers      []content

	serve func(w http.ResponseWriter, r *http.Request) error
}

// parameter is one of the address or of the header.
type parameter struct {
	name     string
	kind     kind
	required bool
	doc      string
}

type kind string

const (
	text    kind = "string"
	flag    kind = "boolean" // true or false; absent is false
	counted kind = "integer" // from 1; absent is 0
)

// content is a body, or an answer with its status.
type content struct {
	status int
	doc    string
	media  string // "" has none
	of     any    // a value of the Go type whose JSON it is, or a schema; nil is bytes
	header map[string]string
}

// takes and gives make a route of a function from a JSON body to a JSON answer.
func takesAndGives[In, Out any](rt route, do func(r *http.Request, in In) (Out, error)) route {
	rt.body = &content{media: jsonMedia, of: *new(In)}
	rt.answers = append([]content{{status: http.StatusOK, doc: "It is done.", media: jsonMedia, of: *new(Out)}}, rt.answers...)
	rt.serve = func(w http.ResponseWriter, r *http.Request) error {
		var in In
		if err := readJSON(w, r, requestBytes, &in); err != nil {
			return err
		}
		out, err := do(r, in)
		if err != nil {
			return err
		}
		writeJSON(w, rt.answers[0].status, out)
		return nil
	}
	return rt
}

// gives makes a route of a function that gives a JSON answer.
func gives[Out any](rt route, do func(r *http.Request) (Out, error)) route {
	rt.answers = append([]content{{status: http.StatusOK, doc: "It is there.", media: jsonMedia, of: *new(Out)}}, rt.answers...)
	rt.serve = func(w http.ResponseWriter, r *http.Request) error {
		out, err := do(r)
		if err != nil {
			return err
		}
		writeJSON(w, http.StatusOK, out)
		return nil
	}
	return rt
}

const (
	jsonMedia    = "application/json"
	problemMedia = "application/problem+json"
	bytesMedia   = "application/octet-stream"
	eventMedia   = "text/event-stream"
)

// requestBytes is how large a JSON body may be: a script, its args, and their quoting.
const requestBytes = 8 * limits.MB

// workspaceParameter is one that every route with a token has.
var workspaceParameter = parameter{"workspace", text, false, "For tokens that are good for all workspaces: which one. Defaults to the token's, or to default."}

// asked is what was found out about a request before its route serves it.
type asked struct {
	caller    access.Caller
	workspace string
	query     url.Values
}

type askedKey struct{}

func askedOf(r *http.Request) asked {
	a, _ := r.Context().Value(askedKey{}).(asked)
	return a
}

// handler makes a route what the mux wants: it checks the scopes and the parameters, and
// keeps within the caller's limits.
func (s *server) handler(rt route) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if err := s.admitted(w, r, rt); err != nil {
			s.fail(w, r, err)
		}
	}
}

func (s *server) admitted(w http.ResponseWriter, r *http.Request, rt route) error {
	caller, _ := access.From(r.Context())
	if !rt.open {
		if err := caller.Require(rt.scopes...); err != nil {
			return err
		}
	}
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil || strings.ContainsRune(r.URL.Path, 0) {
		return problem.New(problem.InvalidArgument, "the address: expected parameters as name=value, with %%XX for what is not a letter or digit, and no NUL").
			WithHint("GET /api/openapi.json says what each request takes.")
	}
	a := asked{caller: caller, query: query}
	if err := rt.check(a.query); err != nil {
		return err
	}
	if err := s.sized(w, r, rt); err != nil {
		return err
	}
	if !rt.open {
		if a.workspace, err = caller.In(a.query.Get("workspace"), sandboxd.DefaultWorkspace); err != nil {
			return err
		}
		leave, err := s.limits.enter(caller.TokenID, rt.streams)
		if err != nil {
			return err
		}
		defer leave()
	}
	return rt.serve(w, r.WithContext(context.WithValue(r.Context(), askedKey{}, a)))
}

// sized refuses, before any of it is read, a body that says itself that it is too large, or
// that it is compressed: it would be kept as it comes, and be another than its name says.
func (s *server) sized(w http.ResponseWriter, r *http.Request, rt route) error {
	if rt.body == nil {
		return nil
	}
	if coding := r.Header.Get("Content-Encoding"); coding != "" && !strings.EqualFold(coding, "identity") {
		w.Header().Set("Accept-Encoding", "identity") // RFC 9110, 15.5.16
		return problem.New(problem.UnsupportedFormat, "Content-Encoding: expected the body as it is, got %.100q", coding).
			WithHint("Send the body uncompressed, without Content-Encoding.")
	}
	if rt.body.media != bytesMedia || s.Host == nil {
		return nil
	}
	if part := r.Header.Get("Content-Range"); part != "" { // RFC 9110, 14.5
		return problem.New(problem.InvalidArgument, "Content-Range: expected a whole file, got a part of one").With("argument", "Content-Range").
			WithHint("Send the whole file, or use POST /api/uploads to send it in parts.")
	}
	if most := s.Host.Limits().FileBytes; r.ContentLength > most {
		s.drain(r)
		return problem.New(problem.FileTooLarge, "the file has %d bytes; a file may have %d", r.ContentLength, most)
	}
	return nil
}

// check refuses parameters that there are not: a misspelt one would be ignored otherwise.
func (rt *route) check(query url.Values) error {
	for name, values := range query {
		at := slices.IndexFunc(rt.query, func(p parameter) bool { return p.name == name })
		if at < 0 && (name != workspaceParameter.name || rt.open) {
			return invalid(clip(name), "there is no such parameter; expected %s", orNone(rt.query))
		}
		if len(values) > 1 {
			return invalid(name, "expected it once, got it %d times", len(values))
		}
		if strings.ContainsRune(values[0], 0) {
			return invalid(name, "expected text without NUL")
		}
		if at < 0 || values[0] == "" {
			continue
		}
		switch value := values[0]; rt.query[at].kind {
		case flag:
			if value != "true" && value != "false" {
				return invalid(name, "expected true or false, got %.100q", value)
			}
		case counted:
			if n, err := strconv.ParseInt(value, 10, 64); err != nil || n < 1 {
				return invalid(name, "expected a whole number from 1, got %.100q", value)
			}
		}
	}
	for _, p := range rt.query {
		if p.required && query.Get(p.name) == "" {
			return invalid(p.name, "expected a value, got nothing")
		}
	}
	return nil
}

func orNone(list []parameter) string {
	names := make([]string, len(list))
	for i, p := range list {
		names[i] = p.name
	}
	return someOf(names)
}

func someOf(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return "some of " + strings.Join(names, ", ")
}

func clip(text string) string {
	if len(text) > 100 {
		return strings.ToValidUTF8(text[:100], "") + "…"
	}
	return text
}

// The parameters of a request's address, which are known to be good.

func textOf(r *http.Request, name string) string { return askedOf(r).query.Get(name) }

func flagOf(r *http.Request, name string) bool { return textOf(r, name) == "true" }

func countOf(r *http.Request, name string) int64 {
	n, _ := strconv.ParseInt(textOf(r, name), 10, 64)
	return n
}

// The parts of the host that a request is about.

func (s *server) files(r *http.Request) *sandboxd.Files { return s.Host.Files(askedOf(r).workspace) }
func (s *server) runs(r *http.Request) *sandboxd.Runs   { return s.Host.Runs(askedOf(r).workspace) }
