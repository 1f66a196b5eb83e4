//go:build unix

package histories

// began is a client run that was begun.
func began(id string) entry {
	return entry{Status: statusAccepted, Got: map[string]string{"id": id}}
}

// inState is a run that is read.
func inState(id, state string) entry {
	return entry{ID: id, Status: statusOK, Got: map[string]string{"state": state}}
}

// planned is a plan of a run, whose result has that digest.
func planned(id, digest string) entry {
	return entry{ID: id, Status: statusOK, Got: map[string]string{"digest": digest}}
}

// wroteRun is the end of a run of which that result was written, answered with a status.
func wroteRun(id, digest string, status int) entry {
	return entry{ID: id, Set: map[string]string{"digest": digest}, Status: status}
}

// refused is e, refused with a code.
func refused(e entry, code string) entry {
	e.Status, e.Got = statusConflict, map[string]string{"code": code}
	return e
}

// later is a time at which a lease that was begun at 0 may have ended.
const later = leaseLasts + 10

// writtenRuns are histories of client runs.
var writtenRuns = []writtenHistory{
	{"a run is begun, renewed and stopped", "run", true, []*entry{
		at(0, 1, begin, began("r")), at(2, 3, renew, about("r", statusOK)), at(4, 5, get, inState("r", "RUNNING")), at(6, 7, stop, about("r", statusAccepted)),
		at(8, 9, get, inState("r", "STOPPED")), at(10, 11, renew, refused(about("r", 0), "lease_lost")),
	}},
	{"a run that has ended goes on", "run", false, []*entry{
		at(0, 1, begin, began("r")), at(2, 3, stop, about("r", statusAccepted)), at(4, 5, get, inState("r", "STOPPED")), at(6, 7, get, inState("r", "RUNNING")),
	}},
	{"two runs hold one placement", "run", false, []*entry{at(0, 1, begin, began("r")), at(2, 3, begin, began("q")), at(4, 5, get, inState("r", "RUNNING"))}},
	{"a run begins once the lease of another one has ended", "run", true, []*entry{
		at(0, 1, begin, began("r")), at(later, later+1, begin, began("q")), at(later+2, later+3, renew, refused(about("r", 0), "lease_lost")),
	}},
	{"a run begins while the lease of another one goes on", "run", false, []*entry{at(0, 1, begin, began("r")), at(2, 3, begin, began("q"))}},
	{"a run begins that another one hinders, whose begin was lost", "run", false, []*entry{
		never(0, begin, entry{}), at(2, 3, get, inState("r", "RUNNING")), at(4, 5, begin, began("q")),
	}},
	{"a lease is lost before its time", "run", false, []*entry{at(0, 1, begin, began("r")), at(2, 3, renew, refused(about("r", 0), "lease_lost"))}},
	{"a late stop shows a run that has ended as it ended", "run", true, []*entry{
		at(0, 1, begin, began("r")), at(2, 5, stop, about("r", statusAccepted)), at(3, 6, stop, entry{ID: "r", Status: statusOK, Got: fields("state=STOPPED")}),
	}},
	{"a late stop shows it as RUNNING", "run", false, []*entry{
		at(0, 1, begin, began("r")), at(2, 5, stop, about("r", statusAccepted)), at(3, 6, stop, entry{ID: "r", Status: statusOK, Got: fields("state=RUNNING")}),
	}},
	{"two stop a run at once", "run", true, []*entry{at(0, 1, begin, began("r")), at(2, 4, stop, about("r", statusAccepted)), at(3, 5, stop, about("r", statusAccepted)), at(6, 7, begin, began("q"))}},
	{"a run that has ended is stopped", "run", false, []*entry{
		at(0, 1, begin, began("r")), at(2, 3, stop, about("r", statusAccepted)), at(4, 5, get, inState("r", "STOPPED")), at(6, 7, stop, about("r", statusAccepted)),
	}},
	{"a run is stopped whose placement another one holds", "run", false, []*entry{
		at(0, 1, begin, began("r")), at(later, later+1, begin, began("q")), at(later+4, later+5, stop, about("r", statusAccepted)),
	}},
	{"a run that was stopped is at work until it has ended", "run", true, []*entry{
		at(0, 1, begin, began("r")), at(2, 3, stop, about("r", statusAccepted)), at(4, 5, get, inState("r", "RUNNING")), at(6, 7, get, inState("r", "STOPPED")),
	}},
	{"a run that was stopped is at work beside the next one", "run", false, []*entry{
		at(0, 1, begin, began("r")), at(2, 3, stop, about("r", statusAccepted)), at(4, 5, begin, began("q")), at(6, 7, get, inState("r", "RUNNING")),
	}},
	{"a lease is renewed after a stop", "run", false, []*entry{at(0, 1, begin, began("r")), at(2, 3, stop, about("r", statusAccepted)), at(4, 5, renew, about("r", statusOK))}},
	{"a lost stop may come later", "run", true, []*entry{at(0, 1, begin, began("r")), never(2, stop, about("r", 0)), at(4, 5, renew, about("r", statusOK)), at(6, 7, get, inState("r", "STOPPED"))}},
	{"a run that was completed ended otherwise", "run", false, []*entry{
		at(0, 1, begin, began("r")), at(2, 3, planRun, planned("r", "a")), at(4, 5, complete, wroteRun("r", "a", statusOK)), at(6, 7, get, inState("r", "STOPPED")),
	}},

	// Plans of runs, and their ends.
	{"what was planned is written", "run", true, []*entry{
		at(0, 1, begin, began("r")), at(2, 3, planRun, planned("r", "a")), at(4, 5, complete, wroteRun("r", "a", statusOK)), at(6, 7, look, shows("digest=a")),
		at(8, 9, get, inState("r", "SUCCEEDED")), at(10, 11, complete, wroteRun("r", "a", statusOK)), at(12, 13, begin, began("q")),
	}},
	{"what was written is not shown", "run", false, []*entry{
		at(0, 1, begin, began("r")), at(2, 3, planRun, planned("r", "a")), at(4, 5, complete, wroteRun("r", "a", statusOK)), at(6, 7, look, shows("")),
	}},
	{"what was planned is shown before it is written", "run", false, []*entry{at(0, 1, begin, began("r")), at(2, 3, planRun, planned("r", "a")), at(6, 7, look, shows("digest=a"))}},
	{"the last plan counts", "run", true, []*entry{
		at(0, 1, begin, began("r")), at(2, 3, planRun, planned("r", "a")), at(4, 5, planRun, planned("r", "b")),
		at(6, 7, complete, refused(wroteRun("r", "a", 0), "digest_mismatch")), at(8, 9, complete, wroteRun("r", "b", statusOK)),
	}},
	{"a plan before the last one is completed", "run", false, []*entry{
		at(0, 1, begin, began("r")), at(2, 3, planRun, planned("r", "a")), at(4, 5, planRun, planned("r", "b")), at(6, 7, complete, wroteRun("r", "a", statusOK)),
	}},
	{"a plan is completed, and another one is shown that came meanwhile", "run", false, []*entry{
		at(0, 1, begin, began("r")), at(2, 3, planRun, planned("r", "a")), at(4, 8, planRun, planned("r", "b")), at(5, 9, complete, wroteRun("r", "a", statusOK)), at(10, 11, look, shows("digest=b")),
	}},
	{"a plan whose answer was lost counts", "run", true, []*entry{
		at(0, 1, begin, began("r")), at(2, 3, planRun, planned("r", "a")), never(4, planRun, planned("r", "")), at(6, 7, complete, refused(wroteRun("r", "a", 0), "digest_mismatch")),
	}},
	{"a plan whose answer was lost has ended its run", "run", true, []*entry{
		at(0, 1, begin, began("r")), never(4, planRun, planned("r", "")), at(6, 7, get, inState("r", "FAILED")), at(8, 9, begin, began("q")),
	}},
	{"a digest is refused that is the last plan's", "run", false, []*entry{
		at(0, 1, begin, began("r")), at(2, 3, planRun, planned("r", "a")), at(6, 7, complete, refused(wroteRun("r", "a", 0), "digest_mismatch")),
	}},
	{"a query that fails ends its run", "run", true, []*entry{
		at(0, 1, begin, began("r")), at(2, 3, planRun, about("r", statusUnprocessable)), at(4, 5, get, inState("r", "FAILED")), at(6, 7, begin, began("q")),
	}},
	{"the query of two plans at once fails", "run", true, []*entry{
		at(0, 1, begin, began("r")), at(2, 5, planRun, about("r", statusUnprocessable)), at(3, 6, planRun, about("r", statusUnprocessable)),
	}},
	{"the query fails of a run that it has ended", "run", false, []*entry{
		at(0, 1, begin, began("r")), at(2, 3, planRun, about("r", statusUnprocessable)), at(4, 5, planRun, about("r", statusUnprocessable)),
	}},
	{"a query that fails ends no run", "run", false, []*entry{
		at(0, 1, begin, began("r")), at(2, 3, planRun, about("r", statusUnprocessable)), at(4, 5, get, inState("r", "RUNNING")),
	}},
	{"a query fails of a run that was stopped", "run", false, []*entry{
		at(0, 1, begin, began("r")), at(2, 3, stop, about("r", statusAccepted)), at(4, 5, planRun, about("r", statusUnprocessable)),
	}},
	{"a run that was stopped is planned", "run", false, []*entry{at(0, 1, begin, began("r")), at(2, 3, stop, about("r", statusAccepted)), at(4, 5, planRun, planned("r", "a"))}},
	{"a run that was stopped is completed", "run", false, []*entry{
		at(0, 1, begin, began("r")), at(2, 3, planRun, planned("r", "a")), at(4, 5, stop, about("r", statusAccepted)), at(6, 7, complete, wroteRun("r", "a", statusOK)),
	}},
	{"a lost completion is found by the next one", "run", true, []*entry{
		at(0, 1, begin, began("r")), at(2, 3, planRun, planned("r", "a")), never(4, complete, wroteRun("r", "a", 0)), at(6, 7, look, shows("digest=a")),
		at(8, 9, complete, wroteRun("r", "a", statusOK)),
	}},
	{"a run that was completed is told to be lost", "run", false, []*entry{
		at(0, 1, begin, began("r")), at(2, 3, planRun, planned("r", "a")), at(4, 5, complete, wroteRun("r", "a", statusOK)), at(6, 7, complete, refused(wroteRun("r", "a", 0), "lease_lost")),
	}},
}
