package mcp

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/sandboxd/sandboxd/limits"
)

// Relay serves a client over a pair of streams by passing its messages on to a server that
// speaks streamable HTTP, and that server's back: for clients that start a program, where
// the data folder belongs to a server that runs already. It ends like Server.Serve.
func Relay(ctx context.Context, in io.ReadCloser, out io.WriteCloser, endpoint string, client *http.Client) error {
	ctx, stop := context.WithCancel(ctx)
	conn, err := (&lines{in: in, out: out, max: int(8 * limits.MB)}).Connect(ctx)
	if err != nil {
		stop()
		return err
	}
	r := &relay{endpoint: endpoint, client: client, conn: conn, calls: map[jsonrpc.ID]context.CancelFunc{}}
	err = r.run(ctx)
	stop()
	r.work.Wait()
	r.leave()
	return errors.Join(err, conn.Close())
}

// relay is one client's way to a server and back.
type relay struct {
	endpoint string
	client   *http.Client
	conn     sdk.Connection
	work     sync.WaitGroup

	renewing sync.Mutex

	mu               sync.Mutex
	session, version string // once initialize has been answered
	calls            map[jsonrpc.ID]context.CancelFunc
	told             []*jsonrpc.Request // what a new session must be told, see renew
}

// run passes messages on until the client's side ends. Calls go side by side; what others
// must not overtake is waited for.
func (r *relay) run(ctx context.Context) error {
	for {
		m, err := r.conn.Read(ctx)
		if err != nil {
			if errors.Is(err, io.EOF) || ctx.Err() != nil {
				return nil
			}
			return err
		}
		request, _ := m.(*jsonrpc.Request)
		switch {
		case request == nil || !request.IsCall():
			if request == nil || !r.cancel(request) {
				r.pass(ctx, m)
			}
		case request.Method == "initialize":
			r.pass(ctx, m)
			r.listen(ctx)
		default:
			call, cancel := context.WithCancel(ctx)
			r.mu.Lock()
			r.calls[request.ID] = cancel
			r.mu.Unlock()
			r.work.Go(func() {
				defer cancel()
				r.pass(call, m)
				r.mu.Lock()
				delete(r.calls, request.ID)
				r.mu.Unlock()
			})
		}
	}
}

// cancel stops waiting for a call that the client cancels. It tells whether that says it to
// the server, too, as the end of a request does where there is no session.
func (r *relay) cancel(n *jsonrpc.Request) bool {
	var params struct {
		RequestID any `json:"requestId"`
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if n.Method != "notifications/cancelled" || json.Unmarshal(n.Params, &params) != nil {
		return false
	}
	if id, err := jsonrpc.MakeID(params.RequestID); err == nil && r.calls[id] != nil {
		r.calls[id]()
	}
	return r.session == ""
}

// pass sends one message and passes on what it is answered. A call that cannot be sent is
// answered with why.
func (r *relay) pass(ctx context.Context, m jsonrpc.Message) {
	err := r.post(ctx, m)
	if request, ok := m.(*jsonrpc.Request); err != nil && ok && request.IsCall() && ctx.Err() == nil {
		_ = r.conn.Write(ctx, &jsonrpc.Response{ID: request.ID, Error: &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "sandboxd serve " + err.Error()}})
	}
}

var (
	errUnreachable = errors.New("cannot be reached; start it again")
	errBroken      = errors.New("ended before it answered; look what was done before you try again")
	errNoSession   = errors.New("answered that there is no such session")
)

// post sends a message and passes on what it is answered, in a new session if the old one is over.
func (r *relay) post(ctx context.Context, m jsonrpc.Message) error {
	request, _ := m.(*jsonrpc.Request)
	answered := false
	back := func(m jsonrpc.Message) error {
		if response, ok := m.(*jsonrpc.Response); ok && request != nil && response.ID == request.ID {
			answered = true
			if response.Error == nil {
				r.remember(request) // before the client can go on from it
			}
		}
		return r.conn.Write(ctx, m)
	}
	session := r.current()
	id, err := r.send(ctx, m, session, back)
	if errors.Is(err, errNoSession) {
		if err = r.renew(ctx, session); err == nil {
			id, err = r.send(ctx, m, r.current(), back)
		}
	}
	if request != nil && request.Method == "initialize" {
		r.use(id)
	}
	switch {
	case err != nil || request == nil:
	case !request.IsCall():
		r.remember(request)
	case !answered:
		return errBroken
	}
	return err
}

