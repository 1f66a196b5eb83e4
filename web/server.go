package web

import (
	"log/slog"
	"net/http"
	"sync"
	"time"

	"mooring/refresh"
	"mooring/refresh/trace"
	"mooring/storage"
	"mooring/web/docs"
	"mooring/web/events"
	"mooring/web/face"
	"mooring/web/gate"
	"mooring/web/metrics"
	"mooring/web/oidc"
	"mooring/web/request"
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

// Who is served, what they may be told anew while a server runs, and how much they may send.
type (
	Tenant = gate.Account
	Rules  = gate.Rules
	Limits = request.Limits
)

// Server answers the HTTP interface. Make it with New; it is safe for concurrent use.
type Server struct {
	store     *storage.Store
	engine    *refresh.Engine
	gate      *gate.Gate
	frame     *request.Frame
	provider  *oidc.Provider // nil: none
	log       *slog.Logger
	metrics   *metrics.Registry
	docs      *docs.Site
	described *docs.Interface
	faces     *face.Site
	demo      http.Handler
	publicURL string
	manifest  *manifest // nil: Excel takes none from there
	handler   http.Handler
	events    *events.API
	now       func() time.Time
}

// manifest is the manifest of the Excel add-in, and the version that this process was told of it last.
type manifest struct {
	face.Manifest

	mu    sync.Mutex
	known storage.ManifestVersion
}

// clock is the time as all parts of the server see it.
func (s *Server) clock() time.Time { return s.now() }

// Reload makes requests follow other rules: those that come from now on, and streams and long answers from their next check of rights on.
func (s *Server) Reload(r Rules) { s.gate.Reload(r) }

// Handler is the whole interface as one http.Handler.
func (s *Server) Handler() http.Handler { return s.handler }

// Drain makes the server take no new requests: open event streams end, /readyz says so, and a client that comes is told to try again. idle
// is closed when no request is left. It may be called again.
func (s *Server) Drain() (idle <-chan struct{}) { return s.frame.Flights.Drain() }

// InFlight returns how many requests are being answered, without probes and streams, and how many event streams are open.
func (s *Server) InFlight() (requests, streams int) { return s.frame.Flights.InFlight() }
