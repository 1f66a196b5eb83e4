package request

import (
	"cmp"
	"context"
	"fmt"
	"math"

	"mooring/placements"
	"mooring/storage/record"
)

// authenticate finds out who sends the request and for which tenant (decisions.md §3).
func (f *Frame) authenticate(c *Call) error {
	caller, err := f.Gate.Authenticate(c.Request)
	if err != nil {
		return err
	}
	own := *caller // what is cached is shared
	own.Via = record.Via{Token: cmp.Or(caller.Device, record.JTI(caller.TokenID)), Address: c.Address()}
	c.Caller = &own
	return nil
}

// enter reads the path's deployment, if the route is below one, and checks that the token is good for it and that it is configured.
func (f *Frame) enter(c *Call, needs Scope) error {
	c.At = record.Deployment{Tenant: c.Caller.Tenant}
	if needs < InDeployment {
		return nil
	}
	id, err := c.PathID("deploymentId", "deployment")
	if err != nil {
		return err
	}
	if !c.Caller.InDeployment(id) {
		return placements.Errorf(placements.CodeOtherDeploy, "This token is not for deployment %d: use one whose deployments include it.", id)
	}
	if !f.Gate.Serves(c.Caller.Tenant, id) {
		return NotFound("deployment")
	}
	c.At.ID = id
	return nil
}

const secondsPerMinute = 60

// limitRate counts the request against its token's rate, which all instances share; off by default.
func (f *Frame) limitRate(c *Call) error {
	n := f.Gate.RatePerMinute()
	if n <= 0 {
		return nil
	}
	rate := record.Rate{PerSecond: float64(n) / secondsPerMinute, Burst: n}
	taken, err := f.Records.TakeRequest(context.WithoutCancel(c.Request.Context()), c.Caller.Tenant, c.Caller.TokenID, rate)
	if err != nil {
		return err
	}
	// draft-ietf-httpapi-ratelimit-headers
	c.Set("RateLimit-Policy", fmt.Sprintf(`"requests";q=%d;w=%d`, n, secondsPerMinute))
	c.Set("RateLimit", fmt.Sprintf(`"requests";r=%d;t=%.0f`, taken.Left, math.Ceil(taken.Full.Seconds())))
	if taken.Wait == 0 {
		return nil
	}
	refusal := placements.Errorf(placements.CodeRateLimited, "This token may make %d requests a minute: wait as Retry-After says.", n)
	refusal.RetryAfter = taken.Wait
	return refusal
}
