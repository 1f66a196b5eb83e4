package main

import (
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"

	"mooring/cmd/mooring/ascode"
	"mooring/placements"
	"mooring/refresh"
	"mooring/storage"
	"mooring/storage/record"
)

// refreshCommand refreshes a report now, in this process, which works on nothing else.
type refreshCommand struct {
	configFlag
	redisFlag
	Tenant     string `required:"" placeholder:"T" help:"The tenant."`
	Deployment int64  `required:"" placeholder:"D" help:"The deployment."`
	Report     int64  `required:"" placeholder:"N" help:"The report's id."`
	Placement  string `placeholder:"ID" help:"One placement; without it, all of the report."`
	ShiftRows  *bool  `negatable:"" help:"Move what stands below with the rows (--no-shift-rows: not); without it, what each placement says."`
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
	s.log = cfg.Log.Logger(s.stderr, slog.LevelError) // what fails is said by the run
	svc, err := s.startAgent(cfg, "", "refresh", func(_, line string) { fmt.Fprintln(s.stdout, ascode.Line(line)) })
	if err != nil {
		return err
	}
	return errors.Join(c.refresh(s, svc.engine), svc.close())
}

func (c *refreshCommand) refresh(s *session, engine *refresh.Engine) error {
	d := record.Deployment{Tenant: c.Tenant, ID: c.Deployment}
	req := refresh.Request{Target: record.RunTarget{ReportID: c.Report, PlacementID: c.Placement}}
	if c.ShiftRows != nil {
		req.ShiftRows = placements.Sent(*c.ShiftRows)
	}
	run, err := engine.Execute(s.ctx, d, req)
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
func summary(run *record.Run) string {
	refreshed := 0
	for _, p := range run.Placements {
		if p.State == placements.RunSucceeded {
			refreshed++
		}
	}
	words := fmt.Sprintf("%d of %s refreshed", refreshed, count(len(run.Placements), "placement"))
	switch {
	case refreshed == 0:
	case run.RowsWritten == 0:
		words += ", nothing to write"
	default:
		words += fmt.Sprintf(", %s (%s) written", count(run.RowsWritten, "row"), count(run.CellsWritten, "cell"))
	}
	if found := personal(run); found != "" {
		words += ", " + found
	}
	return words
}

// personal says in words what a run found that people had done, empty when that is nothing.
func personal(run *record.Run) string {
	kept, overwritten, left := 0, 0, 0
	for _, p := range run.Placements {
		replaced := 0
		for _, o := range p.Overwritten {
			if slices.Contains(p.EditedRows, o.Row) {
				replaced++
			}
		}
		overwritten += replaced
		left += len(p.Overwritten) - replaced
		kept += len(p.EditedRows) - replaced
	}
	var words []string
	for _, one := range []struct {
		n    int
		what string
	}{
		{run.MovedRows, " put back in order"},
		{run.ReturnedRows, " deleted by hand written again"},
		{kept, " with cells typed by hand kept"},
		{overwritten, " typed by hand overwritten, and kept in the run"},
		{left, " gone or given back to the source, and what was typed there kept in the run"},
	} {
		if one.n > 0 {
			words = append(words, count(one.n, "row")+one.what)
		}
	}
	return strings.Join(words, ", ")
}

func count(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}
