package web

import (
	"fmt"
	"math"

	"github.com/gin-gonic/gin"

	"mooring/storage"
)

const secondsPerMinute = 60

// limitRate counts the request against its token's rate, which all instances share; off by default.
func (s *Server) limitRate(c *gin.Context) error {
	n := s.limits.RatePerMinute
	if n <= 0 {
		return nil
	}
	caller := current(c).Caller
	rate := storage.Rate{PerSecond: float64(n) / secondsPerMinute, Burst: n}
	taken, err := s.store.TakeRequest(c.Request.Context(), caller.Tenant, caller.TokenID, rate)
	if err != nil {
		return err
	}
	// draft-ietf-httpapi-ratelimit-headers
	c.Header("RateLimit-Policy", fmt.Sprintf(`"requests";q=%d;w=%d`, n, secondsPerMinute))
	c.Header("RateLimit", fmt.Sprintf(`"requests";r=%d;t=%.0f`, taken.Left, math.Ceil(taken.Full.Seconds())))
	if taken.Wait == 0 {
		return nil
	}
	f := refuse(codeRateLimited, "This token may make %d requests a minute: wait as Retry-After says.", n)
	f.retryAfter = taken.Wait
	return f
}
