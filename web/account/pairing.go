package account

import (
	"context"
	"time"

	"mooring/placements"
	"mooring/storage/record"
	"mooring/web/auth"
	"mooring/web/bind"
	"mooring/web/members"
	"mooring/web/request"
)

// pairing is a device that wants to be signed in, as the person sees it.
type pairing struct {
	UserCode    string              `json:"userCode"`
	State       record.PairingState `json:"state"`
	ClientName  string              `json:"clientName"`
	Address     string              `json:"address"`
	RequestedAt string              `json:"requestedAt"`
	ExpiresAt   string              `json:"expiresAt"`
}

func shownPairing(p *record.Pairing) pairing {
	return pairing{
		auth.ShownUserCode(p.UserCode), p.State, p.ClientName, p.Address, placements.Time(p.Requested), placements.Time(p.Expires),
	}
}

// decisionsPerMinute is how many user codes a caller may ask for: too few to find one by guessing.
const decisionsPerMinute = 10

// mayDecide refuses a caller whose token decides on no devices.
func mayDecide(caller *auth.Caller) error {
	if caller.Personal() {
		return nil
	}
	return placements.Errorf(placements.CodeForbidden,
		"This token is of a device that was paired, or bounded to some actions, and decides on no devices: sign in with a key of your own.")
}

// find returns the pairing of the path's user code, on which only a personal token decides.
func (d *devices) find(ctx context.Context, c *request.Call) (*record.Pairing, error) {
	caller := c.Caller
	if err := mayDecide(caller); err != nil {
		return nil, err
	}
	rate := record.Rate{PerSecond: decisionsPerMinute / time.Minute.Seconds(), Burst: decisionsPerMinute}
	taken, err := d.store.Tenants().TakeRequest(ctx, caller.Tenant, "codes of "+caller.Identity(), rate)
	if err != nil {
		return nil, err
	}
	if taken.Wait > 0 {
		e := placements.Errorf(placements.CodeRateLimited, "You may look at %d codes a minute: wait as Retry-After says.", decisionsPerMinute)
		e.RetryAfter = taken.Wait
		return nil, e
	}
	p, found, err := d.gate.Pairing().Find(ctx, caller, c.Param("userCode"), d.now())
	if err != nil {
		return nil, err
	}
	if !found {
		return nil, noPairing()
	}
	return p, nil
}

func noPairing() error {
	return placements.Errorf(placements.CodeNotFound,
		"No device waits with this code: it may be mistyped, used or older than 10 minutes. Let the device show a new one.")
}

// show answers with the device that shows a code.
func (d *devices) show(_ context.Context, _ *request.Call, p *record.Pairing) (any, error) {
	return shownPairing(p), nil
}

// approvalBody is what a device may do.
type approvalBody struct{ auth.Grant }

// The most of each, so that a token fits into a header.
const (
	maxDeployments = 1000
	maxActions     = 100
)

// Members implements request.Body.
func (b *approvalBody) Members(o *bind.Object) {
	o.Required("deployments", "actions")
	grantMembers(o, &b.Grant)
}

// grantMembers names the members of what a device or key may do.
func grantMembers(o *bind.Object, g *auth.Grant) {
	o.WholeList("deployments", &g.Deployments, 1, maxDeployments, 1)
	o.List("actions", &g.Actions, 0, maxActions, members.MaxName)
	o.List("bound", &g.Bound, 0, maxActions, members.MaxName)
}

// approve lets a device act on the caller's behalf.
func (d *devices) approve(ctx context.Context, c *request.Call) (any, error) {
	var in approvalBody
	if err := c.Read(&in); err != nil {
		return nil, err
	}
	caller := c.Caller
	if err := mayDecide(caller); err != nil {
		return nil, err
	}
	if err := caller.Grants(in.Grant); err != nil {
		return nil, placements.Errorf(placements.CodeForbidden, "Your own token has not %v: grant what it has.", err)
	}
	p, err := d.find(ctx, c)
	if err != nil {
		return nil, err
	}
	decided, err := d.gate.Pairing().Approve(ctx, caller, p, in.Grant, d.now())
	return decision(p, decided, err)
}

// deny refuses a device.
func (d *devices) deny(ctx context.Context, c *request.Call, p *record.Pairing) (any, error) {
	decided, err := d.gate.Pairing().Deny(ctx, p)
	return decision(p, decided, err)
}

// decision is the answer to a decision on a pairing, unless another one came first.
func decision(p *record.Pairing, decided bool, err error) (any, error) {
	switch {
	case err != nil:
		return nil, err
	case !decided:
		return nil, noPairing()
	}
	return shownPairing(p), nil
}
