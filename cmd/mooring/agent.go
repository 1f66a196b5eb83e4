package main

import (
	"errors"

	"mooring/cmd/mooring/config"
)

// agentCommand runs an agent without the HTTP interface.
type agentCommand struct {
	configFlag
	redisFlag
	Listen string `placeholder:"ADDR" env:"MOORING_AGENT_LISTEN" help:"The address for operators, instead of the file's ops.listen."`
}

// Run works until the session ends and the runs at work are completed.
func (c *agentCommand) Run(s *session) error {
	hangups, ignore := hangups()
	defer ignore()
	cfg, err := c.load(s)
	if err != nil {
		return err
	}
	svc, err := s.startAgent(cfg, "", "agent", nil)
	if err != nil {
		return err
	}
	if err := s.warn(svc, cfg); err != nil {
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
	reloads, end := s.reloader(cfg, svc, c.load), svc.operations.serve(s.ctx)
	return errors.Join(reloads.during(s.ctx, hangups, svc.serveNothing), end(), svc.close())
}

// load reads the configuration file as the command line changes it.
func (c *agentCommand) load(s *session) (*config.Config, error) {
	return s.loadShared(c.configFlag, c.redisFlag, "agent")
}
