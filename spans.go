package sandboxd

import (
	"context"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"github.com/sandboxd/sandboxd/problem"
	"github.com/sandboxd/sandboxd/workspace"
)

// span is a run in a trace; nil, which does nothing, where there is no tracing.
type span struct {
	tracer trace.Tracer
	span   trace.Span
	ctx    context.Context
}

// trace begins the span of a run.
func (h *Host) trace(ctx context.Context, start workspace.Start) (context.Context, *span) {
	if h.tracer == nil {
		return ctx, nil
	}
	name := start.Kind
	if start.Tool != "" {
		name += " " + start.Tool
	}
	ctx, s := h.tracer.Start(ctx, name, trace.WithAttributes(attribute.String("sandboxd.workspace", start.Workspace),
		attribute.String("sandboxd.kind", start.Kind), attribute.String("sandboxd.name", start.Name), attribute.String("sandboxd.session", start.SessionID)))
	return ctx, &span{h.tracer, s, ctx}
}

// part is something within the run that took this time.
func (s *span) part(name string, from, to time.Time) {
	if s == nil || !to.After(from) {
		return
	}
	_, part := s.tracer.Start(s.ctx, name, trace.WithTimestamp(from))
	part.End(trace.WithTimestamp(to))
}

// end ends the span with what became of the run, which has an id unless it could not begin.
func (s *span) end(runID string, p *problem.Error) {
	if s == nil {
		return
	}
	if runID != "" {
		s.span.SetAttributes(attribute.String("sandboxd.run_id", runID))
	}
	if p != nil {
		s.span.SetAttributes(attribute.String("error.type", string(p.Code)))
		s.span.SetStatus(codes.Error, p.Message)
	}
	s.span.End()
}
