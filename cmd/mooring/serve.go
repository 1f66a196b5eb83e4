package main

import (
	"context"
	"crypto/rand"
	_ "embed"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"runtime"
	"time"

	"mooring/cmd/mooring/config"
	"mooring/refresh"
	"mooring/refresh/host"
	"mooring/refresh/source"
	"mooring/storage"
	"mooring/storage/record"
	"mooring/web"
	"mooring/web/docs"
	"mooring/web/metrics"
	"mooring/web/oidc"
)

// grace is how long requests and runs in flight may take after a signal.
const grace = 20 * time.Second

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
	cfg, err := s.load(c.configFlag, c.redisFlag)
	if err != nil {
		return err
	}
	if c.Listen != "" {
		cfg.Listen = c.Listen
	}
	if c.Data != "" && !cfg.Embedded() {
		return &usageError{"--data goes with embedded storage; a Redis keeps its data itself"}
	}
	svc, err := s.start(cfg, c.Data)
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", cfg.Listen)
	if err != nil {
		return errors.Join(fmt.Errorf("listen: %w", err), svc.close())
	}
	defer runtime.KeepAlive(make([]byte, heapFloor))
	s.log.Info("serving", "address", listener.Addr().String(), "agent", c.Agent, "version", version())
	return errors.Join(svc.serve(s.ctx, listener, c.Agent), svc.close())
}

// service is everything of one process: the store, the open sources and hosts, the agent and the HTTP interface.
type service struct {
	store   *storage.Store
	fleet   *fleet
	metrics *metrics.Agent
	engine  *refresh.Engine
	server  *web.Server
	leave   func() // tells that the process uses the store no more
}

// start opens everything that cfg names and makes the service, without yet listening.
func (s *session) start(cfg *config.Config, data string) (*service, error) {
	svc, err := s.startAgent(cfg, data, "serve", nil)
	if err != nil {
		return nil, err
	}
	return svc, s.addServer(svc, cfg, nil)
}

// addServer adds the HTTP interface to a service, and the actions of a demo if there is one. When it fails, it closes the service.
func (s *session) addServer(svc *service, cfg *config.Config, demo http.Handler) error {
	keys, err := cfg.Keyring()
	if err != nil {
		return errors.Join(err, svc.close())
	}
	site, err := pages()
	if err != nil {
		return errors.Join(err, svc.close())
	}
	svc.server = web.New(web.Config{
		Store: svc.store, Keys: keys, Tenants: cfg.Served(), Engine: svc.engine, Metrics: svc.metrics, Log: s.log,
		Limits: web.Limits{RatePerMinute: cfg.Limits.RequestsPerMinute}, Origins: cfg.CORS.Origins, Docs: site,
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

// startAgent is start without the HTTP interface, for a command of that name. progress, if there is one, is told what runs do.
func (s *session) startAgent(cfg *config.Config, data, command string, progress func(runID, line string)) (*service, error) {
	store, err := s.open(cfg, data)
	if err != nil {
		return nil, err
	}
	leave, err := store.Announce(s.ctx, thisProcess(command))
	if err != nil {
		return nil, errors.Join(plain(err), store.Close())
	}
	fl, err := openFleet(s.ctx, cfg, store.Work())
	if err != nil {
		leave()
		return nil, errors.Join(err, store.Close())
	}
	counts := metrics.NewAgent(store.Queue())
	engine := refresh.New(refresh.Config{
		Store: store, Tenants: fl.tenants, Log: s.log, Observer: counts, Progress: progress, ResultsInMemory: cfg.Limits.ResultsInMemory,
		Version: version(),
	})
	return &service{store: store, fleet: fl, metrics: counts, engine: engine, leave: leave}, nil
}

// thisProcess is what a command that uses a store tells of itself.
func thisProcess(command string) record.Process {
	host, _ := os.Hostname() // empty where there is none
	return record.Process{ID: rand.Text(), Command: command, Host: host, PID: os.Getpid(), Version: version(), StartedAt: time.Now().UTC()}
}

// open connects to the store that cfg names; data is the folder of an embedded one.
func (s *session) open(cfg *config.Config, data string) (*storage.Store, error) {
	if data != "" {
		if err := os.MkdirAll(data, 0o700); err != nil {
			return nil, fmt.Errorf("data: %w", err)
		}
	}
	store, err := storage.Open(s.ctx, s.storageOf(cfg, data))
	if err != nil {
		return nil, plain(err)
	}
	return store, nil
}

// storageOf says where the store is that cfg names.
func (s *session) storageOf(cfg *config.Config, data string) storage.Config {
	return storage.Config{
		Address: cfg.Redis, Partitions: cfg.Partitions, DataDir: data, Log: s.log, Documents: cfg.Documents(),
		Schedules: record.ScheduleLimits{PerUser: cfg.Limits.SchedulesPerUser, PerTenant: cfg.Limits.SchedulesPerTenant},
	}
}

// serve answers requests on l, and works as an agent too if wanted, until ctx ends and both have drained. If one of them
// fails, the other is ended.
func (svc *service) serve(ctx context.Context, l net.Listener, agent bool) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	agentEnded := make(chan error, 1)
	go func() {
		defer cancel()
		if !agent {
			<-ctx.Done()
			agentEnded <- nil
			return
		}
		agentEnded <- svc.engine.Run(ctx)
	}()
	err := svc.server.Serve(ctx, l, grace)
	cancel()
	return errors.Join(err, <-agentEnded)
}

// close closes sources, hosts and store.
func (svc *service) close() error {
	svc.leave()
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
