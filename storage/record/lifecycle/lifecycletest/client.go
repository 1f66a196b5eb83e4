package lifecycletest

import "mooring/storage/record/lifecycle"

func (n *next) makeClient(r, k int) {
	if n.from.Workers[k].Run == 0 && n.can(lifecycle.StartClient, r, k) && n.from.places(n.Scenario.Runs[r].Places) > 0 {
		n.do(rule(lifecycle.StartClient, r, k), func(s *step) {
			s.apply(lifecycle.StartClient, r, k, None)
			s.start(r, k, begun)
			for p := range s.Places {
				if n.Scenario.Runs[r].Places&(1<<p) != 0 && !s.Places[p].Gone {
					s.Places[p].Shown, s.Places[p].Shows = id(r), Running
				}
			}
		})
	}
}

// own reports whether a worker is the add-in of a run.
func (n *next) own(r, k int) bool {
	return n.Scenario.Runs[r].Kind == Client && int(n.Scenario.Runs[r].Worker) == k
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

// takenFromClient checks a run that a process has taken from its add-in, to end it.
func (s *step) takenFromClient(r int) {
	s.fault(s.Runs[r].Lock, "an add-in keeps the document of a run that is taken from it")
	s.fault(s.Runs[r].Lease != freshLease, "a process ends a run without a lease: its death is not noticed")
}
