package server

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"os"
	"reflect"
	"strings"
	"sync"
	"time"

	"github.com/sandboxd/sandboxd/problem"
)

// hurry keeps a client from holding a connection by sending a body slowly or never, also
// one that nobody reads because the request is refused. A body that was read to its end
// leaves no deadline behind: the run that it asks for may take longer.
func hurry(w http.ResponseWriter, r *http.Request, pause time.Duration) {
	if r.Body == nil || r.Body == http.NoBody {
		return
	}
	b := &hurried{ReadCloser: r.Body, conn: http.NewResponseController(w), pause: pause}
	_ = b.conn.SetReadDeadline(time.Now().Add(pause))
	r.Body = b
}

type hurried struct {
	io.ReadCloser
	conn  *http.ResponseController
	pause time.Duration

	begun bool // somebody reads it

	mu    sync.Mutex
	ended bool // read to its end, or stopped
}

func (b *hurried) Read(p []byte) (int, error) {
	b.begun = true
	b.mu.Lock()
	if !b.ended {
		_ = b.conn.SetReadDeadline(time.Now().Add(b.pause))
	}
	b.mu.Unlock()
	n, err := b.ReadCloser.Read(p)
	if err == io.EOF {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.ended = true
		_ = b.conn.SetReadDeadline(time.Time{})
	}
	return n, err
}

// stop ends a body that is still coming, from another goroutine. To one that came whole it
// does nothing: what is done with it goes on.
func (b *hurried) stop() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.ended {
		b.ended = true
		_ = b.conn.SetReadDeadline(time.Now())
	}
}

// readJSON reads a request's body of at most max bytes into value, which is an object's
// Go form, and refuses members that it does not know.
func readJSON(w http.ResponseWriter, r *http.Request, max int64, value any) error {
	if kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); kind != "application/json" {
		return problem.New(problem.UnsupportedFormat, "the body: expected Content-Type application/json, got %q", r.Header.Get("Content-Type")).
			WithHint("Send a JSON object with the header Content-Type: application/json.")
	}
	dec := json.NewDecoder(http.MaxBytesReader(w, r.Body, max))
	dec.DisallowUnknownFields()
	err := dec.Decode(value)
	if err == nil {
		// What follows is read to its end, or the server would not notice when the client leaves.
		if _, err = dec.Token(); err == io.EOF {
			return nil
		}
		if err == nil || !tooLarge(err) {
			return badBody("expected one JSON object, but more follows it").WithCause(err)
		}
	}
	return bodyProblem(err, max, value)
}

// encodeJSON is JSON with a line end, in which <, > and & are themselves.
func encodeJSON(value any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(value)
	return b.Bytes(), err
}

func tooLarge(err error) bool {
	var e *http.MaxBytesError
	return errors.As(err, &e)
}

func badBody(format string, args ...any) *problem.Error {
	return problem.New(problem.InvalidArgument, "the body: "+format, args...).WithHint("Send one JSON object, in UTF-8.")
}

// bodyProblem says what is wrong with a body in words that are not Go's.
func bodyProblem(err error, max int64, value any) error {
	var (
		syntax    *json.SyntaxError
		wrongType *json.UnmarshalTypeError
	)
	switch {
	case tooLarge(err):
		return problem.New(problem.RequestTooLarge, "the body has more than %d bytes", max)
	case err == io.EOF:
		return badBody("expected a JSON object, got nothing")
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, os.ErrDeadlineExceeded):
		return badBody("it ended before its end").WithCause(err)
	case errors.As(err, &syntax):
		return badBody("it is not valid JSON, at byte %d", syntax.Offset).WithCause(err)
	case errors.As(err, &wrongType) && wrongType.Field == "":
		return badBody("expected a JSON object, got %s", article(wrongType.Value)).WithCause(err)
	case errors.As(err, &wrongType):
		return invalid(wrongType.Field, "expected %s, got %s", typeName(wrongType), article(wrongType.Value))
	}
	if name, ok := strings.CutPrefix(err.Error(), "json: unknown field "); ok {
		return invalid(clip(strings.Trim(name, `"`)), "there is no such member; expected some of %s", members(reflect.TypeOf(value)))
	}
	return badBody("it could not be read").WithCause(err)
}

// members names those that a body may have.
func members(t reflect.Type) string {
	var names []string
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct {
		return "none"
	}
	for i := range t.NumField() {
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		names = append(names, name)
	}
	return strings.Join(names, ", ")
}

func typeName(e *json.UnmarshalTypeError) string {
	switch e.Type.String() {
	case "string":
		return "a string"
	case "int64":
		return "a whole number"
	}
	return "another type"
}

// article makes "number 1.5" of encoding/json a thing that was got.
func article(value string) string {
	kind, rest, _ := strings.Cut(value, " ")
	switch {
	case rest != "":
		return rest
	case kind == "array" || kind == "object":
		return "an " + kind
	case kind == "bool":
		return "a boolean"
	}
	return "a " + kind
}
