package web

import (
	"net/http"
	"time"

	"github.com/gin-gonic/gin"
)

// recheck is the age of a caller's rights from which on they are checked again before more of an answer is sent. Together with
// revocationAge it stays below the 5 s of decisions.md §3.
const recheck = 2 * time.Second

// guardPiece is how many bytes of an answer go out between two looks at the clock: a slow reader of a long one takes its time.
const guardPiece = 64 << 10

// guarded runs a handler under a guard. An answer that the guard ended before its first byte is that of a fresh request; a longer one
// is cut, so that no client takes it for whole.
func (s *Server) guarded(c *gin.Context, needs scope, handler func(*gin.Context) error) error {
	g := &guard{ResponseWriter: c.Writer, s: s, c: c, scope: needs, checked: s.now()}
	c.Writer, current(c).guard = g, g
	defer func() { c.Writer = g.ResponseWriter }()
	err := handler(c)
	if g.err == nil {
		return err
	}
	current(c).err = g.err
	if g.Written() {
		panic(http.ErrAbortHandler)
	}
	for _, name := range []string{"Content-Encoding", "Content-Length", "ETag"} {
		g.Header().Del(name)
	}
	return g.err
}

// check returns why the caller may get no more; nil when the answer may go on.
func (g *guard) check() error {
	now := g.s.now()
	if g.err != nil || now.Sub(g.checked) < recheck {
		return g.err
	}
	g.checked = now
	if g.err = g.s.authenticate(g.c); g.err == nil {
		g.err = g.s.enter(g.c, g.scope)
	}
	if g.err == nil && g.still != nil {
		g.err = g.still()
	}
	return g.err
}

// Write sends p piece by piece, each under rights that are no older than recheck.
func (g *guard) Write(p []byte) (n int, err error) {
	for {
		if err := g.check(); err != nil {
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
