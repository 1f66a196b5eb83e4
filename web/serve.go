package web

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"mooring/storage/record"
	"mooring/web/auth"
	"mooring/web/docs"
	"mooring/web/face"
	"mooring/web/metrics"
)

// The time-outs of the HTTP server. A handler that needs longer extends its own.
const (
	readHeaderTimeout = 10 * time.Second
	readTimeout       = time.Minute
	writeTimeout      = 2 * time.Minute
	idleTimeout       = 2 * time.Minute
	maxHeaderBytes    = 64 << 10
)

// New makes a Server.
func New(cfg Config) *Server {
	s := &Server{
		store:   cfg.Store,
		engine:  cfg.Engine,
		tenants: map[string]tenant{},
		hosts:   map[string]string{},
		log:     cfg.Log,
		tracer:  cfg.Tracer,
		limits:  cfg.Limits.withDefaults(),
		metrics: cmp.Or(cfg.Metrics, metrics.New("")),
		now:     time.Now,

		revocations: auth.NewRevocations(cfg.Store.Tenants()),
	}
	s.sessions, s.provider = auth.NewSessions(cfg.Store.Tenants()), cfg.Provider
	if s.log == nil {
		s.log = slog.Default()
	}
	for name, t := range cfg.Tenants {
		s.addTenant(name, t)
	}
	s.Reload(cfg.Rules)
	if s.docs = cfg.Docs; s.docs == nil {
		s.docs, _ = docs.New(nil) // without pages nothing can be wrong with them
	}
	s.parameters, _ = openAPIParameters() // the document is embedded, and tested
	s.described, _ = openAPIPages()
	s.demo, s.publicURL, s.proxies = cfg.Demo, cfg.PublicURL, cfg.TrustedProxies
	tree, _ := faceTree() // reading what is embedded cannot fail
	s.faces = face.New(tree, face.Config{FrameAncestors: cfg.FrameAncestors, Policy: cfg.PanePolicy, Demo: s.demo != nil})
	if m, ok := face.NewManifest(s.publicURL); ok {
		s.manifest = &manifest{Manifest: m}
	}
	s.events = broadcaster{store: cfg.Store, open: map[record.Deployment]*feed{}}
	s.flights = newFlights()
	table := append(routes(), s.pages()...)
	if cfg.OperationsApart {
		table = slices.DeleteFunc(table, func(r route) bool { return r.path == metricsPath })
	}
	s.router = s.newRouter(table)
	return s
}

// NewOperations makes a server of what operators need apart from the HTTP interface: health, metrics and profiles. Of cfg it takes Store,
// Metrics and Log.
func NewOperations(cfg Config) *Server {
	s := &Server{
		store: cfg.Store, log: cmp.Or(cfg.Log, slog.Default()), metrics: cmp.Or(cfg.Metrics, metrics.New("")),
		flights: newFlights(), now: time.Now,
	}
	s.rules.Store(&rules{}) // none of its routes asks who calls
	s.router = s.newRouter(operations())
	return s
}

func (s *Server) addTenant(name string, t Tenant) {
	deployments := make(map[int64]struct{}, len(t.Deployments))
	for _, d := range t.Deployments {
		deployments[d] = struct{}{}
	}
	s.tenants[name] = tenant{deployments: deployments}
	for _, host := range t.Hosts {
		s.hosts[strings.ToLower(host)] = name
	}
}

func (l Limits) withDefaults() Limits {
	if l.Body == 0 {
		l.Body = defaultBody
	}
	if l.Depth == 0 {
		l.Depth = defaultDepth
	}
	if l.SlowRead == 0 {
		l.SlowRead = floorSpan
	}
	return l
}

// Handler is the whole interface as one http.Handler.
func (s *Server) Handler() http.Handler { return s.router }

// reachProvider looks for the provider of identities in the background, until the function that it returns is called.
func (s *Server) reachProvider(ctx context.Context) (stop func()) {
	if s.provider == nil {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	running.Go(func() { s.provider.Run(ctx, s.log) })
	return func() {
		cancel()
		running.Wait()
	}
}

// Serve answers requests on l until ctx ends, then takes no new ones and lets those in flight finish, until grace after the server began to
// drain.
func (s *Server) Serve(ctx context.Context, l net.Listener, grace time.Duration) error {
	h := &http.Server{
		Handler:           s.router,
		ReadHeaderTimeout: readHeaderTimeout,
		ReadTimeout:       readTimeout,
		WriteTimeout:      writeTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeaderBytes,
		ErrorLog:          slog.NewLogLogger(s.log.Handler(), slog.LevelWarn),
	}
	defer s.reachProvider(ctx)()
	ended := make(chan error, 1)
	go func() { ended <- h.Serve(l) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	s.Drain()
	drain, cancel := context.WithDeadline(context.WithoutCancel(ctx), s.flights.since.Add(grace))
	defer cancel()
	err := h.Shutdown(drain)
	if errors.Is(err, context.DeadlineExceeded) {
		err = h.Close()
	}
	<-ended
	select {
	case <-s.Drain(): // event streams have taken their connections from h
	case <-drain.Done():
	}
	return err
}
