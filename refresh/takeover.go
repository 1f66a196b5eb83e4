package refresh

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"mooring/placements"
	"mooring/storage"
	"mooring/storage/queue"
	"mooring/storage/record"
	"mooring/storage/record/lifecycle"
)

// The newest run of agents that wants a placement takes over what older ones wait for (decisions.md §7b), with what users requested of these.

// takeover is what an attempt claims, and takes over from older runs.
type takeover struct{ ledger *ledger }

// settleTaken says of every placement that waits, and that a newer run has taken over, which one.
func (a *ledger) settleTaken() {
	for _, o := range a.run.Placements {
		if by := a.claim.Taken(o.PlacementID); by != "" && o.State == placements.RunQueued {
			a.supersede(o, by)
		}
	}
}

// supersede says that a newer run refreshes a placement instead.
func (a *ledger) supersede(o record.RunPlacement, by string) {
	a.setOutcome(ended(o, record.RunPlacement{
		State: placements.RunSuperseded, SupersededBy: by, Error: fmt.Sprintf("the newer run %s refreshes the placement instead", by),
	}))
}

// claimed makes the run the one that wants placements, unless a newer one waits for them, which takes them over. It takes over itself what
// older runs wait for. It returns those that the attempt is to refresh.
func (a *takeover) claimed(ctx context.Context, list []storage.Placed) (mine []storage.Placed, err error) {
	for some := range slices.Chunk(list, queue.MaxClaims) {
		more, err := a.claimSome(ctx, some)
		if err != nil {
			return nil, err
		}
		mine = append(mine, more...)
	}
	return mine, nil
}

// claimSome is claimed for no more placements than are claimed at once. It is decided again when other runs have begun, or have claimed some
// of them, since it was: what was to be taken over may be carried out there.
func (a *takeover) claimSome(ctx context.Context, list []storage.Placed) ([]storage.Placed, error) {
	carried := a.ledger.run.Carried
	for {
		a.ledger.run.Carried = maps.Clone(carried)
		c, err := a.meet(ctx, a.untaken(list), false)
		if err != nil || len(c.list) == 0 {
			return nil, err
		}
		if ok, err := a.ledger.queue.Queue.Claim(ctx, a.ledger.claim, c.list, c.carries); ok || err != nil {
			return c.mine, err
		}
	}
}

// untaken leaves out what newer runs have taken over, and says so.
func (a *takeover) untaken(list []storage.Placed) (left []storage.Placed) {
	for _, p := range list {
		if by := a.ledger.claim.Taken(p.ID); by != "" {
			a.ledger.supersede(a.ledger.outcomeOf(p), by)
			continue
		}
		left = append(left, p)
	}
	return left
}

// reclaim makes the run the one that wants what is to wait in it. A newer run that wants it meanwhile is left to wait for it alone; an older one that
// does is not, unless they are apart.
func (a *takeover) reclaim(ctx context.Context) error {
	a.ledger.settleTaken()
	for {
		c, err := a.meet(ctx, a.unwanted(), true)
		if err != nil || len(c.list) == 0 {
			return err
		}
		if ok, err := a.ledger.queue.Queue.Claim(ctx, a.ledger.claim, c.list[:min(len(c.list), queue.MaxClaims)], c.carries); err != nil {
			return err
		} else if !ok {
			a.ledger.settleTaken()
		}
	}
}

// unwanted is what is to wait in the run, and what the run is not the one to want.
func (a *takeover) unwanted() (list []storage.Placed) {
	for _, o := range a.ledger.run.Placements {
		p, found := a.ledger.placed(o.PlacementID)
		if found && lifecycle.Waits(o.State) && a.ledger.claim.Wanted(p.ID) != a.ledger.run.ID {
			list = append(list, p)
		}
	}
	return list
}

// claims are what an attempt claims.
type claims struct {
	list    []queue.Claim
	mine    []storage.Placed // what they are on
	carries bool             // something is taken over that users requested of other runs
}

// meet decides what the attempt claims of list where other runs want it; waits says that it is to wait in the run. What is to wait in the run and
// beside it in another one is not claimed.
func (a *takeover) meet(ctx context.Context, list []storage.Placed, waits bool) (to claims, err error) {
	rivals, err := a.rivals(ctx, list)
	if err != nil {
		return to, err
	}
	for _, p := range list {
		c, meeting := a.claimOn(p), lifecycle.TakesOver
		if rival, met := rivals[a.ledger.claim.Wanted(p.ID)]; met {
			c.Seen = rival.Fence
			meeting = a.rival(rival, p.ID).Meet(waits, a.asks(p.ID))
			switch meeting {
			case lifecycle.Leaves:
				a.leaveTo(rival.Run, p)
			case lifecycle.Beside:
				c.Takes = false
			case lifecycle.TakesOver:
				to.carries = a.carry(rival.Run, p.ID) || to.carries
				a.inherit(&c, rival.Run)
			}
		}
		if meeting == lifecycle.Leaves || meeting == lifecycle.Beside && waits {
			continue
		}
		to.list, to.mine = append(to.list, c), append(to.mine, p)
		a.ledger.claiming[p.ID] = true
	}
	return to, nil
}

