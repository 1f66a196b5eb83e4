package refresh

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"mooring/placements"
	"mooring/storage"
	"mooring/storage/queue"
	"mooring/storage/record"
	"mooring/storage/record/lifecycle"
	"mooring/storage/record/lifecycle/lifecycletest"
	"mooring/storage/storagetest"
	"mooring/storage/work"
)

// The walks: how many, and how many steps each has at least.
const (
	walks     = 8
	walkSteps = 300
)

// Whatever the model of lifecycletest does, step by step at random, the storage and what works on it do too.
func TestTheStorageDoesWhatTheModelDoes(t *testing.T) {
	t.Parallel()
	address := storagetest.Redis(t)
	s, rdb := storagetest.Open(t, address), storagetest.Client(t, address)
	for seed := range uint64(walks) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			random := rand.New(rand.NewPCG(seed, 0))
			steps, scenarios := 0, lifecycletest.Scenarios()
			for steps < walkSteps && !t.Failed() {
				scenario := scenarios[random.IntN(len(scenarios))]
				if !walked(&scenario) {
					continue
				}
				w := newWalk(t, s, rdb, &scenario)
				steps += w.walk(random)
			}
			t.Logf("%d steps", steps)
		})
	}
}

// walked reports whether the runs of a scenario can be made: two add-ins in one document, whose runs are of different targets, have placements that
// the model does not tell apart.
func walked(scenario *lifecycletest.Scenario) bool {
	for i, a := range scenario.Runs {
		for _, b := range scenario.Runs[:i] {
			if a.Kind == lifecycletest.Client && b.Kind == a.Kind && a.Group != b.Group && a.Places == b.Places {
				return false
			}
		}
	}
	return true
}

// walk is a world of the model, and the same one in a storage.
type walk struct {
	*desk
	rdb       *redis.Client
	model     *lifecycletest.Model
	world     lifecycletest.World
	report    int64
	places    [lifecycletest.MaxPlaces]string
	schedules map[uint8]int64 // by group
	runs      [lifecycletest.MaxRuns]string
	entries   [lifecycletest.MaxRuns][3]string // the entries of the queue, as the model numbers them
	workers   [lifecycletest.MaxWorkers]walker
	keys      string // what those of the deployment begin with
	trail     []string
}

// walker is a worker.
type walker struct {
	name  string
	lives int // how often it has begun anew
	entry queue.Entry
	taken bool        // the entry, and has not begun
	held  *record.Run // it holds, and has not begun
	work  *attempt
	first bool // it has claimed what it is to refresh
	ends  bool // it has decided how its attempt ends
	fault *placements.Fault
	cause error
	sent  *work.Outcome // whose answer was lost
}

// newWalk makes a report with the placements of a scenario, each in a document of its own.
func newWalk(t *testing.T, s *storage.Store, rdb *redis.Client, scenario *lifecycletest.Scenario) *walk {
	t.Helper()
	w := &walk{
		desk: newDesk(t, s, 1), rdb: rdb, model: &lifecycletest.Model{Scenario: scenario, Rules: lifecycle.Rules()}, world: scenario.Begin(),
		schedules: map[uint8]int64{},
	}
	w.report = w.reports[0]
	_, _, err := s.Placements().Disconnect(t.Context(), deskDeployment, w.report, placements.Target{ExternalWorkbookID: "book"}, placer, nil, true)
	must(t, err)
	for p := range scenario.Places {
		w.places[p] = w.connect(0, w.document(p), "A1").ID
	}
	for k := range w.workers {
		w.crash(k)
	}
	must(t, rdb.XTrimMaxLen(t.Context(), w.queueKey(), 0).Err()) // what the walk before has left
	w.trail = append(w.trail, scenario.Name)
	return w
}

// document is that of a placement.
func (w *walk) document(p int) string { return fmt.Sprintf("walk-%d-%d", w.report, p) }

// crash has a worker begin anew, as another process.
func (w *walk) crash(k int) {
	lives := w.workers[k].lives + 1
	w.workers[k] = walker{name: fmt.Sprintf("worker-%d-%d-%d", w.report, k, lives), lives: lives}
}

// walk goes on until nothing can happen any more, and returns how many steps that were.
func (w *walk) walk(random *rand.Rand) (steps int) {
	for ; steps < walkSteps && !w.Failed(); steps++ {
		var events []lifecycletest.Event
		var worlds []lifecycletest.World
		w.model.Next(&w.world, func(e lifecycletest.Event, next *lifecycletest.World) {
			if w.follows(e, next) {
				events, worlds = append(events, e), append(worlds, *next)
			}
		})
		if len(events) == 0 {
			return steps
		}
		i := random.IntN(len(events))
		w.trail = append(w.trail, events[i].String())
		before := w.world
		w.world = worlds[i]
		if err := w.do(events[i], &before); err != nil {
			w.differs(fmt.Sprint("the storage does not do it: ", err))
			return steps
		}
		w.compare(&before)
	}
	return steps
}

