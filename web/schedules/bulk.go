package schedules

import (
	"context"

	"mooring/placements"
	"mooring/storage"
	"mooring/storage/record"
	"mooring/web/access"
	"mooring/web/bind"
	"mooring/web/bulk"
	"mooring/web/request"
)

// action is what a request does with every schedule that its filter matches.
type action string

const (
	pause    action = "pause"
	resume   action = "resume"
	transfer action = "transfer"
)

// bulkBody is the body of an action on schedules.
type bulkBody struct {
	action   action
	owner    int64 // of a transfer
	filter   record.ScheduleFilter
	expected int
}

// Members implements request.Body.
func (b *bulkBody) Members(o *bind.Object) {
	bind.Choice(o, "action", &b.action, []action{pause, resume, transfer})
	bind.Whole(o, "owner", &b.owner, 1)
	o.Object("filter", func(o *bind.Object) {
		o.OptionalFlag("paused", &b.filter.Paused)
		bind.Whole(o, "owner", &b.filter.Owner, 1)
		bind.Whole(o, "report", &b.filter.Report, 1)
	})
	bind.Whole(o, "expectedCount", &b.expected, 0)
	o.Required("action", "filter", "expectedCount")
}

// Check wants an owner for a transfer, and none for anything else.
func (b *bulkBody) Check(_ *request.Call, f *bind.Faults) {
	fault := placements.Detail{Pointer: "/owner", Code: placements.CodeInvalid}
	switch {
	case b.action == transfer && b.owner == 0:
		fault.Message = "is required for a transfer: send the id of the user whose the schedules are to be"
	case b.action != transfer && b.owner != 0:
		fault.Message = "is for a transfer only: leave it out"
	default:
		return
	}
	f.Join(fault)
}

// actOnAll pauses or resumes the schedules that a filter matches, or makes them another user's.
func (a *API) actOnAll(ctx context.Context, c *request.Call) (any, error) {
	var in bulkBody
	if err := c.Read(&in); err != nil {
		return nil, err
	}
	reports := access.ReferredBy(a.store, c)
	q := record.ListQuery{First: bulk.Max + 1, Schedules: in.filter}
	page, err := a.store.Schedules().List(ctx, c.At, q, a.view.visible(ctx, c, reports))
	if err != nil {
		return nil, err
	}
	if err := bulk.CheckCount(len(page.Items), in.expected); err != nil {
		return nil, err
	}
	out := bulk.NewEffects[int64](len(page.Items))
	for _, one := range page.Items {
		if err := request.Absent(a.act(ctx, c, reports, one, &in), "schedule"); err != nil {
			if err := out.Refuse(one.ID, err); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}

// act does with one schedule what the body says, by the rules of the operation on it alone.
func (a *API) act(ctx context.Context, c *request.Call, reports *access.Referred, one *record.Schedule, in *bulkBody) error {
	have, err := reports.OnSchedule(ctx, one)
	if err != nil {
		return err
	}
	at, caller := c.At, c.Caller
	if in.action == transfer {
		if err := access.Demand(have, record.MayManage, "schedule"); err != nil {
			return err
		}
		owner, err := newOwner(ctx, caller.Actor, reports, one, in.owner)
		if err == nil {
			_, err = a.engine.Schedules().Transfer(ctx, at, one.ID, caller.Actor, owner)
		}
		return err
	}
	if err := access.Demand(have, record.MayEdit, "schedule"); err != nil {
		return err
	}
	_, err = a.engine.Schedules().Update(ctx, at, one.ID, caller.Actor, func(now *record.Schedule) error {
		if now.Paused = in.action == pause; now.Paused {
			return nil
		}
		_, err := a.finder.maySchedule(ctx, c, now.Target)
		return err
	})
	return err
}

// newOwner is the user whose a schedule becomes, with what is known of their rights: of the caller, of who made its report, and of those on
// whose behalf the report stands somewhere. They must be able to read the report, as its runs will be theirs.
func newOwner(ctx context.Context, caller record.Actor, reports *access.Referred, one *record.Schedule, uid int64) (record.Actor, error) {
	report, err := reports.Report(ctx, one.Target.ReportID)
	if err != nil {
		return record.Actor{}, err
	}
	if report == nil {
		return record.Actor{}, request.NotFound("report")
	}
	for _, known := range knownUsers(caller, report) {
		if known.Is(uid) && known.Level(&report.Definition) >= record.MayRead {
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
