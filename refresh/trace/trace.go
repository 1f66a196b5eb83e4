package trace

import (
	"context"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	oteltrace "go.opentelemetry.io/otel/trace"
)

// scope names the part of a program that makes spans, as OpenTelemetry wants it.
const scope = "mooring"

// Span is a step while it is timed. The zero Span times nothing.
type Span struct{ span oteltrace.Span }

// Start begins a step within the one that ctx is in, if that is traced. The caller ends it.
func Start(ctx context.Context, name string) (context.Context, Span) {
	return start(ctx, name)
}

// Since begins a step that went on since a time already.
func Since(ctx context.Context, name string, since time.Time) Span {
	_, span := start(ctx, name, oteltrace.WithTimestamp(since))
	return span
}

func start(ctx context.Context, name string, options ...oteltrace.SpanStartOption) (context.Context, Span) {
	parent := oteltrace.SpanFromContext(ctx)
	if !parent.IsRecording() {
		return ctx, Span{}
	}
	ctx, span := parent.TracerProvider().Tracer(scope).Start(ctx, name, options...)
	return ctx, Span{span}
}

// Link notes in the step of ctx that a step of another trace did its work; nothing if they are of one trace.
func Link(ctx, other context.Context) {
	span, linked := oteltrace.SpanFromContext(ctx), oteltrace.SpanContextFromContext(other)
	if span.IsRecording() && linked.IsValid() && span.SpanContext().TraceID() != linked.TraceID() {
		span.AddLink(oteltrace.Link{SpanContext: linked})
	}
}

// On reports whether the step is timed.
func (s Span) On() bool { return s.span != nil }

// Text says something of the step.
func (s Span) Text(key, value string) {
	if s.span != nil && value != "" {
		s.span.SetAttributes(attribute.String(key, value))
	}
}

// Count says how many there were of something, or which number it has.
func (s Span) Count(key string, n int64) {
	if s.span != nil {
		s.span.SetAttributes(attribute.Int64(key, n))
	}
}

// Fail says that the step failed with an error of that class. What an error says may hold what is in cells.
func (s Span) Fail(class string) {
	if s.span != nil {
		s.span.SetStatus(codes.Error, class)
		s.span.SetAttributes(attribute.String("error.type", class))
	}
}

// End ends the step.
func (s Span) End() {
	if s.span != nil {
		s.span.End()
	}
}
