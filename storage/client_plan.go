package storage

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"mooring/placements"
	"mooring/storage/record"
	"mooring/storage/redis"
)

// clientPlanAge is how long the plan of a client run is kept: longer than any run goes on.
const clientPlanAge = 24 * time.Hour

// clientPlan is the stored form of what completes a client run once its add-in has written.
type clientPlan struct {
	Run        string // its JSON
	Refreshed  *record.User
	Placements []clientOutcome
}

// clientOutcome is the stored form of a PlacementOutcome.
type clientOutcome struct {
	Placement placements.Placement
	Actions   []string // of Placement's RunAs, which its JSON does not show
	Before    placements.Placement
	Rev       string // of Before
	LastRun   placements.LastRun
	Written   bool
	Rows      []byte
	Edits     []record.Edit
}

// KeepClientPlan keeps what completes a client run once its add-in has written, in the place of an earlier plan. digest names the result
// and is what PlannedDigest returns. ErrLockLost: the lease has ended.
func (q *Queue) KeepClientPlan(ctx context.Context, a *Attempt, o Outcome, digest string) error {
	text, err := encodeRun(a.Run)
	if err != nil {
		return err
	}
	kept := clientPlan{Run: text, Refreshed: o.Refreshed}
	for _, one := range o.Placements {
		c := clientOutcome{
			Placement: one.Placement, Before: one.Before.Placement, Rev: one.Before.Rev, LastRun: one.LastRun, Written: one.Written,
			Rows: one.Rows, Edits: one.Edits,
		}
		if as := one.Placement.RunAs; as != nil {
			c.Actions = as.Actions
		}
		kept.Placements = append(kept.Placements, c)
	}
	plan, err := json.Marshal(kept)
	if err != nil {
		return clientRunError(a.Run, err)
	}
	k := q.deployment(a.entry.Deployment)
	run := k.run(a.Run.ID)
	var tx txn
	tx.If(a.fence, "HGET", run, fieldFence)
	tx.If(string(placements.RunRunning), "HGET", run, fieldState)
	tx.If(a.document.token, "GET", a.document.keys[0])
	tx.Then("HSET", run, fieldDigest, digest)
	tx.Then("SET", k.clientPlan(a.Run.ID), plan, "PX", clientPlanAge.Milliseconds())
	if _, err = q.run(ctx, &tx); unmet(err) {
		return ErrLockLost
	}
	return err
}

// ClientPlan returns what KeepClientPlan kept, and makes the run of the attempt what it was then. ErrNotFound.
func (q *Queue) ClientPlan(ctx context.Context, a *Attempt) (Outcome, error) {
	text, err := q.rdb.Get(ctx, q.deployment(a.entry.Deployment).clientPlan(a.Run.ID)).Bytes()
	if errors.Is(err, redis.Nil) {
		return Outcome{}, ErrNotFound
	}
	if err != nil {
		return Outcome{}, redis.Unavailable(err)
	}
	var kept clientPlan
	if err := json.Unmarshal(text, &kept); err != nil {
		return Outcome{}, clientRunError(a.Run, err)
	}
	if a.Run, err = readRun(a.Run.ID, kept.Run); err != nil {
		return Outcome{}, err
	}
	o := Outcome{Refreshed: kept.Refreshed}
	for _, c := range kept.Placements {
		if c.Placement.RunAs != nil {
			c.Placement.RunAs.Actions = c.Actions
		}
		o.Placements = append(o.Placements, PlacementOutcome{
			Placement: c.Placement, Before: Placed{Placement: c.Before, Rev: c.Rev}, LastRun: c.LastRun, Written: c.Written,
			Rows: c.Rows, Edits: c.Edits,
		})
	}
	return o, nil
}

// PlannedDigest returns the digest of the last plan that was kept of a client run, "" without one. It outlives the run.
func (q *Queue) PlannedDigest(ctx context.Context, d record.Deployment, runID string) (string, error) {
	digest, err := q.rdb.HGet(ctx, q.deployment(d).run(runID), fieldDigest).Result()
	if errors.Is(err, redis.Nil) {
		return "", nil
	}
	return digest, redis.Unavailable(err)
}
