package lifecycletest

// Check returns what must never be of a world, and of the step to it from the one before; empty: all is well.
func (m *Model) Check(before, w *World) string {
	for r := range m.Scenario.Runs {
		if wrong := m.checkStep(&before.Runs[r], &w.Runs[r]); wrong != "" {
			return wrong
		}
		if wrong := m.checkRun(w, r); wrong != "" {
			return wrong
		}
		for other := range r {
			if wrong := m.checkPair(w, other, r); wrong != "" {
				return wrong
			}
		}
	}
	for p := range w.Places {
		if wrong := m.checkPlace(w, p); wrong != "" {
			return wrong
		}
	}
	return ""
}

// checkStep checks what a run may not do.
func (m *Model) checkStep(before, now *Run) string {
	switch {
	case now.Fence < before.Fence:
		return "a fence falls"
	case before.State.Ended() && before.State != now.State:
		return "a run that has ended goes on"
	}
	for p := range now.Said {
		if before.Said[p].Ended() && before.Said[p] != now.Said[p] {
			return "what came of a placement changes"
		}
	}
	return ""
}

// checkRun checks one run.
func (m *Model) checkRun(w *World, r int) string {
	run, plan := &w.Runs[r], &m.Scenario.Runs[r]
	holders, agents := 0, 0
	for k := range w.Workers {
		if worker := &w.Workers[k]; run.State == Running && worker.Run == id(r) && worker.Phase >= begun && worker.Phase < sent && worker.Fence == run.Fence {
			holders++
			agents += min(1, int(worker.Entry))
		}
	}
	waits, left := false, false
	for p, said := range run.Said {
		waits = waits || said == Queued
		left = left || said == Queued && !w.Places[p].Gone && run.Taken[p] == 0
	}
	switch {
	case holders > 1:
		return "two attempts at one run go on"
	case agents > 0 && run.Due:
		return "a run on which an agent works is to be given to another one"
	case run.State == Running && run.Fence == 0:
		return "a run is RUNNING without a fence"
	case !run.open() && waits:
		return "a run has ended, and a placement waits in it"
	case !run.open() && run.Active:
		return "a run that has ended hinders others"
	case !run.open() && (run.Due || run.Lock):
		return "a run that has ended keeps its lease"
	case plan.Kind == Agents && run.Due && run.queued():
		return "a run waits and is in the queue, too"
	case run.State == Queued && waits && !left && run.Due && !run.Held:
		return "a run waits of which nothing is left"
	}
	return ""
}

// checkPair checks two runs.
func (m *Model) checkPair(w *World, older, newer int) string {
	a, b := &w.Runs[older], &w.Runs[newer]
	p, q := &m.Scenario.Runs[older], &m.Scenario.Runs[newer]
	if p.Group == q.Group && a.hinders() && b.hinders() {
		return "two runs of one target go on"
	}
	if a.Lock && b.Lock && p.Places&q.Places != 0 {
		return "two add-ins have one document"
	}
	for place := range w.Places {
		waits := a.State == Queued && b.State == Queued && a.Said[place] == Queued && b.Said[place] == Queued
		if waits && !w.Places[place].Gone && !a.queued() && !a.Held && b.Taken[place] == 0 && !m.demanded(newer, place) {
			return "an older run waits beside a newer one"
		}
	}
	return ""
}

// demanded reports whether a user requested something of a placement with a run or an older one: until that is carried out, each of the runs
// that want the placement may wait for its own next attempt.
func (m *Model) demanded(r, p int) bool {
	for i := range r + 1 {
		if m.Scenario.Runs[i].Asks && m.Scenario.Runs[i].Places&(1<<p) != 0 {
			return true
		}
	}
	return false
}

// hinders reports whether no other run of its target may be made.
func (r *Run) hinders() bool { return r.open() && !r.Lined && !r.Waited }

// checkPlace checks one placement.
func (m *Model) checkPlace(w *World, p int) string {
	place := &w.Places[p]
	if place.Wanted > 0 {
		run := &w.Runs[place.Wanted-1]
		switch {
		case !run.open():
			return "a run that has ended wants a placement"
		case run.State == Queued && run.Said[p].Ended():
			return "a run that waits wants a placement that it is done with"
		case run.Taken[p] != 0:
			return "a run wants a placement that was taken over from it"
		}
	}
	if place.Shown > 0 {
		run := &w.Runs[place.Shown-1]
		switch {
		case !run.open() && !place.Shows.Ended():
			return "a placement shows that it is refreshed by a run that has ended"
		case run.State == Queued && place.Shows == Running:
			return "a placement shows that it is refreshed by a run that waits"
		}
	}
	return ""
}
