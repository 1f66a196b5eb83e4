package plans

import (
	"context"
	"slices"

	"mooring/placements"
	"mooring/storage/record/portable"
	"mooring/web/bind"
	"mooring/web/members"
	"mooring/web/request"
)

// bundleBody is the body of a plan's creation.
type bundleBody struct{ members.PlanBody }

// Members implements request.Body.
func (b *bundleBody) Members(o *bind.Object) { b.PlanBody.Members(o) }

// read fills in with a body that may be as large as a bundle. All faults are in one error.
func (a *API) read(ctx context.Context, c *request.Call, in *bundleBody) error {
	raw, err := c.Raw()
	if placements.CodeOf(err) == placements.CodeTooLarge || len(raw) > portable.MaxBundleBytes {
		return placements.Errorf(placements.CodePlanTooLarge, "A bundle has at most %d bytes: split the project.", portable.MaxBundleBytes)
	}
	if err != nil {
		return err
	}
	faults, err := c.Bind(in)
	if err != nil {
		return err
	}
	if err := a.judge(ctx, c, in, &faults); err != nil {
		return err
	}
	return request.Faulty(faults)
}

// judge makes the bundle of what was read, and judges it. What needs the server is judged by the plan, unless none can be made.
func (a *API) judge(ctx context.Context, c *request.Call, in *bundleBody, f *bind.Faults) error {
	if err := in.Declare(c.Strict(), f); err != nil || len(*f) == 0 {
		return err
	}
	unknown, err := a.Store.Plans().Faults(ctx, c.At, &in.Bundle, c.Caller.Actor)
	doubtful := in.Doubtful(*f)
	f.Join(slices.DeleteFunc(unknown, func(d placements.Detail) bool { return slices.Contains(doubtful, d.Code) })...)
	return err
}
