package main

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"runtime"

	"mooring/cmd/mooring/config"
	"mooring/refresh"
	"mooring/refresh/host"
	"mooring/refresh/source"
	"mooring/refresh/trace"
	"mooring/storage"
	"mooring/storage/record"
	"mooring/web"
	"mooring/web/docs"
	"mooring/web/oidc"
)

// serveCommand runs the HTTP interface.
type serveCommand struct {
	configFlag
	redisFlag
	Listen string `placeholder:"ADDR" env:"MOORING_LISTEN" help:"The address to listen on, instead of the file's listen."`
	Agent  bool   `default:"true" negatable:"" env:"MOORING_AGENT" help:"Run an agent in this process too (--agent=false: not)."`
	Data   string `placeholder:"DIR" env:"MOORING_DATA" help:"With embedded storage: the folder that keeps its data."`
}

// heapFloor is memory that is never touched, so that it takes none: with it the garbage collector runs once for as many bytes of requests,
// not for every 4 MB, which cost a tenth of a connect. What a large run holds is collected as before.
const heapFloor = 32 << 20

// Run serves until the session ends, then drains.
func (c *serveCommand) Run(s *session) error {
	hangups, ignore := hangups()
	defer ignore()
	cfg, err := c.load(s)
	if err != nil {
		return err
	}
	if c.Data != "" && !cfg.Embedded() {
		return &usageError{"--data goes with embedded storage; a Redis keeps its data itself"}
	}
	svc, err := s.start(cfg, c.Data)
	if err != nil {
		return err
	}
	if err := s.addOperations(svc, "ops.listen", cfg.Ops.Listen); err != nil {
		return err
	}
	listener, err := listen("listen", cfg.Listen)
	if err != nil {
		return errors.Join(err, svc.close())
	}
	defer runtime.KeepAlive(make([]byte, heapFloor))
	s.log.Info("serving", "address", listener.Addr().String(), "agent", c.Agent, "version", version())
	load := func() (*config.Config, error) { return c.load(s) }
	reloads, end := s.reloader(cfg, svc, load), svc.operations.serve(s.ctx)
	err = reloads.during(s.ctx, hangups, func(ctx context.Context) error { return svc.serve(ctx, listener, c.Agent) })
	return errors.Join(err, end(), svc.close())
}

// load reads the configuration file as the command line changes it.
func (c *serveCommand) load(s *session) (*config.Config, error) {
	cfg, err := s.load(c.configFlag, c.redisFlag)
	if err == nil && c.Listen != "" {
		cfg.Listen = c.Listen
	}
	return cfg, err
}

// service is everything of one process: the store, the open sources and hosts, the agent and the HTTP interface.
type service struct {
	store      *storage.Store
	fleet      *fleet
	metrics    *counters
	engine     *refresh.Engine
	server     *web.Server    // nil: none
	issuers    []*oidc.Issuer // that the server began with
	operations *operations    // nil: none
	tracer     *trace.Tracer
	log        *slog.Logger
}

// start opens everything that cfg names and makes the service, without yet listening.
func (s *session) start(cfg *config.Config, data string) (*service, error) {
	svc, err := s.startAgent(cfg, data, nil)
	if err != nil {
		return nil, err
	}
	if err := s.warn(svc, cfg); err != nil {
		return nil, err
	}
	return svc, s.addServer(svc, cfg, nil)
}

// warn logs what about the store of a service works and may cost data. When the store must not be used, it closes the service. Opening an
// embedded store has said it.
func (s *session) warn(svc *service, cfg *config.Config) error {
	if cfg.Embedded() {
		return nil
	}
	warnings, err := svc.store.Warnings(s.ctx)
	if err != nil {
		return errors.Join(plain(err), svc.close())
	}
	for _, w := range warnings {
		s.log.Warn("redis: " + w)
	}
	return nil
}

