package trace

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"strings"
	"sync"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	oteltrace "go.opentelemetry.io/otel/trace"
)

// Config says where spans go to.
type Config struct {
	Endpoint string // the collector's URL; without a path, /v1/traces is its path. Empty: nothing is traced
	Version  string // of the program
	Log      *slog.Logger
}

// The bounds of an export. Spans beyond what waits, 2,048, are dropped: no step ever waits for the collector.
const (
	sendTimeout = 10 * time.Second
	retryFirst  = time.Second
	retryMost   = 5 * time.Second
	retryFor    = 20 * time.Second
	flushLimit  = 3 * time.Second // of a process that ends
	tellEvery   = 5 * time.Minute // that a collector does not answer
)

// Tracer begins the first step of requests and runs. A nil *Tracer traces nothing.
type Tracer struct {
	provider *sdk.TracerProvider
	tracer   oteltrace.Tracer
}

// New returns a tracer, nil for a Config without an endpoint. The standard variables OTEL_EXPORTER_OTLP_HEADERS, OTEL_RESOURCE_ATTRIBUTES
// and OTEL_TRACES_SAMPLER hold for what Config does not say.
func New(ctx context.Context, c Config) (*Tracer, error) {
	if c.Endpoint == "" {
		return nil, nil
	}
	address, err := ParseEndpoint(c.Endpoint)
	if err != nil {
		return nil, fmt.Errorf("traces: %w", err)
	}
	out, err := otlptracehttp.New(ctx,
		otlptracehttp.WithEndpointURL(address), otlptracehttp.WithTimeout(sendTimeout),
		otlptracehttp.WithCompression(otlptracehttp.GzipCompression),
		otlptracehttp.WithRetry(otlptracehttp.RetryConfig{
			Enabled: true, InitialInterval: retryFirst, MaxInterval: retryMost, MaxElapsedTime: retryFor,
		}),
	)
	if err != nil {
		return nil, fmt.Errorf("traces: %w", err)
	}
	about, err := resource.New(ctx, resource.WithHost(), resource.WithAttributes(
		attribute.String("service.name", "mooring"), attribute.String("service.version", c.Version),
	), resource.WithFromEnv())
	if err != nil {
		return nil, fmt.Errorf("traces: %w", err)
	}
	provider := sdk.NewTracerProvider(sdk.WithBatcher(&exporter{SpanExporter: out, log: c.Log}), sdk.WithResource(about))
	return &Tracer{provider: provider, tracer: provider.Tracer(scope)}, nil
}

// ParseEndpoint returns the whole address of a collector.
func ParseEndpoint(endpoint string) (string, error) {
	u, err := url.Parse(endpoint)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return "", errors.New("endpoint: expected the address of an OTLP collector, such as http://localhost:4318")
	}
	if strings.Trim(u.Path, "/") == "" {
		u.Path = "/v1/traces"
	}
	return u.String(), nil
}

// Close sends what has not been sent, for a short time.
func (t *Tracer) Close() {
	if t == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), flushLimit)
	defer cancel()
	_ = t.provider.Shutdown(ctx) // the exporter logs what it could not send
}

// Receive begins the span of a request that was received.
func (t *Tracer) Receive(ctx context.Context, name string) (context.Context, Span) {
	return t.first(ctx, name, oteltrace.WithSpanKind(oteltrace.SpanKindServer))
}

// Work begins the span of work that went on since a time already: part of the trace of ctx, if it has one, else of a new one.
func (t *Tracer) Work(ctx context.Context, name string, since time.Time) (context.Context, Span) {
	return t.first(ctx, name, oteltrace.WithSpanKind(oteltrace.SpanKindConsumer), oteltrace.WithTimestamp(since))
}

func (t *Tracer) first(ctx context.Context, name string, options ...oteltrace.SpanStartOption) (context.Context, Span) {
	if t == nil {
		return ctx, Span{}
	}
	ctx, span := t.tracer.Start(ctx, name, options...)
	return ctx, Span{span}
}

// Transaction begins the span of a transaction of the storage, if ctx is in a step that is traced; end ends it.
func (t *Tracer) Transaction(ctx context.Context) (end func(error)) {
	_, span := Start(ctx, "transaction")
	return func(err error) {
		if err != nil {
			span.Fail("transaction")
		}
		span.End()
	}
}

// exporter logs once in a while that spans cannot be sent. OpenTelemetry would write each failure to a log of its own.
type exporter struct {
	sdk.SpanExporter
	log *slog.Logger

	mu   sync.Mutex
	told time.Time
	lost int // spans since then
}

// ExportSpans never fails: what could not be sent is lost.
func (e *exporter) ExportSpans(ctx context.Context, spans []sdk.ReadOnlySpan) error {
	err := e.SpanExporter.ExportSpans(ctx, spans)
	if err == nil {
		return nil
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.lost += len(spans)
	if time.Since(e.told) < tellEvery {
		return nil
	}
	e.log.WarnContext(context.WithoutCancel(ctx), "traces not sent", "spans", e.lost, "error", shortened(err))
	e.told, e.lost = time.Now(), 0
	return nil
}

// shortened is what an error says, without all of a page that a proxy may have answered with.
func shortened(err error) string {
	const most = 300
	text := err.Error()
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "…"
	}
	return text
}
