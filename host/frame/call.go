package frame

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"sync"
	"syscall"

	"github.com/sandboxd/sandboxd/problem"
)

// Call is a request on its way. Exactly one of Result and Abandon is called.
type Call struct {
	conn *Conn
	id   uint32
	done chan struct{}

	// set before done is closed
	body  []byte
	files []*os.File
	err   error

	mu        sync.Mutex
	abandoned bool
}

// Call sends a request and waits for its answer, which is decoded into out unless that is
// nil. When ctx ends the request is cancelled and the call answers at once. Errors of the
// peer's handler are *problem.Error.
func (c *Conn) Call(ctx context.Context, method string, in, out any) error {
	files, err := c.CallFiles(ctx, method, in, out)
	closeAll(files)
	return err
}

// CallFiles is Call, and gives the descriptors that came with the answer; the caller
// closes them. Those in send go with the request and stay the caller's.
func (c *Conn) CallFiles(ctx context.Context, method string, in, out any, send ...*os.File) ([]*os.File, error) {
	call, err := c.Begin(ctx, method, in, send...)
	if err != nil {
		return nil, err
	}
	select {
	case <-call.done:
	case <-ctx.Done():
		call.Abandon()
		return nil, ctx.Err()
	}
	return call.Result(out)
}

// Begin sends a request and does not wait for its answer. It waits, as long as ctx lasts,
// for one of the MaxInFlight places.
func (c *Conn) Begin(ctx context.Context, method string, in any, send ...*os.File) (*Call, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	select {
	case c.slots <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-c.done:
		return nil, ErrClosed
	}
	call := &Call{conn: c, done: make(chan struct{})}
	c.mu.Lock()
	if c.closed {
		c.mu.Unlock()
		<-c.slots
		return nil, ErrClosed
	}
	for {
		c.lastID++
		if _, taken := c.calls[c.lastID]; !taken {
			break
		}
	}
	call.id = c.lastID
	c.calls[call.id] = call
	c.mu.Unlock()

	if err := c.send(kindRequest, call.id, method, in, send); err != nil {
		c.mu.Lock()
		_, ours := c.calls[call.id] // else closing took it
		if ours {
			delete(c.calls, call.id)
		}
		c.mu.Unlock()
		if ours {
			<-c.slots
		}
		if errors.Is(err, errTooLarge) {
			err = problem.New(problem.InvalidArgument, "the arguments are larger than the %d MB that can cross at once", c.opts.MaxFrame>>20).
				WithHint("Pass less at once, or write it to a file.")
		}
		return nil, err
	}
	return call, nil
}

// Done is closed when the answer is there or the connection is closed.
func (call *Call) Done() <-chan struct{} { return call.done }

// Cancel asks the peer to stop; its answer is still to be waited for. It does not block.
func (call *Call) Cancel() {
	c := call.conn
	c.mu.Lock()
	_, pending := c.calls[call.id]
	if pending {
		// A peer that does not read must not hold up whoever cancels.
		c.owned.Go(func() { c.send(kindCancel, call.id, "", nil, nil) })
	}
	c.mu.Unlock()
}

// Abandon cancels the call and drops its answer when it comes.
func (call *Call) Abandon() {
	call.mu.Lock()
	call.abandoned = true
	call.mu.Unlock()
	select {
	case <-call.done:
		closeAll(call.files)
	default:
		call.Cancel()
	}
}

// Result waits for the answer and decodes it into out unless that is nil.
func (call *Call) Result(out any) ([]*os.File, error) {
	<-call.done
	if call.err != nil {
		return nil, call.err
	}
	if out != nil {
		if err := decode(call.body, out); err != nil {
			closeAll(call.files)
			err = violation("an answer that does not decode: %v", err)
			call.conn.fail(err)
			return nil, err
		}
	}
	return call.files, nil
}

func (call *Call) fail(err error) {
	call.err = err
	close(call.done)
}

