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
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

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
// Go form, and refuses members that it does not know. Names are as they are written, each is
// there once, and text is UTF-8: of what is not so, whoever looks at a request on its way
// might read something else than we do.
func readJSON(w http.ResponseWriter, r *http.Request, max int64, value any) error {
	if kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); kind != "application/json" {
		return problem.New(problem.UnsupportedFormat, "the body: expected Content-Type application/json, got %q", r.Header.Get("Content-Type")).
			WithHint("Send a JSON object with the header Content-Type: application/json.")
	}
	// To its end, or the server would not notice when the client leaves.
	text, err := io.ReadAll(http.MaxBytesReader(w, r.Body, max))
	if err != nil {
		return bodyProblem(err, max, value)
	}
	if !utf8.Valid(text) {
		return badBody("it is not UTF-8")
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	if err := dec.Decode(value); err != nil {
		return bodyProblem(err, max, value)
	}
	if _, err := dec.Token(); err != io.EOF {
		return badBody("expected one JSON object, but more follows it").WithCause(err)
	}
	return exactMembers(text, value)
}

// exactMembers refuses members that encoding/json takes for others, because it does not look
// at capitals, and those that are there twice, of which it takes the last.
func exactMembers(text []byte, value any) error {
	known := members(reflect.TypeOf(value))
	dec := json.NewDecoder(bytes.NewReader(text))
	if open, _ := dec.Token(); len(known) == 0 || open != json.Delim('{') { // a tool's arguments, or null
		return nil
	}
	seen := map[string]bool{}
	for dec.More() {
		key, err := dec.Token()
		name, _ := key.(string)
		switch {
		case err != nil:
			return badBody("it could not be read").WithCause(err)
		case !slices.Contains(known, name):
			return unknownMember(name, known)
		case seen[name]:
			return invalid(name, "expected it once, got it more often")
		}
		seen[name] = true
		var passed json.RawMessage
		if err := dec.Decode(&passed); err != nil {
			return badBody("it could not be read").WithCause(err)
		}
	}
	return nil
}

func unknownMember(name string, known []string) error {
	return invalid(clip(name), "there is no such member; expected %s", someOf(known))
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
		return unknownMember(strings.Trim(name, `"`), members(reflect.TypeOf(value)))
	}
	return badBody("it could not be read").WithCause(err)
}

// members names those that a body may have; nothing of one that is no struct.
func members(t reflect.Type) (names []string) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct {
		return nil
	}
	for i := range t.NumField() {
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		names = append(names, name)
	}
	return names
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