// differs fails with the steps that lead there.
func (w *walk) differs(what string) {
	w.Helper()
	w.Fatalf("%s, after:\n  %s\nthe model: %+v", what, strings.Join(w.trail, "\n  "), w.world)
}

// follows reports whether a step of the model is one that the storage can be asked for. Redis gives entries of a queue in their order; a backup is
// restored into an empty storage; and an arrival joins no run of another schedule.
func (w *walk) follows(e lifecycletest.Event, next *lifecycletest.World) bool {
	switch {
	case e.Other == lifecycletest.Restore, e.Other == lifecycletest.ByRule && e.Rule == lifecycle.Join:
		return false
	case e.Other == lifecycletest.Take:
		id := w.entries[e.Run][next.Workers[e.Worker].Entry-1]
		for r := range w.world.Runs {
			for i, owner := range w.world.Runs[r].Entries {
				if owner == lifecycletest.InQueue && earlier(w.entries[r][i], id) {
					return false
				}
			}
		}
	}
	return true
}

// earlier reports whether an entry of a queue comes before another one.
func earlier(a, b string) bool {
	var ams, aseq, bms, bseq int64
	_, _ = fmt.Sscanf(a, "%d-%d", &ams, &aseq)
	_, _ = fmt.Sscanf(b, "%d-%d", &bms, &bseq)
	return ams < bms || ams == bms && aseq < bseq
}

// target is what a run of the scenario refreshes.
func (w *walk) target(r int) record.RunTarget {
	t := record.RunTarget{ReportID: w.report}
	if plan := &w.model.Scenario.Runs[r]; plan.Places != 3 {
		t.PlacementID = w.places[plan.Places-1]
	}
	return t
}

// request is a run of the scenario before it is made.
func (w *walk) request(r int) *record.Run {
	t, plan := w.target(r), &w.model.Scenario.Runs[r]
	run := &record.Run{ReportID: t.ReportID, PlacementID: t.PlacementID, RequestedBy: placer}
	if plan.Asks {
		run.Options = placements.Options{ShiftRows: placements.Sent(true)}
	}
	if plan.Kind == lifecycletest.Client {
		run.Executor, run.ExternalWorkbookID = record.ExecutorClient, w.document(int(plan.Places-1))
		run.Document = run.ExternalWorkbookID
	}
	return run
}

// scheduled reports whether a schedule makes a run of the scenario: that of its group, if a run of another group is made for the same target.
func (w *walk) scheduled(r int) bool {
	plan := &w.model.Scenario.Runs[r]
	if plan.Tick || plan.Kind != lifecycletest.Agents {
		return plan.Tick
	}
	for _, other := range w.model.Scenario.Runs {
		first := other.Kind != lifecycletest.Agents || other.Group < plan.Group
		if first && other.Group != plan.Group && other.Places == plan.Places {
			return true
		}
	}
	return false
}

// fire makes a run of the schedule of a group, or has it wait, or skips it.
func (w *walk) fire(r int) (placements.RunState, error) {
	plan := &w.model.Scenario.Runs[r]
	overlap := record.OverlapSkip
	if plan.Lines {
		overlap = record.OverlapQueue
	}
	id := w.schedules[plan.Group]
	if id == 0 {
		made, err := w.engine.Schedules().Create(w.Context(), deskDeployment, record.ScheduleSpec{
			Target: w.target(r), Cron: []string{"@yearly"}, Overlap: overlap,
		}, placer)
		if err != nil {
			return "", err
		}
		id = made.ID
		w.schedules[plan.Group] = id
	}
	c, err := w.store.Schedules().Get(w.Context(), deskDeployment, id)
	if err != nil {
		return "", err
	}
	next := c.Next.AddDate(1, 0, 0)
	f := record.Firing{
		Deployment: deskDeployment, Schedule: c, Run: newRun(c, c.Next, record.TriggerSchedule), Next: record.Tick{At: next, Due: next}, Queue: plan.Lines,
	}
	made, err := w.engine.queue.Queue.Ticks.Fire(w.Context(), []record.Firing{f})
	if err == nil && !made[0] {
		err = fmt.Errorf("no run is made")
	}
	w.runs[r] = f.Run.ID
	return f.Run.State, err
}

// past is when what waits is due.
func (w *walk) past() string { return placements.Time(time.Now().Add(-time.Hour)) }
