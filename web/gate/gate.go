package gate

import (
	"context"
	"maps"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"mooring/placements"
	"mooring/storage"
	"mooring/storage/record"
	"mooring/web/auth"
	"mooring/web/request"
)

// Config is what a Gate is made from. Store and the Keys of the rules are required.
type Config struct {
	Store          *storage.Store
	Rules          Rules              // until Reload changes them
	Tenants        map[string]Account // by name
	PublicURL      string             // where people reach the service, without a slash at its end; empty: not known
	TrustedProxies []string           // addresses and networks whose X-Forwarded-Proto counts
	Now            func() time.Time
}

// Account is a tenant that is served.
type Account struct {
	Hosts       []string // host names that name this tenant; other hosts take the token's tenant
	Deployments []int64
}

// Gate admits requests. It is safe for concurrent use.
type Gate struct {
	store       *storage.Store
	rules       atomic.Pointer[ruling]
	revocations *auth.Revocations
	sessions    *auth.Sessions
	uses        *auth.KeyUses
	deployments map[string]map[int64]struct{} // by tenant
	hosts       map[string]string             // host name -> tenant
	publicURL   string
	proxies     []string
	now         func() time.Time
}

// New makes a Gate.
func New(cfg Config) *Gate {
	g := &Gate{
		store: cfg.Store, revocations: auth.NewRevocations(cfg.Store.Tenants()), sessions: auth.NewSessions(cfg.Store.Tenants()),
		uses:        auth.NewKeyUses(cfg.Store.Tenants()),
		deployments: map[string]map[int64]struct{}{}, hosts: map[string]string{},
		publicURL: cfg.PublicURL, proxies: cfg.TrustedProxies, now: cfg.Now,
	}
	for name, t := range cfg.Tenants {
		g.deployments[name] = map[int64]struct{}{}
		for _, d := range t.Deployments {
			g.deployments[name][d] = struct{}{}
		}
		for _, host := range t.Hosts {
			g.hosts[strings.ToLower(host)] = name
		}
	}
	g.Reload(cfg.Rules)
	return g
}

// Serves reports whether a tenant has a deployment here.
func (g *Gate) Serves(tenant string, deployment int64) bool {
	_, known := g.deployments[tenant][deployment]
	return known
}

// Known reports whether a tenant is served.
func (g *Gate) Known(tenant string) bool {
	_, known := g.deployments[tenant]
	return known
}

// Deployments returns those of a tenant, ascending.
func (g *Gate) Deployments(tenant string) []int64 {
	return slices.Sorted(maps.Keys(g.deployments[tenant]))
}

// Host returns the tenant that the host name of a request names; empty: none.
func (g *Gate) Host(r *http.Request) string { return g.hosts[hostname(r.Host)] }

// Sessions are those of browsers.
func (g *Gate) Sessions() *auth.Sessions { return g.sessions }

// Authenticate returns who sends a request, admitted to their tenant (decisions.md §3).
func (g *Gate) Authenticate(r *http.Request) (*auth.Caller, error) {
	caller, err := g.credentials(r)
	if err != nil {
		return nil, err
	}
	if err := g.Admit(r, caller); err != nil {
		return caller, err
	}
	g.uses.Note(r.Context(), caller, g.now())
	return caller, nil
}

// ByToken returns who a token speaks for.
func (g *Gate) ByToken(ctx context.Context, token string) (*auth.Caller, error) {
	rules := g.rules.Load()
	caller, err := rules.verify(ctx, strings.TrimSpace(token), g.now())
	if err == nil && rules.trust(caller) {
		return caller, nil
	}
	if e := request.Classified(err); e != nil {
		return nil, e
	}
	return nil, placements.Errorf(placements.CodeUnauthorized,
		"The token is malformed, expired or not signed by a key of this service: "+
			"send one that mooring key create has made.").Because(err)
}

// Admit checks a verified token against the host name, the configured tenants and the revocations.
func (g *Gate) Admit(r *http.Request, caller *auth.Caller) error {
	tenant := g.Host(r)
	if tenant != "" && tenant != caller.Tenant {
		return placements.Errorf(placements.CodeOtherTenant,
			"This token belongs to another tenant than this host name: send it to its own tenant's host.")
	}
	if !g.Known(caller.Tenant) {
		return placements.Errorf(placements.CodeOtherTenant,
			"The tenant of this token is not served here: check the address, or the tenants of the configuration.")
	}
	revoked, err := g.revocations.Include(r.Context(), caller, g.now())
	if err != nil {
		return err
	}
	if revoked {
		return placements.Errorf(placements.CodeUnauthorized, "This token was revoked: ask for a new one.")
	}
	return nil
}

