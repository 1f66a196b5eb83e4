package auth

import (
	"context"
	"slices"
	"time"

	"mooring/storage/record"
)

// Issued is what a device acts with.
type Issued struct {
	Access, Refresh string
	Lifetime        time.Duration // of the access token
}

// writeTries is how often a write is decided again because another writer came first.
const writeTries = 10

// Collect returns the tokens of a device whose code was approved, once. A *Refusal otherwise: authorization_pending until then.
func (p *DeviceSignIn) Collect(ctx context.Context, deviceCode string, now time.Time) (*Issued, error) {
	for range writeTries {
		asked, found, err := p.store.Pairing(ctx, deviceCode)
		switch {
		case err != nil:
			return nil, err
		case !found:
			return nil, wrongCode()
		case asked.State == record.PairingDenied:
			return nil, &Refusal{Code: "access_denied", Description: "The person denied the device."}
		case !now.Before(asked.Expires):
			return nil, &Refusal{Code: "expired_token", Description: "The code has expired: ask for a new one."}
		}
		if asked.State == record.PairingPending {
			refusal := polled(asked, now)
			if saved, err := p.store.SavePairing(ctx, asked); err != nil || saved {
				return nil, firstError(err, refusal)
			}
			continue
		}
		if ended, err := p.store.EndPairing(ctx, asked); err != nil || !ended {
			return nil, firstError(err, wrongCode()) // another poll collected them
		}
		return p.begin(ctx, asked.Grant, now)
	}
	return nil, errContended
}

func wrongCode() *Refusal {
	return &Refusal{Code: "invalid_grant", Description: "There is no such device code, or its tokens were collected: ask for a new code."}
}

func wrongRefresh() *Refusal {
	return &Refusal{Code: "invalid_grant", Description: "The refresh token is not good, or no longer: pair the device again."}
}

// pollGrace is how much too early a poll may come: time passes differently on the way.
const pollGrace = time.Second

// polled notes that a device has asked, and returns what it is told.
func polled(asked *record.Pairing, now time.Time) *Refusal {
	refusal := &Refusal{Code: "authorization_pending", Description: "Nobody has approved the device yet: ask again after the interval."}
	if now.Before(asked.NextPoll) {
		asked.Interval += pollInterval
		refusal = &Refusal{Code: "slow_down", Description: "The device asks too often: from now on the interval is 5 seconds longer."}
	}
	asked.NextPoll = now.Add(time.Duration(asked.Interval)*time.Second - pollGrace)
	return refusal
}

func firstError(err error, refusal *Refusal) error {
	if err != nil {
		return err
	}
	return refusal
}

// begin makes a device of what was approved, unless who approved it may not any more.
func (p *DeviceSignIn) begin(ctx context.Context, d *record.Device, now time.Time) (*Issued, error) {
	ended, err := p.ended(ctx, d, now)
	if err != nil || ended {
		return nil, firstError(err, &Refusal{Code: "access_denied", Description: "The token that approved the device is good no longer."})
	}
	d.Used, d.Renewed = now, now
	if err := p.store.AddDevice(ctx, d.Owner, d); err != nil {
		return nil, err
	}
	return p.issue(d, now)
}

// ended reports whether a device may act no longer.
func (p *DeviceSignIn) ended(ctx context.Context, d *record.Device, now time.Time) (bool, error) {
	distrusted := func(ground string) bool { return !p.trust.Trusts(ground) }
	if !now.Before(d.Expires) || slices.ContainsFunc(d.Grounds, distrusted) {
		return true, nil
	}
	return p.revoked.Include(ctx, &Caller{Tenant: d.Tenant, Device: d.ID, Approver: d.Approver}, now)
}

// Renew returns new tokens for a refresh token. The last one that was replaced returns the same refresh token as before for some seconds,
// for two commands at once or an answer that was lost; an older one was stolen, from the device or by it, and ends the device. Otherwise
// a *Refusal.
func (p *DeviceSignIn) Renew(ctx context.Context, token string, now time.Time) (*Issued, error) {
	r, err := p.keys.VerifyRefresh(token, now)
	if err != nil {
		return nil, wrongRefresh()
	}
	for range writeTries {
		d, found, err := p.store.Device(ctx, r.Tenant, r.Device)
		if err != nil || !found {
			return nil, firstError(err, wrongRefresh())
		}
		if ended, err := p.ended(ctx, d, now); err != nil || ended {
			return nil, firstError(err, wrongRefresh())
		}
		switch {
		case r.Generation == d.Generation:
			d.Generation, d.Used, d.Renewed = d.Generation+1, now, now
			saved, err := p.store.SaveDevice(ctx, d)
			if err != nil {
				return nil, err
			}
			if saved {
				return p.issue(d, now)
			}
		case r.Generation == d.Generation-1 && now.Sub(d.Renewed) <= successorKept:
			return p.issue(d, now)
		case r.Generation < d.Generation:
			return nil, firstError(p.store.EndDevice(ctx, d.Owner, d, record.Actor{}), wrongRefresh())
		default: // of a storage that was put back to an earlier time
			return nil, wrongRefresh()
		}
	}
	return nil, errContended
}

// issue signs the tokens of a device as it stands.
func (p *DeviceSignIn) issue(d *record.Device, now time.Time) (*Issued, error) {
	lives := min(accessLifetime, d.Expires.Sub(now))
	access, _, err := p.keys.Sign(Caller{
		Actor:  record.Actor{ID: d.UserID, Email: d.Email, Name: d.Name, Roles: d.Roles, Actions: d.Actions, Bound: d.Bound},
		Tenant: d.Tenant, Subject: d.Subject, Deployments: d.Deployments, Device: d.ID, Approver: d.Approver, Grounds: d.Grounds,
	}, now, lives)
	if err != nil {
		return nil, err
	}
	refresh, err := p.keys.SignRefresh(RefreshToken{Tenant: d.Tenant, Device: d.ID, Generation: d.Generation, Expires: d.Expires})
	return &Issued{Access: access, Refresh: refresh, Lifetime: lives}, err
}
