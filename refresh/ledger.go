package refresh

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"mooring/placements"
	"mooring/refresh/fault"
	"mooring/refresh/parameter"
	"mooring/refresh/result"
	"mooring/refresh/trace"
	"mooring/storage"
	"mooring/storage/queue"
	"mooring/storage/record"
	"mooring/storage/record/lifecycle"
	"mooring/storage/work"
)

// ledger is what a run says of each of its placements, and what the attempt leaves on them.
type ledger struct {
	d        record.Deployment
	run      *record.Run
	claim    *queue.Attempt
	queue    *work.Work
	alone    bool         // no agent may take the run over
	begun    time.Time    // by the store's clock
	started  time.Time    // the same moment by our own
	personal bool         // the rows depend on who is shown them
	progress func(string) // a line for the observers of the run
	faults   *faultLog
	report   *storage.Report
	kept     *record.KeptChange // what the run is to put back; nil for nothing

	waited      map[string]bool                // the placements that waited in the run when the attempt began
	newer       map[string]*placements.LastRun // what the newer run shows to which the attempt leaves a placement
	claiming    map[string]bool                // what the attempt has claimed, or tried to
	inherited   map[string]string              // since when a placement waits that was taken over
	asked       []storage.Placed               // what the attempt is to refresh
	tallies     map[string]record.Tally        // of the results that it has, by what they are queried with: see queried
	readings    parameter.Readings             // of the cells from which placements take values
	completions []work.PlacementOutcome
	jitter      float64           // of its waits: placements that begin to wait together are tried again together
	fault       *placements.Fault // the first of a placement
}

// client reports whether an add-in works on the run, in the document that it has open.
func (a *ledger) client() bool { return a.run.Executor == record.ExecutorClient }

// now is the present by the store's clock, which all agents share.
func (a *ledger) now() time.Time { return a.begun.Add(time.Since(a.started)) }

// placed is a placement of the report, as far as that is there.
func (a *ledger) placed(placementID string) (p storage.Placed, found bool) {
	if a.report == nil {
		return p, false
	}
	return a.report.Find(placementID)
}

// level is what a person may do with the report as the attempt loaded it.
func (a *ledger) level(who record.Actor) record.Level {
	return who.OnReport(a.report.CreatedBy, a.report.RolesWithAccess)
}

// behalf names on whose behalf a placement is queried: it is equal for two if they are shown the same rows.
func (a *ledger) behalf(p storage.Placed) string { return result.Behalf(a.personal, p.Behalf()) }

// arguments are the values with which a placement is queried. The error is a *placements.Fault.
func (a *ledger) arguments(p storage.Placed) (placements.Arguments, error) {
	return a.readings.Arguments(&p.Placement, a.report.Parameters)
}

// queried names the query for a placement: it is equal for two that are shown the same rows.
func (a *ledger) queried(p storage.Placed) string {
	return a.behalf(p) + "\n" + a.readings.Key(&p.Placement, a.report.Parameters)
}

// done reports whether the run is done with a placement: what came of it is final.
func (a *ledger) done(placementID string) bool {
	return lifecycle.Final(a.placementOutcome(placementID).State)
}

// placementOutcome is what the run says of a placement so far.
func (a *ledger) placementOutcome(placementID string) record.RunPlacement {
	return saidOf(a.run, placementID)
}

// saidOf is what a run says of a placement so far.
func saidOf(run *record.Run, placementID string) (o record.RunPlacement) {
	i := slices.IndexFunc(run.Placements, func(o record.RunPlacement) bool { return o.PlacementID == placementID })
	if i < 0 {
		return record.RunPlacement{PlacementID: placementID}
	}
	return run.Placements[i]
}

// outcomeOf is the beginning of what the run says of a placement: on whose behalf it was queried, and the result, if there is one.
func (a *ledger) outcomeOf(p storage.Placed) record.RunPlacement {
	o := record.RunPlacement{PlacementID: p.ID, RunAsUserID: p.Behalf().UID}
	if a.report != nil {
		o.Parameters = a.readings.Used(&p.Placement, a.report.Parameters)
		o.Tally = a.tallies[a.queried(p)]
	}
	return o
}

func (a *ledger) setOutcome(o record.RunPlacement) {
	i := slices.IndexFunc(a.run.Placements, func(old record.RunPlacement) bool { return old.PlacementID == o.PlacementID })
	if i < 0 {
		a.run.Placements = append(a.run.Placements, o)
		return
	}
	a.run.Placements[i] = o
}

func disconnected() *placements.Fault {
	return &placements.Fault{
		Class: placements.Structure, Message: "the placement was disconnected: there is nothing to refresh", Err: errDisconnected,
	}
}

// errDisconnected: the placement is not there any more, or not where the run was to refresh it.
var errDisconnected = errors.New("placement disconnected")

// instant reads a time of the wire; other if it says none.
func instant(text string, other time.Time) time.Time {
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return other
	}
	return at
}

// firstAttempt is when the first attempt of the run began.
func (a *ledger) firstAttempt() time.Time { return instant(a.run.StartedAt, a.begun) }

// lastRunOf is what a placement shows of a run that has not tried it to the end, and says o of it.
func lastRunOf(run *record.Run, o record.RunPlacement) placements.LastRun {
	return placements.LastRun{
		RunID: run.ID, State: o.State, Attempt: run.Attempt, ErrorClass: o.ErrorClass, Error: o.Error, Clash: o.Clash,
		Reason: o.Reason, Since: o.Since, StartedAt: run.StartedAt, NextAttemptAt: o.NextAttemptAt,
	}
}

func (a *ledger) load(ctx context.Context) *placements.Fault {
	ctx, span := trace.Start(ctx, "load")
	defer span.End()
	r, err := a.queue.Load(ctx, a.claim)
	if errors.Is(err, storage.ErrNotFound) {
		return &placements.Fault{Class: placements.Structure, Message: "the report does not exist any more"}
	}
	if err != nil {
		return fault.Of(err)
	}
	a.report = r
	return nil
}

// loadKept reads what the run is to put back, if it is.
func (a *ledger) loadKept(ctx context.Context) *placements.Fault {
	if a.run.Restores == "" {
		return nil
	}
	c, rows, err := a.queue.History.Change(ctx, a.d, a.run.ReportID, a.run.PlacementID, a.run.Restores)
	if errors.Is(err, storage.ErrNotFound) || err == nil && !c.Kept {
		return &placements.Fault{Class: placements.Structure, Message: fmt.Sprintf(
			"what run %s changed there is not kept any more, since %d runs have changed the block after it: there is nothing to put back",
			a.run.Restores, record.MaxChanges)}
	}
	if err != nil {
		return fault.Of(err)
	}
	a.kept = &record.KeptChange{BlockChange: c, Rows: rows}
	return nil
}

// persist calls store until the storage answers, for at most completeLimit, even when ctx ends.
func persist(ctx context.Context, store func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), completeLimit)
	defer cancel()
	for {
		err := store(ctx)
		if !fault.Passing(err) || fault.Sleep(ctx, backOff) != nil {
			return err
		}
	}
}

// How an attempt can be ended from outside.
var (
	errStopped  = errors.New("stopped by request")
	errRunLimit = errors.New("run limit reached")
)

// completeLimit bounds how long the end of an attempt waits for a storage that does not answer. Another agent has long begun again by then.
const completeLimit = time.Minute

// errDraining: the agent ends before what it has begun.
var errDraining = errors.New("agent is shutting down")

// backOff is the pause after the storage failed.
const backOff = time.Second
