package lifecycletest

import (
	"mooring/storage/record/lifecycle"
)

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
			switch s.meeting(r, other, p, false) {
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

// meeting decides what becomes of a placement that another run wants; waits says that it is to wait in the run, too.
func (s *step) meeting(r, other, p int, waits bool) lifecycle.Meeting {
	rival := &s.Runs[other]
	apart := s.asks(other, p) && (rival.State == Running || s.asks(r, p))
	return lifecycle.Rival{State: rival.State.Name(), Attempts: int(rival.Fence), Newer: other > r, Apart: apart}.Meet(waits, s.asks(r, p))
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
