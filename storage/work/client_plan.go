package work

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"mooring/checksum"
	"mooring/placements"
	"mooring/storage/engine"
	"mooring/storage/layout"
	"mooring/storage/queue"
	"mooring/storage/record"
	"mooring/storage/redis"
)

// clientPlanAge is how long the plan of a client run is kept: longer than any run goes on.
const clientPlanAge = 24 * time.Hour

// StartClient makes a run that an add-in works on: see queue.Clients.Try. It waits while an agent writes to the document; engine.ErrBusy when
// that takes too long.
func (w *Work) StartClient(
	ctx context.Context, d record.Deployment, run *record.Run, limit time.Duration,
) (a *queue.Attempt, until time.Time, err error) {
	err = w.db.UntilLocked(ctx, engine.NewLocks().Token, func() (bool, error) {
		a, until, err = w.Queue.Clients.Try(ctx, d, run, limit)
		return a != nil, err
	})
	return a, until, err
}

// ClientLease is the right of a client run to write to its document: see WriteAhead.
func ClientLease(a *queue.Attempt) DocumentLease {
	lock := a.Document()
	return DocumentLease{engine.LocksOf(lock.Token, lock.Key)}
}

// clientPlan is the stored form of what completes a client run once its add-in has written.
type clientPlan struct {
	Run        string // its JSON
	Digest     string // of the result; empty in those of earlier versions
	Refreshed  *record.User
	Placements []clientOutcome
}

// clientOutcome is the stored form of a PlacementOutcome.
type clientOutcome struct {
	Placement plannedPlacement
	Before    plannedPlacement
	Rev       string // of Before
	LastRun   placements.LastRun
	Written   bool
	Rows      []byte
	Edits     []record.Edit
	Change    *record.BlockChange
	// What the JSON of Placement does not show, where that alone was kept.
	Actions []string         `json:",omitempty"` // of its RunAs
	Own     *checksum.Extent `json:",omitempty"`
}

// plannedPlacement is a placement that is kept in its stored form; plans of earlier versions have its JSON.
type plannedPlacement struct{ placements.Placement }

// MarshalJSON implements json.Marshaler.
func (p plannedPlacement) MarshalJSON() ([]byte, error) {
	text, _ := record.EncodePlacement(&p.Placement, 0, "")
	return json.Marshal(text)
}

// UnmarshalJSON implements json.Unmarshaler.
func (p *plannedPlacement) UnmarshalJSON(b []byte) (err error) {
	if b[0] == '{' {
		return json.Unmarshal(b, &p.Placement)
	}
	var text string
	if err = json.Unmarshal(b, &text); err == nil {
		p.Placement, _, _, err = record.DecodePlacement("of the plan", text)
	}
	return err
}

// ErrOtherPlan says that another plan was kept since.
var ErrOtherPlan = errors.New("another plan was made")

// outcome is what was kept.
func (c *clientOutcome) outcome() PlacementOutcome {
	p, before := c.Placement.Placement, c.Before.Placement
	if p.RunAs != nil && c.Actions != nil {
		p.RunAs.Actions = c.Actions
	}
	if c.Own != nil {
		p.Own = c.Own
	}
	return PlacementOutcome{
		Placement: p, Before: layout.Placed{Placement: before, Rev: c.Rev}, LastRun: c.LastRun, Written: c.Written,
		Rows: c.Rows, Edits: c.Edits, Change: c.Change,
	}
}

// KeepClientPlan keeps what completes a client run once its add-in has written, in the place of an earlier plan. digest names the result
// and is what PlannedDigest returns. redis.ErrLockLost: the lease has ended.
func (w *Work) KeepClientPlan(ctx context.Context, a *queue.Attempt, o Outcome, digest string) error {
	text, err := record.EncodeRun(a.Run)
	if err != nil {
		return err
	}
	kept := clientPlan{Run: text, Refreshed: o.Refreshed, Digest: digest}
	for _, one := range o.Placements {
		kept.Placements = append(kept.Placements, clientOutcome{
			Placement: plannedPlacement{one.Placement}, Before: plannedPlacement{one.Before.Placement}, Rev: one.Before.Rev,
			LastRun: one.LastRun, Written: one.Written, Rows: one.Rows, Edits: one.Edits, Change: one.Change,
		})
	}
	plan, err := json.Marshal(kept)
	if err != nil {
		return fmt.Errorf("plan of client run %s: %w", a.Run.ID, err)
	}
	k := w.db.Deployment(a.Deployment)
	var tx engine.Transaction
	a.Guard(&tx.Txn)
	tx.Then("SET", k.Runs().ClientPlan(a.Run.ID), plan, "PX", clientPlanAge.Milliseconds())
	a.Planned(&tx.Txn, digest)
	if _, err = w.db.Run(ctx, &tx); engine.IsUnmet(err) {
		return redis.ErrLockLost
	}
	return err
}

// clientPlan returns what KeepClientPlan kept, and the run as it was then. record.ErrNotFound.
func (w *Work) clientPlan(ctx context.Context, d record.Deployment, runID string) (kept clientPlan, run *record.Run, err error) {
	text, err := w.db.Redis.Get(ctx, w.db.Deployment(d).Runs().ClientPlan(runID)).Bytes()
	if errors.Is(err, redis.Nil) {
		return kept, nil, record.ErrNotFound
	}
	if err != nil {
		return kept, nil, redis.Unavailable(err)
	}
	if err := json.Unmarshal(text, &kept); err != nil {
		return kept, nil, fmt.Errorf("plan of client run %s: %w", runID, err)
	}
	run, err = record.ReadRun(runID, kept.Run)
	return kept, run, err
}

// PlannedRun returns a client run as its plan that was kept last would leave it. record.ErrNotFound: none was.
func (w *Work) PlannedRun(ctx context.Context, d record.Deployment, runID string) (*record.Run, error) {
	_, run, err := w.clientPlan(ctx, d, runID)
	return run, err
}

// ClientPlan returns what KeepClientPlan kept under that digest, and makes the run of the attempt what it was then: it ends by that plan, or not
// at all. record.ErrNotFound; ErrOtherPlan.
func (w *Work) ClientPlan(ctx context.Context, a *queue.Attempt, digest string) (Outcome, error) {
	kept, run, err := w.clientPlan(ctx, a.Deployment, a.Run.ID)
	if err != nil {
		return Outcome{}, err
	}
	if kept.Digest != "" && kept.Digest != digest {
		return Outcome{}, ErrOtherPlan
	}
	a.Run = run
	a.SettlesPlan(digest)
	o := Outcome{Refreshed: kept.Refreshed}
	for _, c := range kept.Placements {
		o.Placements = append(o.Placements, c.outcome())
	}
	return o, nil
}
