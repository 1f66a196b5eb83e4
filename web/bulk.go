package web

import (
	"errors"
	"net/http"
	"slices"

	"github.com/gin-gonic/gin"

	"mooring/placements"
	"mooring/refresh"
	"mooring/storage"
	"mooring/storage/queue"
	"mooring/storage/record"
	"mooring/web/bind"
	"mooring/web/overview"
)

// bulkAction is what a request does with every asset that its filter matches.
type bulkAction string

const (
	bulkRetry    bulkAction = "retry"
	bulkStop     bulkAction = "stop"
	bulkPause    bulkAction = "pause"
	bulkResume   bulkAction = "resume"
	bulkTransfer bulkAction = "transfer"
)

// bulkRunsInput is the body of an action on runs.
type bulkRunsInput struct {
	action   bulkAction
	filter   overview.RunMembers
	expected int
}

func (b *bulkRunsInput) members(o *bind.Object) {
	bind.Choice(o, "action", &b.action, []bulkAction{bulkRetry, bulkStop})
	o.Object("filter", b.filter.Members)
	bind.Whole(o, "expectedCount", &b.expected, 0)
	o.Required("action", "filter", "expectedCount")
}

// bulkRuns stops the runs that a filter matches, or runs their targets again.
func (s *Server) bulkRuns(c *gin.Context) error {
	if err := overview.MayBulk(current(c).Caller); err != nil {
		return err
	}
	var in bulkRunsInput
	if err := s.read(c, &in); err != nil {
		return err
	}
	runs, err := s.rules.Load().overview.Matching(c.Request.Context(), current(c).deployment(), &in.filter)
	if err != nil {
		return err
	}
	if err := overview.CheckCount(len(runs), in.expected); err != nil {
		return err
	}
	out := overview.NewOutcome[string](len(runs))
	act := s.retryAll
	if in.action == bulkStop {
		act = s.stopAll
	}
	if err := act(c, runs, out); err != nil {
		return err
	}
	c.JSON(http.StatusOK, out)
	return nil
}

// stopAll asks runs to stop, each by the rules of stopping it alone. One that has ended stays as it is.
func (s *Server) stopAll(c *gin.Context, runs []*record.Run, out *overview.Outcome[string]) error {
	reports := s.targetReports(c)
	for _, run := range runs {
		err := absent(s.stopOf(c, reports, run), "run")
		if err == nil || errors.Is(err, queue.ErrEnded) {
			continue
		}
		if err := refuse(out, run.ID, err); err != nil {
			return err
		}
	}
	return nil
}

// stopOf asks one of many runs to stop. One whose report is gone is theirs who may edit every report, beside who asked for it.
func (s *Server) stopOf(c *gin.Context, reports *targetReports, run *record.Run) error {
	report, err := reports.of(&record.Schedule{ScheduleSpec: record.ScheduleSpec{Target: run.Target()}})
	if err != nil {
		return err
	}
	caller, of := current(c).Caller, record.Definition{}
	if report != nil {
		of = report.Definition
	}
	if err := mayStop(caller, run, levelOn(caller, &of)); err != nil {
		return err
	}
	return s.engine.Stop(c.Request.Context(), current(c).deployment(), run)
}

// refuse notes why one asset is as it was. An error that says nothing about the asset is returned.
func refuse[ID any](out *overview.Outcome[ID], id ID, err error) error {
	why := classified(err)
	if why == nil || responseTo(why.Code).status >= http.StatusInternalServerError {
		return err
	}
	out.Refuse(id, why)
	return nil
}

// retriesAtOnce is how many runs one step makes: other requests wait for the storage meanwhile.
const retriesAtOnce = 100

// retryAll makes a manual run of the target of each run that has ended, with its options.
func (s *Server) retryAll(c *gin.Context, runs []*record.Run, out *overview.Outcome[string]) error {
	reports := s.targetReports(c)
	for some := range slices.Chunk(runs, retriesAtOnce) {
		var orders []refresh.Order
		var ids []string
		for _, run := range some {
			order, err := s.retryOf(c, reports, run)
			if err == nil {
				orders, ids = append(orders, order), append(ids, run.ID)
			} else if err := refuse(out, run.ID, err); err != nil {
				return err
			}
		}
		_, refused, err := s.engine.StartAll(c.Request.Context(), current(c).Caller.Tenant, orders)
		if err != nil {
			return err
		}
		for i, why := range refused {
			if why == nil {
				continue
			}
			if err := refuse(out, ids[i], absent(why, "report")); err != nil {
				return err
			}
		}
	}
	return nil
}

// retryOf asks for a run like one that has ended, by the rules of any run that the caller asks for.
func (s *Server) retryOf(c *gin.Context, reports *targetReports, run *record.Run) (order refresh.Order, err error) {
	if run.EndedAt == "" {
		return order, placements.Errorf(placements.CodeRunning, "Run %s has not ended: wait for it or stop it.", run.ID)
	}
	target, caller := run.Target(), current(c).Caller
	if target.PlacementID != "" {
		target.ExternalWorkbookID = "" // a run of an add-in names both
	}
	report, err := reports.of(&record.Schedule{ScheduleSpec: record.ScheduleSpec{Target: target}})
	if err != nil {
		return order, err
	}
	if report == nil {
		return order, notFound("report")
	}
	if err := mayReadReport(caller, report); err != nil {
		return order, err
	}
	if target, err = s.aim(c, target); err != nil {
		return order, err
	}
	if err := target.Refreshable(&report.Definition, report.Places()); err != nil {
		return order, err
	}
	req := refresh.Request{Target: target, Options: run.Options, By: caller.Actor}
	order = refresh.Order{DeploymentID: current(c).Deployment, Request: req}
	return order, mayOverwrite(caller, req, &report.Definition, target.NamesPartOthers(report.Places(), caller.ID))
}