// send sends a message in a session, and gives to back what it is answered. It gives the
// session that the server began, or else the same.
func (r *relay) send(ctx context.Context, m jsonrpc.Message, session string, back func(jsonrpc.Message) error) (id string, err error) {
	body, err := jsonrpc.EncodeMessage(m)
	if err != nil {
		return session, err
	}
	req, err := r.request(ctx, http.MethodPost, session, bytes.NewReader(body))
	if err != nil {
		return session, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	request, _ := m.(*jsonrpc.Request)
	describe(req.Header, request)
	res, err := r.client.Do(req)
	if err != nil {
		return session, errUnreachable
	}
	defer res.Body.Close()
	id = cmp.Or(res.Header.Get(sessionHeader), session)
	switch kind, _, _ := strings.Cut(res.Header.Get("Content-Type"), ";"); {
	case res.StatusCode == http.StatusNotFound && session != "":
		return id, errNoSession
	case kind == "text/event-stream":
		_, err := r.events(res.Body, back)
		return id, err
	case kind == "application/json":
		text, err := io.ReadAll(res.Body)
		if err != nil {
			return id, errBroken
		}
		return id, r.take(text, back)
	case res.StatusCode == http.StatusBadRequest && request != nil && request.IsCall() && startsWith(res.Body, notHandled):
		return id, back(&jsonrpc.Response{ID: request.ID, Error: &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: fmt.Sprintf("method not found: %.100q", request.Method)}})
	case res.StatusCode >= 300:
		return id, fmt.Errorf("answered %s", res.Status)
	}
	return id, nil
}

// notHandled is how the SDK's answer begins to a method that there is not, in a session; it
// is text, and the SDK's own clients know it by this, too.
const notHandled = "JSON RPC not handled"

func startsWith(body io.Reader, prefix string) bool {
	begin := make([]byte, len(prefix))
	_, err := io.ReadFull(body, begin)
	return err == nil && string(begin) == prefix
}

func (r *relay) request(ctx context.Context, method, session string, body io.Reader) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, method, r.endpoint, body)
	if err != nil {
		return nil, err
	}
	if session != "" {
		req.Header.Set(sessionHeader, session)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.version != "" {
		req.Header.Set(versionHeader, r.version)
	}
	return req, nil
}

// describe says in headers what a message of the protocol without sessions is about, as
// that wants it over HTTP.
func describe(h http.Header, request *jsonrpc.Request) {
	var params struct {
		Meta      map[string]any `json:"_meta"`
		Name, URI string
	}
	if request == nil || json.Unmarshal(request.Params, &params) != nil {
		return
	}
	version, _ := params.Meta[sdk.MetaKeyProtocolVersion].(string)
	if version == "" {
		return
	}
	h.Set(versionHeader, version)
	h.Set(methodHeader, request.Method)
	if name := params.Name + params.URI; name != "" { // no method has both
		h.Set("Mcp-Name", name)
	}
}

// take reads a message, learns from it which version of the protocol the session is of, and
// gives it to back.
func (r *relay) take(text []byte, back func(jsonrpc.Message) error) error {
	m, err := jsonrpc.DecodeMessage(text)
	if err != nil {
		return errors.New("answered something else than MCP")
	}
	if response, ok := m.(*jsonrpc.Response); ok {
		var result struct{ ProtocolVersion string }
		if json.Unmarshal(response.Result, &result) == nil && result.ProtocolVersion != "" { // of initialize
			r.mu.Lock()
			r.version = result.ProtocolVersion
			r.mu.Unlock()
		}
	}
	return back(m)
}

// events gives to back the messages of a stream of server-sent events, and answers the id of the last.
func (r *relay) events(stream io.Reader, back func(jsonrpc.Message) error) (last string, err error) {
	lines := bufio.NewReader(stream)
	var data []byte
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return last, nil // with the stream; what is missing comes after it was opened again
		}
		line = bytes.TrimRight(line, "\r\n")
		field, value, _ := bytes.Cut(line, []byte(":"))
		value = bytes.TrimPrefix(value, []byte(" "))
		switch {
		case len(line) == 0 && len(data) > 0:
			if err := r.take(data, back); err != nil {
				return last, err
			}
			data = nil
		case string(field) == "data":
			data = append(data, value...)
		case string(field) == "id":
			last = string(value)
		}
	}
}

// listen passes on what the session's stream brings, and opens it again where it breaks.
func (r *relay) listen(ctx context.Context) {
	r.work.Go(func() {
		last := ""
		back := func(m jsonrpc.Message) error { return r.conn.Write(ctx, m) }
		for ctx.Err() == nil {
			session := r.current()
			req, err := r.request(ctx, http.MethodGet, session, nil)
			if err != nil || session == "" {
				return
			}
			req.Header.Set("Accept", "text/event-stream")
			if last != "" {
				req.Header.Set("Last-Event-ID", last)
			}
			res, err := r.client.Do(req)
			if err == nil && res.StatusCode == http.StatusOK {
				id, _ := r.events(res.Body, back)
				if id != "" {
					last = id
				}
			}
			if err == nil {
				res.Body.Close()
				switch {
				case res.StatusCode == http.StatusNotFound:
					last = ""
					if r.renew(ctx, session) == nil {
						continue
					}
				case res.StatusCode >= 400 && res.StatusCode < 500 && res.StatusCode != http.StatusConflict:
					return
				}
			}
			select {
			case <-ctx.Done():
			case <-time.After(time.Second):
			}
		}
	})
}

// leave ends the session. The client has gone, so it has not much time.
func (r *relay) leave() {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	session := r.current()
	req, err := r.request(ctx, http.MethodDelete, session, nil)
	if err != nil || session == "" {
		return
	}
	if res, err := r.client.Do(req); err == nil {
		res.Body.Close()
	}
}
