package server_test

import (
	"strings"
	"testing"

	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/sandboxd/sandboxd"
	"github.com/sandboxd/sandboxd/server"
)

// A request is a span below the client's own, with its route's name, and its run is below it.
func TestRequestsAreTraced(t *testing.T) {
	recorder := tracetest.NewSpanRecorder()
	provider := sdk.NewTracerProvider(sdk.WithSpanProcessor(recorder))
	l := newLabOf(t, sandboxd.Config{Tracing: provider}, server.Config{Tracing: provider})
	const client = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
	l.wantStatus(l.do("POST", "/api/tools/file_list", strings.NewReader("{}"), "Content-Type", "application/json", "Traceparent", client), 200)
	l.wantStatus(l.get("/healthz"), 200)
	l.wantStatus(l.get("/api/nowhere"), 404)
	told := map[string]sdk.ReadOnlySpan{}
	for _, s := range recorder.Ended() {
		told[s.Name()] = s
	}
	request, run := told["POST /api/tools/{tool}"], told["tool file_list"]
	if request == nil || run == nil {
		t.Fatalf("the spans are %v", told)
	}
	if request.Parent().SpanID().String() != "b7ad6b7169203331" || request.SpanContext().TraceID().String() != "0af7651916cd43dd8448eb211c80319c" ||
		run.Parent().SpanID() != request.SpanContext().SpanID() {
		t.Errorf("the request is below %v, the run below %v", request.Parent(), run.Parent())
	}
	attributes := map[string]string{}
	for _, a := range request.Attributes() {
		attributes[string(a.Key)] = a.Value.Emit()
	}
	if attributes["http.route"] != "/api/tools/{tool}" || attributes["http.response.status_code"] != "200" || attributes["url.path"] != "/api/tools/file_list" ||
		attributes["sandboxd.request_id"] == "" {
		t.Errorf("the attributes are %v", attributes)
	}
	if told["GET"] == nil || len(told) > 8 {
		t.Errorf("the spans are %v", told)
	}
}
