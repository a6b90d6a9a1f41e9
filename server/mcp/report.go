package mcp

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/sandboxd/sandboxd/host"
)

// pending bounds the console lines that wait to be sent; more are not sent on the way,
// and are in the answer all the same.
const pending = 256

// report tells a client how a call goes on: console lines as log messages and, if it gave
// a token for it, as progress in seconds.
type report struct {
	lines chan host.LogLine
	done  chan struct{}
}

// report begins to tell of a call; whoever gets it ends it.
func (s *Server) report(ctx context.Context, req *sdk.CallToolRequest) *report {
	r := &report{lines: make(chan host.LogLine, pending), done: make(chan struct{})}
	go r.send(ctx, req, s.Progress)
	return r
}

// line takes a console line; it never waits.
func (r *report) line(l host.LogLine) {
	select {
	case r.lines <- l:
	default:
	}
}

// end sends what is left, and waits for it: nothing may follow the answer.
func (r *report) end() {
	close(r.lines)
	<-r.done
}

// send is the report's goroutine. Whoever cannot be told is not told; the call goes on.
func (r *report) send(ctx context.Context, req *sdk.CallToolRequest, beat time.Duration) {
	defer close(r.done)
	began := time.Now()
	ticker := time.NewTicker(beat)
	defer ticker.Stop()
	token := req.Params.GetProgressToken()
	last := 0.0
	progress := func(message string) {
		if token == nil {
			return
		}
		// It must rise with every message.
		last = max(last+0.001, time.Since(began).Seconds())
		_ = req.Session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{ProgressToken: token, Progress: last, Message: message})
	}
	for {
		select {
		case line, more := <-r.lines:
			if !more {
				return
			}
			_ = req.Session.Log(ctx, &sdk.LoggingMessageParams{Level: logLevel(line.Level), Logger: "script", Data: line.Text})
			progress(line.Text)
		case <-ticker.C:
			progress("")
		}
	}
}

// logLevel is a console's level in the terms of RFC 5424.
func logLevel(level string) sdk.LoggingLevel {
	switch level {
	case "debug", "error":
		return sdk.LoggingLevel(level)
	case "warn":
		return "warning"
	}
	return "info"
}

// levels are those of the protocol.
var levels = []sdk.LoggingLevel{"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"}

// knownLevels refuses to set another level, which the SDK would take for info.
func knownLevels(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
		if params, ok := req.GetParams().(*sdk.SetLoggingLevelParams); ok && params != nil && !slices.Contains(levels, params.Level) {
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: fmt.Sprintf("level: expected one of %v, got %.100q", levels, string(params.Level))}
		}
		return next(ctx, method, req)
	}
}
