package request

import (
	"net/http"
	"strings"

	"github.com/gin-gonic/gin"
)

// The headers that pages of other origins may send and read, and how long a browser may remember it (decisions.md §1).
const (
	corsAllowed = "Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, Prefer, Last-Event-ID, traceparent"
	corsExposed = "ETag, Location, Retry-After, RateLimit, RateLimit-Policy, WWW-Authenticate, X-Request-Id, " +
		"X-Mooring-Result, Preference-Applied, Idempotency-Replayed"
	corsMethods = "GET, HEAD, POST, PUT, DELETE"
	corsMaxAge  = "600"
)

// cors lets pages of the configured origins use the interface: their preflights are answered before anything is checked, and they may
// read every answer. Without origins it does nothing; hooks are for no page.
func (f *Frame) cors(g *gin.Context) {
	if f.Gate == nil {
		return
	}
	origins := f.Gate.Origins()
	if len(origins) == 0 || strings.HasPrefix(g.Request.URL.Path, HooksPath) {
		return
	}
	h, origin := g.Writer.Header(), g.GetHeader("Origin")
	h.Add("Vary", "Origin")
	if !origins.Admit(origin) {
		return
	}
	h.Set("Access-Control-Allow-Origin", origin)
	if g.Request.Method != http.MethodOptions || g.GetHeader("Access-Control-Request-Method") == "" {
		h.Set("Access-Control-Expose-Headers", corsExposed)
		return
	}
	h.Set("Access-Control-Allow-Methods", corsMethods)
	h.Set("Access-Control-Allow-Headers", corsAllowed)
	h.Set("Access-Control-Max-Age", corsMaxAge)
	g.AbortWithStatus(http.StatusNoContent)
}
