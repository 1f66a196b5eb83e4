package refresh

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"mooring/placements"
	"mooring/refresh/document"
	"mooring/refresh/fault"
	"mooring/refresh/result"
	"mooring/refresh/site"
	"mooring/refresh/trace"
	"mooring/storage"
	"mooring/storage/queue"
	"mooring/storage/record"
	"mooring/storage/work"
)

// beginLimit bounds how long is waited for a storage that does not answer.
const beginLimit = 10 * time.Second

// attempts makes the attempts of runs, and works on them.
type attempts struct {
	queue     *work.Work
	tenants   tenants
	log       *slog.Logger
	tracer    *trace.Tracer
	outage    *fault.Outage
	silent    *fault.Silences
	observe   AgentObserver
	watch     func(runID, line string) // nil: none
	sites     *site.Locator
	results   *result.Results
	documents *document.Editor
	gathering *document.Gathering
	keeper    *keeper

	runLimit time.Duration
	roomWait time.Duration // of what clients wait for
}

// progress is where the lines of a run at work go.
func (s *attempts) progress(run *record.Run) func(string) {
	return func(line string) {
		if s.watch != nil {
			s.watch(run.ID, line)
		}
	}
}

// question is a report's query for a client.
func (s *attempts) question(
	d record.Deployment, from result.Origin, r *storage.Report, with placements.Arguments, by record.Actor,
) result.Question {
	return result.Question{Deployment: d, From: from, Of: &r.Definition, With: with, For: by, Room: s.results.Clients, Patience: s.roomWait}
}

// newAttempt returns the work of an attempt that has begun.
func (s *attempts) newAttempt(ctx context.Context, d record.Deployment, begun *queue.Attempt, m *document.Peer) *attempt {
	faults := &faultLog{log: s.log, outage: s.outage, silent: s.silent, traces: context.WithoutCancel(ctx), d: d, run: begun.Run}
	l := &ledger{
		d: d, run: begun.Run, claim: begun, queue: s.queue, alone: begun.Held(), begun: begun.Begun, started: time.Now(),
		personal: s.tenants.personal(d), progress: s.progress(begun.Run), faults: faults, jitter: fault.Jitter(begun.Run.ID, begun.Fence),
		waited: map[string]bool{}, claiming: map[string]bool{}, inherited: map[string]string{}, newer: map[string]*placements.LastRun{},
		tallies: map[string]record.Tally{},
	}
	claims, gate := &takeover{l}, &gate{l, s.sites}
	a := &attempt{
		ledger: l, claims: claims, gate: gate, cells: &cellReader{ledger: l, gate: gate, sites: s.sites, log: s.log},
		asker:  &asker{ledger: l, results: s.results, room: s.results.Runs, member: m},
		ending: &ending{ledger: l, claims: claims, log: s.log, outage: s.outage, observe: s.observe, runLimit: s.runLimit},
		sites:  s.sites, documents: s.documents, gathering: s.gathering, runLimit: s.runLimit, location: s.tenants.location(d), member: m,
	}
	a.asker.from, a.asker.none = s.tenants.origin(d)
	for _, o := range begun.Run.Placements {
		if o.State == placements.RunQueued {
			a.ledger.waited[o.PlacementID] = true
		}
	}
	for id := range begun.Run.Carried { // the claim with which it was to be taken over may not have been made
		if begun.Wanted(id) != begun.Run.ID {
			delete(begun.Run.Carried, id)
		}
	}
	return a
}

// perform works on an attempt that was asked for at a time and has begun, while renewing its claim, and completes it. completed is false
// when that was left to another attempt; wait is how long the run waits for its next one, when it has not ended.
func (s *attempts) perform(
	ctx context.Context, d record.Deployment, begun *queue.Attempt, asked time.Time, m *document.Peer,
) (wait time.Duration, completed bool) {
	ctx, span := s.traced(ctx, d, begun, asked)
	defer span.End()
	work := s.newAttempt(ctx, d, begun, m)
	before := begun.Run.RowsWritten
	defer work.asker.drop()
	defer work.leave()
	working, end := context.WithCancelCause(ctx)
	defer end(nil)
	defer s.keeper.keep(working, begun.Pulse(), end)()
	f, cause := s.guarded(working, end, work, begun)
	if errors.Is(cause, storage.ErrLockLost) {
		s.log.WarnContext(ctx, "attempt given up: another agent has begun one", "run", begun.Run.ID)
		work.ending.giveUp(ctx)
		return 0, false
	}
	o, completed := work.ending.complete(ctx, f, cause)
	if completed && cause == nil && f != nil && fault.Unclassified(f) {
		work.ledger.faults.logFault(f) // where its users are told to look
	}
	work.ledger.faults.logFaults()
	if completed {
		work.ending.observeEnd(o, time.Since(work.ledger.started), begun.Run.RowsWritten-before)
		work.logEnd(span)
	}
	return o.Again.Sub(work.ledger.now()), completed
}

