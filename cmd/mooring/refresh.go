package main

import (
	"errors"
	"fmt"

	"mooring/placements"
	"mooring/refresh"
	"mooring/storage"
)

// refreshCommand refreshes a report now, in this process or in an agent that takes the run first.
type refreshCommand struct {
	configFlag
	redisFlag
	Tenant     string `required:"" placeholder:"T" help:"The tenant."`
	Deployment int64  `required:"" placeholder:"D" help:"The deployment."`
	Report     int64  `required:"" placeholder:"N" help:"The report's id."`
	Placement  string `placeholder:"ID" help:"One placement; without it, all of the report."`
}

// Run prints what the run does as it happens, and fails unless it succeeded.
func (c *refreshCommand) Run(s *session) error {
	cfg, err := s.loadShared(c.configFlag, c.redisFlag, "refresh")
	if err != nil {
		return err
	}
	if _, known := cfg.Tenants[c.Tenant].Deployments[c.Deployment]; !known {
		return fmt.Errorf("tenant %s with deployment %d is not in the configuration", c.Tenant, c.Deployment)
	}
	svc, err := s.startAgent(cfg, "", func(_, line string) { fmt.Fprintln(s.stdout, line) })
	if err != nil {
		return err
	}
	return errors.Join(c.refresh(s, svc.engine), svc.close())
}

func (c *refreshCommand) refresh(s *session, engine *refresh.Engine) error {
	d := storage.Deployment{Tenant: c.Tenant, ID: c.Deployment}
	run, err := engine.Now(s.ctx, d, refresh.Request{Target: storage.RunTarget{ReportID: c.Report, PlacementID: c.Placement}})
	switch {
	case errors.Is(err, storage.ErrNotFound):
		return fmt.Errorf("deployment %d has no report %d", c.Deployment, c.Report)
	case err != nil:
		return plain(err)
	}
	fmt.Fprintf(s.stdout, "run %s: %s, %d rows and %d columns, %d rows written\n", run.ID, run.State, run.Rows, run.Columns, run.RowsWritten)
	if run.State != placements.RunSucceeded {
		return fmt.Errorf("the run ended %s: %s", run.State, run.Error)
	}
	return nil
}
