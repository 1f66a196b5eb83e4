package web

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strings"

	"github.com/gin-gonic/gin"

	"mooring/placements"
	"mooring/storage/record"
	"mooring/web/auth"
)

// level is what a caller may do with one asset.
type level = record.Level

const (
	mayNothing = record.MayNothing
	mayRead    = record.MayRead
	mayEdit    = record.MayEdit
	mayManage  = record.MayManage
)

// demand checks a caller's level on an asset: what may not be read is not found, what may be read but not more is forbidden.
func demand(have, want level, noun string) error {
	switch {
	case have < mayRead:
		return notFound(noun)
	case have < want:
		return placements.Errorf(placements.CodeForbidden,
			"This token may read the %s but not change it: ask for a token with more actions.", noun)
	}
	return nil
}

// authenticate finds out who sends the request and for which tenant (decisions.md §3).
func (s *Server) authenticate(c *gin.Context) error {
	caller, err := s.credentials(c)
	if err != nil {
		return err
	}
	if err := s.admit(c, caller); err != nil {
		return err
	}
	own := *caller // what is cached is shared
	own.Via = record.Via{Token: cmp.Or(caller.Device, record.JTI(caller.TokenID)), Address: c.ClientIP()}
	current(c).Caller = &own
	return nil
}

// byToken returns who a token speaks for.
func (s *Server) byToken(c *gin.Context, token string) (*auth.Caller, error) {
	rules := s.rules.Load()
	caller, err := rules.Verify(c.Request.Context(), strings.TrimSpace(token), s.now())
	if err == nil && rules.trust(caller) {
		return caller, nil
	}
	if e := classified(err); e != nil {
		return nil, e
	}
	return nil, placements.Errorf(placements.CodeUnauthorized,
		"The token is malformed, expired or not signed by a key of this service: "+
			"send one that mooring key create has made.").Because(err)
}

// admit checks a verified token against the host name, the configured tenants and the revocations.
func (s *Server) admit(c *gin.Context, caller *auth.Caller) error {
	tenant, named := s.hosts[hostname(c.Request.Host)]
	if named && tenant != caller.Tenant {
		return placements.Errorf(placements.CodeOtherTenant,
			"This token belongs to another tenant than this host name: send it to its own tenant's host.")
	}
	if _, known := s.tenants[caller.Tenant]; !known {
		return placements.Errorf(placements.CodeOtherTenant,
			"The tenant of this token is not served here: check the address, or the tenants of the configuration.")
	}
	revoked, err := s.revocations.Include(c.Request.Context(), caller, s.now())
	if err != nil {
		return err
	}
	if revoked {
		return placements.Errorf(placements.CodeUnauthorized, "This token was revoked: ask for a new one.")
	}
	return nil
}

// enter reads the path's deployment, if the route is below one, and checks that the token is good for it and that it is configured.
func (s *Server) enter(c *gin.Context, needs scope) error {
	r := current(c)
	if needs < inDeployment {
		return nil
	}
	id, err := pathID(c, "deploymentId", "deployment")
	if err != nil {
		return err
	}
	if !r.Caller.InDeployment(id) {
		return placements.Errorf(placements.CodeOtherDeploy, "This token is not for deployment %d: use one whose deployments include it.", id)
	}
	if _, known := s.tenants[r.Caller.Tenant].deployments[id]; !known {
		return notFound("deployment")
	}
	r.Deployment = id
	return nil
}

// me is what a token may do, and for whom.
type me struct {
	Tenant      string         `json:"tenant"`
	User        meUser         `json:"user"`
	Deployments []meDeployment `json:"deployments"`
	Actions     []string       `json:"actions"` // of the token itself, in every one of the deployments
	Bound       []string       `json:"bound,omitzero"`
	ExpiresAt   string         `json:"expiresAt"`
	DeviceID    string         `json:"deviceId,omitempty"`
	CSRF        string         `json:"csrf,omitempty"` // of a session
}

type meUser struct {
	ID    int64  `json:"id"`
	Email string `json:"email"`
	Name  string `json:"name"`
}

type meDeployment struct {
	ID      int64    `json:"id"`
	Actions []string `json:"actions"`
}

// getMe answers with who the caller is.
func (s *Server) getMe(c *gin.Context) error {
	return s.answerMe(c, current(c).Caller)
}

func (s *Server) answerMe(c *gin.Context, caller *auth.Caller) error {
	out := me{
		Tenant: caller.Tenant, User: meUser{caller.ID, cmp.Or(caller.Email, caller.Shown), caller.Name}, Deployments: []meDeployment{},
		Actions: append([]string{}, caller.Actions...), Bound: caller.Bound, ExpiresAt: placements.Time(caller.Expires),
		DeviceID: caller.Device, CSRF: caller.CSRF,
	}
	for id := range s.tenants[caller.Tenant].deployments {
		if caller.InDeployment(id) {
			out.Deployments = append(out.Deployments, meDeployment{id, out.Actions})
		}
	}
	slices.SortFunc(out.Deployments, func(a, b meDeployment) int { return cmp.Compare(a.ID, b.ID) })
	c.JSON(http.StatusOK, out)
	return nil
}

const secondsPerMinute = 60

// limitRate counts the request against its token's rate, which all instances share; off by default.
func (s *Server) limitRate(c *gin.Context) error {
	n := s.rules.Load().RatePerMinute
	if n <= 0 {
		return nil
	}
	caller := current(c).Caller
	rate := record.Rate{PerSecond: float64(n) / secondsPerMinute, Burst: n}
	taken, err := s.store.Tenants().TakeRequest(context.WithoutCancel(c.Request.Context()), caller.Tenant, caller.TokenID, rate)
	if err != nil {
		return err
	}
	// draft-ietf-httpapi-ratelimit-headers
	c.Header("RateLimit-Policy", fmt.Sprintf(`"requests";q=%d;w=%d`, n, secondsPerMinute))
	c.Header("RateLimit", fmt.Sprintf(`"requests";r=%d;t=%.0f`, taken.Left, math.Ceil(taken.Full.Seconds())))
	if taken.Wait == 0 {
		return nil
	}
	f := placements.Errorf(placements.CodeRateLimited, "This token may make %d requests a minute: wait as Retry-After says.", n)
	f.RetryAfter = taken.Wait
	return f
}
