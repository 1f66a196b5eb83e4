package web

import (
	"crypto/sha256"
	"fmt"
	"math"
	"net"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/gin-gonic/gin"

	"mooring/placements"
	"mooring/storage/record"
)

// authenticate finds out who sends the request and for which tenant (decisions.md §3).
func (s *Server) authenticate(c *gin.Context) error {
	scheme, token, _ := strings.Cut(c.GetHeader("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") || token == "" {
		return placements.Errorf(placements.CodeUnauthorized, "Send the header Authorization: Bearer <token>.")
	}
	caller, err := s.tokens.caller(strings.TrimSpace(token))
	if err != nil {
		return placements.Errorf(placements.CodeUnauthorized,
			"The token is malformed, expired or not signed by a key of this service: "+
				"send one that mooring key create has made.").Because(err)
	}
	if err := s.admit(c, caller); err != nil {
		return err
	}
	current(c).Caller = caller
	return nil
}

// admit checks a verified token against the host name, the configured tenants and the revocations.
func (s *Server) admit(c *gin.Context, caller *Caller) error {
	tenant, named := s.hosts[hostname(c.Request.Host)]
	if named && tenant != caller.Tenant {
		return placements.Errorf(placements.CodeForbidden,
			"This token belongs to another tenant than this host name: send it to its own tenant's host.")
	}
	if _, known := s.tenants[caller.Tenant]; !known {
		return placements.Errorf(placements.CodeForbidden,
			"The tenant of this token is not served here: check the address, or the tenants of the configuration.")
	}
	revoked, err := s.revocations.holds(c.Request.Context(), caller)
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
	if !r.Caller.inDeployment(id) {
		return placements.Errorf(placements.CodeForbidden, "This token is not for deployment %d: use one whose deployments include it.", id)
	}
	if _, known := s.tenants[r.Caller.Tenant].deployments[id]; !known {
		return notFound("deployment")
	}
	r.Deployment = id
	return nil
}

// pathID reads an integer id from the path. What is no id names nothing: 404.
func pathID(c *gin.Context, name, noun string) (int64, error) {
	id, ok := parseID(c.Param(name))
	if !ok {
		return 0, notFound(noun)
	}
	return id, nil
}

// parseID reads an id as answers write it: +1, 01 and 1.0 are none.
func parseID(s string) (id int64, ok bool) {
	id, err := strconv.ParseInt(s, 10, 64)
	return id, err == nil && id > 0 && strconv.FormatInt(id, 10) == s
}

// hostname is the host of a Host header: no port, no trailing dot, lower case.
func hostname(host string) string {
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	return strings.ToLower(strings.TrimSuffix(host, "."))
}

// maxTokens bounds the cache of verified tokens.
const maxTokens = 10_000

// tokens is a cache of verified tokens: checking a signature costs up to 50 µs, looking one up below 1 µs. It holds
// digests, never tokens, and nothing beyond a token's own expiry.
type tokens struct {
	keys *Keyring

	mu     sync.RWMutex
	byHash map[[sha256.Size]byte]*Caller
}

func newTokens(keys *Keyring) *tokens {
	return &tokens{keys: keys, byHash: map[[sha256.Size]byte]*Caller{}}
}

// caller returns who a token speaks for. Callers are shared between requests: read only.
func (t *tokens) caller(token string) (*Caller, error) {
	var room [1024]byte // keeps a usual token off the heap
	hash := sha256.Sum256(append(room[:0], token...))
	t.mu.RLock()
	c, hit := t.byHash[hash]
	t.mu.RUnlock()
	now := t.keys.now()
	if hit && now.Before(c.Expires) {
		return c, nil
	}
	c, err := t.keys.Verify(token)
	if err != nil {
		return nil, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.makeRoom(now)
	t.byHash[hash] = c
	return c, nil
}

// makeRoom keeps the cache below its bound: expired tokens go first, then arbitrary ones.
func (t *tokens) makeRoom(now time.Time) {
	if len(t.byHash) < maxTokens {
		return
	}
	for hash, c := range t.byHash {
		if !now.Before(c.Expires) {
			delete(t.byHash, hash)
		}
	}
	for hash := range t.byHash {
		if len(t.byHash) < maxTokens {
			return
		}
		delete(t.byHash, hash)
	}
}

const secondsPerMinute = 60

// limitRate counts the request against its token's rate, which all instances share; off by default.
func (s *Server) limitRate(c *gin.Context) error {
	n := s.limits.RatePerMinute
	if n <= 0 {
		return nil
	}
	caller := current(c).Caller
	rate := record.Rate{PerSecond: float64(n) / secondsPerMinute, Burst: n}
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
	f := placements.Errorf(placements.CodeRateLimited, "This token may make %d requests a minute: wait as Retry-After says.", n)
	f.RetryAfter = taken.Wait
	return f
}
