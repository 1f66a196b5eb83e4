package main

import "errors"

// agentCommand runs an agent without the HTTP interface.
type agentCommand struct {
	configFlag
	redisFlag
}

// Run works until the session ends and the runs in hand are settled.
func (c *agentCommand) Run(s *session) error {
	cfg, err := s.loadShared(c.configFlag, c.redisFlag, "agent")
	if err != nil {
		return err
	}
	svc, err := s.startAgent(cfg, "", nil)
	if err != nil {
		return err
	}
	s.log.Info("agent at work", "version", version())
	return errors.Join(svc.engine.Run(s.ctx), svc.close())
}
