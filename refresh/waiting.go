package refresh

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/host"
	"mooring/storage"
	"mooring/storage/queue"
	"mooring/storage/record"
)

// What waits is the document, never the run (decisions.md §7b): each placement that cannot be refreshed now waits by itself, and the newest
// run of agents that wants it takes it over.

// await lets a placement wait that fault keeps from being refreshed now, if it may pass by itself and has not waited for too long.
func (a *attempt) await(p storage.Placed, o *record.RunPlacement, fault *placements.Fault) {
	reason := fault.Reason
	if reason == "" && fault.Class == placements.Quota {
		reason = placements.ReasonQuota
	}
	since := a.since(p, reason)
	at, again := nextTry(fault, waited{since, a.firstAttempt()}, a.now(), a.dice)
	if !again {
		return
	}
	o.State, o.Reason = placements.RunQueued, reason
	o.Since, o.NextAttemptAt = placements.Time(since), placements.Time(at)
	if reason == placements.ReasonHeld {
		o.ErrorClass = "" // it is no failure
	}
}

// since is when a placement that waits, for that reason, began to: at its first try, perhaps one of an older run. Of a file that was missed
// for so long that the run before failed it is when that began.
func (a *attempt) since(p storage.Placed, reason placements.Reason) time.Time {
	if o := a.placementOutcome(p.ID); o.Since != "" {
		return instant(o.Since, a.now())
	}
	last := a.lastRun(p)
	if last == nil || last.Since == "" {
		return a.now()
	}
	missing := reason == placements.ReasonMissing && last.Reason == reason
	if last.State == placements.RunFailed && !missing {
		return a.now()
	}
	return instant(last.Since, a.now())
}

// lastRun is the last run on a placement as it was when the attempt began; nil: none. p may have been read since.
func (a *attempt) lastRun(p storage.Placed) *placements.LastRun {
	if known, found := a.report.Find(p.ID); found {
		return known.LastRun
	}
	return p.LastRun
}

// waits reports whether a placement waits, in whatever run.
func waits(p storage.Placed) bool {
	return p.LastRun != nil && p.LastRun.State == placements.RunQueued && p.LastRun.Reason != ""
}

func compareBools(p, q bool) int {
	switch {
	case p == q:
		return 0
	case q:
		return -1
	}
	return 1
}

// due leaves out the placements that wait for a later attempt.
func (a *attempt) due(list []storage.Placed) []storage.Placed {
	now := a.now()
	return slices.DeleteFunc(list, func(p storage.Placed) bool {
		return instant(a.placementOutcome(p.ID).NextAttemptAt, now).After(now)
	})
}

// byAgents leaves out the placements that only an add-in reaches, and says so in the run.
func (a *attempt) byAgents(list []storage.Placed) (reached []storage.Placed) {
	for _, p := range list {
		if !a.AddinOnly(a.d.Tenant, p.Placement) {
			reached = append(reached, p)
			continue
		}
		o := a.outcomeOf(p)
		o.State, o.Reason = placements.RunSkipped, placements.ReasonAddinOnly
		o.Error = fmt.Sprintf("no agent reaches the spreadsheet %.80q: open it, and refresh the report there by the add-in", cmp.Or(p.WorkbookName, p.WorkbookID))
		a.setOutcome(o)
	}
	return reached
}

// settle says of every placement that waits how it ends; when the run was stopped, also of those that it has not tried.
func (a *attempt) settle(end record.RunPlacement) {
	var targets []storage.Placed
	if a.report != nil { // else they are gone with it
		targets = a.targets()
	}
	for _, p := range targets {
		o := a.placementOutcome(p.ID)
		if o.State == "" && end.State == placements.RunStopped {
			o = a.outcomeOf(p)
			o.State = placements.RunQueued
			a.setOutcome(o)
		}
		if last := p.LastRun; o.State == placements.RunQueued && last != nil && last.RunID == a.run.ID {
			a.leaves(p)
		}
	}
	for _, o := range a.run.Placements {
		if o.State == placements.RunQueued {
			a.setOutcome(ended(o, end))
		}
	}
}

// ended is o as end says, which has waited for the last time.
func ended(o, end record.RunPlacement) record.RunPlacement {
	o.State, o.ErrorClass, o.Error, o.SupersededBy = end.State, end.ErrorClass, end.Error, end.SupersededBy
	o.Reason, o.Since, o.NextAttemptAt = "", "", ""
	return o
}

