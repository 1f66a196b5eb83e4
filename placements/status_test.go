package placements

import "testing"

func TestSyncStatus(t *testing.T) {
	const written, ended, later = "2026-03-01T08:00:00.000Z", "2026-03-02T08:00:00.000Z", "2026-03-03T08:00:00.000Z"
	run := func(state RunState, class Class) *LastRun {
		r := &LastRun{RunID: "r", State: state, ErrorClass: class}
		if state != RunRunning && state != RunQueued {
			r.EndedAt = ended
		}
		return r
	}
	for _, tc := range []struct {
		transition string
		query      string // the placement's
		refreshed  string
		current    string
		run        *LastRun
		want       Status
	}{
		{"connected with addressOnly, nothing written", "", "", "q1", nil, Unknown},
		{"written", "q1", written, "q1", nil, UpToDate},
		{"then the query was edited", "q1", written, "q2", nil, Changed},
		{"then the edit was reverted", "q1", written, "q1", nil, UpToDate},
		{"then written with the new query", "q2", later, "q2", nil, UpToDate},
		{"a run is queued", "q1", written, "q1", run(RunQueued, ""), UpToDate},
		{"a run is queued after an edit", "q1", written, "q2", run(RunQueued, ""), Changed},
		{"a run holds it", "q1", written, "q1", run(RunRunning, ""), Refreshing},
		{"a run holds it for the first time", "", "", "q1", run(RunRunning, ""), Refreshing},
		{"a run holds it after a failed attempt", "q1", written, "q1", run(RunRunning, Transient), Refreshing},
		{"the run succeeded", "q1", ended, "q1", run(RunSucceeded, ""), UpToDate},
		{"then the query was edited again", "q1", ended, "q2", run(RunSucceeded, ""), Changed},
		{"the run waits for its next attempt", "q1", written, "q1", run(RunQueued, Quota), Failed},
		{"the run failed for good", "q1", written, "q1", run(RunFailed, Auth), Failed},
		{"the run failed before anything was written", "", "", "q1", run(RunFailed, Structure), Failed},
		{"the run met cells that are not ours", "q1", written, "q1", run(RunFailed, Conflict), Conflicted},
		{"an edit does not hide a failure", "q1", written, "q2", run(RunFailed, Permanent), Failed},
		{"an add-in wrote after the failure", "q1", later, "q1", run(RunFailed, Permanent), UpToDate},
		{"an add-in wrote after the conflict", "q1", later, "q2", run(RunFailed, Conflict), Changed},
		{"an add-in wrote before the failure", "q1", written, "q1", run(RunFailed, Permanent), Failed},
		{"the run was skipped", "q1", written, "q1", run(RunSkipped, ""), UpToDate},
		{"the run was stopped by a user", "q1", written, "q2", run(RunStopped, ""), Changed},
	} {
		t.Run(tc.transition, func(t *testing.T) {
			p := Placement{QueryChecksum: tc.query, RefreshedAt: tc.refreshed}
			if got := SyncStatus(p, tc.current, tc.run); got != tc.want {
				t.Errorf("SyncStatus = %s, want %s", got, tc.want)
			}
		})
	}
}