// traced begins the span of an attempt that was asked for at a time. It is part of the trace of who asked for the run.
func (s *attempts) traced(ctx context.Context, d record.Deployment, begun *queue.Attempt, asked time.Time) (context.Context, trace.Span) {
	run := begun.Run
	ctx, span := s.tracer.Work(trace.Resume(ctx, run.Trace), "run", asked)
	if !span.On() {
		return ctx, span
	}
	span.Text("mooring.tenant", d.Tenant)
	span.Count("mooring.deployment", d.ID)
	span.Count("mooring.report", run.ReportID)
	span.Text("mooring.run", run.ID)
	span.Text("mooring.trigger", string(run.Trigger))
	span.Count("mooring.attempt", int64(run.Attempt))
	trace.Since(ctx, "claim", asked).End()
	return ctx, span
}

// guarded works under the run's limit, which ends ctx. cause is why the work was ended from outside, nil when it was not.
func (s *attempts) guarded(
	ctx context.Context, end context.CancelCauseFunc, work *attempt, begun *queue.Attempt,
) (f *placements.Fault, cause error) {
	switch {
	case begun.Run.Executor == record.ExecutorClient:
		return work.ending.abandoned(ctx)
	case begun.Stopped:
		if f = work.ledger.load(ctx); f != nil && fault.Passing(f) {
			return f, nil // its placements are to be settled too; those of a report that is gone are with it
		}
		return nil, errStopped
	}
	work.asker.limit = fault.NewLimit(s.runLimit, func() { end(errRunLimit) })
	defer work.asker.limit.Stop()
	f = work.safely(ctx)
	if f != nil || work.ledger.firstTry() != nil { // else there was nothing left to end
		cause = context.Cause(ctx)
	}
	end(nil)
	return f, cause
}

// safely turns a panic of a source into a fault: one bad run must not end the agent.
func (a *attempt) safely(ctx context.Context) (f *placements.Fault) {
	defer func() {
		if p := recover(); p != nil {
			a.ending.log.ErrorContext(ctx, "run panicked", "run", a.ledger.run.ID, "panic", p)
			f = fault.Of(fmt.Errorf("panic: %v", p))
		}
	}()
	return a.work(ctx)
}

// work refreshes every placement that the run asks for, that it is not done with, and that is due. What came of each is in the run and in
// completions. It returns why that could not be tried at all, or not to the end; nil when what came of the placements decides how the run
// goes on.
func (a *attempt) work(ctx context.Context) *placements.Fault {
	if fault := a.ledger.load(ctx); fault != nil {
		return fault
	}
	if fault := a.ledger.mayGoOn(); fault != nil {
		return fault
	}
	if fault := a.ledger.loadKept(ctx); fault != nil {
		return fault
	}
	a.ledger.settleGone()
	targets := a.ledger.targets()
	if len(targets) == 0 {
		return a.ledger.nothingToDo()
	}
	var err error
	if a.ledger.asked, err = a.claims.claimed(ctx, a.gate.allowed(ctx, a.ledger.due(targets))); err != nil {
		return fault.Of(err)
	}
	todo := a.available(ctx, a.ledger.asked)
	if ctx.Err() != nil {
		return fault.Of(context.Cause(ctx))
	}
	if len(todo) == 0 {
		return nil
	}
	refs, _ := a.sites.ByDocument(a.ledger.d.Tenant, todo)
	a.member.Announce(refs)
	return fault.OrNil(a.refresh(ctx, todo))
}

// logEnd writes the line of a run that has ended, and notes in the trace how the attempt did.
func (a *attempt) logEnd(span trace.Span) {
	run, d, traces := a.ledger.run, a.ledger.d, a.ledger.faults.traces
	span.Text("mooring.state", string(run.State))
	if run.ErrorClass != "" {
		span.Fail(string(run.ErrorClass))
	}
	if run.EndedAt == "" {
		a.ending.log.DebugContext(traces, "run waits", "run", run.ID, "tenant", d.Tenant, "deployment", d.ID, "report", run.ReportID,
			"attempt", run.Attempt, "class", run.ErrorClass, "next", run.NextAttemptAt)
		return
	}
	logRun(traces, a.ending.log, d, run, a.ledger.documentsNamed())
}
