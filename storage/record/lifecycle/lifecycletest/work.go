package lifecycletest

import (
	"mooring/placements"
	"mooring/storage/record/lifecycle"
)

// ofWorker visits what a worker does next.
func (n *next) ofWorker(k int) {
	worker := &n.from.Workers[k]
	if worker.Run == 0 {
		return
	}
	r := int(worker.Run) - 1
	if n.from.Left.Crashes > 0 {
		n.do(other(Crash, r, k, -1), func(s *step) {
			s.Left.Crashes--
			if s.holdsEntry(r, k) {
				s.Runs[r].Entries[s.Workers[k].Entry-1] = OfDead
			}
			s.Workers[k] = Worker{}
		})
	}
	switch worker.Phase {
	case idle:
		n.beginHeld(r, k)
	case took:
		n.begin(r, k)
	case begun:
		n.renew(r, k)
		n.work(r, k)
	case claimed:
		if worker.Ends != goesOn { // and learned since that another run has taken over something, perhaps
			if !n.reclaim(r, k) {
				n.do(other(Decide, r, k, -1), func(s *step) { s.conclude(r, k, worker.Ends) })
			}
			return
		}
		n.renew(r, k)
		n.refresh(r, k)
	case ending:
		n.end(r, k)
	case sent:
		n.repeat(r, k)
	}
}

// begin begins the attempt of an entry.
func (n *next) begin(r, k int) {
	for _, by := range []lifecycle.Rule{lifecycle.Begin, lifecycle.TakeOver} {
		if !n.can(by, r, k) {
			continue
		}
		n.do(rule(by, r, k), func(s *step) {
			run := &s.Runs[r]
			s.fault(!s.holdsEntry(r, k), "an agent works on a run without its entry: its death is not noticed")
			s.fault(run.State == Running && run.Lease != noLease, "a run is taken from a holder whose lease goes on")
			s.apply(by, r, k, None)
			run.Held = false
			s.start(r, k, begun)
		})
		return
	}
	n.do(other(Refused, r, k, -1), func(s *step) {
		if s.holdsEntry(r, k) {
			s.dropEntry(r, k)
		}
		s.Workers[k] = Worker{}
	})
}

// beginHeld begins an attempt of the process that holds a run.
func (n *next) beginHeld(r, k int) {
	if !n.can(lifecycle.BeginHeld, r, k) {
		n.giveUp(r, k)
		return
	}
	n.do(rule(lifecycle.BeginHeld, r, k), func(s *step) {
		s.fault(s.Workers[k].Fence != s.Runs[r].Fence, "a holder begins that has lost its run")
		s.apply(lifecycle.BeginHeld, r, k, None)
		s.fault(s.Runs[r].Lease != freshLease, "a holder works without a lease")
		s.start(r, k, begun)
	})
}

func (n *next) giveUp(r, k int) {
	n.do(other(GiveUp, r, k, -1), func(s *step) {
		if s.holdsEntry(r, k) {
			s.dropEntry(r, k)
		}
		s.Workers[k] = Worker{}
	})
}

// own reports whether a worker is the add-in of a run.
func (n *next) own(r, k int) bool {
	return n.Scenario.Runs[r].Kind == Client && int(n.Scenario.Runs[r].Worker) == k
}

// renew says that a worker lives: it learns whether its run is to stop, and whether it has lost it.
func (n *next) renew(r, k int) {
	by := lifecycle.Renew
	if n.own(r, k) {
		by = lifecycle.RenewClient
	}
	run, worker := &n.from.Runs[r], &n.from.Workers[k]
	switch {
	case n.own(r, k) && n.mistaken(r, k):
		return
	case !n.can(by, r, k):
		n.giveUp(r, k)
	case run.Lease == agedLease && worker.Entry == 0, run.Stop && !worker.Stop, worker.Entry > 0 && run.Entries[worker.Entry-1] != HeldBy+uint8(k):
		n.do(rule(by, r, k), func(s *step) {
			leased := s.Runs[r].Lease == agedLease && worker.Entry == 0
			s.apply(by, r, k, None)
			s.Workers[k].Stop = s.Runs[r].Stop
			s.fault(leased && s.Runs[r].Lease != freshLease, "a lease is renewed and goes on no longer")
		})
	}
}

