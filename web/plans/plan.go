package plans

import (
	"context"

	"mooring/placements"
	"mooring/storage/record/portable"
	"mooring/web/request"
)

// wanted reads what the deployment's assets are to be.
func (a *API) wanted(ctx context.Context, c *request.Call) (*portable.Bundle, error) {
	var in bundleBody
	err := a.read(ctx, c, &in)
	return &in.Bundle, err
}

// create plans what it takes to make the deployment's assets what a bundle wants; nothing else changes.
func (a *API) create(ctx context.Context, c *request.Call, bundle *portable.Bundle) (any, error) {
	plan, err := a.Engine.Bundles().Plan(ctx, c.At, bundle, c.Caller.Actor)
	if err != nil {
		return nil, err
	}
	return request.Encoded(plan)
}

// kept loads the path's plan as the caller may see it.
func (a *API) kept(ctx context.Context, c *request.Call) (*portable.ApplyPlan, error) {
	return a.Store.Plans().Get(ctx, c.At, c.Param("planId"), c.Caller.Actor)
}

// applicable loads the path's plan for a caller who may see all of it.
func (a *API) applicable(ctx context.Context, c *request.Call) (*portable.ApplyPlan, error) {
	plan, err := a.kept(ctx, c)
	if err != nil {
		return nil, err
	}
	if !plan.ShowsAll() {
		return nil, placements.Errorf(placements.CodeForbidden,
			"This token may not read all that the plan changes, and nothing was applied: apply it with one that may.")
	}
	return plan, nil
}

// show answers with a plan.
func (a *API) show(_ context.Context, _ *request.Call, plan *portable.ApplyPlan) (any, error) {
	return request.Encoded(plan)
}

// apply does exactly what a plan says, all of it or nothing, and once.
func (a *API) apply(ctx context.Context, c *request.Call, _ *portable.ApplyPlan) (any, error) {
	result, err := a.Engine.Bundles().Apply(ctx, c.At, c.Param("planId"), c.Caller.Actor)
	if err != nil {
		return nil, err
	}
	return request.Encoded(result)
}
