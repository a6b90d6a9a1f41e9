package main

import (
	"context"
	"log/slog"

	"github.com/sandboxd/sandboxd/audit"
)

// withRequest adds to each line the id of the request that it belongs to.
type withRequest struct{ slog.Handler }

// Handle implements slog.Handler.
func (h withRequest) Handle(ctx context.Context, r slog.Record) error {
	if id := audit.From(ctx).RequestID; id != "" {
		r.AddAttrs(slog.String("request", id))
	}
	return h.Handler.Handle(ctx, r)
}

// WithAttrs implements slog.Handler.
func (h withRequest) WithAttrs(attrs []slog.Attr) slog.Handler {
	return withRequest{h.Handler.WithAttrs(attrs)}
}

// WithGroup implements slog.Handler.
func (h withRequest) WithGroup(name string) slog.Handler {
	return withRequest{h.Handler.WithGroup(name)}
}
