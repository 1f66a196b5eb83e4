package placementstest

import "mooring/placements"

// Transition is a rule of syncStatus: what a placement shows after something has happened.
type Transition struct {
	Fact        string
	Written     string              // queryChecksum of the placement's last write; empty: nothing was written
	RefreshedAt string              // of that write
	Queries     []string            // the report's query checksums since then, one edit from each to the next; the last is the current one
	Run         *placements.LastRun // nil: none yet
	Want        placements.Status
}

// Current is the report's query checksum now.
func (t Transition) Current() string { return t.Queries[len(t.Queries)-1] }

// Placement is what the last write has left.
func (t Transition) Placement() placements.Placement {
	p := with(p1(), neverWritten)
	p.QueryChecksum, p.RefreshedAt = t.Written, t.RefreshedAt
	return p
}

// Transitions are the rules of syncStatus.
func Transitions() []Transition {
	const written, ended, later = placed, "2026-03-02T08:00:00.000Z", "2026-03-03T08:00:00.000Z"
	run := func(state placements.RunState, class placements.Class) *placements.LastRun {
		r := &placements.LastRun{RunID: "r", State: state, ErrorClass: class, Attempt: 1, StartedAt: written}
		if class != "" {
			r.Error = "a sentence for the user"
		}
		switch {
		case state == placements.RunQueued && class != "":
			r.NextAttemptAt = later
		case state != placements.RunRunning && state != placements.RunQueued:
			r.EndedAt = ended
		}
		return r
	}
	q1, edited, reverted := []string{"q1"}, []string{"q1", "q2"}, []string{"q1", "q2", "q1"}
	return []Transition{
		{"connected with addressOnly, nothing written", "", "", q1, nil, placements.Unknown},
		{"nothing written, and the query was edited", "", "", edited, nil, placements.Unknown},
		{"written", "q1", written, q1, nil, placements.UpToDate},
		{"then the query was edited", "q1", written, edited, nil, placements.Changed},
		{"then the edit was reverted", "q1", written, reverted, nil, placements.UpToDate},
		{"then written with the new query", "q2", later, []string{"q2"}, nil, placements.UpToDate},
		{"written by a query that the report had before all these", "q0", written, reverted, nil, placements.Changed},
		{"a run is queued", "q1", written, q1, run(placements.RunQueued, ""), placements.UpToDate},
		{"a run is queued after an edit", "q1", written, edited, run(placements.RunQueued, ""), placements.Changed},
		{"a run is queued for the first time", "", "", q1, run(placements.RunQueued, ""), placements.Unknown},
		{"a run holds it", "q1", written, q1, run(placements.RunRunning, ""), placements.Refreshing},
		{"a run holds it after an edit", "q1", written, edited, run(placements.RunRunning, ""), placements.Refreshing},
		{"a run holds it for the first time", "", "", q1, run(placements.RunRunning, ""), placements.Refreshing},
		{
			"a run holds it after a failed attempt", "q1", written, q1, run(placements.RunRunning, placements.Transient),
			placements.Refreshing,
		},
		{"the run succeeded", "q1", ended, q1, run(placements.RunSucceeded, ""), placements.UpToDate},
		{"then the query was edited again", "q1", ended, edited, run(placements.RunSucceeded, ""), placements.Changed},
		{"then that edit was reverted", "q1", ended, reverted, run(placements.RunSucceeded, ""), placements.UpToDate},
		{"the run waits for its next attempt", "q1", written, q1, run(placements.RunQueued, placements.Quota), placements.Failed},
		{
			"the run waits for its next attempt after passing trouble", "q1", written, q1, run(placements.RunQueued, placements.Transient),
			placements.Failed,
		},
		{"the run failed permanently", "q1", written, q1, run(placements.RunFailed, placements.Auth), placements.Failed},
		{"the run failed before anything was written", "", "", q1, run(placements.RunFailed, placements.Structure), placements.Failed},
		{"the run met cells that are not ours", "q1", written, q1, run(placements.RunFailed, placements.Conflict), placements.Conflicted},
		{"an edit does not hide a failure", "q1", written, edited, run(placements.RunFailed, placements.Permanent), placements.Failed},
		{"an edit does not hide a conflict", "q1", written, edited, run(placements.RunFailed, placements.Conflict), placements.Conflicted},
		{"an add-in wrote after the failure", "q1", later, q1, run(placements.RunFailed, placements.Permanent), placements.UpToDate},
		{"an add-in wrote after the conflict", "q1", later, edited, run(placements.RunFailed, placements.Conflict), placements.Changed},
		{"an add-in wrote before the failure", "q1", written, q1, run(placements.RunFailed, placements.Permanent), placements.Failed},
		{"the run was skipped", "q1", written, q1, run(placements.RunSkipped, ""), placements.UpToDate},
		{"the run was stopped by a user", "q1", written, edited, run(placements.RunStopped, ""), placements.Changed},
	}
}