// addServer adds the HTTP interface to a service, and the actions of a demo if there is one. When it fails, it closes the service.
func (s *session) addServer(svc *service, cfg *config.Config, demo http.Handler) error {
	svc.issuers = cfg.Issuers(nil, s.log)
	rules, err := rulesOf(cfg, svc.issuers)
	if err != nil {
		return errors.Join(err, svc.close())
	}
	site, err := pages()
	if err != nil {
		return errors.Join(err, svc.close())
	}
	svc.server = web.New(web.Config{
		Store: svc.store, Keys: rules.Keys, Issuers: rules.Issuers, Hooks: rules.Hooks, Tenants: cfg.Served(), Engine: svc.engine,
		Log: s.log, Tracer: svc.tracer, Limits: web.Limits{RatePerMinute: rules.RatePerMinute}, Origins: rules.Origins,
		Metrics: svc.metrics.all, OperationsApart: cfg.Ops.Listen != "", Docs: site,
		PublicURL: cfg.PublicURL, FrameAncestors: cfg.Addin.FrameAncestors, TrustedProxies: cfg.TrustedProxies, Demo: demo,
		Provider: provider(cfg),
	})
	return nil
}

// provider returns the provider of identities that cfg names; nil for none.
func provider(cfg *config.Config) *oidc.Provider {
	if cfg.OIDC == nil {
		return nil
	}
	return oidc.New(*cfg.OIDC)
}

// startAgent is start without the HTTP interface. progress, if there is one, is told what runs do.
func (s *session) startAgent(cfg *config.Config, data string, progress func(runID, line string)) (*service, error) {
	tracer, err := trace.New(s.ctx, trace.Config{Endpoint: cfg.Traces.Endpoint, Version: version(), Log: s.log})
	if err != nil {
		return nil, err
	}
	traced := *s
	traced.tracer = tracer
	counts := newCounters()
	store, err := traced.openCounted(cfg, data, counts)
	if err != nil {
		tracer.Close()
		return nil, err
	}
	fl, err := openFleet(s.ctx, cfg, store.Work())
	if err != nil {
		tracer.Close()
		return nil, errors.Join(err, store.Close())
	}
	s.watch(counts, cfg, store)
	engine := refresh.New(refresh.Config{
		Store: store, Tenants: fl.tenants, Log: s.log, Tracer: tracer, Observer: counts.agent, Progress: progress,
		ResultsInMemory: cfg.Limits.ResultsInMemory, Version: version(),
	})
	return &service{store: store, fleet: fl, metrics: counts, engine: engine, tracer: tracer, log: s.log}, nil
}

// open connects to the store that cfg names; data is the folder of an embedded one.
func (s *session) open(cfg *config.Config, data string) (*storage.Store, error) {
	return s.openCounted(cfg, data, newCounters())
}

// openCounted is open for a process that shows what it says to Redis.
func (s *session) openCounted(cfg *config.Config, data string, c *counters) (*storage.Store, error) {
	if data != "" {
		if err := os.MkdirAll(data, 0o700); err != nil {
			return nil, fmt.Errorf("data: %w", err)
		}
	}
	var tracer storage.Tracer // none costs nothing
	if s.tracer != nil {
		tracer = s.tracer
	}
	store, err := storage.Open(s.ctx, storage.Config{
		Address: cfg.Redis, Partitions: cfg.Partitions, DataDir: data, Log: s.log, Tracer: tracer, Documents: cfg.Documents(),
		Schedules: record.ScheduleLimits{PerUser: cfg.Limits.SchedulesPerUser, PerTenant: cfg.Limits.SchedulesPerTenant},
		Observer:  c.storage,
	})
	if err != nil {
		return nil, plain(err)
	}
	return store, nil
}

// close closes sources, hosts and store, and sends the traces that are left.
func (svc *service) close() error {
	defer svc.tracer.Close()
	svc.metrics.backlog.Close()
	return errors.Join(svc.fleet.Close(), svc.store.Close())
}

//go:embed README.md
var readme string

//go:embed ascode/README.md
var readmeOfCode string

// pages renders what /docs shows: the folders' README files.
func pages() (*docs.Site, error) {
	return docs.New([]docs.Page{
		{Name: "operation", File: "cmd/mooring/README.md", Text: readme},
		{Name: "code", File: "cmd/mooring/ascode/README.md", Text: readmeOfCode},
		{Name: "refreshing", File: "refresh/README.md", Text: refresh.Readme()},
		{Name: "sources", File: "refresh/source/README.md", Text: source.Readme()},
		{Name: "spreadsheets", File: "refresh/host/README.md", Text: host.Readme()},
		{Name: "console", File: "web/console/README.md", Text: web.ConsoleReadme()},
		{Name: "add-ins", File: "web/addin/README.md", Text: web.AddinReadme()},
		{Name: "pipelines", File: "web/README.md", Text: web.Readme()},
	})
}
