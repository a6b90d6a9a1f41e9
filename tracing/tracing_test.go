package tracing

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"
)

// collector takes traces; before that it answers the statuses that it is given.
type collector struct {
	*httptest.Server
	mu       sync.Mutex
	statuses []int
	got      []string
	header   http.Header
	path     string
}

func newCollector(t *testing.T, statuses ...int) *collector {
	c := &collector{statuses: statuses}
	c.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		c.mu.Lock()
		defer c.mu.Unlock()
		c.header, c.path = r.Header, r.URL.Path
		if len(c.statuses) > 0 {
			w.WriteHeader(c.statuses[0])
			c.statuses = c.statuses[1:]
			return
		}
		c.got = append(c.got, string(body))
		w.Write([]byte("{}"))
	}))
	t.Cleanup(c.Close)
	return c
}

func TestSpansReachTheCollector(t *testing.T) {
	c := newCollector(t)
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", c.URL)
	t.Setenv("OTEL_EXPORTER_OTLP_HEADERS", "authorization=Bearer%20x, tenant=a")
	t.Setenv("OTEL_RESOURCE_ATTRIBUTES", "deployment.environment.name=test")
	provider, stop, err := Start(t.Context(), "1.2.3")
	if err != nil {
		t.Fatal(err)
	}
	tracer := provider.Tracer("here")
	ctx, outer := tracer.Start(t.Context(), "outer", trace.WithSpanKind(trace.SpanKindServer), trace.WithAttributes(
		attribute.String("text", "a \"b\""), attribute.Int("number", 1<<60), attribute.Bool("flag", true), attribute.Float64("part", .5), attribute.StringSlice("list", []string{"x", "y"})))
	_, inner := tracer.Start(ctx, "inner")
	inner.AddEvent("happened", trace.WithAttributes(attribute.Int("n", 1)))
	inner.SetStatus(codes.Error, "it broke")
	inner.End()
	outer.SetStatus(codes.Ok, "")
	outer.End()
	if err := stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	if len(c.got) != 1 || c.path != "/v1/traces" || c.header.Get("Authorization") != "Bearer x" || c.header.Get("Tenant") != "a" ||
		c.header.Get("Content-Type") != "application/json" {
		t.Fatalf("the collector got %q at %s with %v", c.got, c.path, c.header)
	}
	var r request
	if err := json.Unmarshal([]byte(c.got[0]), &r); err != nil {
		t.Fatal(err)
	}
	about := ""
	for _, kv := range r.ResourceSpans[0].Resource.Attributes {
		if kv.Value.String != nil {
			about += kv.Key + "=" + *kv.Value.String + " "
		}
	}
	for _, want := range []string{"service.name=sandboxd ", "service.version=1.2.3 ", "deployment.environment.name=test "} {
		if !strings.Contains(about, want) {
			t.Errorf("the resource is %s", about)
		}
	}
	spans := r.ResourceSpans[0].ScopeSpans[0].Spans
	if len(spans) != 2 || spans[0].Name != "inner" || spans[1].Name != "outer" {
		t.Fatalf("the spans are %+v", spans)
	}
	in, out := spans[0], spans[1]
	if in.ParentSpanID != out.SpanID || in.TraceID != out.TraceID || len(out.TraceID) != 32 || len(out.SpanID) != 16 || out.ParentSpanID != "" {
		t.Errorf("inner is %+v, outer %+v", in, out)
	}
	if in.Status != (status{2, "it broke"}) || out.Status != (status{1, ""}) || in.Kind != 1 || out.Kind != 2 || len(in.Events) != 1 || in.Start == "" || in.End < in.Start {
		t.Errorf("inner is %+v, outer %+v", in, out)
	}
	text, _ := json.Marshal(out.Attributes)
	if want := `[{"key":"text","value":{"stringValue":"a \"b\""}},{"key":"number","value":{"intValue":"1152921504606846976"}},{"key":"flag","value":{"boolValue":true}},` +
		`{"key":"part","value":{"doubleValue":0.5}},{"key":"list","value":{"stringValue":"[\"x\",\"y\"]"}}]`; string(text) != want {
		t.Errorf("the attributes are\n%s\nwant\n%s", text, want)
	}
}

func TestACollectorThatAsksForPatience(t *testing.T) {
	c := newCollector(t, http.StatusServiceUnavailable)
	t.Setenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", c.URL+"/here")
	provider, stop, err := Start(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	_, s := provider.Tracer("x").Start(t.Context(), "s")
	s.End()
	if err := stop(t.Context()); err != nil || len(c.got) != 1 || c.path != "/here" {
		t.Errorf("%v; the collector got %q at %s", err, c.got, c.path)
	}
}

// traced sends one span to a collector and gives what stop answers, which may wait as long as ctx.
func traced(t *testing.T, ctx context.Context, url string) error {
	t.Helper()
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", url)
	provider, stop, err := Start(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	_, s := provider.Tracer("x").Start(t.Context(), "s")
	s.End()
	return stop(ctx)
}

// What a collector refuses is not sent again.
func TestACollectorThatRefuses(t *testing.T) {
	c := newCollector(t, http.StatusBadRequest)
	_ = traced(t, t.Context(), c.URL)
	if len(c.got) != 0 || len(c.statuses) != 0 {
		t.Errorf("it was not asked once: %q, and %v are left", c.got, c.statuses)
	}
}

// A collector that is not there does not hold up the stop.
func TestACollectorThatIsNotThere(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	if err := traced(t, ctx, "http://127.0.0.1:1"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
}

func TestTheEnvironment(t *testing.T) {
	env := func(pairs ...string) func(string) string {
		return func(name string) string {
			for i := 0; i < len(pairs); i += 2 {
				if pairs[i] == name {
					return pairs[i+1]
				}
			}
			return ""
		}
	}
	const endpoint = "OTEL_EXPORTER_OTLP_ENDPOINT"
	for _, off := range [][]string{{}, {endpoint, "http://c:4318", "OTEL_SDK_DISABLED", "true"}, {endpoint, "http://c:4318", "OTEL_TRACES_EXPORTER", "none"}} {
		if c, err := fromEnvironment(env(off...)); c != nil || err != nil {
			t.Errorf("%v: %+v, %v", off, c, err)
		}
	}
	c, err := fromEnvironment(env(endpoint, "http://c:4318/base/", "OTEL_EXPORTER_OTLP_TIMEOUT", "500", "OTEL_EXPORTER_OTLP_PROTOCOL", "http/protobuf"))
	if err != nil || c.url != "http://c:4318/base/v1/traces" || c.timeout != 500*time.Millisecond {
		t.Errorf("%+v, %v", c, err)
	}
	for _, wrong := range [][]string{{endpoint, "c:4318"}, {endpoint, "grpc://c"}, {endpoint, "http://c", "OTEL_EXPORTER_OTLP_PROTOCOL", "grpc"},
		{endpoint, "http://c", "OTEL_EXPORTER_OTLP_HEADERS", "secret"}, {endpoint, "http://c", "OTEL_EXPORTER_OTLP_TIMEOUT", "soon"},
		{endpoint, "http://c", "OTEL_TRACES_EXPORTER", "zipkin"}} {
		c, err := fromEnvironment(env(wrong...))
		if err == nil || !strings.Contains(err.Error(), "OTEL_") || strings.Contains(err.Error(), "secret") {
			t.Errorf("%v: %+v, %v", wrong, c, err)
		}
	}
}
