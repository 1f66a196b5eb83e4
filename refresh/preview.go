package refresh

import (
	"context"
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
	a := s.newAttempt(ctx, d, &queue.Attempt{Deployment: d, Run: run, Begun: time.Now()}, document.NewCohort(1)[0])
	a.ledger.report = r
	preview, err := a.preview(ctx, p, s.question(d, a.asker.from, r, record.Behalf(p.Placement)))
	if cause := context.Cause(ctx); err != nil && cause != nil {
		err = cause
	}
	if err != nil {
		return Preview{}, fault.Of(err)
	}
	return preview, nil
}

// preview runs the report's query and plans the write of one block.
func (a *attempt) preview(ctx context.Context, p storage.Placed, q result.Question) (Preview, error) {
	f := a.asker.none
	if f == nil {
		f = a.gate.refusal(p)
	}
	if f != nil {
		return Preview{}, f
	}
	t, err := a.asker.results.Alone(ctx, q)
	if err != nil {
		return Preview{}, err
	}
	defer t.Close()
	at, err := a.sites.Find(ctx, a.ledger.d, p.Placement)
	if err != nil {
		return Preview{}, err
	}
	p = at.On(p)
	preview, out := a.documents.Preview(ctx, a.sites.Of(a.ledger.d.Tenant, p.Placement), a.task(p, t))
	if out.Err != nil {
		return preview, a.ledger.unopened(out, fault.Of(out.Err))
	}
	return preview, nil
}
