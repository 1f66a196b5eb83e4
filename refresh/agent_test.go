package refresh

import (
	"testing"
	"time"

	"mooring/placements"

	"mooring/storage/record"
)

func TestEntriesThatWaitedTooLongAreLeftToWhoeverFindsThem(t *testing.T) {
	eachRig(t, func(r *rig) {
		store := r.engine.records
		must(t, store.Work().Queue.Prepare(t.Context()))
		run, err := r.engine.Start(t.Context(), r.d, Request{Target: record.RunTarget{ReportID: r.report}})
		must(t, err)
		a := &agent{engine: r.engine, name: "a", slots: make(chan struct{}, 1), work: t.Context()}
		list, err := store.Work().Queue.Take(t.Context(), a.name, 16, -1)
		must(t, err)
		a.start(t.Context(), list, time.Now().Add(-orphanAfter))
		a.running.Wait()
		if run, err = store.Queue().Runs.Get(t.Context(), r.d, run.ID); err != nil || run.Attempt != 0 {
			t.Fatalf("an entry that may be another's was begun: %+v, %v", run, err)
		}
		list, err = store.Work().Queue.Orphans(t.Context(), "b", 0, time.Now().Add(time.Hour), 9)
		must(t, err)
		a.name = "b"
		a.start(t.Context(), list, time.Now())
		a.running.Wait()
		if run, err = store.Queue().Runs.Get(t.Context(), r.d, run.ID); err != nil || run.State != placements.RunSucceeded || run.Attempt != 1 {
			t.Errorf("the run is %+v, %v", run, err)
		}
	})
}
