package refresh

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mooring/placements"
	"mooring/refresh/host/hosttest/book"

	"mooring/storage/storagetest"
)

// TestARetryShiftsNoRowsAgain breaks off the write of a block above a total after each of its steps. The service has no step that inserts
// rows and moves the block's marker along with them, and the total: only there a retry does not find what was done.
func TestARetryShiftsNoRowsAgain(t *testing.T) {
	t.Parallel() // it waits more than it works
	for _, tt := range []struct {
		names []string
		torn  int // steps after which a retry cannot know what was done
	}{
		{[]string{"Oslo", "Bergen", "Bodo", "Moss"}, 3}, {[]string{"Bergen"}, 0}, {nil, 0},
	} {
		t.Run(fmt.Sprintf("%d rows", len(tt.names)), func(t *testing.T) {
			t.Parallel()
			for step, torn := 0, 0; ; step++ {
				r := newRig(t, storagetest.Open(t, "embedded"))
				fake := r.workbooks()
				below := belowRig{r, bookDoc{fake.Edit}, sheetsDoc, placements.SheetsB}
				below.source("Oslo", "Bergen")
				below.place(r.report, "Data!B2", shifting)
				r.succeeded(r.refresh(Request{}), 3)
				below.typed("B5", "Total")
				below.typed("C5", "=SUM(C3:C4)")
				below.source(tt.names...)
				fake.FailSteps(step, 1<<20, 403, "accessDenied")
				broken := r.breaksOff(func() { fake.FailSteps(0, 0, 0, "") })
				if run := r.refresh(Request{}); run.State != placements.RunSucceeded {
					t.Fatalf("%d rows, again after step %d: %s (%s)", len(tt.names), step, run.ErrorClass, run.Error)
				}
				rows := tt.names
				if len(rows) == 0 {
					rows = []string{""}
				}
				names := cmp.Diff(append(append([]string{"", "name"}, rows...), "Total"), below.column(1))
				numbers := below.column(2)
				if names != "" || numbers[len(numbers)-1] != fmt.Sprintf("=SUM(C3:C%d)", 2+len(rows)) {
					if torn++; torn > tt.torn {
						t.Errorf("%d rows, again after step %d: the total is %s (-want +got):\n%s", len(rows), step, numbers[len(numbers)-1], names)
					}
				}
				if !broken {
					break
				}
			}
		})
	}
}

// TestAWriteOfSeveralBatchesIsTakenUp breaks off a write that takes more than one batch of Google's, the first of which inserts rows, after
// each of its requests.
func TestAWriteOfSeveralBatchesIsTakenUp(t *testing.T) {
	t.Parallel() // it waits more than it works
	const rows = 9_000
	for request, broken := 0, true; broken; request++ {
		r := newRig(t, storagetest.Open(t, "embedded"))
		fake := r.sheets(100, 12)
		below := belowRig{r, bookDoc{fake.Edit}, sheetsDoc, placements.SheetsA}
		below.source("Oslo", "Bergen")
		below.place(r.report, "Data!B2", shifting)
		r.succeeded(r.refresh(Request{}), 3)
		below.typed("B5", "Total")
		below.typed("C5", "=SUM(C3:C4)")
		r.exec(fmt.Sprintf(`WITH RECURSIVE n(i) AS (SELECT 3 UNION ALL SELECT i + 1 FROM n WHERE i < %d)
			INSERT INTO cities SELECT i, hex(zeroblob(150)) || i, i FROM n`, rows))
		fake.FailAfter(request, 403, "")
		broken = r.breaksOff(func() { fake.Fail(0, 0, "") })
		if run := r.refresh(Request{}); run.State != placements.RunSucceeded {
			t.Fatalf("again after request %d: %s (%s)", request, run.ErrorClass, run.Error)
		}
		fake.Edit(sheetsDoc, func(b *book.Book) {
			last, total := b.Sheet("Data").Cell(rows+1, 2), b.Sheet("Data").Cell(rows+2, 2)
			if want := fmt.Sprintf("=SUM(C3:C%d)", rows+2); last.Value != float64(rows) || total.Formula != want {
				t.Errorf("again after request %d: below %v stands %q, want %s", request, last.Value, total.Formula, want)
			}
		})
	}
}

// breaksOff refreshes, and then ends the run if it is to be tried again. It reports whether it failed.
func (r *rig) breaksOff(repair func()) bool {
	r.Helper()
	stop := r.serve()
	run := r.ask(Request{})
	repair()
	if run.EndedAt == "" {
		must(r.T, r.engine.Stop(r.Context(), r.d, run))
	}
	for id := run.ID; run.EndedAt == ""; time.Sleep(time.Millisecond) {
		var err error
		run, err = r.engine.queue.Queue.Runs.Get(r.Context(), r.d, id)
		must(r.T, err)
	}
	stop()
	return run.State != placements.RunSucceeded
}
