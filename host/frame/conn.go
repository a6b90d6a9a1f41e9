package frame

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net"
	"os"
	"sync"

	"github.com/sandboxd/sandboxd/problem"
)

// ErrClosed is what calls on a closed connection answer. Conn.Err says why it closed.
var ErrClosed = errors.New("frame: the connection is closed")

// Request is a call from the peer.
type Request struct {
	Method string
	Body   json.RawMessage // the handler's to keep
	Files  []*os.File      // closed when the handler returns
}

// Reply is the answer to a Request.
type Reply struct {
	Body  any        // encoded as JSON; json.RawMessage goes out as it is
	Files []*os.File // closed once they are sent
	Sent  func()     // called once the answer, or the error, is out or given up; optional
}

// Handler answers the peer's requests. Handle runs in a goroutine of its own for each
// request; its context ends when the peer cancels or the connection closes. Notice is
// called in order, between frames, and must not block.
type Handler interface {
	Handle(ctx context.Context, req Request) (Reply, error)
	Notice(method string, body json.RawMessage)
}

// Options of a Conn; the zero value is that of an end that accepts no descriptors.
type Options struct {
	// MaxFrame is the largest frame sent or accepted, in bytes. Defaults to 32 MB.
	MaxFrame int
	// MaxInFlight is how many requests either end may have under way; this end waits
	// before it sends more, and a peer that does not is closed. Defaults to 256.
	MaxInFlight int
	// MaxFiles is how many descriptors a frame from the peer may carry. Defaults to 0.
	MaxFiles int
	// Inline tells which requests are handled by the goroutine that reads, because they
	// take less time than waking another one does. Nothing else is read meanwhile,
	// cancellations included. Defaults to none.
	Inline func(method string) bool
	// Log gets the causes of internal errors, which do not cross. Defaults to none.
	Log *slog.Logger
}

// Conn is one end of a connection. Both ends may call and be called at the same time.
type Conn struct {
	conn    *net.UnixConn
	opts    Options
	handler Handler
	ctx     context.Context // ends with the connection; the parent of every request's
	cancel  context.CancelFunc
	slots   chan struct{} // one for each call of ours under way
	owned   sync.WaitGroup
	done    chan struct{}

	writing sync.Mutex

	mu      sync.Mutex
	err     error // why it closed
	closed  bool
	lastID  uint32
	calls   map[uint32]*Call              // ours
	serving map[uint32]context.CancelFunc // the peer's
	held    int                           // bytes of the peer's requests under way
	owed    int                           // answers that are being sent
	room    sync.Cond                     // held or owed went down, or closed
}

// New takes over a connected stream socket and starts serving it. Nil handler refuses
// every request. The owner calls Close, and Wait to know that nothing is left behind.
func New(conn *net.UnixConn, handler Handler, opts Options) *Conn {
	if opts.MaxFrame <= 0 {
		opts.MaxFrame = MaxFrame
	}
	if opts.MaxInFlight <= 0 {
		opts.MaxInFlight = MaxInFlight
	}
	if opts.Log == nil {
		opts.Log = slog.New(slog.DiscardHandler)
	}
	if handler == nil {
		handler = refusing{}
	}
	c := &Conn{
		conn:    conn,
		opts:    opts,
		handler: handler,
		slots:   make(chan struct{}, opts.MaxInFlight),
		done:    make(chan struct{}),
		calls:   map[uint32]*Call{},
		serving: map[uint32]context.CancelFunc{},
	}
	c.room.L = &c.mu
	c.ctx, c.cancel = context.WithCancel(context.Background())
	c.owned.Go(c.read)
	return c
}

// Close ends the connection: calls under way answer ErrClosed and the contexts of
// requests under way end. It does not wait for them.
func (c *Conn) Close() error {
	c.fail(ErrClosed)
	return nil
}

// Wait returns when the connection is closed and every handler has returned.
func (c *Conn) Wait() { c.owned.Wait() }

// Done is closed when the connection is.
func (c *Conn) Done() <-chan struct{} { return c.done }

// Err says why the connection closed: ErrClosed, io.EOF when the peer went away, a
// *Violation, or an error of the socket. It is nil while the connection is open.
func (c *Conn) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

// Serving tells how many requests of the peer are under way.
func (c *Conn) Serving() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.serving)
}

// fail closes the connection for a reason; the first one stays.
func (c *Conn) fail(reason error) {
	c.mu.Lock()
	if c.closed {
		c.mu.Unlock()
		return
	}
	c.closed, c.err = true, reason
	calls := c.calls
	c.calls = nil
	c.room.Broadcast()
	c.mu.Unlock()

	c.cancel()
	c.conn.Close()
	for _, call := range calls {
		call.fail(ErrClosed)
	}
	close(c.done)
}

