package auth

import (
	"context"
	"crypto/rand"
	"errors"
	"math/big"
	"strings"
	"time"

	"mooring/storage/record"
)

// The bounds of pairing (faces.md §2).
const (
	codeLifetime = 10 * time.Minute
	pollInterval = 5 // seconds, at first
	mostPending  = 10_000
	mostCodes    = 10 // a minute and address

	accessLifetime = 8 * time.Hour
	deviceLifetime = 90 * 24 * time.Hour
	successorKept  = 30 * time.Second // a refresh token that was replaced returns its successor
)

// The letters of a user code: no vowels, so that they make no words (RFC 8628 §6.1).
const (
	userCodeLetters = "BCDFGHJKLMNPQRSTVWXZ"
	userCodeLength  = 8
)

// PairingStore keeps pairings and devices; *storage.Store does. A write of what was read returns false when another writer came first.
type PairingStore interface {
	TakePairing(ctx context.Context, address string, rate record.Rate) (wait time.Duration, err error)
	PendingPairings(ctx context.Context) (int64, error)
	AddPairing(ctx context.Context, deviceCode string, p *record.Pairing) (added bool, err error)
	Pairing(ctx context.Context, deviceCode string) (p *record.Pairing, found bool, err error)
	PairingOf(ctx context.Context, userCode string) (p *record.Pairing, found bool, err error)
	SavePairing(ctx context.Context, p *record.Pairing) (saved bool, err error)
	EndPairing(ctx context.Context, p *record.Pairing) (ended bool, err error)
	AddDevice(ctx context.Context, owner string, d *record.Device) error
	Device(ctx context.Context, tenant, id string) (d *record.Device, found bool, err error)
	SaveDevice(ctx context.Context, d *record.Device) (saved bool, err error)
	EndDevice(ctx context.Context, owner string, d *record.Device, who record.Actor) error
}

// Refusal is the answer to a device that gets nothing, as OAuth names it (RFC 6749 §5.2, RFC 8628 §3.5).
type Refusal struct {
	Code        string
	Description string
	RetryAfter  time.Duration // zero: not known
}

func (r *Refusal) Error() string { return r.Code + ": " + r.Description }

// errContended is the error of a write that lost every race.
var errContended = errors.New("others write this pairing all the time")

// DeviceSignIn signs devices in. It is safe for concurrent use.
type DeviceSignIn struct {
	store   PairingStore
	keys    *Keyring
	revoked *Revocations
	trust   Trust
}

// Trust decides about the grounds of callers.
type Trust interface{ Trusts(ground string) bool }

// NewPairing returns one that issues tokens signed by keys.
func NewPairing(store PairingStore, keys *Keyring, revoked *Revocations, trust Trust) *DeviceSignIn {
	return &DeviceSignIn{store: store, keys: keys, revoked: revoked, trust: trust}
}

// Codes are what a device gets first.
type Codes struct {
	Device   string // secret: the device polls with it
	User     string // shown to the person
	Lifetime time.Duration
	Interval int // seconds
}

// Begin makes the codes of a device at an address, which calls itself by a name and asked at the host name of a tenant, or of none. A
// *Refusal when there are too many.
func (p *DeviceSignIn) Begin(ctx context.Context, name, address, tenant string, now time.Time) (*Codes, error) {
	wait, err := p.store.TakePairing(ctx, address, record.Rate{PerSecond: mostCodes / time.Minute.Seconds(), Burst: mostCodes})
	if err != nil {
		return nil, err
	}
	if wait > 0 {
		return nil, &Refusal{Code: "slow_down", Description: "Too many codes were asked for from this address: wait.", RetryAfter: wait}
	}
	pending, err := p.store.PendingPairings(ctx)
	if err != nil {
		return nil, err
	}
	if pending >= mostPending {
		return nil, &Refusal{Code: "temporarily_unavailable", Description: "Too many devices wait to be approved: wait.", RetryAfter: time.Minute}
	}
	asked := &record.Pairing{
		ClientName: name, Address: address, Tenant: tenant, Requested: now, Expires: now.Add(codeLifetime),
		State: record.PairingPending, Interval: pollInterval,
	}
	codes := &Codes{Device: rand.Text() + rand.Text(), Lifetime: codeLifetime, Interval: pollInterval}
	for range 10 { // of 20^8 codes at most mostPending are taken
		if asked.UserCode, err = newUserCode(); err != nil {
			return nil, err
		}
		added, err := p.store.AddPairing(ctx, codes.Device, asked)
		if err != nil {
			return nil, err
		}
		if added {
			codes.User = ShownUserCode(asked.UserCode)
			return codes, nil
		}
	}
	return nil, errContended
}

func newUserCode() (string, error) {
	code, most := make([]byte, userCodeLength), big.NewInt(int64(len(userCodeLetters)))
	for i := range code {
		n, err := rand.Int(rand.Reader, most)
		if err != nil {
			return "", err
		}
		code[i] = userCodeLetters[n.Int64()]
	}
	return string(code), nil
}

// ShownUserCode is a user code as people read it: BCDF-GHJK.
func ShownUserCode(code string) string {
	return code[:userCodeLength/2] + "-" + code[userCodeLength/2:]
}

// typedUserCode is a user code as people type it, without what they put between its letters; false: it cannot be one.
func typedUserCode(typed string) (string, bool) {
	code := strings.ToUpper(strings.NewReplacer("-", "", " ", "").Replace(typed))
	return code, len(code) == userCodeLength && strings.Trim(code, userCodeLetters) == ""
}

// Find returns the pairing of a user code that c may decide on; false: there is none, or no longer.
func (p *DeviceSignIn) Find(ctx context.Context, c *Caller, userCode string, now time.Time) (*record.Pairing, bool, error) {
	code, possible := typedUserCode(userCode)
	if !possible {
		return nil, false, nil
	}
	found, ok, err := p.store.PairingOf(ctx, code)
	if err != nil || !ok {
		return nil, false, err
	}
	ours := found.Tenant == "" || found.Tenant == c.Tenant
	return found, ours && found.State == record.PairingPending && now.Before(found.Expires), nil
}

// Approve lets the device of a pairing that Find returned act on c's behalf, as far as the grant goes, which c has. false: another decision
// came first.
func (p *DeviceSignIn) Approve(ctx context.Context, c *Caller, found *record.Pairing, g Grant, now time.Time) (bool, error) {
	ends := now.Add(deviceLifetime)
	if c.Expires.Before(ends) {
		ends = c.Expires
	}
	found.State = record.PairingApproved
	found.Grant = &record.Device{
		ID: rand.Text(), ClientName: found.ClientName, Address: found.Address, Approved: now, Expires: ends, Generation: 1,
		UserID: c.ID, Subject: c.Subject, Email: c.Email, Name: c.Name, Tenant: c.Tenant,
		Deployments: g.Deployments, Roles: c.Roles, Actions: g.Actions, Bound: g.Bounds(),
		Approver: c.TokenID, Owner: c.Identity(), From: c.Via.Address, Grounds: c.Grounds,
	}
	return p.store.SavePairing(ctx, found)
}

// Deny refuses the device of a pairing that Find returned. false: another decision came first.
func (p *DeviceSignIn) Deny(ctx context.Context, found *record.Pairing) (bool, error) {
	found.State = record.PairingDenied
	return p.store.SavePairing(ctx, found)
}