// rival is another run that wants a placement, as the attempt sees it.
func (a *takeover) rival(r queue.RivalRun, placementID string) lifecycle.Rival {
	return lifecycle.Rival{State: r.State, Attempts: r.Attempt, Newer: r.Place > a.ledger.claim.Place, Apart: a.apart(r.Run, placementID)}
}

// leaveTo leaves a placement to a newer run that waits for it.
func (a *takeover) leaveTo(newer *record.Run, p storage.Placed) {
	a.ledger.supersede(a.ledger.outcomeOf(p), newer.ID)
	if o := saidOf(newer, p.ID); o.State != "" {
		last := lastRunOf(newer, o)
		a.ledger.newer[p.ID] = &last
	}
}

// inherit takes over how long an older run has waited for a placement.
func (a *takeover) inherit(c *queue.Claim, older *record.Run) {
	if o := saidOf(older, c.PlacementID); o.State == placements.RunQueued && o.Since != "" {
		c.Waited, c.Since = o.Reason, o.Since
		a.ledger.inherited[c.PlacementID] = o.Since
	}
}

// rivals reads the other runs that want placements of list.
func (a *takeover) rivals(ctx context.Context, list []storage.Placed) (map[string]queue.RivalRun, error) {
	ids := map[string]bool{}
	for _, p := range list {
		if id := a.ledger.claim.Wanted(p.ID); id != "" && id != a.ledger.run.ID {
			ids[id] = true
		}
	}
	if len(ids) == 0 {
		return nil, nil
	}
	return a.ledger.queue.Queue.Rivals(ctx, a.ledger.d, slices.Sorted(maps.Keys(ids)))
}

// claimOn is the claim on a placement that no other run wants.
func (a *takeover) claimOn(p storage.Placed) queue.Claim {
	c := queue.Claim{PlacementID: p.ID, Takes: true}
	if last := a.ledger.lastRun(p); last != nil && !last.State.Ended() && last.Since != "" {
		c.Waited, c.Since = last.Reason, last.Since
	}
	return c
}

// asks reports whether a user requested with the run something of a placement that another run would not do.
func (a *takeover) asks(placementID string) bool {
	_, asks := demand(a.ledger.run, placementID)
	return asks || a.ledger.run.Apart()
}

// demand is what users requested of a placement with a run that another run would not do. A tick asks for nothing of this kind: what its schedule
// says, the next one says again.
func demand(run *record.Run, placementID string) (c record.Carried, asks bool) {
	c, asks = run.Carried[placementID]
	if run.Trigger != record.TriggerManual || run.Options == (placements.Options{}) {
		return c, asks
	}
	own := record.Carried{Options: run.Options.Over(c.Options), By: run.RequestedBy}
	if c.Destroys() && !run.Destroys() { // then own does only if they asked for it
		own.By = c.By
	}
	return own, true
}

// apart reports whether the run and an older one refresh a placement each by itself: one of them is to do what the other would not; what users requested of the older one is being carried
// out, or is another user's and does not go together with what was requested of the run; or it waits for a file that may be there for other
// agents, and the run is worked on here alone.
func (a *takeover) apart(older *record.Run, placementID string) bool {
	if a.ledger.alone && saidOf(older, placementID).Reason == placements.ReasonMissing {
		return true
	}
	if older.Apart() || a.ledger.run.Apart() {
		return true
	}
	theirs, asks := demand(older, placementID)
	if !asks {
		return false
	}
	ours, asked := demand(a.ledger.run, placementID)
	differ := !ours.Over(theirs.Options).Equal(theirs.Over(ours.Options)) || ours.Destroys() && theirs.Destroys()
	return older.State == placements.RunRunning || asked && differ && !ours.By.Is(theirs.By.ID)
}

// carry takes over from an older run what users requested of a placement with it, and reports whether there was something.
func (a *takeover) carry(older *record.Run, placementID string) bool {
	state := saidOf(older, placementID).State
	c, asks := demand(older, placementID)
	if carriedOut := state != "" && state != placements.RunQueued; carriedOut || !asks {
		return false
	}
	if a.ledger.run.Carried == nil {
		a.ledger.run.Carried = map[string]record.Carried{}
	}
	a.ledger.run.Carried[placementID] = c
	return true
}

// settleGone says of what waits and is not there any more, or stands elsewhere than the run is to refresh, that there is nothing to do.
func (a *ledger) settleGone() {
	a.settleTaken()
	if a.run.PlacementID != "" {
		return // see nothingToDo
	}
	a.settleMoved()
}
