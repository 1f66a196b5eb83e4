package web

import (
	"net"
	"net/http"
	"net/netip"
	"regexp"
	"runtime/debug"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"mooring/refresh/trace"
	"mooring/storage/record"
	"mooring/web/auth"
)

// request is what the service knows about the request it is answering.
type request struct {
	ID         string // X-Request-Id
	Caller     *auth.Caller
	Deployment int64 // from the path, checked against the token; 0 outside deployments
	started    time.Time
	span       trace.Span
	refused    bool   // the server drains
	gone       bool   // the client has gone away, and nobody reads the answer
	streams    bool   // it has become an event stream, with whose end it is answered
	err        error  // what the answer was made from, for the log
	guard      *guard // of the answer, while its handler runs; nil outside tenants
	release    func() // releases the references that are held until the handler ends; nil without any
}

// requestKey is where gin keeps the request.
const requestKey = "mooring.request"

// sentRequestID is what a client's own X-Request-Id must look like to be taken over.
var sentRequestID = regexp.MustCompile(`^[0-9A-Za-z._-]{1,64}$`)

// current returns the request of c; begin has put it there.
func current(c *gin.Context) *request {
	return c.MustGet(requestKey).(*request)
}

// hold keeps others from deleting reports, or referring to them, until the handler has ended. A request holds once.
func (s *Server) hold(c *gin.Context, reports ...int64) (err error) {
	r := current(c)
	if r.release != nil || len(reports) == 0 {
		return nil
	}
	release, err := s.store.Reports().HoldReferences(c.Request.Context(), r.deployment(), reports...)
	if err == nil {
		r.release = release
	}
	return err
}

// releaseHeld ends what hold began.
func (r *request) releaseHeld() {
	if r.release != nil {
		r.release()
	}
}

// interfacePath is what the paths of the interface begin with.
const interfacePath = "/api/"

// keepToCaller says of an answer that it is for its caller alone: no cache keeps it, and no browser takes it for a page or a script. A client
// that keeps an answer and its ETag by itself may go on to ask If-None-Match.
func keepToCaller(c *gin.Context) {
	c.Header("Cache-Control", "no-store")
	c.Header("X-Content-Type-Options", "nosniff")
}

// recoverPanic answers 500 to a request whose handler panicked. http.ErrAbortHandler is net/http's own way to cut a connection.
func (s *Server) recoverPanic(c *gin.Context, r *request) {
	p := recover()
	if p == nil {
		return
	}
	if p == http.ErrAbortHandler {
		panic(p)
	}
	s.log.ErrorContext(c.Request.Context(), "panic", "request", r.ID, "panic", p, "stack", string(debug.Stack()))
	c.Abort()
	if !c.Writer.Written() {
		writeError(c, internalError())
	}
}

// deployment is the deployment of the path, in the caller's tenant.
func (r *request) deployment() record.Deployment {
	return record.Deployment{Tenant: r.Caller.Tenant, ID: r.Deployment}
}

// address is where the person reaches this service. Without publicURL it is the host name of the request if that is a tenant's, else the
// loopback address: a host name that the request made up stands in no link.
func (s *Server) address(c *gin.Context) string {
	if s.publicURL != "" {
		return s.publicURL
	}
	port := ""
	if local, ok := c.Request.Context().Value(http.LocalAddrContextKey).(net.Addr); ok {
		_, port, _ = net.SplitHostPort(local.String())
	}
	name := hostname(c.Request.Host)
	if _, ours := s.hosts[name]; !ours {
		return "http://" + net.JoinHostPort("127.0.0.1", port)
	}
	if _, sent, err := net.SplitHostPort(c.Request.Host); err == nil && sent == port {
		return "http://" + net.JoinHostPort(name, port) // no proxy, which would be at another port
	}
	return "https://" + name
}

// network is what an address counts as: of IPv6 the network of one site, which may change its address at will.
func network(address string) string {
	a, err := netip.ParseAddr(address)
	if err != nil || a.Is4() || a.Is4In6() {
		return address
	}
	const site = 64
	p, err := a.WithZone("").Prefix(site)
	if err != nil {
		return address
	}
	return p.String()
}

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
func (s *Server) cors(c *gin.Context) {
	origins := s.rules.Load().Origins
	if len(origins) == 0 || strings.HasPrefix(c.Request.URL.Path, hooksPath) {
		return
	}
	h, origin := c.Writer.Header(), c.GetHeader("Origin")
	h.Add("Vary", "Origin")
	if !origins.Admit(origin) {
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

// hostname is the host of a Host header: no port, no trailing dot, lower case.
func hostname(host string) string {
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	return strings.ToLower(strings.TrimSuffix(host, "."))
}

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