// mistaken reports whether an add-in may go on that sends a fence which is not its own. Agents send no other one.
func (n *next) mistaken(r, k int) (wrong bool) {
	s := step{Model: n.Model, World: *n.from}
	s.Workers[k].Fence++
	for _, by := range []lifecycle.Rule{lifecycle.RenewClient, lifecycle.Resume} {
		if s.may(by, r, k) {
			wrong = true
			n.do(rule(by, r, k), func(s *step) { s.fault(true, "an add-in goes on under a fence that is not its own") })
		}
	}
	return wrong
}

// work begins the work of an attempt.
func (n *next) work(r, k int) {
	worker, plan := &n.from.Workers[k], &n.Scenario.Runs[r]
	switch {
	case plan.Kind == Client && !n.own(r, k): // its add-in is gone
		n.decide(other(Abort, r, k, -1), func(s *step) { s.abort(r, k) })
	case worker.Stop && !n.own(r, k):
		n.decide(other(Stopping, r, k, -1), func(s *step) { s.stopped(r, k) })
	case n.own(r, k):
		n.do(other(Start, r, k, -1), func(s *step) {
			for p := range s.Places {
				if plan.Places&(1<<p) != 0 && !s.Places[p].Gone {
					s.Workers[k].Todo[p] = beside
				}
			}
			s.Workers[k].Phase = claimed
		})
	default:
		n.claim(r, k)
		n.breakOff(r, k)
	}
}

// breakOff ends an attempt before it has done all.
func (n *next) breakOff(r, k int) {
	if n.from.Left.Faults > 0 {
		n.do(other(Abort, r, k, -1), func(s *step) {
			s.Left.Faults--
			s.Workers[k].Phase, s.Workers[k].Ends = claimed, fails
		})
	}
	if n.from.Left.Releases > 0 && k < n.Agents {
		n.do(other(ShutDown, r, k, -1), func(s *step) {
			s.Left.Releases--
			s.Workers[k].Phase, s.Workers[k].Ends = claimed, shutsDown
		})
	}
}

// decide has a worker decide how its attempt ends.
func (n *next) decide(e Event, do func(*step)) {
	n.do(e, func(s *step) {
		do(s)
		s.Workers[e.Worker].Phase = ending
	})
}

// abort fails what waits in a run, and the run.
func (s *step) abort(r, k int) {
	worker := &s.Workers[k]
	if worker.Stop {
		s.stopped(r, k)
		return
	}
	s.settleTaken(r, k)
	for p := range worker.Said {
		if worker.Said[p] == Queued {
			worker.Said[p] = Failed
		}
	}
	worker.End = Failed
}

// stopped ends an attempt whose run is to stop.
func (s *step) stopped(r, k int) {
	worker := &s.Workers[k]
	for p := range worker.Said {
		untried := worker.Said[p] == None && s.Scenario.Runs[r].Places&(1<<p) != 0 && !s.Places[p].Gone
		switch waits := worker.Said[p] == Queued; {
		case waits && worker.Known[p] != 0:
			worker.Said[p] = Superseded
		case waits, untried:
			worker.Said[p] = Stopped
		}
	}
	_, end := lifecycle.End(worker.said(), placements.RunStopped)
	worker.End = Of(end)
}

// settleTaken leaves what waits to the newer runs that have taken it over, or want it.
func (s *step) settleTaken(r, k int) {
	worker := &s.Workers[k]
	for p := range worker.Said {
		switch {
		case worker.Said[p] != Queued:
		case worker.Known[p] != 0 || s.yields(r, p):
			worker.Said[p] = Superseded
		case s.Places[p].Gone:
			worker.Said[p] = Skipped
		}
	}
}

