package mcp

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// A server that was started again knows no session of before, and the client at the other
// end of a relay cannot begin one anew: it has begun once, with a program that still runs. So
// the relay does it, with what the client said then.

// toldMethods are those whose effect a session keeps. What came first comes first again.
var toldMethods = []string{"initialize", "notifications/initialized", "logging/setLevel", "resources/subscribe"}

// remember keeps what a new session must be told. A later message replaces one about the same.
func (r *relay) remember(request *jsonrpc.Request) {
	undoes := request.Method == "resources/unsubscribe"
	if !undoes && !slices.Contains(toldMethods, request.Method) {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	same := slices.IndexFunc(r.told, func(old *jsonrpc.Request) bool {
		return (old.Method == request.Method || undoes && old.Method == "resources/subscribe") && subject(old) == subject(request)
	})
	switch {
	case undoes && same >= 0:
		r.told = slices.Delete(r.told, same, same+1)
	case undoes:
	case same >= 0:
		r.told[same] = request
	case len(r.told) < maxSubscriptions:
		r.told = append(r.told, request)
	}
}

// subject is what a message is about where there may be several of its kind.
func subject(request *jsonrpc.Request) string {
	var params struct{ URI string }
	_ = json.Unmarshal(request.Params, &params) // what has none is about nothing
	return params.URI
}

// renew begins a new session in place of the one that is over, unless somebody has meanwhile.
func (r *relay) renew(ctx context.Context, over string) error {
	r.renewing.Lock()
	defer r.renewing.Unlock()
	if r.current() != over {
		return nil
	}
	r.mu.Lock()
	told := slices.Clone(r.told)
	r.mu.Unlock()
	session := ""
	for _, request := range told {
		// The client was answered then.
		id, err := r.send(ctx, request, session, func(jsonrpc.Message) error { return nil })
		if err != nil {
			return err
		}
		session = id
	}
	r.use(session)
	return nil
}

// current is the session that there is.
func (r *relay) current() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.session
}

// use makes a session the one that there is.
func (r *relay) use(session string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.session = session
}
