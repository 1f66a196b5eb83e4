package process

import (
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"

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

// Service is everything of one process: the store, the open sources and hosts, the agent and the HTTP interface.
type Service struct {
	log        *slog.Logger
	metrics    *counters
	tracer     *trace.Tracer
	store      *storage.Store
	leave      func() // tells that the process uses the store no more
	fleet      *Fleet
	Engine     *refresh.Engine
	server     *web.Server    // nil: none
	issuers    []*oidc.Issuer // that the server began with
	operations *operations    // nil: none
}

// start opens everything that cfg names and makes the service, without yet listening.
func (s *Invocation) start(cfg *config.Config, data string) (*Service, error) {
	svc, err := s.StartAgent(cfg, data, "serve", nil)
	if err != nil {
		return nil, err
	}
	if err := s.warn(svc, cfg); err != nil {
		return nil, err
	}
	return svc, s.AddServer(svc, cfg, nil)
}

// warn logs what about the store of a service works and may cost data. When the store must not be used, it closes the service. Opening an
// embedded store has said it.
func (s *Invocation) warn(svc *Service, cfg *config.Config) error {
	if cfg.Embedded() {
		return nil
	}
	warnings, err := svc.store.Warnings(s.Ctx)
	if err != nil {
		return errors.Join(Plain(err), svc.Close())
	}
	for _, w := range warnings {
		s.Log.Warn("redis: " + w)
	}
	return nil
}

// AddServer adds the HTTP interface to a service, and the actions of a demo if there is one. When it fails, it closes the service.
func (s *Invocation) AddServer(svc *Service, cfg *config.Config, demo http.Handler) error {
	svc.issuers = cfg.Issuers(nil, s.Log)
	rules, err := rulesOf(cfg, svc.issuers)
	if err != nil {
		return errors.Join(err, svc.Close())
	}
	site, err := docs.New(slices.Concat(docs.People(), s.Pages, pagesBelow()))
	if err != nil {
		return errors.Join(err, svc.Close())
	}
	svc.server = web.New(web.Config{
		Rules: rules, Store: svc.store, Tenants: cfg.Served(), Engine: svc.Engine, Log: s.Log, Tracer: svc.tracer,
		Metrics: svc.metrics.all, OperationsApart: cfg.Ops.Listen != "", Docs: site,
		PublicURL: cfg.PublicURL, FrameAncestors: cfg.Addin.FrameAncestors, PanePolicy: cfg.Addin.CSP,
		TrustedProxies: cfg.TrustedProxies, Demo: demo,
		Provider: provider(cfg),
	})
	if err := svc.server.CountManifest(s.Ctx); err != nil {
		return errors.Join(Plain(err), svc.Close())
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

// StartAgent is start without the HTTP interface, for a command of that name. progress, if there is one, is told what runs do.
func (s *Invocation) StartAgent(cfg *config.Config, data, command string, progress func(runID, line string)) (*Service, error) {
	svc := &Service{log: s.Log, metrics: newCounters()}
	err := svc.join(s, cfg, data, command)
	if err == nil {
		svc.fleet, err = OpenFleet(s.Ctx, cfg, svc.store.Work())
	}
	if err != nil {
		return nil, errors.Join(err, svc.Close())
	}
	s.watch(svc.metrics, cfg, svc.store)
	svc.Engine = refresh.New(refresh.Config{
		Store: svc.store, Tenants: svc.fleet.Tenants, Log: s.Log, Tracer: svc.tracer, Observer: svc.metrics.agent, Progress: progress,
		ResultsInMemory: cfg.Limits.ResultsInMemory, Version: Version(),
	})
	return svc, nil
}

// join connects the service to the store, which it observes, and tells that the process uses it.
func (svc *Service) join(s *Invocation, cfg *config.Config, data, command string) (err error) {
	svc.tracer, err = trace.New(s.Ctx, trace.Config{Endpoint: cfg.Traces.Endpoint, Version: Version(), Log: s.Log})
	if err != nil {
		return err
	}
	at := s.StorageOf(cfg, data)
	at.Observer = svc.metrics.storage
	if svc.tracer != nil { // none costs nothing
		at.Tracer = svc.tracer
	}
	if svc.store, err = s.openStore(at); err != nil {
		return err
	}
	svc.leave, err = svc.store.Announce(s.Ctx, ThisProcess(command))
	return Plain(err)
}

// ThisProcess is what a command that uses a store tells of itself.
func ThisProcess(command string) record.Process {
	host, _ := os.Hostname() // empty where there is none
	return record.Process{ID: rand.Text(), Command: command, Host: host, PID: os.Getpid(), Version: Version(), StartedAt: time.Now().UTC()}
}

// Open connects to the store that cfg names; data is the folder of an embedded one.
func (s *Invocation) Open(cfg *config.Config, data string) (*storage.Store, error) {
	return s.openStore(s.StorageOf(cfg, data))
}

// StorageOf says where the store is that cfg names; data is the folder of an embedded one.
func (s *Invocation) StorageOf(cfg *config.Config, data string) storage.Config {
	return storage.Config{
		Address: cfg.Redis, Partitions: cfg.Partitions, DataDir: data, Log: s.Log, Documents: cfg.Documents(),
		Schedules: record.ScheduleLimits{PerUser: cfg.Limits.SchedulesPerUser, PerTenant: cfg.Limits.SchedulesPerTenant},
	}
}

func (s *Invocation) openStore(at storage.Config) (*storage.Store, error) {
	if at.DataDir != "" {
		if err := os.MkdirAll(at.DataDir, 0o700); err != nil {
			return nil, fmt.Errorf("data: %w", err)
		}
	}
	store, err := storage.Open(s.Ctx, at)
	if err != nil {
		return nil, Plain(err)
	}
	return store, nil
}

// Close closes sources, hosts and store, as far as they are open, and sends the traces that are left.
func (svc *Service) Close() (err error) {
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

// pagesBelow are the pages of /docs of what a service consists of: the folders' README files.
func pagesBelow() []docs.Page {
	return []docs.Page{
		{Name: "refreshing", File: "refresh/README.md", Text: refresh.Readme()},
		{Name: "sources", File: "refresh/source/README.md", Text: source.Readme()},
		{Name: "spreadsheets", File: "refresh/host/README.md", Text: host.Readme()},
		{Name: "console", File: "web/console/README.md", Text: web.ConsoleReadme()},
		{Name: "add-ins", File: "web/addin/README.md", Text: web.AddinReadme()},
		{Name: "pipelines", File: "web/README.md", Text: web.Readme()},
	}
}

// Plain says in one line that the store was not reached, or why it refuses; other errors stay as they are.
func Plain(err error) error {
	if r, ok := errors.AsType[*storage.Refusal](err); ok {
		return fmt.Errorf("%s. %s (%s)", r.Reason, r.Remedy, strings.TrimPrefix(err.Error(), r.Error()+": "))
	}
	if errors.Is(err, storage.ErrUnavailable) {
		return fmt.Errorf("redis does not answer: check the address and that the server runs (%w)", err)
	}
	return err
}
