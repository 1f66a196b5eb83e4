package lifecycletest

import (
	"mooring/placements"
	"mooring/storage/record/lifecycle"
)

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

func (n *next) breakOffClaimed(r, k int) {
	if n.Scenario.Runs[r].Kind != Client {
		n.breakOff(r, k)
	}
}

// decide has a worker decide how its attempt ends.
func (n *next) decide(e Event, do func(*step)) {
	n.do(e, func(s *step) {
		do(s)
		s.Workers[e.Worker].Phase = ending
	})
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
