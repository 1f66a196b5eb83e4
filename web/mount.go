package web

import (
	"cmp"
	"log/slog"
	"slices"
	"time"

	"mooring/web/account"
	"mooring/web/authoring"
	"mooring/web/docs"
	"mooring/web/events"
	"mooring/web/face"
	"mooring/web/gate"
	"mooring/web/hooks"
	"mooring/web/metrics"
	"mooring/web/overview"
	"mooring/web/placements"
	"mooring/web/plans"
	"mooring/web/reports"
	"mooring/web/request"
	"mooring/web/runs"
	"mooring/web/schedules"
	"mooring/web/workbooks"
)

// rooms are those of the interface.
func (s *Server) rooms() []router {
	return []router{
		table(s.health()),

		table(s.documents()),

		s.account(),

		&reports.API{Store: s.store, Engine: s.engine, Log: s.log},

		&authoring.API{Store: s.store, Engine: s.engine},

		&workbooks.API{Store: s.store, Log: s.log},

		&placements.API{Store: s.store, Engine: s.engine, Log: s.log},

		&runs.API{Store: s.store, Engine: s.engine},

		schedules.New(s.store, s.engine, s.log),

		&plans.API{Store: s.store, Engine: s.engine},

		s.events,

		&hooks.API{Store: s.store, Engine: s.engine, Gate: s.gate, Now: s.clock},

		&overview.API{Store: s.store, Engine: s.engine, Gate: s.gate},
	}
}

// account is the room of the account, whose pages lead people into the console as well.
func (s *Server) account() *account.API {
	return account.New(account.Config{
		Store: s.store, Gate: s.gate, Engine: s.engine, Provider: s.provider, Demo: s.demo != nil, PublicURL: s.publicURL, Now: s.clock,
	})
}

// routes is every route of the service; the OpenAPI document is checked against it.
func (s *Server) routes() (list []request.Route) {
	for _, one := range s.rooms() {
		list = append(list, one.Routes()...)
	}
	return list
}

// New makes a Server.
func New(cfg Config) *Server {
	s := newServer(cfg)
	s.engine, s.provider, s.demo, s.publicURL = cfg.Engine, cfg.Provider, cfg.Demo, cfg.PublicURL
	s.gate = gate.New(gate.Config{
		Store: cfg.Store, Rules: cfg.Rules, Tenants: cfg.Tenants,
		PublicURL: cfg.PublicURL, TrustedProxies: cfg.TrustedProxies, Now: s.clock,
	})
	s.frame.Records, s.frame.Gate, s.frame.Tracer, s.frame.Proxies = cfg.Store.Tenants(), s.gate, cfg.Tracer, cfg.TrustedProxies
	s.frame.Limits = cfg.Limits.WithDefaults()
	s.frame.Parameters, _ = openAPIParameters() // the document is embedded, and tested
	s.described, _ = openAPIPages()
	if s.docs = cfg.Docs; s.docs == nil {
		s.docs, _ = docs.New(nil) // without pages nothing can be wrong with them
	}
	tree, _ := faceTree() // reading what is embedded cannot fail
	s.faces = face.New(tree, face.Config{FrameAncestors: cfg.FrameAncestors, Policy: cfg.PanePolicy, Demo: s.demo != nil})
	if m, ok := face.NewManifest(s.publicURL); ok {
		s.manifest = &manifest{Manifest: m}
	}
	s.events = events.New(cfg.Store, s.frame.Flights, s.log, s.clock)
	table := append(s.routes(), s.pages()...)
	if cfg.OperationsApart {
		table = slices.DeleteFunc(table, func(r request.Route) bool { return r.Path == metricsPath })
	}
	s.handler = s.frame.Handler(table)
	return s
}

// NewOperations makes a server of what operators need apart from the HTTP interface: health, metrics and profiles. Of cfg it takes Store,
// Metrics and Log.
func NewOperations(cfg Config) *Server {
	s := newServer(cfg)
	s.handler = s.frame.Handler(s.operations())
	return s
}

// newServer makes what every server has.
func newServer(cfg Config) *Server {
	s := &Server{store: cfg.Store, log: cfg.Log, metrics: cmp.Or(cfg.Metrics, metrics.New("")), now: time.Now}
	if s.log == nil {
		s.log = slog.Default()
	}
	s.frame = &request.Frame{
		Flights: request.NewFlights(), Log: s.log, Metrics: s.metrics, Now: s.clock,
		Probes: []string{"/healthz", "/readyz", metricsPath, profilesPath},
	}
	return s
}
