package lifecycletest

import (
	"mooring/storage/record/lifecycle"
)

// Model is a scenario under a table of rules.
type Model struct {
	*Scenario
	Rules lifecycle.Steps
}

// step is a world while an event changes it.
type step struct {
	*Model
	World
	wrong string
}

// fault notes what must not happen.
func (s *step) fault(wrong bool, what string) {
	if wrong && s.wrong == "" {
		s.wrong = what
	}
}

// holds are the conditions that hold for a run, asked for by a worker; -1 is nobody.
func (s *step) holds(r, k int) (c lifecycle.Condition) {
	set := func(holds bool, condition lifecycle.Condition) {
		if holds {
			c |= condition
		}
	}
	run, plan := &s.Runs[r], &s.Scenario.Runs[r]
	if k >= 0 {
		worker := &s.Workers[k]
		set(worker.Run == id(r) && worker.Fence == run.Fence, lifecycle.Latest)
		set(worker.Known == run.Taken, lifecycle.Untaken)
		set(s.foremost(k), lifecycle.Foremost)
		set(run.State == worker.End && run.Said == worker.Said, lifecycle.Same)
		set(s.holdsEntry(r, k) || plan.Kind == Client && run.Lock && int(plan.Worker) == k, lifecycle.Leased)
	}
	set(!run.elsewhere(plan) && !s.locked(r), lifecycle.Unleased)
	busy := s.busy(r)
	set(!busy, lifecycle.Idle)
	set(busy, lifecycle.Busy)
	set(run.Fence == 0, lifecycle.Unbegun)
	set(!run.Stop, lifecycle.Unstopped)
	set(!run.Held, lifecycle.Unheld)
	set(run.Due, lifecycle.Waiting)
	return c
}

// id names a run, or nothing by 0.
func id(r int) uint8 { return uint8(r + 1) }

// elsewhere reports whether a process or an add-in has the run.
func (r *Run) elsewhere(plan *RunPlan) bool {
	if plan.Kind == Client && r.Fence <= 1 {
		return r.Lock
	}
	return r.State == Running && r.Due
}

// locked reports whether an add-in has a document of a run that is to be made.
func (s *step) locked(r int) bool {
	if s.Runs[r].State != None {
		return false
	}
	for i := range s.Runs {
		if i != r && s.Runs[i].Lock && s.Scenario.Runs[i].Places&s.Scenario.Runs[r].Places != 0 {
			return true
		}
	}
	return false
}

// busy reports whether another run of the group queries or writes, or is about to.
func (s *step) busy(r int) bool {
	for i := range s.Scenario.Runs {
		if i != r && s.Scenario.Runs[i].Group == s.Scenario.Runs[r].Group && s.Runs[i].Active && s.Runs[i].open() {
			return true
		}
	}
	return false
}

// asks reports whether a user requested something of a placement with a run, or with an older one from which it was taken over.
func (s *step) asks(r, p int) bool {
	if s.Scenario.Runs[r].Asks {
		return true
	}
	for older := range r {
		if s.Runs[older].Taken[p] == id(r) && s.asks(older, p) {
			return true
		}
	}
	return false
}

// rival is the other run that wants a placement and has not ended.
func (s *step) rival(r, p int) (other int, found bool) {
	other = int(s.Places[p].Wanted) - 1
	return other, other >= 0 && other != r && s.Runs[other].open()
}

// yields reports whether a placement that waits in a run is left to another one.
func (s *step) yields(r, p int) bool {
	other, found := s.rival(r, p)
	return found && s.meeting(r, other, p, true) == lifecycle.Leaves
}

// foremost reports whether what is to wait in the run of a worker is wanted by the run by which it was when that was decided, and is there.
func (s *step) foremost(k int) bool {
	worker := &s.Workers[k]
	for p := range s.Places {
		if worker.Said[p] == Queued && (s.Places[p].Gone || s.Places[p].Wanted != worker.Seen[p]) {
			return false
		}
	}
	return true
}

// overdue reports whether a run, in which a placement is to wait, is to take it over from another one first, or to be the one that wants it.
func (s *step) overdue(r, p int) bool {
	if s.Places[p].Gone || s.Places[p].Wanted == id(r) {
		return false
	}
	other, found := s.rival(r, p)
	return !found || s.meeting(r, other, p, true) == lifecycle.TakesOver
}

// may reports whether a rule applies.
func (s *step) may(rule lifecycle.Rule, r, k int) bool {
	return s.Rules[rule].Allows(s.Runs[r].State.Name(), s.holds(r, k))
}

// attempts are the rules that an attempt follows after it has begun.
var attempts = [lifecycle.Count]bool{
	lifecycle.Renew: true, lifecycle.RenewClient: true, lifecycle.Resume: true, lifecycle.Claim: true, lifecycle.Write: true, lifecycle.Record: true,
	lifecycle.Retry: true, lifecycle.Release: true, lifecycle.Complete: true,
}

