package main

import (
	"errors"
	"fmt"
	"log/slog"

	"mooring/cmd/mooring/ascode"
	"mooring/cmd/mooring/process"
	"mooring/placements"
	"mooring/refresh"
	"mooring/storage"
	"mooring/storage/record"
)

// refreshCommand refreshes a report now, in this process, which works on nothing else.
type refreshCommand struct {
	process.ConfigFlag
	process.RedisFlag
	Tenant     string `required:"" placeholder:"T" help:"The tenant."`
	Deployment int64  `required:"" placeholder:"D" help:"The deployment."`
	Report     int64  `required:"" placeholder:"N" help:"The report's id."`
	Placement  string `placeholder:"ID" help:"One placement; without it, all of the report."`
	ShiftRows  *bool  `negatable:"" help:"Move what stands below with the rows (--no-shift-rows: not); without it, what each placement says."`
}

// Run prints what the run does as it happens, and fails unless it succeeded. A signal stops the run.
func (c *refreshCommand) Run(s *process.Invocation) error {
	cfg, err := s.LoadShared(c.ConfigFlag, c.RedisFlag, "refresh")
	if err != nil {
		return err
	}
	if _, known := cfg.Tenants[c.Tenant].Deployments[c.Deployment]; !known {
		return fmt.Errorf("tenant %s with deployment %d is not in the configuration", c.Tenant, c.Deployment)
	}
	s.Log = cfg.Log.Logger(s.Stderr, slog.LevelError) // what fails is said by the run
	svc, err := s.StartAgent(cfg, "", "refresh", func(_, line string) { fmt.Fprintln(s.Stdout, ascode.Line(line)) })
	if err != nil {
		return err
	}
	return errors.Join(c.refresh(s, svc.Engine), svc.Close())
}

func (c *refreshCommand) refresh(s *process.Invocation, engine *refresh.Engine) error {
	d := record.Deployment{Tenant: c.Tenant, ID: c.Deployment}
	req := refresh.Request{Target: record.RunTarget{ReportID: c.Report, PlacementID: c.Placement}}
	if c.ShiftRows != nil {
		req.ShiftRows = placements.Sent(*c.ShiftRows)
	}
	run, err := engine.Execute(s.Ctx, d, req)
	switch {
	case errors.Is(err, storage.ErrNotFound):
		return fmt.Errorf("deployment %d has no report %d", c.Deployment, c.Report)
	case err != nil:
		return process.Plain(err)
	}
	fmt.Fprintf(s.Stdout, "run %s: %s: %s\n", run.ID, run.State, summary(run))
	switch run.State {
	case placements.RunSucceeded:
		return nil
	case placements.RunStopped:
		return errors.New("the run was stopped")
	}
	return fmt.Errorf("the run ended %s: %s", run.State, run.Error)
}

// summary says in words what a run did.
func summary(run *record.Run) string {
	refreshed := 0
	for _, p := range run.Placements {
		if p.State == placements.RunSucceeded {
			refreshed++
		}
	}
	words := fmt.Sprintf("%d of %s refreshed", refreshed, process.Count(len(run.Placements), "placement"))
	switch {
	case refreshed == 0:
	case run.RowsWritten == 0:
		words += ", nothing to write"
	default:
		words += fmt.Sprintf(", %s (%s) written", process.Count(run.RowsWritten, "row"), process.Count(run.CellsWritten, "cell"))
	}
	if found := process.Findings(run); found != "" {
		words += ", " + found
	}
	return words
}
