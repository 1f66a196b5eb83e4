package request

import (
	"context"
	"net/http"
	"time"

	"github.com/gin-gonic/gin"

	"mooring/web/auth"
)

// Recheck is the age of a caller's rights from which on they are checked again before more of an answer is sent. Together with
// revocationAge it stays below the 5 s of decisions.md §3.
const Recheck = 2 * time.Second

// guardPiece is how many bytes of an answer go out between two looks at the clock: a slow reader of a long one takes its time.
const guardPiece = 64 << 10

// Rights are those of a request's caller, looked at again while its answer goes on.
type Rights struct {
	frame   *Frame
	c       *Call
	route   *Route
	checked time.Time // when the rights were found to be there
	err     error     // why no more is sent
}

// Due reports whether Check looks at the rights again: its last answer is too old.
func (r *Rights) Due() bool { return r.err != nil || r.frame.Now().Sub(r.checked) >= Recheck }

// Check returns why the caller may get no more; nil when the answer may go on: the same request would be answered if it came now.
func (r *Rights) Check() error {
	if r.err != nil || !r.Due() {
		return r.err
	}
	r.checked = r.frame.Now()
	if r.err = r.frame.authenticate(r.c); r.err == nil {
		r.err = r.frame.enter(r.c, r.route.Scope)
	}
	if r.err == nil && r.route.Long {
		_, r.err = r.route.begin(r.c.Request.Context(), r.c)
	}
	return r.err
}

// Lost reports whether a check found that the caller may get no more.
func (r *Rights) Lost() bool { return r.err != nil }

// Caller is the caller as of the last check.
func (r *Rights) Caller() *auth.Caller { return r.c.Caller }

// Context is that of a request whose answer goes on after its handler.
func (r *Rights) Context() context.Context { return r.c.Request.Context() }

// Apart returns the rights of an answer about a deployment that outlives its handler, with whose end the request's own context ends.
func (c *Call) Apart() *Rights {
	own := *c
	own.release, own.body = nil, nil // they are the handler's
	own.gin, own.Request = c.gin.Copy(), c.Request.WithContext(context.WithoutCancel(c.Request.Context()))
	own.gin.Set(callKey, &own)
	return &Rights{frame: c.frame, c: &own, route: &Route{Scope: InDeployment}, checked: c.frame.Now()}
}

// guard sends an answer as long as its caller has the rights that the same request would need if it came now.
type guard struct {
	gin.ResponseWriter
	rights Rights
}

// guarded runs a handler under a guard. An answer that the guard ended before its first byte is that of a fresh request; a longer one
// is cut, so that no client takes it for whole.
func (f *Frame) guarded(c *Call, r *Route, handler func(*Call) error) error {
	g := &guard{ResponseWriter: c.gin.Writer, rights: Rights{frame: f, c: c, route: r, checked: f.Now()}}
	c.gin.Writer = g
	defer func() { c.gin.Writer = g.ResponseWriter }()
	err := handler(c)
	if !g.rights.Lost() {
		return err
	}
	c.err = g.rights.err
	if g.Written() {
		panic(http.ErrAbortHandler)
	}
	for _, name := range []string{"Content-Encoding", "Content-Length", "ETag"} {
		g.Header().Del(name)
	}
	return g.rights.err
}

// Write sends p piece by piece, each under rights that are no older than Recheck.
func (g *guard) Write(p []byte) (n int, err error) {
	for {
		if err := g.rights.Check(); err != nil {
			return n, err
		}
		m, err := g.ResponseWriter.Write(p[n:min(len(p), n+guardPiece)])
		if n += m; err != nil || n == len(p) {
			return n, err
		}
	}
}

// WriteString is Write for a string.
func (g *guard) WriteString(s string) (int, error) { return g.Write([]byte(s)) }

// Unwrap lets http.ResponseController reach the connection.
func (g *guard) Unwrap() http.ResponseWriter { return g.ResponseWriter }
