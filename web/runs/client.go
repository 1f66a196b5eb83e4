package runs

import (
	"context"
	"errors"
	"io"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh"
	"mooring/storage/queue"
	"mooring/storage/record"
	"mooring/web/access"
	"mooring/web/bind"
	"mooring/web/members"
	"mooring/web/request"
	"mooring/web/sheet"
)

// stepBody is the body of a step of an add-in with its run.
type stepBody struct{ fence int64 }

// Members implements request.Body.
func (b *stepBody) Members(o *bind.Object) {
	o.Required("fence")
	bind.Whole(o, "fence", &b.fence, 1)
}

// held loads the path's run for a step of who works on it. Where they may not read its report any more, it stops the run, too.
func (a *API) held(ctx context.Context, c *request.Call) (*record.Run, error) {
	run, report, err := a.find(ctx, c)
	if err != nil {
		return nil, err
	}
	if err := access.Demand(c.Caller.Level(&report.Definition), record.MayRead, "run"); err != nil {
		if run.Executor == record.ExecutorClient && c.Caller.Is(run.RequestedBy.ID) {
			if ended := a.Engine.Stop(ctx, c.At, run); ended != nil && !errors.Is(ended, queue.ErrEnded) {
				err = errors.Join(err, ended)
			}
		}
		return nil, err
	}
	return run, nil
}

// step is a step with a run.
func (b *stepBody) step(c *request.Call, run *record.Run) refresh.ClientStep {
	return refresh.ClientStep{Deployment: c.At, Run: run, Fence: b.fence, By: c.Caller.Actor}
}

// renew prolongs an add-in's hold on its run.
func (a *API) renew(ctx context.Context, c *request.Call, run *record.Run) (any, error) {
	var in stepBody
	if err := c.Read(&in); err != nil {
		return nil, err
	}
	lease, err := a.Engine.ClientRuns().Renew(ctx, in.step(c, run))
	if err != nil {
		return nil, err
	}
	return shownLease(lease), nil
}

// completeBody is the body of the end of a run by an add-in.
type completeBody struct {
	stepBody
	wrote     *checksum.ResultChecksum
	uncovered refresh.Uncovered
}

// Members implements request.Body.
func (b *completeBody) Members(o *bind.Object) {
	b.stepBody.Members(o)
	o.Required("resultChecksum")
	bind.Pointer(o, "resultChecksum", &b.wrote, members.Checksum)
	o.WholeList("shownRows", &b.uncovered.Shown, 0, maxUncovered, 1)
	o.WholeList("vanishedRows", &b.uncovered.Vanished, 0, maxUncovered, 1)
}

// maxUncovered bounds the hidden rows that an add-in tells of.
const maxUncovered = 1000

// complete settles a run once its add-in has written what was planned.
func (a *API) complete(ctx context.Context, c *request.Call, run *record.Run) (any, error) {
	var in completeBody
	if err := c.Read(&in); err != nil {
		return nil, err
	}
	if _, err := a.Engine.ClientRuns().Complete(ctx, in.step(c, run), *in.wrote, in.uncovered); err != nil {
		return nil, err
	}
	return a.readable(ctx, c) // as every reader sees it
}

// planBody is the body of a plan.
type planBody struct {
	stepBody
	sheet.Content
}

// Members implements request.Body.
func (b *planBody) Members(o *bind.Object) {
	b.stepBody.Members(o)
	b.Content.Members(o)
}

// Check implements request's rules of a body.
func (b *planBody) Check(_ *request.Call, f *bind.Faults) { b.Content.Check(f) }

// plan answers with what the add-in is to write to make the block of its run show the report's table, or with what else of the sheet it
// must send.
func (a *API) plan(ctx context.Context, c *request.Call, run *record.Run) (any, error) {
	in := planBody{}
	if err := c.Read(&in); err != nil {
		return nil, err
	}
	plan, err := a.Engine.ClientRuns().Plan(ctx, in.step(c, run), in.Sheet())
	out := c.Pace() // the query may have taken longer than any other answer
	if need, ok := errors.AsType[*refresh.NeedError](err); ok {
		return map[string]any{"need": sheet.NeedOf(need)}, nil
	}
	if err != nil {
		return nil, planFault(err)
	}
	return planned{plan, out}, nil
}

// planned is a plan on its way to the add-in.
type planned struct {
	plan *refresh.ClientPlan
	out  io.Writer
}

// Send implements request.Answer.
func (p planned) Send(c *request.Call) error {
	defer p.plan.Close()
	packed := c.Pack(p.out)
	if err := sheet.WritePlan(c.Request.Context(), packed, p.plan); err == nil { // else the client is gone, and had its status
		_ = packed.Close()
	}
	return nil
}

// planFault is the answer to a plan that failed.
func planFault(err error) error {
	f, ok := errors.AsType[*placements.Fault](err)
	if ok && f.Class == placements.Conflict {
		return placements.Errorf(placements.CodeBlockConflict, "%s", f.Message).Because(err)
	}
	return sheet.QueryFault(err)
}
