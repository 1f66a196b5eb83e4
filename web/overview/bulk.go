package overview

import (
	"context"
	"slices"
	"time"

	"mooring/placements"
	"mooring/storage/record"
	"mooring/web/auth"
	"mooring/web/bind"
)

// maxBulk is how many assets one request may act on.
const maxBulk = 1000

// MayBulk refuses a caller who may not read every report of the deployment: what a filter matches would be more than they see.
func MayBulk(caller *auth.Caller) error {
	if caller.OnReport(0, nil) >= record.MayRead {
		return nil
	}
	return placements.Errorf(placements.CodeForbidden,
		"A filter may match what all reports have, and your token shows you some: ask for a token with the action ReportRead.")
}

// CheckCount refuses an action on so many assets when the caller expected another number, or when they are too many.
func CheckCount(count, expected int) error {
	if count > maxBulk {
		return placements.Errorf(placements.CodeInvalid,
			"The filter matches more than %d, the most that one request acts on: narrow it.", maxBulk)
	}
	if count == expected {
		return nil
	}
	e := placements.Errorf(placements.CodeCountChanged,
		"The filter matches %d now, not %d: look at the list again, and send what it counts as expectedCount.", count, expected)
	e.Count = &count
	return e
}

// RunMembers are the filters of a list of runs as members of an object.
type RunMembers struct {
	record.RunFilter
	document, since string
}

// Members names them.
func (m *RunMembers) Members(o *bind.Object) {
	bind.Choice(o, "state", &m.State, runStates)
	bind.Choice(o, "host", &m.Host, hosts)
	bind.Text(o, "document", &m.document, maxDocument)
	bind.Whole(o, "report", &m.Report, 1)
	bind.Whole(o, "owner", &m.Owner, 1)
	bind.Text(o, "since", &m.since, len(time.RFC3339Nano), sinceRule)
}

// maxDocument is how long the id of a spreadsheet may be.
const maxDocument = 1 << 20

func sinceRule(sent string) (placements.Code, string) {
	if _, err := time.Parse(time.RFC3339, sent); err != nil {
		return placements.CodeInvalid, "must be a time such as 2026-11-22T07:00:00Z"
	}
	return "", ""
}

// Matching returns the runs of the deployment that filters match, the latest first; of more than CheckCount admits, some more than that.
func (o *Operations) Matching(ctx context.Context, d record.Deployment, m *RunMembers) (runs []*record.Run, err error) {
	f := m.RunFilter
	f.Since, _ = time.Parse(time.RFC3339, m.since) // the rule has checked it
	if f.Documents, err = o.idsOf(ctx, d.Tenant, m.document); err != nil {
		return nil, err
	}
	for after := ""; len(runs) <= maxBulk; {
		page, err := o.Store.Queue().Runs.List(ctx, d, f, after, MaxPage, false)
		if err != nil {
			return nil, err
		}
		runs = slices.Concat(runs, page.Runs)
		if after = page.End; !page.HasNextPage {
			break
		}
	}
	return runs, nil
}

// MatchingSchedules is Matching for schedules that a filter matches and visible admits, by id.
func (o *Operations) MatchingSchedules(
	ctx context.Context, d record.Deployment, f record.ScheduleFilter, visible func(*record.Schedule) (bool, error),
) ([]*record.Schedule, error) {
	page, err := o.Store.Schedules().List(ctx, d, record.ListQuery{First: maxBulk + 1, Schedules: f}, visible)
	return page.Items, err
}

// Outcome is what became of the assets of an action.
type Outcome[ID any] struct {
	Count   int           `json:"count"`
	Done    int           `json:"done"`
	Refused []Refused[ID] `json:"refused"` // the first ones
}

// Refused says why an asset is as it was.
type Refused[ID any] struct {
	ID      ID              `json:"id"`
	Code    placements.Code `json:"code"`
	Message string          `json:"message"`
}

// NewOutcome begins the outcome of an action on so many assets: all are done that are not refused.
func NewOutcome[ID any](count int) *Outcome[ID] {
	return &Outcome[ID]{Count: count, Done: count, Refused: []Refused[ID]{}}
}

// Refuse notes why an asset is as it was.
func (o *Outcome[ID]) Refuse(id ID, why *placements.Error) {
	o.Done--
	if len(o.Refused) < placements.MaxDetails {
		o.Refused = append(o.Refused, Refused[ID]{id, why.Code, why.Message})
	}
}
