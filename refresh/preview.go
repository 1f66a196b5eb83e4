package refresh

import (
	"context"
	"errors"
	"fmt"
	"time"

	"mooring/placements"
	"mooring/refresh/document"
	"mooring/refresh/fault"
	"mooring/refresh/result"
	"mooring/storage"
	"mooring/storage/queue"
	"mooring/storage/record"
)

// Preview is what a refresh of a placement would do to its document now.
type Preview = document.Preview

// previewLimit is how long a preview may take.
const previewLimit = 30 * time.Second

// preview returns what a refresh of p, a placement of r, would do with these options, of a run that by asks for. It queries the source and
// reads the document, but writes nothing and changes no record. Errors are *placements.Fault: why such a run would not end well, or that it
// cannot be told in time.
func (s *attempts) preview(
	ctx context.Context, d record.Deployment, r *storage.Report, p storage.Placed, o placements.Options, by record.Actor,
) (Preview, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, previewLimit, &placements.Fault{
		Class: placements.Transient, Message: fmt.Sprintf("the preview took longer than %s: refresh to see what changes", previewLimit),
	})
	defer cancel()
	run := &record.Run{ReportID: r.ID, PlacementID: p.ID, Options: o, RequestedBy: by}
	a := s.previewing(ctx, d, r, run)
	if err := a.cells.readOne(ctx, p); err != nil {
		return Preview{}, faultOfPreview(ctx, err)
	}
	with, err := a.ledger.arguments(p)
	if err != nil {
		return Preview{}, faultOfPreview(ctx, err)
	}
	preview, err := a.preview(ctx, p, s.question(d, a.asker.from, r, with, record.Behalf(p.Placement)))
	return preview, faultOfPreview(ctx, err)
}

// previewing is an attempt of a run that is never made.
func (s *attempts) previewing(ctx context.Context, d record.Deployment, r *storage.Report, run *record.Run) *attempt {
	a := s.newAttempt(ctx, d, &queue.Attempt{Deployment: d, Run: run, Begun: time.Now()}, document.NewCohort(1)[0])
	a.ledger.report = r
	return a
}

// faultOfPreview is err as a preview returns it: the end of ctx goes before what came of that.
func faultOfPreview(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	if cause := context.Cause(ctx); cause != nil {
		err = cause
	}
	return fault.Of(err)
}

// Preview returns what a refresh by an add-in of p, a placement of r, would do to the sheet that it read, with these options. It writes nothing
// and makes no run. Errors are a *NeedError; a *placements.Fault, why such a run would not end well; and the *placements.Error CodeNotPlacer.
func (c *ClientRuns) Preview(
	ctx context.Context, d record.Deployment, r *storage.Report, p storage.Placed, o placements.Options, by record.Actor, sheet Sheet,
) (Preview, error) {
	if err := placedFor(p.Placement, by); err != nil {
		return Preview{}, err
	}
	s := c.attempts
	run := &record.Run{
		ReportID: r.ID, PlacementID: p.ID, Options: o, RequestedBy: by, Trigger: record.TriggerManual, Executor: record.ExecutorClient,
	}
	a := s.previewing(ctx, d, r, run)
	if err := a.cells.readSheet(p, sheet); err != nil {
		return Preview{}, err
	}
	with, err := a.ledger.arguments(p)
	if err != nil {
		return Preview{}, faultOfPreview(ctx, err)
	}
	preview, err := a.previewSheet(ctx, p, s.question(d, a.asker.from, r, with, record.Behalf(p.Placement)), sheet)
	if need, ok := errors.AsType[*NeedError](err); ok {
		return Preview{}, need
	}
	return preview, faultOfPreview(ctx, err)
}

// previewSheet runs the report's query and plans what an add-in would write to its sheet.
func (a *attempt) previewSheet(ctx context.Context, p storage.Placed, q result.Question, sheet Sheet) (Preview, error) {
	t, err := a.shown(ctx, p, q)
	if err != nil {
		return Preview{}, err
	}
	defer t.Close()
	preview, out := a.documents.PreviewSheet(ctx, a.sites.Of(a.ledger.d.Tenant, p.Placement), sheet, a.task(p, t))
	return preview, out.Err
}

// shown is the table that p is to show.
func (a *attempt) shown(ctx context.Context, p storage.Placed, q result.Question) (*result.Answer, error) {
	f := a.asker.none
	if f == nil {
		f = a.gate.refusal(p)
	}
	if f != nil {
		return nil, f
	}
	return a.asker.results.Alone(ctx, q)
}

// preview runs the report's query and plans the write of one block.
func (a *attempt) preview(ctx context.Context, p storage.Placed, q result.Question) (Preview, error) {
	t, err := a.shown(ctx, p, q)
	if err != nil {
		return Preview{}, err
	}
	defer t.Close()
	at, err := a.sites.Find(ctx, a.ledger.d, p.Placement)
	if err != nil {
		return Preview{}, err
	}
	p = at.On(p)
	o := a.task(p, t)
	o.Feeds = nil // what they said a moment ago is what the preview is of
	preview, out := a.documents.Preview(ctx, a.sites.Of(a.ledger.d.Tenant, p.Placement), o)
	if out.Err != nil {
		return preview, a.ledger.faults.unopened(out, fault.Of(out.Err))
	}
	return preview, nil
}
