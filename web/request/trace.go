package request

import (
	"cmp"
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"mooring/placements"
	"mooring/refresh/trace"
)

// How much of what a client sent goes into a line of the log, in bytes.
const (
	maxLoggedMethod = 32
	maxLoggedPath   = 1 << 10
	maxLoggedError  = 4 << 10
)

// shortened is s without what is beyond limit bytes.
func shortened(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	return strings.ToValidUTF8(s[:limit], "") + "…"
}

// routeMethod is the method of a request that a route takes; others are what a client makes up.
func routeMethod(c *Call) string {
	if c.gin.FullPath() == "" {
		return "_OTHER"
	}
	return c.Request.Method
}

// timed begins a step of the request's trace; what is called until end is part of it.
func timed(c *Call, name string) (end func()) {
	before := c.Request
	ctx, span := trace.Start(before.Context(), name)
	if !span.On() {
		return func() {}
	}
	c.Request = before.WithContext(ctx)
	return func() {
		span.End()
		c.Request = before
	}
}

// probing reports whether the request is one of a watcher.
func (f *Frame) probing(c *Call) bool { return slices.Contains(f.Probes, c.gin.FullPath()) }

// finish writes the access log and the metrics.
func (f *Frame) finish(c *Call) {
	took, status := time.Since(c.started), counted(c)
	f.Metrics.Observe(c.Request.Method, c.gin.FullPath(), status, took)
	endTrace(c)
	level, ctx := f.logLevel(c), c.Request.Context()
	if !f.Log.Enabled(ctx, level) {
		return
	}
	attrs := []slog.Attr{
		slog.String("request", c.ID),
		slog.String("method", shortened(c.Request.Method, maxLoggedMethod)),
		slog.String("route", c.gin.FullPath()),
		slog.String("path", shortened(c.Request.URL.Path, maxLoggedPath)),
		slog.Int("status", status),
		slog.Int("bytes", max(c.gin.Writer.Size(), 0)),
		slog.Float64("durationMs", float64(took.Microseconds())/1000),
		slog.String("client", c.Address()),
	}
	if c.Caller != nil {
		attrs = append(attrs, slog.String("tenant", c.Caller.Tenant), slog.Int64("uid", c.Caller.ID))
	}
	if c.err != nil {
		attrs = append(attrs, slog.String("error", shortened(logged(c.err), maxLoggedError)))
	}
	f.Log.LogAttrs(ctx, level, "request", attrs...)
}

// statusGone is what nginx made customary for a request whose client has gone away before it was answered.
const statusGone = 499

// counted is the status under which a request is counted, logged and traced: that of the answer, or statusGone. That an answer could not be made for
// who does not wait for it is no fault of the service.
func counted(c *Call) int {
	if c.gone {
		return statusGone
	}
	return c.gin.Writer.Status()
}

// logged is what the log says of an error. What concerns a query, or cells, may name them: the client is shown that, the log its code.
func logged(err error) string {
	f, ok := errors.AsType[*placements.Fault](err)
	if ok && (f.Class == placements.Structure || f.Class == placements.Conflict) {
		return string(AsError(err).Code)
	}
	return err.Error()
}

// logLevel is that of the line about an answer. A probe that fails tells of its cause, unless that is the drain.
func (f *Frame) logLevel(c *Call) slog.Level {
	failed := counted(c) >= http.StatusInternalServerError
	switch {
	case c.refused:
		return slog.LevelInfo
	case f.probing(c) && failed && !f.Flights.Draining():
		return slog.LevelWarn
	case f.probing(c):
		return slog.LevelDebug
	case failed:
		return slog.LevelError
	}
	return slog.LevelInfo
}

// beginTrace makes the request part of the trace that it names, and times it as a step of that trace, or of a new one.
func (f *Frame) beginTrace(c *Call) {
	ctx := trace.Receive(c.Request.Context(), c.Request.Header)
	if f.Tracer != nil {
		ctx, c.span = f.Tracer.Receive(ctx, routeMethod(c)+" "+cmp.Or(c.gin.FullPath(), "none"))
	}
	if ctx != c.Request.Context() {
		c.Request = c.Request.WithContext(ctx)
	}
}

// endTrace ends the step of the request. Paths hold ids of documents: a step has the route only.
func endTrace(c *Call) {
	if !c.span.On() {
		return
	}
	c.span.Text("http.request.method", routeMethod(c))
	c.span.Text("http.route", c.gin.FullPath())
	c.span.Count("http.response.status_code", int64(counted(c)))
	c.span.Text("mooring.request", c.ID)
	if c.Caller != nil {
		c.span.Text("mooring.tenant", c.Caller.Tenant)
		c.span.Count("mooring.user", c.Caller.ID)
	}
	if c.At.ID != 0 {
		c.span.Count("mooring.deployment", c.At.ID)
	}
	if status := c.gin.Writer.Status(); status >= http.StatusInternalServerError {
		c.span.Fail(strconv.Itoa(status))
	}
	c.span.End()
}