// apply follows a rule, to a state if it leads to several.
func (s *step) apply(rule lifecycle.Rule, r, k int, to State) {
	row, run := &s.Rules[rule], &s.Runs[r]
	if attempts[rule] {
		s.fault(s.Workers[k].Fence != run.Fence, "an attempt that was lost goes on")
	}
	if len(row.To) == 1 {
		to = Of(row.To[0])
	}
	if len(row.To) > 0 {
		run.State = to
	}
	does := func(effect lifecycle.Effect) bool { return row.Does&effect != 0 }
	if does(lifecycle.Fences) {
		run.Fence++
	}
	if does(lifecycle.Recalls) {
		run.Due, run.Lease = false, noLease
	}
	if does(lifecycle.Stops) {
		run.Stop = true
	}
	if does(lifecycle.Settles) {
		run.settle(to)
	}
	if does(lifecycle.Frees) {
		run.free()
		if k >= 0 {
			s.dropEntry(r, k)
		}
	}
	if does(lifecycle.Leases) {
		s.lease(r, k)
	}
	s.placed(row.Does, r, k)
	if does(lifecycle.Queues) {
		run.Due, run.Lease = false, noLease
		s.queue(r)
	}
	if does(lifecycle.Defers) {
		s.deferRun(r, k)
	}
	if does(lifecycle.Vacates) {
		run.Active = false
		s.follow(r)
	}
	if does(lifecycle.Occupies) {
		run.Active = true
	}
}

// settle ends what still waits in a run.
func (r *Run) settle(end State) {
	for p := range r.Said {
		if r.Said[p] == Queued {
			r.Said[p] = end
		}
	}
}

// free takes the run from its holder, or its add-in.
func (r *Run) free() { r.Due, r.Lease, r.Lock = false, noLease, false }

// lease gives a run to its holder, or to its add-in; an agent's lease is its entry.
func (s *step) lease(r, k int) {
	run, plan := &s.Runs[r], &s.Scenario.Runs[r]
	if e := s.Workers[k].Entry; e > 0 {
		if run.Entries[e-1] != NoEntry {
			run.Entries[e-1] = HeldBy + uint8(k)
		}
		return
	}
	run.Lease, run.Due = freshLease, true
	run.Lock = plan.Kind == Client && k == int(plan.Worker)
}

// placed has the placements of a run know what it does to them.
func (s *step) placed(does lifecycle.Effect, r, k int) {
	run := &s.Runs[r]
	for p := range s.Places {
		place := &s.Places[p]
		if k >= 0 && s.Workers[k].Todo[p] == toDo && run.State == Running && does&(lifecycle.Wants|lifecycle.Takes) != 0 {
			older, found := s.rival(r, p)
			if does&lifecycle.Wants != 0 {
				place.Wanted = id(r)
			}
			if found && does&lifecycle.Takes != 0 {
				s.Runs[older].Taken[p] = id(r)
				s.wake(older)
			}
		}
		if does&lifecycle.Unwants != 0 && place.Wanted == id(r) && (!run.open() || run.Said[p].Ended()) {
			place.Wanted = 0
		}
	}
}

// wake gives a run that waits to the agents.
func (s *step) wake(r int) {
	if s.may(lifecycle.Wake, r, -1) {
		s.fault(s.Runs[r].Held, "a run is given to agents that its holder looks after")
		s.apply(lifecycle.Wake, r, -1, None)
	}
}

// deferRun puts a run into the due set; one that is to stop goes to the queue.
func (s *step) deferRun(r, k int) {
	run, plan := &s.Runs[r], &s.Scenario.Runs[r]
	if run.Stop {
		s.queue(r)
		return
	}
	run.Due = true
	if plan.Kind == Held && k == int(plan.Worker) {
		run.Lease = freshLease
	}
}

// follow lets the next run of a group go on.
func (s *step) follow(r int) {
	for i := range s.Runs {
		next := &s.Runs[i]
		if next.Lined && s.Scenario.Runs[i].Group == s.Scenario.Runs[r].Group && next.State == Queued && s.may(lifecycle.Follow, i, -1) {
			next.Lined = false
			s.apply(lifecycle.Follow, i, -1, None)
			return
		}
	}
}

// queue puts a run into the queue.
func (s *step) queue(r int) {
	entries := &s.Runs[r].Entries
	for i := range entries {
		if entries[i] == NoEntry {
			entries[i] = InQueue
			return
		}
	}
	s.fault(true, "entries of one run pile up in the queue")
}

// queued reports whether a run has an entry.
func (r *Run) queued() bool { return r.Entries != [len(r.Entries)]uint8{} }

// holdsEntry reports whether a worker has the entry under which it works.
func (s *step) holdsEntry(r, k int) bool {
	e := s.Workers[k].Entry
	return e > 0 && s.Runs[r].Entries[e-1] == HeldBy+uint8(k)
}

// dropEntry takes the entry of a worker out of the queue.
func (s *step) dropEntry(r, k int) {
	if e := s.Workers[k].Entry; e > 0 {
		s.Runs[r].Entries[e-1] = NoEntry
	}
}
