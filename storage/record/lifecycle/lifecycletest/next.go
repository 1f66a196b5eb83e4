package lifecycletest

import (
	"mooring/placements"
	"mooring/storage/record/lifecycle"
)

// Next calls visit with every event that may happen in a world, and the world after it.
func (m *Model) Next(w *World, visit func(Event, *World)) {
	n := &next{Model: m, from: w, visit: visit}
	n.make()
	for r := range m.Scenario.Runs {
		if w.Runs[r].open() {
			n.ofRun(r)
		}
	}
	for k := range w.Workers {
		n.ofWorker(k)
	}
	n.ofAll()
}

type next struct {
	*Model
	from  *World
	visit func(Event, *World)
}

// do visits what do makes of the world.
func (n *next) do(e Event, do func(*step)) {
	s := step{Model: n.Model, World: *n.from}
	do(&s)
	e.Wrong = s.wrong
	n.visit(e, &s.World)
}

// can reports whether a rule applies.
func (n *next) can(rule lifecycle.Rule, r, k int) bool {
	s := step{Model: n.Model, World: *n.from}
	return s.may(rule, r, k)
}

func rule(rule lifecycle.Rule, r, k int) Event {
	return Event{Rule: rule, Run: r, Worker: k, Place: -1}
}

func other(o Other, r, k, p int) Event { return Event{Other: o, Run: r, Worker: k, Place: p} }

// make makes the next run of the scenario.
func (n *next) make() {
	r := 0
	for r < len(n.Scenario.Runs) && n.from.Runs[r].State != None {
		r++
	}
	if r == len(n.Scenario.Runs) {
		return
	}
	plan := &n.Scenario.Runs[r]
	switch plan.Kind {
	case Held:
		n.makeHeld(r, int(plan.Worker))
	case Client:
		n.makeClient(r, int(plan.Worker))
	default:
		n.makeQueued(r, plan)
	}
}

func (n *next) makeQueued(r int, plan *RunPlan) {
	if n.can(lifecycle.Enqueue, r, -1) {
		n.do(rule(lifecycle.Enqueue, r, -1), func(s *step) { s.apply(lifecycle.Enqueue, r, -1, None) })
	}
	if plan.Tick && plan.Lines && n.can(lifecycle.Await, r, -1) {
		n.do(rule(lifecycle.Await, r, -1), func(s *step) {
			s.apply(lifecycle.Await, r, -1, None)
			s.Runs[r].Lined = true
		})
	}
	if plan.Tick && !plan.Lines && n.can(lifecycle.Skip, r, -1) {
		n.do(rule(lifecycle.Skip, r, -1), func(s *step) {
			s.fault(!s.busy(r), "a tick is skipped though no run is at work")
			s.apply(lifecycle.Skip, r, -1, None)
		})
	}
	for i := range r {
		if plan.Tick && n.from.Left.Joins > 0 && n.can(lifecycle.Join, i, -1) {
			n.do(rule(lifecycle.Join, i, -1), func(s *step) {
				s.fault(s.Runs[i].Fence > 0 || s.Runs[i].Stop, "data that has changed is not queried")
				s.Left.Joins--
			})
		}
	}
}

func (n *next) makeHeld(r, k int) {
	if n.from.Workers[k].Run == 0 && n.can(lifecycle.Hold, r, k) {
		n.do(rule(lifecycle.Hold, r, k), func(s *step) {
			s.Workers[k].Run = id(r)
			s.Runs[r].Held = true
			s.apply(lifecycle.Hold, r, k, None)
		})
	}
}

// places counts what is left of some placements.
func (w *World) places(of uint8) (n int) {
	for p := range w.Places {
		if of&(1<<p) != 0 && !w.Places[p].Gone {
			n++
		}
	}
	return n
}

// start has a worker know a run as an attempt does that begins.
func (s *step) start(r, k int, phase uint8) {
	run := &s.Runs[r]
	s.Workers[k] = Worker{Run: id(r), Phase: phase, Entry: s.Workers[k].Entry, Fence: run.Fence, Stop: run.Stop, Said: run.Said, Known: run.Taken}
}

// ofRun visits what happens to a run whose worker does nothing.
func (n *next) ofRun(r int) {
	run, plan := &n.from.Runs[r], &n.Scenario.Runs[r]
	if run.Lease == noLease && n.can(lifecycle.Requeue, r, -1) {
		n.do(rule(lifecycle.Requeue, r, -1), func(s *step) { s.apply(lifecycle.Requeue, r, -1, None) })
	}
	n.age(r)
	for k := range n.Agents {
		worker := &n.from.Workers[k]
		if worker.Run != 0 {
			continue
		}
		n.takeEntry(r, k)
		if plan.Kind == Client && n.can(lifecycle.Abandon, r, k) {
			n.do(rule(lifecycle.Abandon, r, k), func(s *step) {
				s.fault(s.Runs[r].Lock, "an add-in whose lease goes on loses its run")
				s.apply(lifecycle.Abandon, r, k, None)
				s.takenFromClient(r)
				s.start(r, k, begun)
			})
		}
		if plan.Kind == Client && n.from.Left.Stops > 0 && n.can(lifecycle.EndClient, r, k) {
			n.do(rule(lifecycle.EndClient, r, k), func(s *step) {
				s.Left.Stops--
				s.apply(lifecycle.EndClient, r, k, None)
				s.takenFromClient(r)
				s.start(r, k, begun)
				s.fault(!s.Runs[r].Stop, "a run that is to stop is not told")
			})
		}
	}
	if n.from.Left.Stops > 0 {
		n.stop(r)
	}
}