// settle gives an answer to the call that waits for it.
func (c *Conn) settle(m message, files []*os.File) error {
	c.mu.Lock()
	call, ok := c.calls[m.id]
	delete(c.calls, m.id)
	c.mu.Unlock()
	if !ok {
		closeAll(files)
		return violation("an answer to request %d, which nobody made", m.id)
	}
	<-c.slots // only now: the peer has the request on its books until it answers
	if m.kind == kindFailure {
		if len(m.body) > maxFailure {
			call.fail(ErrClosed)
			return violation("a failure of %d bytes", len(m.body))
		}
		var p problem.Error
		if err := decode(m.body, &p); err != nil {
			call.fail(ErrClosed)
			return violation("a failure that does not decode: %v", err)
		}
		if _, known := problem.Lookup(p.Code); !known {
			p = *problem.New(problem.Internal, "something went wrong inside sandboxd").
				WithCause(fmt.Errorf("frame: the peer answered the unknown code %q", p.Code))
		}
		call.fail(&p)
		return nil
	}
	call.mu.Lock()
	defer call.mu.Unlock()
	if call.abandoned {
		closeAll(files)
		files = nil
	}
	call.body = append([]byte(nil), m.body...)
	call.files = files
	close(call.done)
	return nil
}

// Notify sends a notice, to which there is no answer.
func (c *Conn) Notify(method string, in any) error {
	return c.send(kindNotice, 0, method, in, nil)
}

func decode(body []byte, out any) error {
	if raw, ok := out.(*json.RawMessage); ok {
		if len(body) > 0 && !json.Valid(body) {
			return errors.New("not JSON")
		}
		*raw = body
		return nil
	}
	return json.Unmarshal(body, out)
}

var errTooLarge = errors.New("frame: too large")

var buffers = sync.Pool{New: func() any { return &buffer{} }}

// buffer is a frame being written.
type buffer struct{ bytes []byte }

func (b *buffer) Write(p []byte) (int, error) {
	b.bytes = append(b.bytes, p...)
	return len(p), nil
}

// send writes one frame.
func (c *Conn) send(k kind, id uint32, method string, body any, files []*os.File) error {
	if len(method) > 255 || len(files) > 255 {
		return fmt.Errorf("frame: method %q or its %d descriptors are too long", method, len(files))
	}
	b := buffers.Get().(*buffer)
	defer func() {
		if cap(b.bytes) <= readSize {
			buffers.Put(b)
		}
	}()
	b.bytes = begin(b.bytes[:0], k, len(files), id, method)
	switch body := body.(type) {
	case nil:
	case json.RawMessage:
		b.bytes = append(b.bytes, body...)
	default:
		enc := json.NewEncoder(b)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(body); err != nil {
			return fmt.Errorf("frame: encoding %s: %w", method, err)
		}
	}
	if len(b.bytes) > c.opts.MaxFrame || k == kindFailure && len(b.bytes) > headerSize+maxFailure {
		return errTooLarge
	}
	seal(b.bytes)
	return holding(files, nil, func(fds []int) error {
		c.writing.Lock()
		defer c.writing.Unlock()
		rest := b.bytes
		if len(fds) > 0 {
			// The descriptors go with the frame's first bytes; a stream socket may take fewer.
			n, _, err := c.conn.WriteMsgUnix(rest, syscall.UnixRights(fds...), nil)
			if err != nil {
				return c.broken(err)
			}
			rest = rest[n:]
		}
		if len(rest) > 0 {
			if _, err := c.conn.Write(rest); err != nil {
				return c.broken(err)
			}
		}
		return nil
	})
}

// holding calls do with the descriptors of files, none of which can be closed, and its
// number reused, until do returns.
func holding(files []*os.File, fds []int, do func(fds []int) error) error {
	if len(files) == 0 {
		return do(fds)
	}
	raw, err := files[0].SyscallConn()
	if err != nil {
		return fmt.Errorf("frame: sending a descriptor: %w", err)
	}
	var failed error
	// Not File.Fd, which would make the file blocking.
	err = raw.Control(func(fd uintptr) {
		failed = holding(files[1:], append(fds, int(fd)), do)
	})
	if err != nil {
		return fmt.Errorf("frame: sending a descriptor: %w", err)
	}
	return failed
}

// broken closes the connection after a failed write: half a frame may be out.
func (c *Conn) broken(err error) error {
	if errors.Is(err, net.ErrClosed) || errors.Is(err, syscall.EPIPE) || errors.Is(err, syscall.ECONNRESET) {
		// The peer went away; what it sent before that is still to be read.
		c.conn.CloseWrite()
		return ErrClosed
	}
	c.fail(err)
	return ErrClosed
}
