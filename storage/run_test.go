package storage_test

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"mooring/placements"
	"mooring/storage"
	"mooring/storage/queue"
	"mooring/storage/record"
	"mooring/storage/storagetest"

	"github.com/google/go-cmp/cmp"
)

func TestHistoryKeepsTheLastHundredRuns(t *testing.T) {
	eachClockwork(t, "skip", func(c *clockwork) {
		runs := c.fire(130)
		for name, list := range map[string]func() ([]*record.Run, error){
			"schedule": func() ([]*record.Run, error) { return c.s.Queue().Runs.OfSchedule(c.Context(), c.d(), c.schedule) },
			"report":   func() ([]*record.Run, error) { return c.s.Queue().Runs.OfReport(c.Context(), c.d(), c.report.ID) },
		} {
			history, err := list()
			must(c.T, err)
			if len(history) != 100 || history[0].ID != runs[129] || history[99].ID != runs[30] {
				c.Errorf("the history of the %s has %d runs, the latest %s", name, len(history), history[0].ID)
			}
		}
		if run := c.run(runs[0]); run.State != placements.RunQueued {
			c.Errorf("the first run, which has not ended, is %s", run.State)
		}
		if _, err := c.s.Queue().Runs.Get(c.Context(), c.d(), runs[1]); !errors.Is(err, storage.ErrNotFound) {
			c.Errorf("a run that no history lists any more is still stored: %v", err)
		}
	})
}

func TestARunIsKeptAsLongAsOneHistoryListsIt(t *testing.T) {
	eachClockwork(t, "skip", func(c *clockwork) {
		mine := c.fire(2)[1]
		quiet := c.schedule
		c.schedule = c.newSchedule().ID
		c.fire(120) // push mine out of the report's history
		c.run(mine)
		c.schedule = quiet
		c.fire(120)
		if _, err := c.s.Queue().Runs.Get(c.Context(), c.d(), mine); !errors.Is(err, storage.ErrNotFound) {
			c.Errorf("run %s is in no history and still stored: %v", mine, err)
		}
	})
}

func TestHistoryOutlivesItsSchedule(t *testing.T) {
	eachClockwork(t, "queue", func(c *clockwork) {
		runs := c.fire(3)
		must(c.T, c.s.Schedules().Delete(c.Context(), c.d(), c.schedule, ada, func(*record.Schedule) error { return nil }))
		if due := c.due(); len(due) != 0 {
			c.Errorf("the deleted schedule is still due: %v", due)
		}
		must(c.T, c.end(c.beginNext("a", runs[0]), placements.RunSucceeded))
		for _, e := range c.take("a") {
			a := c.begin("a", e)
			if !a.Stopped {
				c.Errorf("run %s of a deleted schedule goes on", e.RunID)
			}
			must(c.T, c.end(a, placements.RunStopped))
		}
		history, err := c.s.Queue().Runs.OfSchedule(c.Context(), c.d(), c.schedule)
		must(c.T, err)
		if len(history) != 3 {
			c.Errorf("the history has %d runs, want 3", len(history))
		}
		want := []placements.RunState{placements.RunSucceeded, placements.RunStopped, placements.RunStopped}
		if diff := cmp.Diff(want, c.states(runs)); diff != "" {
			c.Errorf("states, none may be left waiting (-want +got):\n%s", diff)
		}
	})
}

func TestOneManualRunAtATimeOnATarget(t *testing.T) {
	eachClockwork(t, "skip", func(c *clockwork) {
		var made, refused atomic.Int64
		var group sync.WaitGroup
		for range 16 {
			group.Go(func() {
				err := storagetest.Enqueue(c.Context(), c.q, c.d(), &record.Run{ReportID: c.report.ID})
				var conflict *placements.Error
				switch {
				case err == nil:
					made.Add(1)
				case errors.As(err, &conflict) && conflict.Code == placements.CodeRunning:
					refused.Add(1)
				default:
					c.Error(err)
				}
			})
		}
		group.Wait()
		if made.Load() != 1 || refused.Load() != 15 {
			c.Errorf("%d runs made, %d refused; want 1 and 15", made.Load(), refused.Load())
		}
		must(c.T, storagetest.Enqueue(c.Context(), c.q, c.d(), &record.Run{ReportID: c.report.ID, ExternalWorkbookID: "book"}))
		if err := storagetest.Enqueue(c.Context(), c.q, c.d(), &record.Run{ReportID: 99}); !errors.Is(err, storage.ErrNotFound) {
			c.Errorf("a run of no report: %v", err)
		}
	})
}

// taken starts to take up to count entries for an agent, before there are any or after, and returns how to wait for what it took at once.
func (c *clockwork) taken(count int) (wait func() []queue.Entry) {
	c.Helper()
	got := make(chan []queue.Entry, 1)
	go func() {
		list, err := c.q.Queue.Take(c.Context(), "a", count, time.Minute)
		if err != nil {
			c.Error(err)
		}
		got <- list
	}()
	return func() []queue.Entry { return <-got }
}

// wholeQueue is a count that lets an agent take all there is in a partition.
const wholeQueue = 100 * storage.DefaultPartitions

func TestRunsAskedForTogetherAreTakenTogether(t *testing.T) {
	eachClockwork(t, "skip", func(c *clockwork) {
		const reports = 10
		wait := c.taken(wholeQueue)
		list := []record.Order{{DeploymentID: c.d().ID, Run: &record.Run{ReportID: 99}}}
		for range reports {
			r := create(c.T, c.s, c.d(), named("Sales", "select 1"))
			list = append(list, record.Order{DeploymentID: c.d().ID, Run: &record.Run{ReportID: r.ID, ExternalWorkbookID: "book"}})
		}
		list = append(list, record.Order{DeploymentID: c.d().ID, Run: &record.Run{ReportID: list[1].Run.ReportID, ExternalWorkbookID: "book"}})
		refused, err := c.q.Queue.Runs.Enqueue(c.Context(), c.d().Tenant, list...)
		must(c.T, err)
		for i, err := range refused {
			var busy *placements.Error
			switch {
			case i == 0 && errors.Is(err, storage.ErrNotFound):
			case i == len(list)-1 && errors.As(err, &busy) && busy.Code == placements.CodeRunning && busy.Details[0].RunID == list[1].Run.ID:
			case i > 0 && i < len(list)-1 && err == nil:
			default:
				c.Errorf("order %d: %v", i, err)
			}
		}
		var got, want []string
		for _, o := range list[1 : len(list)-1] {
			want = append(want, o.Run.ID)
		}
		for _, e := range wait() {
			got = append(got, e.RunID)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			c.Errorf("an agent takes (-want +got):\n%s", diff)
		}
	})
}
