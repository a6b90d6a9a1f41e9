package mcp

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"log/slog"
	"strings"

	"github.com/sandboxd/sandboxd/access"
	"github.com/sandboxd/sandboxd/audit"
)

// Serve serves one client over a pair of streams, such as standard input and output, until
// the client closes its side or ctx ends. Only messages go to out.
func (s *Server) Serve(ctx context.Context, in io.ReadCloser, out io.WriteCloser, who access.Caller, workspace string) error {
	ctx, cancel := context.WithCancel(withClient(ctx, client{Caller: who, workspace: workspace,
		session: "mcp-" + strings.ToLower(rand.Text()[:10]), origin: audit.Origin{Via: audit.MCP}}))
	defer cancel()
	c := s.newConn(who, s.Tools, "")
	changes, err := s.changes(ctx)
	if err != nil {
		return err
	}
	c.follow(ctx, changes, cancel)
	err = c.sdk.Run(ctx, &lines{in: in, out: out, max: int(s.Body)})
	if errors.Is(err, context.Canceled) || errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// quieter lets through what an operator should know of what the SDK logs; it tells every
// connection and every notification at the level of information.
func quieter(log *slog.Logger) *slog.Logger {
	return slog.New(leastWarn{log.Handler()})
}

type leastWarn struct{ slog.Handler }

func (h leastWarn) Enabled(ctx context.Context, level slog.Level) bool {
	return level >= slog.LevelWarn && h.Handler.Enabled(ctx, level)
}

func (h leastWarn) WithAttrs(attrs []slog.Attr) slog.Handler {
	return leastWarn{h.Handler.WithAttrs(attrs)}
}
func (h leastWarn) WithGroup(name string) slog.Handler { return leastWarn{h.Handler.WithGroup(name)} }
