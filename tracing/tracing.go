// Package tracing sends traces to an OpenTelemetry collector, if the environment names one.
//
// The variables are OpenTelemetry's own: OTEL_EXPORTER_OTLP_ENDPOINT (or
// OTEL_EXPORTER_OTLP_TRACES_ENDPOINT) turns it on, and OTEL_EXPORTER_OTLP_HEADERS,
// OTEL_EXPORTER_OTLP_TIMEOUT, OTEL_SERVICE_NAME, OTEL_RESOURCE_ATTRIBUTES,
// OTEL_TRACES_SAMPLER, OTEL_BSP_… and OTEL_SDK_DISABLED say the rest.
//
// The SDK is OpenTelemetry's. The exporter is this package's: it speaks OTLP over HTTP in
// JSON, which every collector takes at its port 4318. The official ones load protobuf and
// gRPC, which add 1.5 to 2 ms to the start of a program that had 1.6, and each worker is
// this program.
//
// Imports nothing of this module. Start reading at Start.
package tracing

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

// Start begins to send traces, if the environment says so; else the provider is nil, and
// so is the error. stop sends what waits.
func Start(ctx context.Context, version string) (provider trace.TracerProvider, stop func(context.Context) error, err error) {
	nothing := func(context.Context) error { return nil }
	config, err := fromEnvironment(os.Getenv)
	if err != nil || config == nil {
		return nil, nothing, err
	}
	about, err := resource.New(ctx, resource.WithAttributes(attribute.String("service.name", "sandboxd"), attribute.String("service.version", version)),
		resource.WithFromEnv(), resource.WithHost(), resource.WithTelemetrySDK())
	if err != nil {
		return nil, nothing, fmt.Errorf("OTEL_RESOURCE_ATTRIBUTES: %w", err)
	}
	p := sdk.NewTracerProvider(sdk.WithBatcher(newExporter(*config)), sdk.WithResource(about))
	return p, p.Shutdown, nil
}

// config is what the environment says of the exporter.
type config struct {
	url     string
	headers map[string]string
	timeout time.Duration // of one attempt
}

// fromEnvironment reads the variables; nil if there is nothing to do.
func fromEnvironment(get func(string) string) (*config, error) {
	// of gives a variable that the one for traces goes before.
	of := func(name string) (value, from string) {
		for _, from := range []string{"OTEL_EXPORTER_OTLP_TRACES_" + name, "OTEL_EXPORTER_OTLP_" + name} {
			if value := get(from); value != "" {
				return value, from
			}
		}
		return "", ""
	}
	endpoint, from := of("ENDPOINT")
	if endpoint == "" || strings.EqualFold(get("OTEL_SDK_DISABLED"), "true") || get("OTEL_TRACES_EXPORTER") == "none" {
		return nil, nil
	}
	if name := get("OTEL_TRACES_EXPORTER"); name != "" && name != "otlp" {
		return nil, fmt.Errorf("OTEL_TRACES_EXPORTER: expected otlp or none, got %q", name)
	}
	if protocol, from := of("PROTOCOL"); protocol != "" && protocol != "http/json" && protocol != "http/protobuf" {
		return nil, fmt.Errorf("%s: sandboxd speaks http/json, which collectors take at the port of http/protobuf (4318), not %q", from, protocol)
	}
	at, err := url.Parse(endpoint)
	if err != nil || at.Host == "" || at.Scheme != "http" && at.Scheme != "https" {
		return nil, fmt.Errorf("%s: expected an address such as http://localhost:4318, got %q", from, endpoint)
	}
	if from == "OTEL_EXPORTER_OTLP_ENDPOINT" {
		at = at.JoinPath("v1", "traces")
	}
	c := &config{url: at.String(), headers: map[string]string{}, timeout: 10 * time.Second}
	headers, from := of("HEADERS")
	for pair := range strings.SplitSeq(headers, ",") {
		if pair = strings.TrimSpace(pair); pair == "" {
			continue
		}
		name, value, ok := strings.Cut(pair, "=")
		text, err := url.PathUnescape(strings.TrimSpace(value))
		if !ok || err != nil {
			return nil, fmt.Errorf("%s: expected name=value pairs separated by commas", from) // without what may be a secret
		}
		c.headers[strings.TrimSpace(name)] = text
	}
	if timeout, from := of("TIMEOUT"); timeout != "" {
		ms, err := strconv.Atoi(timeout)
		if err != nil || ms <= 0 {
			return nil, fmt.Errorf("%s: expected milliseconds, got %q", from, timeout)
		}
		c.timeout = time.Duration(ms) * time.Millisecond
	}
	return c, nil
}
