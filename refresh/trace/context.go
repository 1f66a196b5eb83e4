package trace

import (
	"context"
	"log/slog"
	"net/http"

	"go.opentelemetry.io/otel/propagation"
	oteltrace "go.opentelemetry.io/otel/trace"
)

// The headers of W3C Trace Context.
const (
	parentHeader = "Traceparent"
	stateHeader  = "Tracestate"
)

// maxState is how long a tracestate may be to be passed on: what the standard asks for, and no more of what a client makes up.
const maxState = 512

// Receive returns ctx as part of the trace that the headers of a request name. Headers that name none, or not as the standard says, change
// nothing.
func Receive(ctx context.Context, h http.Header) context.Context {
	parent := h[parentHeader]
	if len(parent) != 1 {
		return ctx
	}
	sent := propagation.MapCarrier{"traceparent": parent[0]}
	if state := h[stateHeader]; len(state) == 1 && len(state[0]) <= maxState {
		sent["tracestate"] = state[0]
	}
	return propagation.TraceContext{}.Extract(ctx, sent)
}

// Send sets the headers that make a request part of the trace of ctx, if there is one.
func Send(ctx context.Context, h http.Header) {
	propagation.TraceContext{}.Inject(ctx, propagation.HeaderCarrier(h))
}

// Parent returns the trace of ctx as text, for Resume; empty without one.
func Parent(ctx context.Context) string {
	if !oteltrace.SpanContextFromContext(ctx).IsValid() {
		return ""
	}
	sent := propagation.MapCarrier{}
	propagation.TraceContext{}.Inject(ctx, sent)
	return sent["traceparent"]
}

// Resume returns ctx as part of the trace that parent names; ctx itself if parent is empty.
func Resume(ctx context.Context, parent string) context.Context {
	if parent == "" {
		return ctx
	}
	return propagation.TraceContext{}.Extract(ctx, propagation.MapCarrier{"traceparent": parent})
}

// LogHandler returns a handler that adds the id of the trace, if there is one, to what is logged with a context.
func LogHandler(next slog.Handler) slog.Handler { return logHandler{next} }

type logHandler struct{ slog.Handler }

func (h logHandler) Handle(ctx context.Context, r slog.Record) error {
	if at := oteltrace.SpanContextFromContext(ctx); at.HasTraceID() {
		r = r.Clone()
		r.AddAttrs(slog.String("trace_id", at.TraceID().String()))
	}
	return h.Handler.Handle(ctx, r)
}

func (h logHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return logHandler{h.Handler.WithAttrs(attrs)}
}

func (h logHandler) WithGroup(name string) slog.Handler { return logHandler{h.Handler.WithGroup(name)} }
