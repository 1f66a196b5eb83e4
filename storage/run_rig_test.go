package storage_test

import (
	"strconv"
	"testing"
	"time"

	"mooring/placements"
	"mooring/storage"
	"mooring/storage/queue"
	"mooring/storage/record"
	"mooring/storage/storagetest"
	"mooring/storage/work"
)

// tick is the first fire time of the schedules of these tests, long past.
var tick = time.Date(2020, 2, 29, 7, 0, 0, 0, time.UTC)

// clockwork is a report with one schedule, a minute between its ticks.
type clockwork struct {
	*testing.T
	s        *storage.Store
	q        *work.Work
	report   *storage.Report
	tenant   string
	schedule int64
	overlap  string
}

// eachClockwork runs test on both storages, with the queues made.
func eachClockwork(t *testing.T, overlap string, test func(c *clockwork)) {
	t.Helper()
	each(t, func(t *testing.T, s *storage.Store) { test(newClockwork(t, s, shop, overlap)) })
}

func newClockwork(t *testing.T, s *storage.Store, d record.Deployment, overlap string) *clockwork {
	t.Helper()
	must(t, s.Work().Queue.Prepare(t.Context()))
	c := &clockwork{T: t, s: s, q: s.Work(), report: create(t, s, d, named("Sales", "select 1")), tenant: d.Tenant, overlap: overlap}
	c.schedule = c.newSchedule().ID
	return c
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func (c *clockwork) d() record.Deployment {
	return record.Deployment{Tenant: c.tenant, ID: c.report.DeploymentID}
}

func (c *clockwork) newSchedule() *record.Schedule {
	c.Helper()
	spec := record.ScheduleSpec{
		Name: "every minute", Target: record.RunTarget{ReportID: c.report.ID}, Cron: []string{"* * * * *"}, Overlap: c.overlap,
	}
	made, err := c.s.Schedules().Create(c.Context(), c.d(), spec, record.Actor{ID: ada.ID}, func(int64) record.Tick { return at(tick) })
	must(c.T, err)
	return made
}

// at is a tick without jitter.
func at(t time.Time) record.Tick { return record.Tick{At: t, Due: t} }

func (c *clockwork) stored() *record.Schedule {
	c.Helper()
	stored, err := c.s.Schedules().Get(c.Context(), c.d(), c.schedule)
	must(c.T, err)
	return stored
}

// firing is what the schedule's present tick comes to.
func (c *clockwork) firing(stored *record.Schedule) record.Firing {
	run := &record.Run{
		ID: record.RunID(stored.ID, stored.Next), ScheduleID: stored.ID, ReportID: c.report.ID,
		Trigger: record.TriggerSchedule, State: placements.RunQueued, FireTime: placements.Time(stored.Next),
	}
	return record.Firing{
		Deployment: c.d(), Schedule: stored, Run: run, Next: at(stored.Next.Add(time.Minute)), Queue: c.overlap == "queue",
	}
}

// fire fires the next n ticks and returns the ids of their runs.
func (c *clockwork) fire(n int) []string {
	c.Helper()
	var runs []string
	for range n {
		f := c.firing(c.stored())
		_, err := c.q.Queue.Ticks.Fire(c.Context(), []record.Firing{f})
		must(c.T, err)
		runs = append(runs, f.Run.ID)
	}
	return runs
}

// manual makes a run that somebody asked for.
func (c *clockwork) manual() string {
	c.Helper()
	run := &record.Run{ReportID: c.report.ID}
	must(c.T, storagetest.Enqueue(c.Context(), c.q, c.d(), run))
	return run.ID
}

// take gives agent what is in the queues now.
func (c *clockwork) take(agent string) []queue.Entry {
	c.Helper()
	list, err := c.q.Queue.Take(c.Context(), agent, 16*storage.DefaultPartitions, -1)
	must(c.T, err)
	return list
}

// orphan gives agent every entry that another one holds, however long it was silent.
func (c *clockwork) orphan(agent string) []queue.Entry {
	c.Helper()
	list, err := c.q.Queue.Orphans(c.Context(), agent, 0, time.Now().Add(time.Hour), 1000)
	must(c.T, err)
	return list
}

func (c *clockwork) begin(agent string, e queue.Entry) *queue.Attempt {
	c.Helper()
	a, err := c.q.Queue.Begin(c.Context(), agent, e)
	must(c.T, err)
	return a
}

// beginNext begins the one run that is in the queues, which must be want.
func (c *clockwork) beginNext(agent, want string) *queue.Attempt {
	c.Helper()
	list := c.take(agent)
	if len(list) != 1 || list[0].RunID != want {
		c.Fatalf("the queues hold %v, want run %s alone", list, want)
	}
	return c.begin(agent, list[0])
}

// end completes an attempt, its run in that state.
func (c *clockwork) end(a *queue.Attempt, state placements.RunState) error {
	a.Run.State, a.Run.EndedAt = state, placements.Time(tick)
	var o work.Outcome
	if state == placements.RunFailed {
		o.Failure = "it failed"
	}
	return c.q.Complete(c.Context(), a, o)
}

// again lets the attempt's run wait for another attempt that is due already.
func (c *clockwork) again(a *queue.Attempt) {
	c.Helper()
	a.Run.State, a.Run.NextAttemptAt = placements.RunQueued, placements.Time(tick)
	must(c.T, c.q.Complete(c.Context(), a, work.Outcome{Ending: queue.Ending{Again: tick}}))
}

func (c *clockwork) run(id string) *record.Run {
	c.Helper()
	run, err := c.s.Queue().Runs.Get(c.Context(), c.d(), id)
	must(c.T, err)
	return run
}

// states gives the state of each run.
func (c *clockwork) states(ids []string) []placements.RunState {
	c.Helper()
	states := make([]placements.RunState, len(ids))
	for i, id := range ids {
		states[i] = c.run(id).State
	}
	return states
}

// due names what is due: it pops it, and it is due again at once.
func (c *clockwork) due() []record.Due {
	c.Helper()
	list, _, _, err := c.q.PopDue(c.Context(), 1000, 0)
	must(c.T, err)
	for i := range list {
		list[i].Schedule, list[i].Err = nil, nil
	}
	return list
}

// depth is how many entries the queues hold.
func (c *clockwork) depth(want int64) {
	c.Helper()
	got, err := c.q.Queue.Depth(c.Context())
	must(c.T, err)
	if got != want {
		c.Errorf("the queues hold %d entries, want %d", got, want)
	}
}

func agentName(i int) string { return "agent-" + strconv.Itoa(i) }

// runs are the ids of those that the schedule has had.
func (c *clockwork) runs() (ids []string) {
	c.Helper()
	list, err := c.s.Queue().Runs.OfSchedule(c.Context(), c.d(), c.schedule)
	must(c.T, err)
	for _, run := range list {
		ids = append(ids, run.ID)
	}
	return ids
}
