package web

import (
	"fmt"
	"net/http"
	"regexp"
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

// originPattern is a scheme and a host, in lower case, perhaps with a port; the host's first label may be a star when two more follow.
var originPattern = regexp.MustCompile(`^https?://(\*\.[a-z0-9-]+\.)?[a-z0-9-]+(\.[a-z0-9-]+)*(:[0-9]+)?$`)

// originLabels are what the star of a pattern stands for.
var originLabels = regexp.MustCompile(`^[a-z0-9-]+(\.[a-z0-9-]+)*$`)

// CheckOrigin returns what is wrong with an entry of Config.Origins; nil when nothing is.
func CheckOrigin(origin string) error {
	switch {
	case !originPattern.MatchString(origin):
		return fmt.Errorf("%q is no origin: write one such as https://addin.example.com, or https://*.example.com for all hosts below, "+
			"in lower case and without a path", origin)
	case strings.HasPrefix(origin, "https://") && strings.HasSuffix(origin, ":443"),
		strings.HasPrefix(origin, "http://") && strings.HasSuffix(origin, ":80"):
		return fmt.Errorf("%q: leave out the port, as browsers do with a scheme's own one", origin)
	}
	return nil
}

// cors lets pages of the configured origins use the interface: their preflights are answered before anything is checked, and they may
// read every answer. Without origins it does nothing.
func (s *Server) cors(c *gin.Context) {
	if len(s.origins) == 0 {
		return
	}
	h, origin := c.Writer.Header(), c.GetHeader("Origin")
	h.Add("Vary", "Origin")
	if !s.admitsOrigin(origin) {
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

// admitsOrigin reports whether an Origin header names one of the configured origins.
func (s *Server) admitsOrigin(origin string) bool {
	for _, o := range s.origins {
		before, after, wild := strings.Cut(o, "*")
		if !wild && origin == o {
			return true
		}
		rest, begins := strings.CutPrefix(origin, before)
		labels, ends := strings.CutSuffix(rest, after)
		if wild && begins && ends && originLabels.MatchString(labels) {
			return true
		}
	}
	return false
}