// read is the goroutine that takes frames off the socket.
func (c *Conn) read() {
	r := newReader(c.conn, c.opts.MaxFrame, c.opts.MaxFiles)
	defer r.close()
	for {
		m, files, err := r.next()
		if err == nil {
			err = c.dispatch(m, files)
		}
		if err != nil {
			if errors.Is(err, net.ErrClosed) {
				err = io.EOF
			}
			c.fail(err)
			return
		}
	}
}

// dispatch routes one frame. It owns files.
func (c *Conn) dispatch(m message, files []*os.File) error {
	switch m.kind {
	case kindRequest:
		return c.accept(m, files)
	case kindAnswer, kindFailure:
		return c.settle(m, files)
	case kindCancel:
		c.mu.Lock()
		cancel := c.serving[m.id]
		c.mu.Unlock()
		if cancel != nil { // else the answer is already on its way
			cancel()
		}
	case kindNotice:
		c.handler.Notice(string(m.method), append(json.RawMessage(nil), m.body...))
	}
	return nil
}

// accept starts a handler for a request of the peer.
func (c *Conn) accept(m message, files []*os.File) error {
	req := Request{Method: string(m.method), Body: append(json.RawMessage(nil), m.body...), Files: files}
	size := len(m.body)
	c.mu.Lock()
	// Large requests wait here for others to finish, and everything behind them too: a
	// peer's own flood slows the peer alone. So does one that asks and does not read what
	// it is answered.
	for (c.held > 0 && c.held+size > 2*c.opts.MaxFrame || c.owed >= c.opts.MaxInFlight) && !c.closed {
		c.room.Wait()
	}
	if c.closed {
		c.mu.Unlock()
		closeAll(files)
		return ErrClosed
	}
	_, taken := c.serving[m.id]
	if taken || len(c.serving) >= c.opts.MaxInFlight {
		c.mu.Unlock()
		closeAll(files)
		if taken {
			return violation("two requests under way have the id %d", m.id)
		}
		return violation("more than %d requests under way", c.opts.MaxInFlight)
	}
	ctx, cancel := context.WithCancel(c.ctx)
	c.serving[m.id] = cancel
	c.held += size
	c.mu.Unlock()
	id := m.id
	if c.opts.Inline != nil && c.opts.Inline(req.Method) {
		c.serve(ctx, id, size, req)
		return nil
	}
	c.owned.Go(func() { c.serve(ctx, id, size, req) })
	return nil
}

func (c *Conn) serve(ctx context.Context, id uint32, size int, req Request) {
	reply, err := c.handler.Handle(ctx, req)
	closeAll(req.Files)
	// The request leaves the books before its answer does: a peer that has the answer may
	// send its next request at once.
	c.mu.Lock()
	cancel := c.serving[id]
	delete(c.serving, id)
	c.held -= size
	c.owed++
	c.room.Broadcast()
	c.mu.Unlock()
	if cancel != nil {
		cancel()
	}
	c.answer(id, req.Method, reply, err)
	if reply.Sent != nil {
		reply.Sent()
	}
	c.mu.Lock()
	c.owed--
	c.room.Broadcast()
	c.mu.Unlock()
}

// answer sends what a handler returned.
func (c *Conn) answer(id uint32, method string, reply Reply, err error) {
	defer closeAll(reply.Files)
	if err == nil {
		err = c.send(kindAnswer, id, "", reply.Body, reply.Files)
		if err == nil {
			return
		}
		if errors.Is(err, errTooLarge) {
			err = problem.New(problem.ResultTooLarge, "the answer is larger than the %d MB that can cross at once", c.opts.MaxFrame>>20).WithCause(err)
		}
	}
	p := problem.From(err)
	if p.Code == problem.Internal && c.ctx.Err() == nil {
		c.opts.Log.Error("a call failed inside", "method", method, "error", p.Cause)
	}
	if err := c.send(kindFailure, id, "", p, nil); errors.Is(err, errTooLarge) {
		c.send(kindFailure, id, "", problem.New(p.Code, "the error is too large to show"), nil)
	}
}

// refusing is the handler of an end that takes no requests.
type refusing struct{}

func (refusing) Handle(_ context.Context, req Request) (Reply, error) {
	return Reply{}, problem.New(problem.UnknownOperation, "there is no method %q", req.Method)
}

func (refusing) Notice(string, json.RawMessage) {}
