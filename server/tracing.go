package server

import (
	"net/http"
	"strings"

	"go.opentelemetry.io/otel/attribute"
	otel "go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"github.com/sandboxd/sandboxd/audit"
)

// traced makes a span of each request, with the names of OpenTelemetry's conventions for
// HTTP. Without a provider it is not there at all.
func (s *server) traced(next http.Handler) http.Handler {
	if s.Tracing == nil {
		return next
	}
	tracer := s.Tracing.Tracer("github.com/sandboxd/sandboxd/server")
	parent := propagation.TraceContext{}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if probe(r.URL.Path) {
			next.ServeHTTP(w, r)
			return
		}
		origin := audit.From(r.Context())
		ctx, span := tracer.Start(parent.Extract(r.Context(), propagation.HeaderCarrier(r.Header)), r.Method, trace.WithSpanKind(trace.SpanKindServer),
			trace.WithAttributes(attribute.String("http.request.method", r.Method), attribute.String("url.path", pathOf(r)),
				attribute.String("client.address", origin.Address), attribute.String("sandboxd.request_id", origin.RequestID)))
		defer span.End()
		seen := &observed{ResponseWriter: w}
		next.ServeHTTP(seen, r.WithContext(ctx))
		status := max(seen.status, http.StatusOK)
		span.SetAttributes(attribute.Int("http.response.status_code", status))
		if status >= http.StatusInternalServerError {
			span.SetStatus(otel.Error, "")
		}
	})
}

// named gives the span of a request the route that serves it.
func named(r *http.Request, route string) {
	if span := trace.SpanFromContext(r.Context()); span.IsRecording() {
		span.SetName(route)
		_, path, ok := strings.Cut(route, " ")
		if !ok {
			path = route // of any method
		}
		span.SetAttributes(attribute.String("http.route", path))
	}
}