// settleTaken says of every placement that waits, and that a newer run has taken over, which one.
func (a *attempt) settleTaken() {
	for _, o := range a.run.Placements {
		if by := a.claim.Taken(o.PlacementID); by != "" && o.State == placements.RunQueued {
			a.supersede(o, by)
		}
	}
}

// supersede says that a newer run refreshes a placement instead.
func (a *attempt) supersede(o record.RunPlacement, by string) {
	a.setOutcome(ended(o, record.RunPlacement{
		State: placements.RunSuperseded, SupersededBy: by, Error: fmt.Sprintf("the newer run %s refreshes the placement instead", by),
	}))
}

// settleGone says of what waits and is not there any more, or stands elsewhere than the run is to refresh, that there is nothing to do.
func (a *attempt) settleGone() {
	a.settleTaken()
	if a.run.PlacementID != "" {
		return // see nothingToDo
	}
	for _, o := range a.run.Placements {
		p, found := a.report.Find(o.PlacementID)
		if o.State == placements.RunQueued && (!found || !a.run.Target().Has(p.Placement)) {
			a.setOutcome(ended(o, record.RunPlacement{State: placements.RunSkipped, Error: disconnected().Message}))
		}
	}
}

// claimed makes the run the one that wants placements, unless a newer one waits for them, which takes them over. It takes over itself what
// older runs wait for, with what was asked of these. It returns those that the attempt is to refresh.
func (a *attempt) claimed(ctx context.Context, list []storage.Placed) (mine []storage.Placed, err error) {
	if len(list) == 0 {
		return nil, nil
	}
	for {
		rivals, err := a.rivals(ctx, list)
		if err != nil {
			return nil, err
		}
		claims, carries := []queue.Claim{}, false
		mine = nil
		for _, p := range list {
			c := a.claimOn(p)
			if rival, other := rivals[a.claim.Wanted(p.ID)]; other {
				switch newer := rival.Place > a.claim.Place; {
				case newer && rival.Waits() && !a.asksOfItself(p.ID):
					a.supersede(a.outcomeOf(p), rival.ID)
					continue
				case newer, rival.State == placements.RunRunning && asks(rival.Run, p.ID):
					c.Takes = false // each refreshes it by itself
				default:
					carries = a.carry(rival.Run, p.ID) || carries
				}
			}
			claims, mine = append(claims, c), append(mine, p)
		}
		if len(claims) == 0 {
			return nil, nil
		}
		if ok, err := a.queue.Claim(ctx, a.claim, claims, carries); ok || err != nil {
			return mine, err
		}
	}
}

