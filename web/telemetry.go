package web

import (
	"cmp"
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

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
func routeMethod(c *gin.Context) string {
	if c.FullPath() == "" {
		return "_OTHER"
	}
	return c.Request.Method
}

// timed begins a step of the request's trace; what is called until end is part of it.
func timed(c *gin.Context, name string) (end func()) {
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

// probes are the routes by which others watch the service: they are answered while it drains, logged for debugging only, and not traced.
var probes = []string{"/healthz", "/readyz", metricsPath, profilesPath}

// probing reports whether the request is one of a watcher.
func probing(c *gin.Context) bool { return slices.Contains(probes, c.FullPath()) }

// finish writes the access log and the metrics.
func (s *Server) finish(c *gin.Context, r *request) {
	took, status := time.Since(r.started), r.counted(c)
	s.metrics.Observe(c.Request.Method, c.FullPath(), status, took)
	r.endTrace(c)
	level, ctx := s.logLevel(c), c.Request.Context()
	if !s.log.Enabled(ctx, level) {
		return
	}
	attrs := []slog.Attr{
		slog.String("request", r.ID),
		slog.String("method", shortened(c.Request.Method, maxLoggedMethod)),
		slog.String("route", c.FullPath()),
		slog.String("path", shortened(c.Request.URL.Path, maxLoggedPath)),
		slog.Int("status", status),
		slog.Int("bytes", max(c.Writer.Size(), 0)),
		slog.Float64("durationMs", float64(took.Microseconds())/1000),
		slog.String("client", c.ClientIP()),
	}
	if r.Caller != nil {
		attrs = append(attrs, slog.String("tenant", r.Caller.Tenant), slog.Int64("uid", r.Caller.ID))
	}
	if r.err != nil {
		attrs = append(attrs, slog.String("error", shortened(logged(r.err), maxLoggedError)))
	}
	s.log.LogAttrs(ctx, level, "request", attrs...)
}

// statusGone is what nginx made customary for a request whose client has gone away before it was answered.
const statusGone = 499

// counted is the status under which a request is counted, logged and traced: that of the answer, or statusGone. That an answer could not be made for
// who does not wait for it is no fault of the service.
func (r *request) counted(c *gin.Context) int {
	if r.gone {
		return statusGone
	}
	return c.Writer.Status()
}

// logged is what the log says of an error. What concerns a query, or cells, may name them: the client is shown that, the log its code.
func logged(err error) string {
	f, ok := errors.AsType[*placements.Fault](err)
	if ok && (f.Class == placements.Structure || f.Class == placements.Conflict) {
		return string(asError(err).Code)
	}
	return err.Error()
}

// logLevel is that of the line about an answer. A probe that fails tells of its cause, unless that is the drain.
func (s *Server) logLevel(c *gin.Context) slog.Level {
	failed := current(c).counted(c) >= http.StatusInternalServerError
	switch {
	case current(c).refused:
		return slog.LevelInfo
	case probing(c) && failed && !s.flights.draining():
		return slog.LevelWarn
	case probing(c):
		return slog.LevelDebug
	case failed:
		return slog.LevelError
	}
	return slog.LevelInfo
}

// beginTrace makes the request part of the trace that it names, and times it as a step of that trace, or of a new one.
func (s *Server) beginTrace(c *gin.Context, r *request) {
	ctx := trace.Receive(c.Request.Context(), c.Request.Header)
	if s.tracer != nil {
		ctx, r.span = s.tracer.Receive(ctx, routeMethod(c)+" "+cmp.Or(c.FullPath(), "none"))
	}
	if ctx != c.Request.Context() {
		c.Request = c.Request.WithContext(ctx)
	}
}

// endTrace ends the step of the request. Paths hold ids of documents: a step has the route only.
func (r *request) endTrace(c *gin.Context) {
	if !r.span.On() {
		return
	}
	r.span.Text("http.request.method", routeMethod(c))
	r.span.Text("http.route", c.FullPath())
	r.span.Count("http.response.status_code", int64(r.counted(c)))
	r.span.Text("mooring.request", r.ID)
	if r.Caller != nil {
		r.span.Text("mooring.tenant", r.Caller.Tenant)
		r.span.Count("mooring.user", r.Caller.ID)
	}
	if r.Deployment != 0 {
		r.span.Count("mooring.deployment", r.Deployment)
	}
	if status := c.Writer.Status(); status >= http.StatusInternalServerError {
		r.span.Fail(strconv.Itoa(status))
	}
	r.span.End()
}
