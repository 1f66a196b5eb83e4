package main

import (
	"context"
	"errors"
	"fmt"
	"net"

	"mooring/cmd/mooring/config"
	"mooring/web"
)

// agentCommand runs an agent without the HTTP interface.
type agentCommand struct {
	configFlag
	redisFlag
	Listen string `placeholder:"ADDR" env:"MOORING_AGENT_LISTEN" help:"Answer /healthz, /readyz and /metrics on this address; without it, listen on none."`
}

// Run works until the session ends and the runs at work are completed.
func (c *agentCommand) Run(s *session) error {
	hangups, ignore := hangups()
	defer ignore()
	load := func() (*config.Config, error) { return s.loadShared(c.configFlag, c.redisFlag, "agent") }
	cfg, err := load()
	if err != nil {
		return err
	}
	svc, err := s.startAgent(cfg, "", nil)
	if err != nil {
		return err
	}
	s.log.Info("agent at work", "version", version())
	reloads := s.reloader(cfg, svc, load)
	if c.Listen == "" {
		return errors.Join(reloads.during(s.ctx, hangups, svc.engine.Run), svc.close())
	}
	listener, err := net.Listen("tcp", c.Listen)
	if err != nil {
		return errors.Join(fmt.Errorf("listen: %w", err), svc.close())
	}
	s.log.Info("operations", "address", listener.Addr().String())
	svc.server = web.NewOperations(web.Config{Store: svc.store, Metrics: svc.metrics, Log: s.log})
	err = reloads.during(s.ctx, hangups, func(ctx context.Context) error { return svc.serve(ctx, listener, true) })
	return errors.Join(err, svc.close())
}
