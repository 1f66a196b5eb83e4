package web

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"mooring/placements"
	"mooring/storage/record"
	"mooring/web/auth"
	"mooring/web/overview"
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

func notFound(noun string) *placements.Error { return overview.NotFound(noun) }

func absent(err error, noun string) error { return overview.Absent(err, noun) }

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

// credentials returns who the request's token speaks for; without one, whose session its cookie is.
func (s *Server) credentials(c *gin.Context) (*auth.Caller, error) {
	sent := c.GetHeader("Authorization")
	if cookie := s.cookies(c).Session(c.Request); sent == "" && cookie != "" {
		return s.bySession(c, cookie)
	}
	scheme, token, _ := strings.Cut(sent, " ")
	if !strings.EqualFold(scheme, "Bearer") || token == "" {
		return nil, placements.Errorf(placements.CodeUnauthorized, "Send the header Authorization: Bearer <token>.")
	}
	return s.byToken(c, token)
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

// hostname is the host of a Host header: no port, no trailing dot, lower case.
func hostname(host string) string {
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	return strings.ToLower(strings.TrimSuffix(host, "."))
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
	taken, err := s.store.TakeRequest(context.WithoutCancel(c.Request.Context()), caller.Tenant, caller.TokenID, rate)
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

// recheck is the age of a caller's rights from which on they are checked again before more of an answer is sent. Together with
// revocationAge it stays below the 5 s of decisions.md §3.
const recheck = 2 * time.Second

// guardPiece is how many bytes of an answer go out between two looks at the clock: a slow reader of a long one takes its time.
const guardPiece = 64 << 10

// guard sends an answer as long as its caller has the rights that the same request would need if it came now.
type guard struct {
	gin.ResponseWriter
	s       *Server
	c       *gin.Context
	scope   scope
	checked time.Time    // when the rights were found to be there
	still   func() error // what the handler checked beside the scope; nil: nothing
	err     error        // why no more is sent
}

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