// claim says what an attempt refreshes from now on.
func (n *next) claim(r, k int) {
	s := step{Model: n.Model, World: *n.from}
	todo := s.meet(r, k)
	switch {
	case !todo:
		n.do(other(Start, r, k, -1), func(s *step) {
			s.meet(r, k)
			s.Workers[k].Phase = claimed
		})
	case n.can(lifecycle.Claim, r, k):
		n.do(rule(lifecycle.Claim, r, k), func(s *step) {
			s.meet(r, k)
			s.apply(lifecycle.Claim, r, k, None)
			s.Workers[k].Phase = claimed
			for p := range s.Places {
				if s.Workers[k].Todo[p] != nothing {
					s.Places[p].Shown, s.Places[p].Shows = id(r), Running
				}
			}
		})
	default:
		n.learn(r, k)
	}
}

// learn lets an attempt read what was taken over from its run, or find that it is lost.
func (n *next) learn(r, k int) {
	if !n.can(lifecycle.Renew, r, k) {
		n.giveUp(r, k)
		return
	}
	n.do(other(Learn, r, k, -1), func(s *step) {
		worker := &s.Workers[k]
		worker.Known = s.Runs[r].Taken
		if worker.Phase == ending {
			worker.Phase, worker.End, worker.Seen = claimed, None, [MaxPlaces]uint8{}
		}
	})
}

// meet decides what an attempt does at each placement, and reports whether there is something.
func (s *step) meet(r, k int) (todo bool) {
	worker := &s.Workers[k]
	for p := range s.Places {
		switch {
		case s.Scenario.Runs[r].Places&(1<<p) == 0 || worker.Said[p].Ended():
			continue
		case worker.Known[p] != 0 && (worker.Said[p] == Queued || !s.Places[p].Gone):
			worker.Said[p] = Superseded
			continue
		case s.Places[p].Gone:
			if worker.Said[p] == Queued {
				worker.Said[p] = Skipped
			}
			continue
		}
		worker.Todo[p] = toDo
		if other, found := s.rival(r, p); found {
			switch s.meeting(r, other, p) {
			case lifecycle.Leaves:
				worker.Todo[p], worker.Said[p] = nothing, Superseded
				continue
			case lifecycle.Beside:
				worker.Todo[p] = beside
			}
		}
		todo = true
	}
	return todo
}

func (s *step) meeting(r, other, p int) lifecycle.Meeting {
	rival := &s.Runs[other]
	apart := s.asks(other, p) && (rival.State == Running || s.asks(r, p))
	return lifecycle.Meet(rival.State.Name(), int(rival.Fence), other > r, s.asks(r, p), apart)
}

// refresh does what is left to do at the placements.
func (n *next) refresh(r, k int) {
	worker, left := &n.from.Workers[k], false
	for p := range worker.Todo {
		if worker.Todo[p] == nothing {
			continue
		}
		left = true
		n.at(r, k, p)
	}
	if worker.Stop && !n.own(r, k) {
		n.decide(other(Stopping, r, k, -1), func(s *step) { s.stopped(r, k) })
		return
	}
	n.record(r, k)
	if left {
		n.breakOffClaimed(r, k)
		return
	}
	if n.reclaim(r, k) {
		return
	}
	n.do(other(Decide, r, k, -1), func(s *step) { s.conclude(r, k, isDone) })
}

// conclude has a worker decide how its attempt ends, which does so in that way.
func (s *step) conclude(r, k int, ends uint8) {
	worker := &s.Workers[k]
	worker.Phase, worker.Ends = ending, ends
	if ends == fails {
		s.abort(r, k)
		return
	}
	s.settleTaken(r, k)
	worker.End = Queued
	if ends == isDone {
		_, end := lifecycle.End(worker.said(), placements.RunSucceeded)
		worker.End = Of(end)
	}
	worker.Seen = [MaxPlaces]uint8{}
	for p := range s.Places {
		if worker.Said[p] == Queued {
			worker.Seen[p] = s.Places[p].Wanted
		}
	}
}

