package web

import (
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gin-gonic/gin"

	"mooring/refresh"
	"mooring/refresh/trace"
	"mooring/storage"
	"mooring/web/auth"
	"mooring/web/docs"
	"mooring/web/face"
	"mooring/web/hook"
	"mooring/web/metrics"
	"mooring/web/oidc"
	"mooring/web/overview"
)

// Config is what a Server is made from. Store, the Keys of the rules and Tenants are required.
type Config struct {
	Rules   // until Reload changes them
	Store   *storage.Store
	Tenants map[string]Tenant // by name
	Engine  *refresh.Engine   // starts the runs that clients ask for
	Log     *slog.Logger      // nil: slog.Default()
	Tracer  *trace.Tracer
	Limits  Limits
	Metrics *metrics.Registry // of this process; nil: one of the server alone
	Docs    *docs.Site        // what /docs shows; nil: the interface only

	Provider        *oidc.Provider      // vouches for people in browsers; nil: they sign in with keys
	PublicURL       string              // where people reach the service, without a slash at its end; empty: not known
	TrustedProxies  []string            // addresses and networks whose X-Forwarded-For counts; none: a request is from where its connection is
	FrameAncestors  []string            // whose pages may frame the task pane; nil: face.DefaultFrameAncestors
	PanePolicy      map[string][]string // what the task pane's Content-Security-Policy admits besides: directive -> sources
	Demo            http.Handler        // answers below /demo/actions/; nil: there is no /demo/
	OperationsApart bool                // a server of NewOperations has the metrics: this one does not
}

// Tenant is an account that is served.
type Tenant struct {
	Hosts       []string // host names that name this tenant; other hosts take the token's tenant
	Deployments []int64
}

// Limits bounds what a client may send. A zero field takes its default.
type Limits struct {
	Body  int64 // bytes; default 16 MiB
	Depth int   // nesting of objects and arrays; default 64
	// SlowRead is how far a client may fall behind the floor rate of a long answer, 16 KiB a second; default 30 s.
	SlowRead time.Duration
}

// The default limits; that of the body is decisions.md §2's.
const (
	defaultBody  = 16 << 20
	defaultDepth = 64
)

// Server answers the HTTP interface. Make it with New; it is safe for concurrent use.
type Server struct {
	store       *storage.Store
	engine      *refresh.Engine
	rules       atomic.Pointer[rules]
	revocations *auth.Revocations
	sessions    *auth.Sessions
	provider    *oidc.Provider // nil: none
	tenants     map[string]tenant
	hosts       map[string]string // host name -> tenant
	log         *slog.Logger
	tracer      *trace.Tracer
	limits      Limits
	metrics     *metrics.Registry
	docs        *docs.Site
	described   *docs.Interface
	faces       *face.Site
	demo        http.Handler
	publicURL   string
	manifest    *manifest // nil: Excel takes none from there
	proxies     []string
	parameters  map[string][]string // of the query, by method and path of a route
	router      *gin.Engine
	events      broadcaster
	rooms       sync.Pool // *[]byte: the buffers of answerReport
	flights     *flights
	now         func() time.Time
}

// tenant is a Tenant made ready for look-ups.
type tenant struct{ deployments map[int64]struct{} }

// deployments returns those of each tenant, ascending.
func (s *Server) deployments() map[string][]int64 {
	of := make(map[string][]int64, len(s.tenants))
	for name, t := range s.tenants {
		of[name] = slices.Sorted(maps.Keys(t.deployments))
	}
	return of
}

// manifest is the manifest of the Excel add-in, and the version that this process was told of it last.
type manifest struct {
	face.Manifest

	mu    sync.Mutex
	known storage.ManifestVersion
}

// flights counts what is being answered. A draining server is idle when nothing is.
type flights struct {
	requests atomic.Int64  // without probes
	streams  atomic.Int64  // of events, each a request too
	closing  chan struct{} // closed when the server drains: open streams end
	idle     chan struct{} // closed when it drains and the last request has ended
	drained  sync.Once
	ended    sync.Once
	since    time.Time // when it began to drain
}

// Rules are what a server can be told anew while it serves.
type Rules struct {
	Keys          *auth.Keyring
	Issuers       []*oidc.Issuer // whose tokens count beside those that Keys sign
	RatePerMinute int            // requests a token may make; 0: no limit
	Origins       auth.Origins   // whose pages may use the interface from a browser; none: no other ones
	Hooks         hook.Hooks     // take word that data has changed
}

// rules are Rules made ready for requests. They have a cache of verified tokens of their own, so that no token outlives its key.
type rules struct {
	Rules
	store    *storage.Store
	issuers  map[string]*oidc.Issuer
	tokens   *auth.Tokens
	pairing  *auth.DeviceSignIn
	overview overview.Operations
}
