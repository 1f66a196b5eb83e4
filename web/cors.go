package web

import (
	"net/http"

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
// read every answer. Without origins it does nothing.
func (s *Server) cors(c *gin.Context) {
	if len(s.origins) == 0 {
		return
	}
	h, origin := c.Writer.Header(), c.GetHeader("Origin")
	h.Add("Vary", "Origin")
	if !s.origins.Admit(origin) {
		return
	}
	h.Set("Access-Control-Allow-Origin", origin)
	if c.Request.Method != http.MethodOptions || c.GetHeader("Access-Control-Request-Method") == "" {
		h.Set("Access-Control-Expose-Headers", corsExposed)
		return
	}
	h.Set("Access-Control-Allow-Methods", corsMethods)
	h.Set("Access-Control-Allow-Headers", corsAllowed)
	h.Set("Access-Control-Max-Age", corsMaxAge)
	c.AbortWithStatus(http.StatusNoContent)
}