// reclaim has a run be the one that wants what is to wait in it, where another one was that is gone or is to leave it, and reports whether there is
// something.
func (n *next) reclaim(r, k int) bool {
	s := step{Model: n.Model, World: *n.from}
	if n.own(r, k) || !s.remeet(r, k) {
		return false
	}
	if !n.can(lifecycle.Claim, r, k) {
		n.learn(r, k)
		return true
	}
	n.do(rule(lifecycle.Claim, r, k), func(s *step) {
		s.remeet(r, k)
		s.apply(lifecycle.Claim, r, k, None)
		for p := range s.Places {
			if s.Workers[k].Todo[p] != nothing {
				s.Places[p].Shown, s.Places[p].Shows = id(r), Running
			}
		}
		s.Workers[k].Todo = [MaxPlaces]uint8{}
	})
	return true
}

// remeet is meet for what is to wait.
func (s *step) remeet(r, k int) (todo bool) {
	worker := &s.Workers[k]
	s.settleTaken(r, k)
	for p := range s.Places {
		if worker.Said[p] == Queued && s.overdue(r, p) {
			worker.Todo[p], todo = toDo, true
		}
	}
	return todo
}

func (n *next) breakOffClaimed(r, k int) {
	if n.Scenario.Runs[r].Kind != Client {
		n.breakOff(r, k)
	}
}

// at refreshes one placement.
func (n *next) at(r, k, p int) {
	says := func(state State) func(*step) {
		return func(s *step) {
			s.Workers[k].Said[p], s.Workers[k].Todo[p] = state, nothing
		}
	}
	if n.from.Places[p].Gone {
		n.do(other(Fail, r, k, p), says(Failed))
		return
	}
	by := lifecycle.Write
	if n.own(r, k) {
		by = lifecycle.Resume
	}
	e := rule(by, r, k)
	e.Place = p
	switch {
	case !n.can(by, r, k):
		n.giveUp(r, k)
	case n.own(r, k) || !n.lockedAt(p):
		n.do(e, func(s *step) {
			s.fault(s.writers(r) > 1, "two attempts at one run may write")
			s.fault(n.own(r, k) && !s.Runs[r].Lock, "an add-in writes without its lease")
			s.apply(by, r, k, None)
			says(Succeeded)(s)
		})
	}
	if n.own(r, k) || n.Scenario.Runs[r].Sure {
		return
	}
	n.do(other(Fail, r, k, p), says(Failed))
	if n.from.Runs[r].Fence < n.Budget.Attempts {
		n.do(other(Wait, r, k, p), says(Queued))
	}
}

// lockedAt reports whether an add-in has the document of a placement.
func (n *next) lockedAt(p int) bool {
	for i := range n.Scenario.Runs {
		if n.from.Runs[i].Lock && n.Scenario.Runs[i].Places&(1<<p) != 0 {
			return true
		}
	}
	return false
}

// writers counts the workers that may write for a run.
func (s *step) writers(r int) (count int) {
	for k := range s.Workers {
		w := &s.Workers[k]
		if w.Run == id(r) && (w.Phase == begun || w.Phase == claimed) && w.Fence == s.Runs[r].Fence && s.Runs[r].State == Running {
			count++
		}
	}
	return count
}

// record stores what was said of the placements, once something was written.
func (n *next) record(r, k int) {
	final := false
	for p, said := range n.from.Workers[k].Said {
		final = final || said == Succeeded && n.from.Runs[r].Said[p] != said
	}
	if n.own(r, k) || !final {
		return
	}
	if !n.can(lifecycle.Record, r, k) {
		n.giveUp(r, k)
		return
	}
	n.do(rule(lifecycle.Record, r, k), func(s *step) {
		for p, said := range s.Workers[k].Said {
			if said != None {
				s.leave(r, p, said)
			}
		}
		s.apply(lifecycle.Record, r, k, None)
	})
}

