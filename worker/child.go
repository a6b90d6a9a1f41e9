package worker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"

	"github.com/sandboxd/sandboxd/agentdb"
	"github.com/sandboxd/sandboxd/engine"
	"github.com/sandboxd/sandboxd/host/frame"
	"github.com/sandboxd/sandboxd/op"
	"github.com/sandboxd/sandboxd/problem"
)

// Child is the child's main. Call it before anything else in main, and in TestMain of
// tests that run a Pool. In a process that a Pool started it serves jobs with the table's
// operations, which use the engines, and never returns; in any other it returns at once.
func Child(table op.Table, engines ...engine.Engine) {
	text, ok := os.LookupEnv(envSettings)
	if !ok {
		return
	}
	if err := child(table, engines, text); err != nil {
		fmt.Fprintln(os.Stderr, "sandboxd worker:", err)
		os.Exit(exitStart)
	}
	os.Exit(0)
}

// child hardens the process and serves until the daemon closes the connection.
func child(table op.Table, engines []engine.Engine, text string) error {
	var s settings
	if err := json.Unmarshal([]byte(text), &s); err != nil {
		return fmt.Errorf("reading its settings: %w", err)
	}
	counts := inheritedTally()
	layers := hardenEarly(s)
	conn, err := inherited()
	if err != nil {
		return err
	}
	set := engine.NewSet(engines, s.Engines)
	handler, opts, err := roleOf(table, set, s, counts)
	if err != nil {
		return err
	}
	layers = append(layers, hardenLate(s)...)

	c := frame.New(conn, handler, opts)
	handler.attach(c)
	if err := c.Notify(noticeReady, ready{Layers: layers}); err != nil {
		return err
	}
	<-c.Done()
	return handler.close()
}

// inherited opens the socketpair's end that the daemon left at descriptor 3.
func inherited() (*net.UnixConn, error) {
	f := os.NewFile(socketFD, "daemon")
	defer f.Close()
	conn, err := net.FileConn(f)
	if err != nil {
		return nil, fmt.Errorf("opening the connection: %w", err)
	}
	unix, ok := conn.(*net.UnixConn)
	if !ok {
		return nil, errors.New("the connection is not a unix socket")
	}
	return unix, nil
}

// role is what a child does in its role.
type role interface {
	frame.Handler
	attach(c *frame.Conn) // before any request is answered
	close() error         // after the connection is closed; what is under way is not waited for
}

// roleOf makes the role ready, with all that takes opening files: they cannot be opened
// after it.
func roleOf(table op.Table, engines *engine.Set, s settings, counts *tally) (role, frame.Options, error) {
	switch s.Role {
	case roleScript:
		engines.Load()
		// For queries over sheets: one that needs more fails by itself. It takes 0.1 ms.
		if err := agentdb.LimitHeap(s.Limits.Memory / 4); err != nil {
			return nil, frame.Options{}, err
		}
		return newScripts(table, engines, s.Limits, counts), frame.Options{MaxFiles: 1}, nil
	case roleWarm:
		return silent{}, frame.Options{}, engines.Warm()
	case roleSQL:
		return &sqlRole{settings: s}, frame.Options{}, nil
	case roleProbe:
		return &probe{}, frame.Options{}, nil
	}
	return nil, frame.Options{}, fmt.Errorf("there is no role %q", s.Role)
}

// unknownMethod is what a role answers to what it does not know.
func unknownMethod(method string) error {
	return problem.New(problem.UnknownOperation, "the worker has no method %q", method)
}

// silent is a role that does nothing. Others embed it that take no notices and have
// nothing to close.
type silent struct{}

func (silent) Notice(string, json.RawMessage) {}
func (silent) Handle(_ context.Context, req frame.Request) (frame.Reply, error) {
	return frame.Reply{}, unknownMethod(req.Method)
}
func (silent) attach(*frame.Conn) {}
func (silent) close() error       { return nil }
