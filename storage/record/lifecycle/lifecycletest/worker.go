package lifecycletest

import "mooring/storage/record/lifecycle"

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