// age lets a lease end: at once if its holder has died.
func (n *next) age(r int) {
	run := &n.from.Runs[r]
	if run.Lease == noLease {
		return
	}
	alive := false
	for k := range n.from.Workers {
		w := &n.from.Workers[k]
		alive = alive || w.Run == id(r) && w.Fence == run.Fence && w.Phase != took
	}
	if run.Lease == freshLease && alive {
		n.do(other(Age, r, -1, -1), func(s *step) { s.Runs[r].Lease = agedLease })
	}
	if !alive || n.from.Left.Lapses > 0 {
		n.do(other(Lapse, r, -1, -1), func(s *step) {
			if alive {
				s.Left.Lapses--
			}
			s.Runs[r].Lease, s.Runs[r].Lock = noLease, false
		})
	}
}

// takeEntry lets an agent take an entry of a run.
func (n *next) takeEntry(r, k int) {
	run := &n.from.Runs[r]
	for e, owner := range run.Entries {
		by, lapses := other(Orphan, r, k, -1), false
		switch owner {
		case NoEntry:
			continue
		case InQueue:
			by.Other = Take
		case OfDead:
		default:
			holder := &n.from.Workers[owner-HeldBy]
			lapses = holder.Run == id(r) && int(holder.Entry) == e+1
		}
		if lapses && n.from.Left.Lapses == 0 {
			continue
		}
		n.do(by, func(s *step) {
			if lapses {
				s.Left.Lapses--
			}
			s.Runs[r].Entries[e] = HeldBy + uint8(k)
			s.Workers[k] = Worker{Run: id(r), Phase: took, Entry: uint8(e + 1)}
		})
	}
}

// stop lets a user stop a run.
func (n *next) stop(r int) {
	for _, by := range n.stops(r) {
		if n.can(by, r, -1) {
			n.do(rule(by, r, -1), func(s *step) {
				s.Left.Stops--
				s.stop(by, r)
			})
		}
	}
}

// stops are the rules that stop a run.
func (m *Model) stops(r int) []lifecycle.Rule {
	if m.Scenario.Runs[r].Kind == Client {
		return []lifecycle.Rule{lifecycle.StopClient, lifecycle.StopWaiting}
	}
	return []lifecycle.Rule{lifecycle.Stop, lifecycle.StopWaiting}
}

func (s *step) stop(by lifecycle.Rule, r int) {
	s.apply(by, r, -1, None)
	run := &s.Runs[r]
	s.fault(!run.Stop, "a run that is to stop is not told")
	s.fault(by != lifecycle.Stop && !run.queued(), "a run on which nobody works is not stopped at once")
	s.fault(by == lifecycle.StopClient && run.Lock, "a run that is stopped keeps its document")
}

// ofAll visits what happens to all.
func (n *next) ofAll() {
	for p := range n.from.Places {
		if n.from.Left.Drops > 0 && !n.from.Places[p].Gone {
			n.do(other(Drop, -1, -1, p), func(s *step) { s.dropPlace(p) })
		}
	}
	if n.from.Left.Restores == 0 || n.from.Runs[0].State == None {
		return
	}
	n.do(other(Restore, -1, -1, -1), func(s *step) {
		s.Left.Restores--
		for r := range s.Scenario.Runs {
			s.interrupt(r)
		}
	})
}

// dropPlace takes a placement away: runs of it alone are stopped, others that wait for it are woken.
func (s *step) dropPlace(p int) {
	s.Left.Drops--
	for r := range s.Scenario.Runs {
		if !s.Runs[r].open() || s.Scenario.Runs[r].Places != 1<<p {
			continue
		}
		for _, by := range s.stops(r) {
			if s.may(by, r, -1) {
				s.stop(by, r)
				break
			}
		}
	}
	if wanted := int(s.Places[p].Wanted) - 1; wanted >= 0 {
		s.wake(wanted)
	}
	s.Places[p] = PlacementState{Gone: true}
}

// interrupt ends a run of a backup that was restored.
func (s *step) interrupt(r int) {
	if !s.may(lifecycle.Interrupt, r, -1) {
		return
	}
	s.Runs[r].Lined = false
	s.apply(lifecycle.Interrupt, r, -1, None)
	s.Runs[r].free()
	s.Runs[r].Entries, s.Runs[r].Held = [len(s.Runs[r].Entries)]uint8{}, false
	for p := range s.Places {
		if s.Places[p].Shown == id(r) && !s.Places[p].Shows.Ended() {
			s.Places[p].Shows = Stopped
		}
	}
}

// said lists what a worker says of the placements of its run.
func (w *Worker) said() (list []placements.RunState) {
	for _, state := range w.Said {
		if state != None {
			list = append(list, state.Name())
		}
	}
	return list
}
