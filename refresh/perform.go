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
func (s *attempts) question(d record.Deployment, from result.Origin, r *storage.Report, by record.Actor) result.Question {
	return result.Question{Deployment: d, From: from, Of: &r.Definition, For: by, Room: s.results.Clients, Patience: s.roomWait}
}

// newAttempt returns the work of an attempt that has begun.
func (s *attempts) newAttempt(ctx context.Context, d record.Deployment, begun *queue.Attempt, m *document.Peer) *attempt {
	faults := &faultLog{log: s.log, outage: s.outage, traces: context.WithoutCancel(ctx), d: d, run: begun.Run}
	l := &ledger{
		d: d, run: begun.Run, claim: begun, queue: s.queue, alone: begun.Held(), begun: begun.Begun, started: time.Now(),
		personal: s.tenants.personal(d), progress: s.progress(begun.Run), faults: faults, jitter: fault.Jitter(begun.Run.ID, begun.Fence),
		waited: map[string]bool{}, claiming: map[string]bool{}, inherited: map[string]string{}, newer: map[string]*placements.LastRun{},
		tallies: map[string]record.Tally{},
	}
	claims := &takeover{l}
	a := &attempt{
		ledger: l, takeover: claims, gate: &gate{l, s.sites},
		asker:  &asker{ledger: l, results: s.results, room: s.results.Runs, member: m},
		ending: &ending{ledger: l, claims: claims, log: s.log, outage: s.outage, observe: s.observe, runLimit: s.runLimit},
		sites:  s.sites, documents: s.documents, gathering: s.gathering, runLimit: s.runLimit, location: s.tenants.location(d), member: m,
	}
	a.from, a.none = s.tenants.origin(d)
	for _, o := range begun.Run.Placements {
		if o.State == placements.RunQueued {
			a.waited[o.PlacementID] = true
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
	defer work.drop()
	defer work.leave()
	working, end := context.WithCancelCause(ctx)
	defer end(nil)
	defer s.keeper.keep(working, begun, end)()
	f, cause := s.guarded(working, end, work, begun)
	if errors.Is(cause, storage.ErrLockLost) {
		s.log.WarnContext(ctx, "attempt given up: another agent has begun one", "run", begun.Run.ID)
		work.giveUp(ctx)
		return 0, false
	}
	o, completed := work.complete(ctx, f, cause)
	if completed && cause == nil && f != nil && fault.Unclassified(f) {
		work.faults.logFault(f) // where its users are told to look
	}
	work.faults.logFaults()
	if completed {
		work.observeEnd(o, time.Since(work.started), begun.Run.RowsWritten-before)
		work.logEnd(span)
	}
	return o.Again.Sub(work.now()), completed
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
		return work.abandoned(ctx)
	case begun.Stopped:
		if f = work.load(ctx); f != nil && fault.Passing(f) {
			return f, nil // its placements are to be settled too; those of a report that is gone are with it
		}
		return nil, errStopped
	}
	work.limit = fault.NewLimit(s.runLimit, func() { end(errRunLimit) })
	defer work.limit.Stop()
	f = work.safely(ctx)
	if f != nil || work.firstTry() != nil { // else there was nothing left to end
		cause = context.Cause(ctx)
	}
	end(nil)
	return f, cause
}

// safely turns a panic of a source into a fault: one bad run must not end the agent.
func (a *attempt) safely(ctx context.Context) (f *placements.Fault) {
	defer func() {
		if p := recover(); p != nil {
			a.log.ErrorContext(ctx, "run panicked", "run", a.run.ID, "panic", p)
			f = fault.Of(fmt.Errorf("panic: %v", p))
		}
	}()
	return a.work(ctx)
}

// work refreshes every placement that the run asks for, that it is not done with, and that is due. What came of each is in the run and in
// completions. It returns why that could not be tried at all, or not to the end; nil when what came of the placements decides how the run
// goes on.
func (a *attempt) work(ctx context.Context) *placements.Fault {
	if fault := a.load(ctx); fault != nil {
		return fault
	}
	if fault := a.mayGoOn(); fault != nil {
		return fault
	}
	a.settleGone()
	targets := a.targets()
	if len(targets) == 0 {
		return a.nothingToDo()
	}
	var err error
	if a.asked, err = a.claimed(ctx, a.allowed(ctx, a.due(targets))); err != nil {
		return fault.Of(err)
	}
	todo := a.available(ctx, a.asked)
	if ctx.Err() != nil {
		return fault.Of(context.Cause(ctx))
	}
	if len(todo) == 0 {
		return nil
	}
	refs, _ := a.byDocument(todo)
	a.member.Announce(refs)
	return fault.OrNil(a.refresh(ctx, todo))
}

// logEnd writes the line of a run that has ended, and notes in the trace how the attempt did.
func (a *attempt) logEnd(span trace.Span) {
	run := a.run
	span.Text("mooring.state", string(run.State))
	if run.ErrorClass != "" {
		span.Fail(string(run.ErrorClass))
	}
	if run.EndedAt == "" {
		a.log.DebugContext(a.faults.traces, "run waits", "run", run.ID, "tenant", a.d.Tenant, "deployment", a.d.ID, "report", run.ReportID,
			"attempt", run.Attempt, "class", run.ErrorClass, "next", run.NextAttemptAt)
		return
	}
	logRun(a.faults.traces, a.log, a.d, run, a.documentsNamed())
}
