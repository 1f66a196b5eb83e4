package process

import (
	"errors"

	"mooring/cmd/mooring/config"
)

// AgentCommand runs an agent without the HTTP interface.
type AgentCommand struct {
	ConfigFlag
	RedisFlag
	Listen string `placeholder:"ADDR" env:"MOORING_AGENT_LISTEN" help:"The address for operators, instead of the file's ops.listen."`
}

// Run works until the invocation ends and the runs at work are completed.
func (c *AgentCommand) Run(s *Invocation) error {
	hangups, ignore := hangups()
	defer ignore()
	cfg, err := c.load(s)
	if err != nil {
		return err
	}
	svc, err := s.StartAgent(cfg, "", "agent", nil)
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
	s.Log.Info("agent at work", "version", Version())
	reloads, end := s.reloader(cfg, svc, c.load), svc.operations.serve(s.Ctx)
	return errors.Join(reloads.during(s.Ctx, hangups, svc.serveNothing), end(), svc.Close())
}

// load reads the configuration file as the command line changes it.
func (c *AgentCommand) load(s *Invocation) (*config.Config, error) {
	return s.LoadShared(c.ConfigFlag, c.RedisFlag, "agent")
}
