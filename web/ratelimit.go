package web

import (
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
	wait, err := s.store.TakeRequest(c.Request.Context(), caller.Tenant, caller.TokenID, rate)
	if err != nil || wait == 0 {
		return err
	}
	f := refuse(codeRateLimited, "This token may make %d requests a minute: wait as Retry-After says.", n)
	f.retryAfter = wait
	return f
}
