package host

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"sync/atomic"
	"unicode/utf8"

	"github.com/sandboxd/sandboxd/host/frame"
	"github.com/sandboxd/sandboxd/limits"
	"github.com/sandboxd/sandboxd/problem"
)

// Server answers a Client's calls from a Host, in the daemon. The other end may be a
// worker that a script has taken over, so everything is checked again here: sizes, counts
// and values; what may be done to which file is the Host's to say.
type Server struct {
	host   Host
	limits limits.Limits
	calls  atomic.Int64
	logged atomic.Int64

	lists   chan struct{} // places of answers that may be large
	queries chan struct{} // the same of the database, which may keep a call waiting for long
}

var _ frame.Handler = (*Server)(nil)

// Serve makes the server of one run.
func Serve(h Host, l limits.Limits) *Server {
	return &Server{host: h, limits: l.Or(limits.Default()), lists: make(chan struct{}, largeAtOnce), queries: make(chan struct{}, largeAtOnce)}
}

const (
	// callsPerOperation is how many calls of the boundary one operation of a script may
	// make on average; the runtime counts operations, this end only stops a flood.
	callsPerOperation = 16
	// maxText is the longest name, pattern, key or address, in bytes.
	maxText = 8 << 10
	// maxElements is how many elements the JSON of a query may have: decoded, an element
	// of two bytes takes forty.
	maxElements = 100_000
	// largeAtOnce is how many answers that may have megabytes are made and sent at a time:
	// a run that asks for its largest value a thousand times at once, or never reads what
	// it is answered, fills its own queue and not the daemon's memory.
	largeAtOnce = 4
)

// Handle answers one call.
func (s *Server) Handle(ctx context.Context, req frame.Request) (frame.Reply, error) {
	if s.calls.Add(1) > callsPerOperation*int64(s.limits.HostCalls) {
		return frame.Reply{}, problem.New(problem.CallLimit, "the run made more than %d calls", s.limits.HostCalls)
	}
	method, ok := methods[req.Method]
	if !ok {
		return frame.Reply{}, problem.New(problem.UnknownOperation, "the host has no method %q", clip(req.Method))
	}
	var reply frame.Reply
	if places := s.places(req.Method); places != nil {
		select {
		case places <- struct{}{}:
			reply.Sent = func() { <-places }
		case <-ctx.Done():
			return reply, problem.From(ctx.Err())
		}
	}
	body, data, err := method(ctx, s, req.Body)
	reply.Body = body
	if data != nil {
		reply.Files = []*os.File{data}
	}
	return reply, err
}

// places are what a method waits for whose answer may be large; nil if it is not.
func (s *Server) places(method string) chan struct{} {
	switch method {
	case methodList, methodVersions, methodStateGet, methodStateKeys:
		return s.lists
	case methodSQL, methodSchema:
		return s.queries
	}
	return nil
}

// Notice takes a console line. Once a run has sent twice what is captured, no more is passed on.
func (s *Server) Notice(method string, body json.RawMessage) {
	var line LogLine
	if method != noticeLog || s.logged.Add(int64(len(body))) > 2*s.limits.ConsoleBytes+maxText {
		return
	}
	if json.Unmarshal(body, &line) != nil {
		return
	}
	switch line.Level {
	case "log", "info", "warn", "error", "debug":
		s.host.Log(line)
	}
}

