package main

import (
	"context"
	_ "embed"
	"errors"
	"runtime"

	"mooring/cmd/mooring/config"
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
	reloads, end := s.reloader(cfg, svc, c.load), svc.operations.serve(s.ctx)
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
