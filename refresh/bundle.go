package refresh

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"mooring/placements"
	"mooring/refresh/fault"
	"mooring/refresh/result"
	"mooring/refresh/source"
	"mooring/storage"
	"mooring/storage/record"
	"mooring/storage/record/portable"
	"mooring/storage/work"
)

// Bundles makes plans of bundles and applies them.
type Bundles struct {
	queue     *work.Work
	records   *storage.Store
	tenants   tenants
	attempts  *attempts
	schedules *Scheduler
	headings  *headings
}

// Plan plans what it takes to make the deployment's assets what a bundle wants, and keeps the plan. To what storage plans it adds
// what sources and clocks say: the faults of queries, the columns that appear and vanish, when schedules fire, and if asked for what the
// next writes do to the spreadsheets. Errors are those of record.Planning.
func (s *Bundles) Plan(ctx context.Context, d record.Deployment, b *portable.Bundle, by record.Actor) (*portable.ApplyPlan, error) {
	plan, writes, err := s.records.Plans().Make(ctx, d, b, by, s.tenants.timezone(d))
	if err != nil {
		return nil, err
	}
	if err := s.inspect(ctx, d, plan, writes, by); err != nil {
		return nil, err
	}
	if b.Preview {
		if err := s.previewPlan(ctx, d, plan, writes, by); err != nil {
			return nil, err
		}
	}
	return plan, s.records.Plans().Keep(ctx, d, plan, b, by)
}

// Apply applies a kept plan to a deployment; the schedules that it writes fire when their times say, in its time zone. Errors are those of
// code.Plans.Apply.
func (s *Bundles) Apply(ctx context.Context, d record.Deployment, id string, by record.Actor) (*portable.PlanResult, error) {
	now, err := s.queue.Queue.Clock(ctx)
	if err != nil {
		return nil, err
	}
	next := func(c, before *record.Schedule) (record.Tick, error) {
		times, err := s.schedules.check(d, &c.ScheduleSpec)
		switch {
		case err != nil:
			return record.Tick{}, err
		case before == nil:
			return comingTick(c, times, now), nil
		}
		return tickAfter(c, before.ScheduleSpec, times, now), nil
	}
	return s.records.Plans().Apply(ctx, d, id, by, s.tenants.timezone(d), next)
}

// plannedFires is how many of a schedule's fires a plan shows.
const plannedFires = 3

// inspect adds to a plan what sources and clocks say of its writes.
func (s *Bundles) inspect(ctx context.Context, d record.Deployment, p *portable.ApplyPlan, w *portable.Writes, by record.Actor) error {
	now, err := s.queue.Queue.Clock(ctx)
	if err != nil {
		return err
	}
	for i := range w.Schedules {
		one := &w.Schedules[i]
		p.Assets[one.Asset].NextFires = fireChange(one, now)
	}
	from, none := s.tenants.origin(d)
	if none != nil {
		return nil // what nothing here runs is not checked here
	}
	changed := slices.DeleteFunc(slices.Clone(w.Reports), func(w portable.ReportWrite) bool {
		return w.Action == portable.ActionDelete || w.Held != nil && w.Held.CurrentChecksum == w.Definition.CurrentChecksum
	})
	return s.inspectQueries(ctx, d, from, p, changed, by)
}

// fireChange says when a schedule fires before and after a write; nil when that stays.
func fireChange(w *portable.ScheduleWrite, now time.Time) *portable.FireChange {
	var c portable.FireChange
	if w.Held != nil {
		c.Before = fireTimes(w.Held, now)
	}
	if w.Action != portable.ActionDelete {
		c.After = fireTimes(&record.Schedule{ScheduleSpec: w.Spec}, now)
	}
	if slices.Equal(c.Before, c.After) {
		return nil
	}
	return &c
}

func fireTimes(c *record.Schedule, now time.Time) (times []string) {
	for _, at := range NextFires(c, now, plannedFires) {
		times = append(times, placements.Time(at))
	}
	return times
}

// withoutQuery says in a plan what becomes of a report that has no query.
const withoutQuery = "the report has no query: it is not refreshed until it has one, and what stands in its blocks stays"

// inspectQueries adds what the source says of queries, side by side.
func (s *Bundles) inspectQueries(
	ctx context.Context, d record.Deployment, from result.Origin, p *portable.ApplyPlan, changed []portable.ReportWrite, by record.Actor,
) error {
	definitions := make([]*record.Definition, len(changed))
	for i := range changed {
		definitions[i] = &changed[i].Definition
	}
	var running sync.WaitGroup
	slots, errs := make(source.Slots, result.MaxPrepared), make([]error, len(changed))
	for i, found := range result.Prepare(ctx, d, from, definitions, by) {
		one, held := &p.Assets[changed[i].Asset], changed[i].Held
		if !definitions[i].HasQuery() && len(definitions[i].Parameters) == 0 {
			one.Message = strings.TrimPrefix(one.Message+"; "+withoutQuery, "; ")
			continue
		}
		if found.Err != nil {
			tellFault(one, found.Err)
			continue
		}
		if held == nil || len(held.Placements) == 0 || found.Columns == nil || found.Flat {
			continue
		}
		if err := slots.Take(ctx); err != nil {
			errs[i] = err
			break
		}
		running.Go(func() {
			defer slots.Give()
			one.Columns, errs[i] = s.plannedColumns(ctx, d, held.ID, found.Columns)
		})
	}
	running.Wait()
	return errors.Join(errs...)
}

// tellFault adds to an asset why its query has a fault. One that will pass, such as a database that does not answer, is no reason not to
// apply the plan.
func tellFault(a *portable.PlannedAsset, err error) {
	f := fault.Of(err)
	if f.Class == placements.Transient || f.Class == placements.Quota {
		a.Message = "The query could not be checked now: " + f.Message
		return
	}
	a.Error = &portable.QueryFault{Code: placements.CodeQueryFailed, Message: f.Message}
	if of, ok := errors.AsType[result.ParameterFault](err); ok {
		a.Error.Code, a.Error.Line, a.Error.Column = of.Code, of.Line, of.Column
	}
	if at, ok := errors.AsType[*source.PositionError](err); ok {
		a.Error.Line, a.Error.Column = at.Line, at.Column
	}
}

// plannedColumns says how the columns of a report change; nil when they stay, or the report is gone.
func (s *Bundles) plannedColumns(ctx context.Context, d record.Deployment, id int64, columns []string) (*portable.ColumnDiff, error) {
	r, err := s.records.Reports().Get(ctx, d, id)
	if errors.Is(err, storage.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return s.headings.diff(ctx, d, r, columns)
}