// methods is every method that a worker may call.
var methods = map[string]func(context.Context, *Server, json.RawMessage) (body any, data *os.File, err error){
	methodList: takes(func(ctx context.Context, s *Server, in keyArgs) (any, error) {
		return s.host.List(ctx, in.Key)
	}),
	methodStat: takes(func(ctx context.Context, s *Server, in refArgs) (any, error) {
		return s.host.Stat(ctx, in.Ref)
	}),
	methodOpen: func(ctx context.Context, s *Server, body json.RawMessage) (any, *os.File, error) {
		in, err := arguments[refArgs](body)
		if err != nil {
			return nil, nil, err
		}
		opened, err := s.host.Open(ctx, in.Ref, in.Version)
		if err != nil {
			return nil, nil, err
		}
		return opened.File, opened.Data, nil
	},
	methodStage: func(ctx context.Context, s *Server, _ json.RawMessage) (any, *os.File, error) {
		staged, err := s.host.Stage(ctx)
		if err != nil {
			return nil, nil, err
		}
		return stageAnswer{Stage: staged.ID}, staged.Data, nil
	},
	methodCreate: takes(func(ctx context.Context, s *Server, in NewFile) (any, error) {
		return s.host.Create(ctx, in)
	}),
	methodPut: takes(func(ctx context.Context, s *Server, in putArgs) (any, error) {
		return s.host.Put(ctx, in.Ref, in.Stage)
	}),
	methodDelete: takes(func(ctx context.Context, s *Server, in refArgs) (any, error) {
		return s.host.Delete(ctx, in.Ref)
	}),
	methodRename: takes(func(ctx context.Context, s *Server, in nameArgs) (any, error) {
		return s.host.Rename(ctx, in.Ref, in.Name)
	}),
	methodCopy: takes(func(ctx context.Context, s *Server, in nameArgs) (any, error) {
		return s.host.Copy(ctx, in.Ref, in.Name)
	}),
	methodVersions: takes(func(ctx context.Context, s *Server, in refArgs) (any, error) {
		return s.host.Versions(ctx, in.Ref)
	}),
	methodRestore: takes(func(ctx context.Context, s *Server, in refArgs) (any, error) {
		return s.host.Restore(ctx, in.Ref, in.Version)
	}),
	methodFetch: takes(func(ctx context.Context, s *Server, in nameArgs) (any, error) {
		return s.host.Fetch(ctx, in.Ref, in.Name)
	}),
	methodStateGet: takes(func(ctx context.Context, s *Server, in keyArgs) (any, error) {
		return s.host.StateGet(ctx, in.Key)
	}),
	methodStateSet: takes(func(ctx context.Context, s *Server, in keyArgs) (any, error) {
		if in.Value == nil {
			return nil, problem.New(problem.InvalidArgument, "value: expected a JSON value, got none")
		}
		if int64(len(in.Value)) > s.limits.StateBytes {
			return nil, problem.New(problem.WorkspaceFull, "the value of %d bytes is larger than the %d MB that state may hold", len(in.Value), s.limits.StateBytes/limits.MB)
		}
		return nil, s.host.StateSet(ctx, in.Key, in.Value)
	}),
	methodStateDelete: takes(func(ctx context.Context, s *Server, in keyArgs) (any, error) {
		return s.host.StateDelete(ctx, in.Key)
	}),
	methodStateKeys: takes(func(ctx context.Context, s *Server, in keyArgs) (any, error) {
		return s.host.StateKeys(ctx, in.Key)
	}),
	methodSQL: func(ctx context.Context, s *Server, body json.RawMessage) (any, *os.File, error) {
		if n := elements(body); n > maxElements {
			return nil, nil, problem.New(problem.InvalidArgument, "params: expected at most %d values, got %d", maxElements, n)
		}
		in, err := arguments[Query](body)
		if err != nil {
			return nil, nil, err
		}
		result, err := s.host.SQL(ctx, in)
		return result, nil, err
	},
	methodSchema: func(ctx context.Context, s *Server, _ json.RawMessage) (any, *os.File, error) {
		tables, err := s.host.Schema(ctx)
		return tables, nil, err
	},
}

// takes makes a method of a function that answers no descriptor.
func takes[In checked](do func(context.Context, *Server, In) (any, error)) func(context.Context, *Server, json.RawMessage) (any, *os.File, error) {
	return func(ctx context.Context, s *Server, body json.RawMessage) (any, *os.File, error) {
		in, err := arguments[In](body)
		if err != nil {
			return nil, nil, err
		}
		answer, err := do(ctx, s, in)
		return answer, nil, err
	}
}

// checked are arguments that say what is wrong with them; nil if nothing is.
type checked interface{ check() *problem.Error }

func arguments[In checked](body json.RawMessage) (in In, err error) {
	if err := json.Unmarshal(body, &in); err != nil {
		return in, problem.New(problem.InvalidArgument, "the arguments of the call do not decode").WithCause(err)
	}
	if p := in.check(); p != nil {
		return in, p
	}
	return in, nil
}

func (a refArgs) check() *problem.Error {
	if a.Version < 0 {
		return problem.New(problem.InvalidArgument, "version: expected a version from 1, got %d", a.Version)
	}
	return text("id", a.Ref)
}

func (a nameArgs) check() *problem.Error {
	if p := text("id", a.Ref); p != nil {
		return p
	}
	return text("name", a.Name)
}

func (a putArgs) check() *problem.Error {
	if a.Stage <= 0 {
		return problem.New(problem.InvalidArgument, "stage: expected a stage's number, got %d", a.Stage)
	}
	return text("id", a.Ref)
}

func (a keyArgs) check() *problem.Error { return text("key", a.Key) }

func (f NewFile) check() *problem.Error {
	switch {
	case f.Stage < 0:
		return problem.New(problem.InvalidArgument, "stage: expected a stage's number or 0, got %d", f.Stage)
	case f.Source != "" && f.Source != SourceCreated && f.Source != SourceDerived:
		// Only the daemon itself makes uploads.
		return problem.New(problem.InvalidArgument, "source: expected created or derived, got %q", clip(f.Source))
	}
	if p := text("mime_type", f.MimeType); p != nil {
		return p
	}
	return text("name", f.Name)
}

func (q Query) check() *problem.Error { return nil }

func text(argument, value string) *problem.Error {
	switch {
	case len(value) > maxText:
		return problem.New(problem.InvalidArgument, "%s: expected at most %d bytes, got %d", argument, maxText, len(value))
	case !utf8.ValidString(value):
		return problem.New(problem.InvalidArgument, "%s: expected UTF-8 text", argument)
	}
	return nil
}

// elements counts the commas and opening brackets outside of strings.
func elements(body []byte) int {
	n, inText := 0, false
	for i := 0; i < len(body); i++ {
		switch c := body[i]; {
		case inText && c == '\\':
			i++
		case c == '"':
			inText = !inText
		case !inText && (c == ',' || c == '[' || c == '{'):
			n++
		}
	}
	return n
}

// clip shortens what a peer sent before it is shown.
func clip(s string) string {
	if len(s) > 64 {
		return fmt.Sprintf("%.64s…", s)
	}
	return s
}