// Cookies returns those of the request's kind of address.
func (g *Gate) Cookies(r *http.Request) auth.Cookies { return auth.Cookies{Secure: g.secure(r)} }

// secure reports whether the browser came by https, as the connection or a trusted proxy says; without either, if it came to publicURL and
// that does.
func (g *Gate) secure(r *http.Request) bool {
	if r.TLS != nil {
		return true
	}
	if scheme := r.Header.Get("X-Forwarded-Proto"); scheme != "" && g.proxied(r) {
		return scheme == "https"
	}
	host, https := strings.CutPrefix(g.publicURL, "https://")
	host, _, _ = strings.Cut(host, "/")
	return https && hostname(host) == hostname(r.Host)
}

// proxied reports whether the request came through a trusted proxy.
func (g *Gate) proxied(r *http.Request) bool {
	host, _, _ := net.SplitHostPort(strings.TrimSpace(r.RemoteAddr))
	from, err := netip.ParseAddr(host)
	if err != nil {
		return false
	}
	for _, proxy := range g.proxies {
		network, err := netip.ParsePrefix(proxy)
		if one, noAddress := netip.ParseAddr(proxy); noAddress == nil {
			network, err = one.Prefix(one.BitLen())
		}
		if err == nil && network.Contains(from.Unmap()) {
			return true
		}
	}
	return false
}

// bySession returns whose session a cookie is. A page of another origin does not act with it.
func (g *Gate) bySession(r *http.Request, cookie string) (*auth.Caller, error) {
	if !auth.SameOrigin(r) {
		return nil, ForeignPage()
	}
	rules := g.rules.Load()
	caller, err := g.sessions.Caller(r.Context(), cookie, g.now())
	switch {
	case err != nil:
		return nil, err
	case caller == nil, !rules.trust(caller):
		return nil, placements.Errorf(placements.CodeUnauthorized, "The session has ended: sign in again.")
	case !caller.Intends(r):
		return nil, placements.Errorf(placements.CodeCSRF,
			"A session's write needs the header %s: send csrf of %s/me as it is now.", auth.CSRFHeader, request.Root)
	}
	if rules.issuers[caller.Issuer] != nil && !caller.Keyless() && record.IssuerOf(caller.TokenID) == "" {
		caller.TokenID = record.TokenOf(caller.Issuer, caller.TokenID) // it was begun before ids named issuers
	}
	return caller, nil
}

// ForeignPage is the refusal of a session's request that a page of another origin sends.
func ForeignPage() error {
	return placements.Errorf(placements.CodeForeignPage,
		"A session is for pages of this service only: send the header Authorization: Bearer <token> from elsewhere.")
}

// credentials returns who the request's token speaks for; without one, whose session its cookie is.
func (g *Gate) credentials(r *http.Request) (*auth.Caller, error) {
	sent := r.Header.Get("Authorization")
	if cookie := g.Cookies(r).Session(r); sent == "" && cookie != "" {
		return g.bySession(r, cookie)
	}
	scheme, token, _ := strings.Cut(sent, " ")
	if !strings.EqualFold(scheme, "Bearer") || token == "" {
		return nil, placements.Errorf(placements.CodeUnauthorized, "Send the header Authorization: Bearer <token>.")
	}
	return g.ByToken(r.Context(), token)
}

// Address is where the person reaches this service. Without publicURL it is the host name of the request if that is a tenant's, else the
// loopback address: a host name that the request made up stands in no link.
func (g *Gate) Address(r *http.Request) string {
	if g.publicURL != "" {
		return g.publicURL
	}
	port := ""
	if local, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr); ok {
		_, port, _ = net.SplitHostPort(local.String())
	}
	name := hostname(r.Host)
	if _, ours := g.hosts[name]; !ours {
		return "http://" + net.JoinHostPort("127.0.0.1", port)
	}
	if _, sent, err := net.SplitHostPort(r.Host); err == nil && sent == port {
		return "http://" + net.JoinHostPort(name, port) // no proxy, which would be at another port
	}
	return "https://" + name
}

// hostname is the host of a Host header: no port, no trailing dot, lower case.
func hostname(host string) string {
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	return strings.ToLower(strings.TrimSuffix(host, "."))
}
