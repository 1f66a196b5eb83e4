package request

import (
	"context"

	"mooring/placements"
	"mooring/storage/record"
	"mooring/web/auth"
)

// Scope says what a route needs before its operation.
type Scope int

const (
	Open         Scope = iota // nothing
	InTenant                  // a valid token
	InDeployment              // a valid token for the path's :deploymentId
)

// Paths that several rooms build on.
const (
	Root         = "/api/v1"
	HooksPath    = Root + "/hooks/"
	AtDeployment = Root + "/deployments/:deploymentId"
	AtReport     = AtDeployment + "/reports/:reportId"
	AtDocument   = Root + "/external-documents/:externalWorkbookId"
)

// NothingHere is the 404 of a path that no route has.
func NothingHere() error {
	return placements.Errorf(placements.CodeNoRoute, "There is nothing at this path; see %s/spec for what there is.", Root)
}

// Route is one operation of the interface.
type Route struct {
	Method, Path string
	Scope        Scope
	Operation
	Body Body       // what the operation reads, as the document describes it; nil: nothing
	Once Repetition // of a POST under an Idempotency-Key; nil: the header is ignored
	Long bool       // the answer may take long: Load is asked again while it is sent
}

// Operation is what a route loads and does. Make it with On, If, Do or Raw.
type Operation struct {
	load func(context.Context, *Call) (any, error) // nil: nothing
	do   func(context.Context, *Call, any) (any, error)
}

// On makes an operation on what load finds for the caller. A load that reads the body tells of its faults first.
func On[A any](load func(context.Context, *Call) (A, error), do func(context.Context, *Call, A) (any, error)) Operation {
	return Operation{
		load: func(ctx context.Context, c *Call) (any, error) { return load(ctx, c) },
		do:   func(ctx context.Context, c *Call, loaded any) (any, error) { return do(ctx, c, loaded.(A)) },
	}
}

// If makes an operation for callers to whom may has no objection.
func If(may func(*auth.Caller) error, do func(context.Context, *Call) (any, error)) Operation {
	o := Do(do)
	o.load = func(_ context.Context, c *Call) (any, error) { return nil, may(c.Caller) }
	return o
}

// Do makes an operation that loads nothing ahead: where it changes an asset, the storage asks for the caller's rights together with the write.
func Do(do func(context.Context, *Call) (any, error)) Operation {
	return Operation{do: func(ctx context.Context, c *Call, _ any) (any, error) { return do(ctx, c) }}
}

// Raw makes an operation that writes its answer itself.
func Raw(do func(*Call) error) Operation {
	return Operation{do: func(_ context.Context, c *Call, _ any) (any, error) { return answered{}, do(c) }}
}

// answered is the answer of an operation that has sent it.
type answered struct{}

// Send implements Answer.
func (answered) Send(*Call) error { return nil }

// begin loads what the operation is on, and asks whether the caller may.
func (o Operation) begin(ctx context.Context, c *Call) (any, error) {
	if o.load == nil {
		return nil, nil
	}
	return o.load(ctx, c)
}

// Repetition answers a request whose Idempotency-Key an earlier one had whose answer was lost, with what that has made, as it is now. ok is
// false where it has made nothing: then the operation is done.
type Repetition func(ctx context.Context, c *Call, once record.Once) (answer any, ok bool, err error)

// Kept is the Repetition of a route whose answers are kept, and that may be done again where an answer was lost.
func Kept(context.Context, *Call, record.Once) (answer any, ok bool, err error) {
	return nil, false, nil
}

// Made is the Repetition of a route that creates an asset.
func Made(show func(ctx context.Context, c *Call, id int64) (any, error)) Repetition {
	return func(ctx context.Context, c *Call, once record.Once) (any, bool, error) {
		if once.Made == 0 {
			return nil, false, nil
		}
		answer, err := show(ctx, c, once.Made)
		return answer, true, err
	}
}

// Started is the Repetition of a route that makes one run.
func Started(show func(ctx context.Context, c *Call, run string) (any, error)) Repetition {
	return func(ctx context.Context, c *Call, once record.Once) (any, bool, error) {
		if once.Run == "" {
			return nil, false, nil
		}
		answer, err := show(ctx, c, once.Run)
		return answer, true, err
	}
}
