package main

import (
	"errors"
)

// agentCommand runs an agent without the HTTP interface.
type agentCommand struct {
	configFlag
	redisFlag
	Listen string `placeholder:"ADDR" env:"MOORING_AGENT_LISTEN" help:"The address for operators, instead of the file's ops.listen."`
}

// Run works until the session ends and the runs at work are completed.
func (c *agentCommand) Run(s *session) error {
	cfg, err := s.loadShared(c.configFlag, c.redisFlag, "agent")
	if err != nil {
		return err
	}
	svc, err := s.startAgent(cfg, "", nil)
	if err != nil {
		return err
	}
	key, address := "ops.listen", cfg.Ops.Listen
	if c.Listen != "" {
		key, address = "--listen", c.Listen
	}
	if err := s.addOperations(svc, key, address); err != nil {
		return err
	}
	s.log.Info("agent at work", "version", version())
	end := svc.operations.serve(s.ctx)
	return errors.Join(svc.engine.Run(s.ctx), end(), svc.close())
}
