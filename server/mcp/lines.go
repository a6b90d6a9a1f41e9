package mcp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// lines is the transport of newline-delimited JSON. Unlike the SDK's it outlives a message
// that is no message, which it answers, and answers every call before it ends: a client
// may write its requests, close its side, and read.
type lines struct {
	in  io.ReadCloser
	out io.WriteCloser
	max int // bytes of a message
}

var _ sdk.Transport = (*lines)(nil)

// Connect implements sdk.Transport.
func (l *lines) Connect(context.Context) (sdk.Connection, error) {
	c := &lineConn{lines: l, incoming: make(chan jsonrpc.Message), closed: make(chan struct{}), answered: make(chan struct{}, 1), open: map[jsonrpc.ID]bool{}, cancelled: map[jsonrpc.ID]bool{}}
	go c.receive() // ends when in does, or at Close with the next line: a read of standard input cannot be broken off
	return c, nil
}

type lineConn struct {
	*lines
	incoming chan jsonrpc.Message // closed at the end of in
	closed   chan struct{}
	answered chan struct{} // has one when a call was answered
	close    sync.Once

	mu   sync.Mutex // guards out as well
	open map[jsonrpc.ID]bool
	// cancelled are those of which the client wants no answer, which may come all the same.
	cancelled map[jsonrpc.ID]bool
}

// receive reads messages until the stream ends.
func (c *lineConn) receive() {
	defer close(c.incoming)
	r := bufio.NewReaderSize(c.in, 64<<10)
	for {
		line, err := c.line(r)
		if line = bytes.TrimSpace(line); len(line) > 0 {
			if m := c.decode(line); m != nil {
				select {
				case c.incoming <- m:
				case <-c.closed:
					return
				}
			}
		}
		if err != nil {
			return
		}
	}
}

// line reads one line. One that is too long is skipped, and answered.
func (c *lineConn) line(r *bufio.Reader) (line []byte, err error) {
	tooLong := false
	for {
		part, err := r.ReadSlice('\n')
		if len(line)+len(part) > c.max {
			tooLong, line = true, nil
		}
		if !tooLong {
			line = append(line, part...)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if tooLong {
			c.reject(jsonrpc.CodeInvalidRequest, fmt.Sprintf("the message has more than %d bytes", c.max))
			return nil, err
		}
		return line, err
	}
}

// decode reads a message, or answers why it is none.
func (c *lineConn) decode(line []byte) jsonrpc.Message {
	switch {
	case !json.Valid(line): // which also bounds its depth
		c.reject(jsonrpc.CodeParseError, "the line is not JSON")
		return nil
	case line[0] == '[':
		c.reject(jsonrpc.CodeInvalidRequest, "batches are not supported: send each message on a line of its own")
		return nil
	}
	m, err := jsonrpc.DecodeMessage(line)
	if err != nil {
		c.reject(jsonrpc.CodeInvalidRequest, "the line is not a JSON-RPC message")
		return nil
	}
	request, ok := m.(*jsonrpc.Request)
	if !ok {
		return m
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case request.IsCall() && request.Method != "subscriptions/listen": // which is answered at its end
		c.open[request.ID] = true
		delete(c.cancelled, request.ID)
	case request.Method == "notifications/cancelled": // its call may never be answered
		var params struct {
			RequestID any `json:"requestId"`
		}
		if json.Unmarshal(request.Params, &params) == nil {
			if id, err := jsonrpc.MakeID(params.RequestID); err == nil && c.open[id] {
				delete(c.open, id)
				c.cancelled[id] = true
			}
		}
	}
	return m
}

// reject answers a message that has no id that could be read.
func (c *lineConn) reject(code int, message string) {
	reason, _ := json.Marshal(message)
	answer := fmt.Appendf(nil, `{"jsonrpc":"2.0","id":null,"error":{"code":%d,"message":%s}}`, code, reason)
	c.mu.Lock()
	defer c.mu.Unlock()
	_, _ = c.out.Write(append(answer, '\n'))
}

// Read implements sdk.Connection. At the end of the stream it waits until what was asked
// before is answered.
func (c *lineConn) Read(ctx context.Context) (jsonrpc.Message, error) {
	select {
	case m, more := <-c.incoming:
		if more {
			return m, nil
		}
	case <-c.closed:
		return nil, io.EOF
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	for {
		c.mu.Lock()
		open := len(c.open)
		c.mu.Unlock()
		if open == 0 {
			return nil, io.EOF
		}
		select {
		case <-c.answered:
		case <-c.closed:
			return nil, io.EOF
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// Write implements sdk.Connection.
func (c *lineConn) Write(ctx context.Context, m jsonrpc.Message) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	data, err := jsonrpc.EncodeMessage(m)
	if err != nil {
		return err
	}
	c.mu.Lock()
	response, ok := m.(*jsonrpc.Response)
	if !ok || !c.cancelled[response.ID] {
		_, err = c.out.Write(append(data, '\n'))
	}
	if ok {
		delete(c.open, response.ID)
		delete(c.cancelled, response.ID)
	}
	c.mu.Unlock()
	select {
	case c.answered <- struct{}{}:
	default:
	}
	return err
}

// Close implements sdk.Connection.
func (c *lineConn) Close() (err error) {
	c.close.Do(func() {
		close(c.closed)
		err = errors.Join(c.in.Close(), c.out.Close())
	})
	return err
}

// SessionID implements sdk.Connection.
func (c *lineConn) SessionID() string { return "" }
