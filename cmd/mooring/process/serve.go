package process

import (
	"context"
	"errors"
	"runtime"

	"mooring/cmd/mooring/config"
)

// ServeCommand runs the HTTP interface.
type ServeCommand struct {
	ConfigFlag
	RedisFlag
	Listen string `placeholder:"ADDR" env:"MOORING_LISTEN" help:"The address to listen on, instead of the file's listen."`
	Agent  bool   `default:"true" negatable:"" env:"MOORING_AGENT" help:"Run an agent in this process too (--agent=false: not)."`
	Data   string `placeholder:"DIR" env:"MOORING_DATA" help:"With embedded storage: the folder that keeps its data."`
}

// heapFloor is memory that is never touched, so that it takes none: with it the garbage collector runs once for as many bytes of requests,
// not for every 4 MB, which cost a tenth of a connect. What a large run holds is collected as before.
const heapFloor = 32 << 20

// Run serves until the invocation ends, then drains.
func (c *ServeCommand) Run(s *Invocation) error {
	hangups, ignore := hangups()
	defer ignore()
	cfg, err := c.load(s)
	if err != nil {
		return err
	}
	if c.Data != "" && !cfg.Embedded() {
		return &UsageError{"--data goes with embedded storage; a Redis keeps its data itself"}
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
		return errors.Join(err, svc.Close())
	}
	defer runtime.KeepAlive(make([]byte, heapFloor))
	s.Log.Info("serving", "address", listener.Addr().String(), "agent", c.Agent, "version", Version())
	reloads, end := s.reloader(cfg, svc, c.load), svc.operations.serve(s.Ctx)
	err = reloads.during(s.Ctx, hangups, func(ctx context.Context) error { return svc.Serve(ctx, listener, c.Agent) })
	return errors.Join(err, end(), svc.Close())
}

// load reads the configuration file as the command line changes it.
func (c *ServeCommand) load(s *Invocation) (*config.Config, error) {
	cfg, err := s.Load(c.ConfigFlag, c.RedisFlag)
	if err == nil && c.Listen != "" {
		cfg.Listen = c.Listen
	}
	return cfg, err
}
