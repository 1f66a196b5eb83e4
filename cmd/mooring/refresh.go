package main

import (
	"errors"
	"fmt"
	"log/slog"

	"mooring/placements"
	"mooring/refresh"
	"mooring/storage"
)

// refreshCommand refreshes a report now, in this process, which works on nothing else.
type refreshCommand struct {
	configFlag
	redisFlag
	Tenant     string `required:"" placeholder:"T" help:"The tenant."`
	Deployment int64  `required:"" placeholder:"D" help:"The deployment."`
	Report     int64  `required:"" placeholder:"N" help:"The report's id."`
	Placement  string `placeholder:"ID" help:"One placement; without it, all of the report."`
}

// Run prints what the run does as it happens, and fails unless it succeeded. A signal stops the run.
func (c *refreshCommand) Run(s *session) error {
	cfg, err := s.loadShared(c.configFlag, c.redisFlag, "refresh")
	if err != nil {
		return err
	}
	if _, known := cfg.Tenants[c.Tenant].Deployments[c.Deployment]; !known {
		return fmt.Errorf("tenant %s with deployment %d is not in the configuration", c.Tenant, c.Deployment)
	}
	s.log = slog.New(slog.NewTextHandler(s.stderr, &slog.HandlerOptions{Level: slog.LevelError})) // what fails is said by the run
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
	fmt.Fprintf(s.stdout, "run %s: %s: %s\n", run.ID, run.State, summary(run))
	switch run.State {
	case placements.RunSucceeded:
		return nil
	case placements.RunStopped:
		return errors.New("the run was stopped")
	}
	return fmt.Errorf("the run ended %s: %s", run.State, run.Error)
}

// summary says in words what a run did.
func summary(run *storage.Run) string {
	refreshed, edited, overwritten := 0, 0, 0
	for _, p := range run.Placements {
		if p.State == placements.RunSucceeded {
			refreshed++
		}
		edited += len(p.EditedRows)
		overwritten += len(p.Overwritten)
	}
	words := fmt.Sprintf("%d of %s refreshed", refreshed, count(len(run.Placements), "placement"))
	switch {
	case refreshed == 0:
	case run.RowsWritten == 0:
		words += ", nothing had changed"
	default:
		words += fmt.Sprintf(", %s (%s) written", count(run.RowsWritten, "row"), count(run.CellsWritten, "cell"))
	}
	if kept := edited - overwritten; kept > 0 {
		words += fmt.Sprintf(", %s kept as a person left them", count(kept, "row"))
	}
	if overwritten > 0 {
		words += fmt.Sprintf(", %s of a person overwritten and kept in the run", count(overwritten, "row"))
	}
	return words
}

func count(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}
