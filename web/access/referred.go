package access

import (
	"context"
	"errors"

	"mooring/storage"
	"mooring/storage/record"
	"mooring/web/request"
)

// Referred are the reports to which schedules and runs refer, each read once.
type Referred struct {
	store *storage.Store
	call  *request.Call
	known map[int64]*storage.Report
}

// ReferredBy returns the reports to which what a call is about refers.
func ReferredBy(store *storage.Store, c *request.Call) *Referred {
	return &Referred{store: store, call: c, known: map[int64]*storage.Report{}}
}

// Report returns a report; nil when it is gone.
func (r *Referred) Report(ctx context.Context, id int64) (*storage.Report, error) {
	if report, ok := r.known[id]; ok {
		return report, nil
	}
	report, err := r.store.Reports().Get(ctx, r.call.At, id)
	if errors.Is(err, storage.ErrNotFound) {
		report, err = nil, nil
	}
	if err == nil {
		r.known[id] = report
	}
	return report, err
}

// OnSchedule returns what the caller may do with a schedule: that with its report, and everything for who made it. One whose report is gone
// can still be seen and deleted by who made it.
func (r *Referred) OnSchedule(ctx context.Context, s *record.Schedule) (record.Level, error) {
	report, err := r.Report(ctx, s.Target.ReportID)
	if err != nil {
		return record.MayNothing, err
	}
	caller := r.call.Caller
	if report == nil {
		return caller.OnLostSchedule(s.CreatedBy), nil
	}
	return caller.OnSchedule(s.CreatedBy, caller.Level(&report.Definition)), nil
}
