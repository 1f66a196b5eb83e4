package request

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"net/http"
	neturl "net/url"
	"runtime/debug"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/gin-gonic/gin"

	"mooring/placements"
)

// Handler serves a table of routes. Paths are matched as sent, so that an id may hold an escaped slash.
func (f *Frame) Handler(table []Route) http.Handler {
	gin.SetMode(gin.ReleaseMode)
	router := gin.New()
	router.RemoteIPHeaders = []string{"X-Forwarded-For"}
	_ = router.SetTrustedProxies(f.Proxies) // the configuration has checked them
	router.HandleMethodNotAllowed = true
	router.RedirectTrailingSlash = false
	router.UseRawPath = true
	router.UnescapePathValues = true
	router.Use(f.begin, f.cors, f.refuse)
	for _, r := range table {
		router.Handle(r.Method, r.Path, f.adapt(r))
		if r.Method == http.MethodGet {
			router.Handle(http.MethodHead, r.Path, f.adapt(r)) // net/http sends no body
		}
	}
	router.NoRoute(f.answer(func(*Call) error { return NothingHere() }))
	router.NoMethod(f.answer(func(*Call) error {
		return placements.Errorf(placements.CodeMethod, "This path does not take that method; see the Allow header.")
	}))
	return router
}

// adapt makes a gin handler of a route: token, deployment, operation, and the answer to an error of any of them.
func (f *Frame) adapt(r Route) gin.HandlerFunc {
	return f.answer(func(c *Call) error {
		if r.Scope == Open {
			return f.perform(c, &r)
		}
		if err := f.identify(c); err != nil {
			return err
		}
		if err := f.limitRate(c); err != nil {
			return err
		}
		if err := f.checkURL(c, &r); err != nil {
			return err
		}
		if err := f.enter(c, r.Scope); err != nil {
			return err
		}
		defer drop(c)
		return f.guarded(c, &r, func(c *Call) error { return f.call(c, &r) })
	})
}

// identify is authenticate as a step of the request's trace.
func (f *Frame) identify(c *Call) error {
	defer timed(c, "authenticate")()
	return f.authenticate(c)
}

// call is once as a step of the request's trace.
func (f *Frame) call(c *Call, r *Route) error {
	defer timed(c, "call")()
	return f.once(c, r)
}

// perform does the operation of a route and sends its answer.
func (f *Frame) perform(c *Call, r *Route) error {
	ctx := c.Request.Context()
	loaded, err := r.begin(ctx, c)
	if err != nil {
		return err
	}
	out, err := r.do(ctx, c, loaded)
	return send(c, out, err)
}

// answer renders the error of a handler.
func (f *Frame) answer(handler func(*Call) error) gin.HandlerFunc {
	return func(g *gin.Context) {
		c := of(g)
		err := handler(c)
		if err == nil {
			return
		}
		c.err, c.gone = err, errors.Is(err, context.Canceled) && c.Request.Context().Err() != nil
		if !g.Writer.Written() {
			writeError(c, AsError(err))
		}
	}
}

// begin is the outermost middleware: it names the request, and the trace that it is part of, turns a panic into a 500, and logs and counts
// the answer.
func (f *Frame) begin(g *gin.Context) {
	c := &Call{ID: g.GetHeader("X-Request-Id"), Request: g.Request, gin: g, frame: f, started: time.Now()}
	if c.ID == "" || !sentID.MatchString(c.ID) {
		c.ID = rand.Text()
	}
	g.Set(callKey, c)
	c.Set("X-Request-Id", c.ID)
	keepToCaller(c)
	if !f.probing(c) {
		f.Flights.begin()
		defer func() {
			if !c.detached {
				f.Flights.End()
			}
		}()
		f.beginTrace(c)
	}
	defer f.finish(c)
	defer f.recoverPanic(c)
	g.Next()
}

// recoverPanic answers 500 to a request whose handler panicked. http.ErrAbortHandler is net/http's own way to cut a connection.
func (f *Frame) recoverPanic(c *Call) {
	p := recover()
	if p == nil {
		return
	}
	if p == http.ErrAbortHandler {
		panic(p)
	}
	f.Log.ErrorContext(c.Request.Context(), "panic", "request", c.ID, "panic", p, "stack", string(debug.Stack()))
	c.gin.Abort()
	if !c.gin.Writer.Written() {
		writeError(c, internalError())
	}
}

// checkURL refuses what path and query cannot mean: bytes that are not UTF-8 and, of a strict request, parameters that the route does not
// know.
func (f *Frame) checkURL(c *Call, r *Route) error {
	url := c.Request.URL
	if !utf8.ValidString(url.Path) {
		return placements.Errorf(placements.CodeMalformed, "The path holds bytes that are not UTF-8: percent-encode it from UTF-8.")
	}
	exact := c.Strict()
	if url.RawQuery == "" {
		return nil
	}
	sent, err := neturl.ParseQuery(url.RawQuery)
	if err != nil {
		return placements.Errorf(placements.CodeParameter,
			"The query is not percent-encoded: write a percent sign as %%25 and a semicolon as %%3B.").Because(err)
	}
	for name, values := range sent {
		if !utf8.ValidString(name) || !utf8.ValidString(strings.Join(values, "")) {
			return placements.Errorf(placements.CodeMalformed, "The query holds bytes that are not UTF-8: percent-encode it from UTF-8.")
		}
		if known := f.Parameters[r.Method+" "+r.Path]; exact && !slices.Contains(known, name) {
			return placements.Errorf(placements.CodeUnknownQuery,
				"%.80q is not a parameter of this operation, which takes %s: correct its name, or leave it out.",
				name, cmp.Or(strings.Join(known, ", "), "none"))
		}
	}
	return nil
}

// refuse answers requests that come while the server drains.
func (f *Frame) refuse(g *gin.Context) {
	c := of(g)
	if !f.Flights.Draining() || f.probing(c) {
		return
	}
	c.Set("Connection", "close")
	c.refused = true
	writeError(c, ShuttingDown())
	g.Abort()
}
