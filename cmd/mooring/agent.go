package main

import (
	"errors"
	"fmt"
	"net"

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
	cfg, err := s.loadShared(c.configFlag, c.redisFlag, "agent")
	if err != nil {
		return err
	}
	svc, err := s.startAgent(cfg, "", "agent", nil)
	if err != nil {
		return err
	}
	s.log.Info("agent at work", "version", version())
	if c.Listen == "" {
		return errors.Join(svc.engine.Run(s.ctx), svc.close())
	}
	listener, err := net.Listen("tcp", c.Listen)
	if err != nil {
		return errors.Join(fmt.Errorf("listen: %w", err), svc.close())
	}
	s.log.Info("operations", "address", listener.Addr().String())
	svc.server = web.NewOperations(web.Config{Store: svc.store, Metrics: svc.metrics, Log: s.log})
	return errors.Join(svc.serve(s.ctx, listener, true), svc.close())
}