// rivals reads the other runs that want placements of list.
func (a *attempt) rivals(ctx context.Context, list []storage.Placed) (map[string]queue.Rival, error) {
	var ids []string
	for _, p := range list {
		if id := a.claim.Wanted(p.ID); id != "" && id != a.run.ID && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	if len(ids) == 0 {
		return nil, nil
	}
	return a.queue.Rivals(ctx, a.d, ids)
}

// claimOn is the claim on a placement that no other run wants.
func (a *attempt) claimOn(p storage.Placed) queue.Claim {
	c := queue.Claim{PlacementID: p.ID, Takes: true}
	if last := a.lastRun(p); last != nil && last.Since != "" {
		c.Waited, c.Since = last.Reason, last.Since
	}
	return c
}

// asksOfItself reports whether a person asked with the run for something of a placement that another run would not do.
func (a *attempt) asksOfItself(placementID string) bool { return asks(a.run, placementID) }

func asks(run *record.Run, placementID string) bool {
	_, carried := run.Carried[placementID]
	return carried || run.Trigger == record.TriggerManual && run.Options != (placements.Options{})
}

// carry takes over from an older run what a person asked with it of a placement, and reports whether there was something.
func (a *attempt) carry(older *record.Run, placementID string) bool {
	i := slices.IndexFunc(older.Placements, func(o record.RunPlacement) bool { return o.PlacementID == placementID })
	if carriedOut := i >= 0 && older.Placements[i].State != placements.RunQueued; carriedOut || !asks(older, placementID) {
		return false
	}
	carried, before := older.Carried[placementID]
	if older.Trigger == record.TriggerManual && older.Options != (placements.Options{}) {
		own := record.Carried{Options: older.Options, By: older.RequestedBy}
		if before && own.By.Is(carried.By.ID) {
			own.Options = own.Over(carried.Options)
		}
		carried = own
	}
	if a.run.Carried == nil {
		a.run.Carried = map[string]record.Carried{}
	}
	a.run.Carried[placementID] = carried
	return true
}

// options are those of the run, with what was asked of an older one, and of what neither says those of the placement. What would destroy
// something is asked for by who may do that, at the time when it is done.
func (a *attempt) options(p storage.Placed) placements.Options {
	said := a.run.Options
	c, ok := a.run.Carried[p.ID]
	if may := !c.Destroys() || a.level(c.By) >= record.MayEdit || p.Wholly(c.By.ID); ok && may {
		if a.run.Trigger == record.TriggerManual {
			said = said.Over(c.Options)
		} else {
			said = c.Over(said)
		}
	}
	return said.Over(p.Options)
}

// available leaves out what waits still, where the attempt would refresh nothing but what waits for its documents: the source is not asked
// for rows that cannot be written.
func (a *attempt) available(ctx context.Context, list []storage.Placed) (may []storage.Placed) {
	if slices.ContainsFunc(list, func(p storage.Placed) bool { return !waitsForDocument(p) }) {
		return list
	}
	for _, ref := range a.documentsOf(list) {
		here := a.in(ref, list)
		err := a.look(ctx, ref, here[0])
		for _, p := range here {
			if !a.stillWaits(p, err) {
				may = append(may, p)
			}
		}
	}
	return may
}

// waitsForDocument reports whether a placement waits for something that can be seen without rows to write.
func waitsForDocument(p storage.Placed) bool {
	return waits(p) && p.LastRun.Reason != placements.ReasonSource && p.LastRun.Reason != placements.ReasonQuota
}

// stillWaits reports whether a placement waits on, because of what was seen at its document, and says so in the run. Any other fault is left
// to the refresh, which knows what is to be told of it.
func (a *attempt) stillWaits(p storage.Placed, seen error) bool {
	if seen == nil {
		return false
	}
	fault := asFault(seen)
	if p.LastRun.Reason == placements.ReasonMissing && errors.Is(fault, fs.ErrNotExist) {
		fault = a.awaitFile(p, fault)
	}
	if !retryable(fault) {
		return false
	}
	a.failed(p, fault)
	return true
}

// look reports why a document cannot be refreshed now, nil if it can as far as can be seen at the first cell of a placement.
func (a *attempt) look(ctx context.Context, ref documentRef, p storage.Placed) error {
	at, ok := p.Address()
	if !ok {
		return nil
	}
	h, fault := a.host(ref.tenant, ref.host)
	if fault != nil {
		return fault
	}
	lease, release, err := a.lockSoon(ctx, ref)
	if err != nil {
		return err
	}
	defer release()
	s, err := a.open(lease, h, ref)
	if err != nil {
		return err
	}
	cell := host.Block{Document: at.Document, SheetID: p.SheetID, Sheet: at.Sheet, Anchor: at.Anchor}
	_, err = s.Read(lease, []host.Wanted{{Block: cell, Extent: checksum.Extent{Rows: 1, Columns: 1}}})
	return errors.Join(err, s.Close())
}

// lockSoon locks a document, unless another run has it for longer than briefly: then it is the fault held.
func (e *Engine) lockSoon(ctx context.Context, ref documentRef) (lease context.Context, release func(), err error) {
	waiting, stop := context.WithCancel(ctx)
	tooLong := time.AfterFunc(heldBriefly, stop)
	lease, free, err := e.queue.LockDocument(waiting, ref.tenant, ref.id)
	if !tooLong.Stop() && err == nil {
		free()
		err = context.Canceled
	}
	if err == nil {
		return lease, func() { free(); stop() }, nil
	}
	stop()
	if ctx.Err() == nil && errors.Is(err, context.Canceled) {
		err = e.held(ctx, ref)
	}
	return nil, nil, err
}

// How long an attempt waits for a document to which another run writes, before it goes on with others, and once none is left.
const (
	heldBriefly  = 250 * time.Millisecond
	heldPatience = 10 * time.Second
)

// held is why a document cannot be written now: another run has it.
func (e *Engine) held(ctx context.Context, ref documentRef) error {
	who, err := e.queue.DocumentWriter(ctx, ref.tenant, ref.id)
	if err != nil {
		return err
	}
	return &placements.Fault{
		Class: placements.Transient, Reason: placements.ReasonHeld,
		Message: fmt.Sprintf("another refresh writes to the spreadsheet %q (%s): this one goes on when it is free", ref.id, cmp.Or(who, "another run")),
	}
}