// bulkSchedulesInput is the body of an action on schedules.
type bulkSchedulesInput struct {
	action   bulkAction
	owner    int64 // of a transfer
	filter   record.ScheduleFilter
	expected int
}

func (b *bulkSchedulesInput) members(o *bind.Object) {
	bind.Choice(o, "action", &b.action, []bulkAction{bulkPause, bulkResume, bulkTransfer})
	bind.Whole(o, "owner", &b.owner, 1)
	o.Object("filter", func(o *bind.Object) {
		o.OptionalFlag("paused", &b.filter.Paused)
		bind.Whole(o, "owner", &b.filter.Owner, 1)
		bind.Whole(o, "report", &b.filter.Report, 1)
	})
	bind.Whole(o, "expectedCount", &b.expected, 0)
	o.Required("action", "filter", "expectedCount")
}

// rules wants an owner for a transfer, and none for anything else.
func (b *bulkSchedulesInput) rules(_ *Server, _ *gin.Context, f *bind.Faults) error {
	fault := placements.Detail{Pointer: "/owner", Code: placements.CodeInvalid}
	switch {
	case b.action == bulkTransfer && b.owner == 0:
		fault.Message = "is required for a transfer: send the id of the user whose the schedules are to be"
	case b.action != bulkTransfer && b.owner != 0:
		fault.Message = "is for a transfer only: leave it out"
	default:
		return nil
	}
	f.Join(fault)
	return nil
}

// bulkSchedules pauses or resumes the schedules that a filter matches, or makes them another user's.
func (s *Server) bulkSchedules(c *gin.Context) error {
	if err := overview.MayBulk(current(c).Caller); err != nil {
		return err
	}
	var in bulkSchedulesInput
	if err := s.read(c, &in); err != nil {
		return err
	}
	reports := s.targetReports(c)
	found, err := s.rules.Load().overview.MatchingSchedules(c.Request.Context(), current(c).deployment(), in.filter, s.readableSchedules(c, reports))
	if err != nil {
		return err
	}
	if err := overview.CheckCount(len(found), in.expected); err != nil {
		return err
	}
	out := overview.NewOutcome[int64](len(found))
	for _, one := range found {
		if err := absent(s.bulkChange(c, reports, one, &in), "schedule"); err != nil {
			if err := refuse(out, one.ID, err); err != nil {
				return err
			}
		}
	}
	c.JSON(http.StatusOK, out)
	return nil
}

// bulkChange does with one schedule what the body says, by the rules of the operation on it alone.
func (s *Server) bulkChange(c *gin.Context, reports *targetReports, one *record.Schedule, in *bulkSchedulesInput) error {
	have, err := reports.level(one)
	if err != nil {
		return err
	}
	ctx, at, caller := c.Request.Context(), current(c).deployment(), current(c).Caller
	if in.action == bulkTransfer {
		if err := demand(have, mayManage, "schedule"); err != nil {
			return err
		}
		owner, err := newOwner(caller.Actor, reports, one, in.owner)
		if err == nil {
			_, err = s.engine.TransferSchedule(ctx, at, one.ID, caller.Actor, owner)
		}
		return err
	}
	if err := demand(have, mayEdit, "schedule"); err != nil {
		return err
	}
	_, err = s.engine.UpdateSchedule(ctx, at, one.ID, caller.Actor, func(now *record.Schedule) error {
		if now.Paused = in.action == bulkPause; now.Paused {
			return nil
		}
		_, err := s.maySchedule(c, now.Target)
		return err
	})
	return err
}

// newOwner is the user whose a schedule becomes, with what is known of their rights: of the caller, of who made its report, and of those on
// whose behalf the report stands somewhere. They must be able to read the report, as its runs will be theirs.
func newOwner(caller record.Actor, reports *targetReports, one *record.Schedule, uid int64) (record.Actor, error) {
	report, err := reports.of(one)
	if err != nil {
		return record.Actor{}, err
	}
	if report == nil {
		return record.Actor{}, notFound("report")
	}
	for _, known := range knownUsers(caller, report) {
		if known.Is(uid) && known.Level(&report.Definition) >= mayRead {
			return known, nil
		}
	}
	return record.Actor{}, placements.Errorf(placements.CodeForbidden,
		"It is not known that user %d may read report %d: let them connect it to a spreadsheet first, or resume the schedule themselves.", uid, report.ID)
}

// knownUsers are those whose rights on a report are known.
func knownUsers(caller record.Actor, report *storage.Report) []record.Actor {
	users := []record.Actor{caller, {ID: report.CreatedBy}}
	for _, p := range report.Places() {
		if p.RunAs != nil {
			users = append(users, record.Behalf(p))
		}
	}
	return users
}
