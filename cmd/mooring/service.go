package main

import (
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"time"

	_ "embed"

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

// service is everything of one process: the store, the open sources and hosts, the agent and the HTTP interface.
type service struct {
	log        *slog.Logger
	metrics    *counters
	tracer     *trace.Tracer
	store      *storage.Store
	leave      func() // tells that the process uses the store no more
	fleet      *fleet
	engine     *refresh.Engine
	server     *web.Server    // nil: none
	issuers    []*oidc.Issuer // that the server began with
	operations *operations    // nil: none
}

// start opens everything that cfg names and makes the service, without yet listening.
func (s *session) start(cfg *config.Config, data string) (*service, error) {
	svc, err := s.startAgent(cfg, data, "serve", nil)
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
		Rules: rules, Store: svc.store, Tenants: cfg.Served(), Engine: svc.engine, Log: s.log, Tracer: svc.tracer,
		Metrics: svc.metrics.all, OperationsApart: cfg.Ops.Listen != "", Docs: site,
		PublicURL: cfg.PublicURL, FrameAncestors: cfg.Addin.FrameAncestors, PanePolicy: cfg.Addin.CSP,
		TrustedProxies: cfg.TrustedProxies, Demo: demo,
		Provider: provider(cfg),
	})
	if err := svc.server.CountManifest(s.ctx); err != nil {
		return errors.Join(plain(err), svc.close())
	}
	return nil
}

// provider returns the provider of identities that cfg names; nil for none.
func provider(cfg *config.Config) *oidc.Provider {
	issuers := cfg.Identities()
	if len(issuers) == 0 {
		return nil
	}
	return oidc.New(issuers...)
}

// startAgent is start without the HTTP interface, for a command of that name. progress, if there is one, is told what runs do.
func (s *session) startAgent(cfg *config.Config, data, command string, progress func(runID, line string)) (*service, error) {
	svc := &service{log: s.log, metrics: newCounters()}
	err := svc.join(s, cfg, data, command)
	if err == nil {
		svc.fleet, err = openFleet(s.ctx, cfg, svc.store.Work())
	}
	if err != nil {
		return nil, errors.Join(err, svc.close())
	}
	s.watch(svc.metrics, cfg, svc.store)
	svc.engine = refresh.New(refresh.Config{
		Store: svc.store, Tenants: svc.fleet.tenants, Log: s.log, Tracer: svc.tracer, Observer: svc.metrics.agent, Progress: progress,
		ResultsInMemory: cfg.Limits.ResultsInMemory, Version: version(),
	})
	return svc, nil
}

// join connects the service to the store, which it observes, and tells that the process uses it.
func (svc *service) join(s *session, cfg *config.Config, data, command string) (err error) {
	svc.tracer, err = trace.New(s.ctx, trace.Config{Endpoint: cfg.Traces.Endpoint, Version: version(), Log: s.log})
	if err != nil {
		return err
	}
	at := s.storageOf(cfg, data)
	at.Observer = svc.metrics.storage
	if svc.tracer != nil { // none costs nothing
		at.Tracer = svc.tracer
	}
	if svc.store, err = s.openStore(at); err != nil {
		return err
	}
	svc.leave, err = svc.store.Announce(s.ctx, thisProcess(command))
	return plain(err)
}

// thisProcess is what a command that uses a store tells of itself.
func thisProcess(command string) record.Process {
	host, _ := os.Hostname() // empty where there is none
	return record.Process{ID: rand.Text(), Command: command, Host: host, PID: os.Getpid(), Version: version(), StartedAt: time.Now().UTC()}
}

// open connects to the store that cfg names; data is the folder of an embedded one.
func (s *session) open(cfg *config.Config, data string) (*storage.Store, error) {
	return s.openStore(s.storageOf(cfg, data))
}

// storageOf says where the store is that cfg names; data is the folder of an embedded one.
func (s *session) storageOf(cfg *config.Config, data string) storage.Config {
	return storage.Config{
		Address: cfg.Redis, Partitions: cfg.Partitions, DataDir: data, Log: s.log, Documents: cfg.Documents(),
		Schedules: record.ScheduleLimits{PerUser: cfg.Limits.SchedulesPerUser, PerTenant: cfg.Limits.SchedulesPerTenant},
	}
}

func (s *session) openStore(at storage.Config) (*storage.Store, error) {
	if at.DataDir != "" {
		if err := os.MkdirAll(at.DataDir, 0o700); err != nil {
			return nil, fmt.Errorf("data: %w", err)
		}
	}
	store, err := storage.Open(s.ctx, at)
	if err != nil {
		return nil, plain(err)
	}
	return store, nil
}

// close closes sources, hosts and store, as far as they are open, and sends the traces that are left.
func (svc *service) close() (err error) {
	defer svc.tracer.Close()
	if svc.metrics.backlog != nil {
		svc.metrics.backlog.Close()
	}
	if svc.leave != nil {
		svc.leave()
	}
	if svc.fleet != nil {
		err = svc.fleet.Close()
	}
	if svc.store != nil {
		err = errors.Join(err, svc.store.Close())
	}
	return err
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