// leave stores what a run says of a placement.
func (s *step) leave(r, p int, said State) {
	s.fault(s.Runs[r].Said[p].Ended() && s.Runs[r].Said[p] != said, "what came of a placement changes")
	s.Runs[r].Said[p] = said
}

// end stores how an attempt ends.
func (n *next) end(r, k int) {
	worker := &n.from.Workers[k]
	by := lifecycle.Complete
	if worker.End == Queued {
		by = lifecycle.Retry
		if worker.Ends == shutsDown {
			by = lifecycle.Release
		}
	}
	switch {
	case n.own(r, k) && !n.can(lifecycle.Resume, r, k):
		n.giveUp(r, k)
		return
	case !n.can(by, r, k):
		n.learn(r, k)
		return
	}
	for _, lost := range []bool{false, true} {
		if lost && n.from.Left.Losses == 0 {
			continue
		}
		e := rule(by, r, k)
		e.To, e.Lost = worker.End, lost
		n.do(e, func(s *step) { s.end(by, r, k, lost) })
	}
}

func (s *step) end(by lifecycle.Rule, r, k int, lost bool) {
	worker, run := &s.Workers[k], &s.Runs[r]
	todo, said := worker.Todo, worker.Said
	for p := range said {
		if said[p] != None {
			s.leave(r, p, said[p])
		}
	}
	waits := by == lifecycle.Retry
	if waits {
		run.Waited = true
	}
	s.apply(by, r, k, worker.End)
	s.fault(waits && run.Active, "a run that only waits hinders others")
	s.show(r, todo, said)
	if lost {
		s.Left.Losses--
		worker.Phase, worker.Todo = sent, [MaxPlaces]uint8{}
		return
	}
	fence := worker.Fence
	s.Workers[k] = Worker{}
	if s.Scenario.Runs[r].Kind == Held && k == int(s.Scenario.Runs[r].Worker) && run.open() {
		s.Workers[k] = Worker{Run: id(r), Fence: fence} // until its next attempt
	}
}

// show has the placements show how a run has left them.
func (s *step) show(r int, todo [MaxPlaces]uint8, said [MaxPlaces]State) {
	for p := range s.Places {
		place := &s.Places[p]
		if place.Gone || place.Shown != id(r) && (said[p] != Succeeded && said[p] != Failed && said[p] != Queued) {
			continue
		}
		if place.Shown != id(r) && s.Runs[r].Taken[p] != 0 {
			continue
		}
		if place.Shown != id(r) && todo[p] == nothing && said[p] == Queued {
			continue
		}
		place.Shown, place.Shows = id(r), said[p]
		if said[p] == None {
			place.Shows = s.Runs[r].State
		}
	}
}

// repeat sends the end of an attempt again.
func (n *next) repeat(r, k int) {
	e := rule(lifecycle.Repeat, r, k)
	run, worker := &n.from.Runs[r], &n.from.Workers[k]
	as := run.State == worker.End && run.Said == worker.Said && run.Fence == worker.Fence
	if !n.can(lifecycle.Repeat, r, k) {
		e = other(GiveUp, r, k, -1)
		n.do(e, func(s *step) {
			s.fault(as, "the end of an attempt is refused when it is sent again")
			s.Workers[k] = Worker{}
		})
		return
	}
	n.do(e, func(s *step) {
		s.fault(!as, "an attempt is told that it has left what another one has left")
		s.Workers[k] = Worker{}
		if s.Scenario.Runs[r].Kind == Held && k == int(s.Scenario.Runs[r].Worker) && run.open() {
			s.Workers[k] = Worker{Run: id(r), Fence: worker.Fence}
		}
	})
}
