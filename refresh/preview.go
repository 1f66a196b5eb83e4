package refresh

import (
	"context"
	"fmt"
	"strings"
	"time"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/fault"
	"mooring/refresh/host"
	"mooring/storage"
	"mooring/storage/queue"
	"mooring/storage/record"
)

// Preview is what a refresh of a placement would do to its document now.
type Preview struct {
	Rows    int          // that it would write, clear or delete
	Follow  *host.Follow // of the shifts; nil without any, and where the host cannot tell
	Message string       // the shifts and Follow in words, and what people had done to the block; empty for nothing
}

// previewLimit is how long a preview may take.
const previewLimit = 30 * time.Second

// Preview returns what a refresh of p, a placement of r, would do with these options, of a run that by asks for. It queries the source and
// reads the document, but writes nothing and changes no record. Errors are *placements.Fault: why such a run would not end well, or that it
// cannot be told in time.
func (e *Engine) Preview(
	ctx context.Context, d record.Deployment, r *storage.Report, p storage.Placed, o placements.Options, by record.Actor,
) (Preview, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, previewLimit, &placements.Fault{
		Class: placements.Transient, Message: fmt.Sprintf("the preview took longer than %s: refresh to see what changes", previewLimit),
	})
	defer cancel()
	run := &record.Run{ReportID: r.ID, PlacementID: p.ID, Options: o, RequestedBy: by}
	a := e.newAttempt(ctx, d, &queue.Attempt{Deployment: d, Run: run, Begun: time.Now()}, newCohort(1)[0])
	a.report = r
	preview, err := a.preview(ctx, p)
	if cause := context.Cause(ctx); err != nil && cause != nil {
		err = cause
	}
	if err != nil {
		return Preview{}, fault.Of(err)
	}
	return preview, nil
}

// preview runs the report's query and plans the write of one block.
func (a *attempt) preview(ctx context.Context, p storage.Placed) (Preview, error) {
	from, fault := a.origin(a.d)
	if fault == nil {
		fault = a.refusal(p)
	}
	if fault != nil {
		return Preview{}, fault
	}
	t, err := a.Engine.results.Alone(ctx, a.question(a.d, from, a.report, record.Behalf(p.Placement)))
	if err != nil {
		return Preview{}, err
	}
	defer t.Close()
	at, err := a.sites.Find(ctx, a.d, p.Placement)
	if err != nil {
		return Preview{}, err
	}
	p = at.On(p)
	one := &block{job: &job{attempt: a, ctx: ctx, done: make(chan struct{})}, known: p, table: t}
	one.job.blocks = []*block{one}
	b := newBatch(a.Engine, a.sites.Of(a.d.Tenant, p.Placement), ctx)
	defer b.cancel()
	preview, err := b.preview(ctx, one)
	if err == nil {
		err = one.err
	}
	return preview, err
}

// preview reads and plans a block as write does. The document is not locked: another write may come between this and the next one.
func (b *batch) preview(ctx context.Context, one *block) (preview Preview, err error) {
	blocks, err := b.load(ctx, []*job{one.job})
	if err != nil || len(blocks) == 0 {
		return preview, err
	}
	h, f := b.sites.HostOf(b.ref)
	if f != nil {
		return preview, f
	}
	done, err := b.results.Clients.Write(ctx, one.reads())
	if err != nil {
		return preview, err
	}
	defer done()
	s, err := b.sites.Open(ctx, h, b.ref)
	if err != nil {
		return preview, one.unopened(fault.Of(err))
	}
	defer b.close(ctx, s)
	found, err := b.find(ctx, s, blocks, checksum.Means{Shifts: h.MaxShifts(), Move: h.CanMove()})
	if err != nil || len(changed(found)) == 0 {
		return preview, err
	}
	if err := one.foresee(ctx, s); err != nil {
		return preview, err
	}
	return one.previewed(), nil
}

// foresee asks a session what follows the shifts of the plan.
func (b *block) foresee(ctx context.Context, s host.Session) error {
	f, ok := s.(host.Follower)
	if !ok || len(b.plan.Shifts) == 0 {
		return nil
	}
	follow, err := f.Follows(ctx, []host.Patch{b.patch()})
	if err != nil {
		return err
	}
	b.follow = &follow
	return nil
}

// previewed is the plan of the block.
func (b *block) previewed() Preview {
	return Preview{Rows: b.rowsToWrite(), Follow: b.follow, Message: strings.Join(b.words(), "; ")}
}
