package request

import (
	"net/http"
	"net/netip"
	"regexp"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"mooring/refresh/trace"
	"mooring/storage/record"
	"mooring/web/auth"
)

// Call is a request that is being answered.
type Call struct {
	ID      string            // X-Request-Id
	Request *http.Request     // with the context of what is being traced
	Caller  *auth.Caller      // nil on a route that is Open
	At      record.Deployment // of the path, checked against the token; its ID is 0 outside deployments

	gin      *gin.Context
	frame    *Frame
	body     []byte // once it was read
	bodyRead bool
	started  time.Time
	span     trace.Span
	refused  bool   // the server drains
	gone     bool   // the client has gone away, and the answer is not read
	detached bool   // the answer goes on when the handler has ended
	err      error  // what the answer was made from, for the log
	release  func() // releases what is held until the handler ends; nil without any
}

// callKey is where gin keeps the call.
const callKey = "mooring.call"

// sentID is what a client's own X-Request-Id must look like to be taken over.
var sentID = regexp.MustCompile(`^[0-9A-Za-z._-]{1,64}$`)

// of returns the call of c; the outermost middleware has put it there.
func of(c *gin.Context) *Call { return c.MustGet(callKey).(*Call) }

// Param returns what stands in the path for a name, "" if the route has none of that name.
func (c *Call) Param(name string) string { return c.gin.Param(name) }

// Query returns the first value of a parameter, "" if it was not sent.
func (c *Call) Query(name string) string { return c.gin.Query(name) }

// QueryAll returns all values of a parameter.
func (c *Call) QueryAll(name string) []string { return c.gin.QueryArray(name) }

// Header returns a header of the request.
func (c *Call) Header(name string) string { return c.Request.Header.Get(name) }

// Address is where the request comes from, as far as trusted proxies say.
func (c *Call) Address() string { return c.gin.ClientIP() }

// Writer writes the answer.
func (c *Call) Writer() http.ResponseWriter { return c.gin.Writer }

// Set sets a header of the answer.
func (c *Call) Set(name, value string) { c.gin.Header(name, value) }

// Reads reports whether the method is one of those that change nothing.
func (c *Call) Reads() bool {
	return c.Request.Method == http.MethodGet || c.Request.Method == http.MethodHead
}

// Note notes the error that an answer was made from, for the log.
func (c *Call) Note(err error) { c.err = err }

// Holds reports whether something is held until the handler has ended.
func (c *Call) Holds() bool { return c.release != nil }

// Hold has release called when the handler has ended.
func (c *Call) Hold(release func()) { c.release = release }

// drop releases what is held.
func drop(c *Call) {
	if c.release != nil {
		c.release()
	}
}

// Detach keeps the request counted as one that is being answered when its handler has ended, until Flights.End.
func (c *Call) Detach() { c.detached = true }

// interfacePath is what the paths of the interface begin with.
const interfacePath = "/api/"

// keepToCaller says of an answer of the interface that it is for its caller alone: no cache keeps it, and no browser takes it for a page or a
// script. A client that keeps an answer and its ETag by itself may go on to ask If-None-Match.
func keepToCaller(c *Call) {
	if strings.HasPrefix(c.Request.URL.Path, interfacePath) {
		c.Set("Cache-Control", "no-store")
		c.Set("X-Content-Type-Options", "nosniff")
	}
}

// Network is what the address of a request counts as: of IPv6 the network of one site, which may change its address at will.
func Network(c *Call) string {
	address := c.Address()
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
