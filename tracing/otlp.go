package tracing

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	sdk "go.opentelemetry.io/otel/sdk/trace"
)

// exporter sends spans as OTLP 1.0 over HTTP, encoded as JSON.
type exporter struct {
	config config
	client *http.Client
}

var _ sdk.SpanExporter = (*exporter)(nil)

func newExporter(c config) *exporter {
	return &exporter{c, &http.Client{Timeout: c.timeout}}
}

// Shutdown implements sdk.SpanExporter.
func (e *exporter) Shutdown(context.Context) error {
	e.client.CloseIdleConnections()
	return nil
}

// attempts is how often a batch is sent to a collector that asks for patience.
const attempts = 4

// ExportSpans implements sdk.SpanExporter.
func (e *exporter) ExportSpans(ctx context.Context, spans []sdk.ReadOnlySpan) error {
	if len(spans) == 0 {
		return nil
	}
	body, err := json.Marshal(requestOf(spans))
	if err != nil {
		return err
	}
	wait := time.Second
	for attempt := 1; ; attempt++ {
		again, err := e.send(ctx, body, &wait)
		if err == nil || !again || attempt == attempts {
			return err
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return err
		}
		wait *= 2
	}
}

// send makes one attempt; again says that another one may help, after wait.
func (e *exporter) send(ctx context.Context, body []byte, wait *time.Duration) (again bool, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, e.config.url, bytes.NewReader(body))
	if err != nil {
		return false, err
	}
	req.Header.Set("Content-Type", "application/json")
	for name, value := range e.config.headers {
		req.Header.Set(name, value)
	}
	res, err := e.client.Do(req)
	if err != nil {
		return ctx.Err() == nil, fmt.Errorf("send traces: %w", err)
	}
	defer res.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(res.Body, 64<<10)) // so that the connection can be used again
	switch res.StatusCode {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		if s, err := strconv.Atoi(res.Header.Get("Retry-After")); err == nil && s > 0 {
			*wait = min(time.Duration(s)*time.Second, 30*time.Second)
		}
		return true, fmt.Errorf("send traces: the collector answered %s", res.Status)
	}
	if res.StatusCode >= 300 {
		return false, fmt.Errorf("send traces: the collector answered %s", res.Status)
	}
	return false, nil
}

// The messages of OTLP, as its JSON mapping has them: ids in hex, 64-bit numbers as texts.
type (
	request struct {
		ResourceSpans []resourceSpans `json:"resourceSpans"`
	}
	resourceSpans struct {
		Resource   resourceOf   `json:"resource"`
		ScopeSpans []scopeSpans `json:"scopeSpans"`
	}
	resourceOf struct {
		Attributes []keyValue `json:"attributes"`
	}
	scopeSpans struct {
		Scope scope  `json:"scope"`
		Spans []span `json:"spans"`
	}
	scope struct {
		Name    string `json:"name"`
		Version string `json:"version,omitempty"`
	}
	span struct {
		TraceID      string      `json:"traceId"`
		SpanID       string      `json:"spanId"`
		ParentSpanID string      `json:"parentSpanId,omitempty"`
		TraceState   string      `json:"traceState,omitempty"`
		Name         string      `json:"name"`
		Kind         int         `json:"kind"`
		Start        string      `json:"startTimeUnixNano"`
		End          string      `json:"endTimeUnixNano"`
		Attributes   []keyValue  `json:"attributes,omitempty"`
		Events       []spanEvent `json:"events,omitempty"`
		Status       status      `json:"status"`
	}
	spanEvent struct {
		Time       string     `json:"timeUnixNano"`
		Name       string     `json:"name"`
		Attributes []keyValue `json:"attributes,omitempty"`
	}
	status struct {
		Code    int    `json:"code,omitempty"`
		Message string `json:"message,omitempty"`
	}
	keyValue struct {
		Key   string `json:"key"`
		Value value  `json:"value"`
	}
	value struct {
		String *string  `json:"stringValue,omitempty"`
		Bool   *bool    `json:"boolValue,omitempty"`
		Int    *string  `json:"intValue,omitempty"`
		Double *float64 `json:"doubleValue,omitempty"`
	}
)

// requestOf groups spans by what made them. All of them are of one process, hence of one
// resource.
func requestOf(spans []sdk.ReadOnlySpan) request {
	of := resourceSpans{Resource: resourceOf{attributes(spans[0].Resource().Attributes())}}
	place := map[string]int{}
	for _, s := range spans {
		by := s.InstrumentationScope()
		at, known := place[by.Name]
		if !known {
			at = len(of.ScopeSpans)
			place[by.Name] = at
			of.ScopeSpans = append(of.ScopeSpans, scopeSpans{Scope: scope{by.Name, by.Version}})
		}
		of.ScopeSpans[at].Spans = append(of.ScopeSpans[at].Spans, spanOf(s))
	}
	return request{[]resourceSpans{of}}
}

func spanOf(s sdk.ReadOnlySpan) span {
	out := span{TraceID: s.SpanContext().TraceID().String(), SpanID: s.SpanContext().SpanID().String(), TraceState: s.SpanContext().TraceState().String(),
		Name: s.Name(), Kind: int(s.SpanKind()), Start: nanoseconds(s.StartTime()), End: nanoseconds(s.EndTime()), Attributes: attributes(s.Attributes())}
	if s.Parent().SpanID().IsValid() {
		out.ParentSpanID = s.Parent().SpanID().String()
	}
	for _, e := range s.Events() {
		out.Events = append(out.Events, spanEvent{nanoseconds(e.Time), e.Name, attributes(e.Attributes)})
	}
	switch s.Status().Code { // numbered the other way round
	case codes.Ok:
		out.Status.Code = 1
	case codes.Error:
		out.Status = status{2, s.Status().Description}
	}
	return out
}

func nanoseconds(t time.Time) string { return strconv.FormatInt(t.UnixNano(), 10) }

// attributes leaves lists as the text that the SDK makes of them.
func attributes(list []attribute.KeyValue) []keyValue {
	out := make([]keyValue, 0, len(list))
	for _, kv := range list {
		var v value
		switch kv.Value.Type() {
		case attribute.BOOL:
			b := kv.Value.AsBool()
			v.Bool = &b
		case attribute.INT64:
			n := strconv.FormatInt(kv.Value.AsInt64(), 10)
			v.Int = &n
		case attribute.FLOAT64:
			f := kv.Value.AsFloat64()
			v.Double = &f
		default:
			text := kv.Value.Emit()
			v.String = &text
		}
		out = append(out, keyValue{string(kv.Key), v})
	}
	return out
}
