package refresh

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"mooring/storage/record"
)

// TestOneFileNeverHoldsUpAnother has two agents work on 100 documents for a day of simulated time. 20 of them are unavailable at times:
// open elsewhere, missing, closed to the service, out of quota, held by an add-in, reached by add-ins alone, or of a host that is not configured.
// Meanwhile users request runs, stop them and move placements, sources fail, and agents crash. A model that knows the plan of the day, and
// nothing of the engine, says what each tick must leave. The environment variable MOORING_DAYS is how many whole days are simulated, and
// MOORING_DAYS_SEED the random seed of the first; without them it is some hours.
func TestOneFileNeverHoldsUpAnother(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("takes half a minute")
	}
	days, first, length := number(t, "MOORING_DAYS", 0), number(t, "MOORING_DAYS_SEED", 1), wholeDay
	if days == 0 {
		days, length = someDays, someHours
	}
	faults := hostFaults(t)
	for seed := first; seed < first+days; seed++ {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				from := time.Date(2026, 11, 23, 0, 0, 0, 0, time.UTC)
				time.Sleep(time.Until(from) - 30*time.Second)
				d := newSimulatedDay(t, uint64(seed), from, length, faults)
				d.runEvents()
				d.logRepeated()
				t.Logf("seed %d: %s", seed, d.stats)
			})
		})
	}
}

// number returns the value of an environment variable, or otherwise where it is not set.
func number(t *testing.T, name string, otherwise int) int {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return otherwise
	}
	n, err := strconv.Atoi(text)
	must(t, err)
	return n
}

// trackedPlacement is a placement, with what is known of it from the checks before.
type trackedPlacement struct {
	report       int
	id, document string
	addinOnly    bool
	asOf         time.Time
	waitingRun   string               // the run in which it was last seen to wait
	since        map[time.Time]string // since when it was shown to wait, by the beginning of the downtime
	moved        time.Time            // when it was last moved, stopped or placed: no run of before is compared
}

// trackedSchedule is a schedule, and how many of its ticks were checked.
type trackedSchedule struct {
	*record.Schedule
	report       int
	every, first int // minutes
	document     string
	alwaysFails  bool // each of its placements fails permanently
	ticks        int
}

// simulatedDay is a day of a service: a plan of events, made at random before, and the model that says what they lead to.
type simulatedDay struct {
	*simulatedService
	rand       *rand.Rand
	from, to   time.Time
	schedules  []*trackedSchedule
	tracked    []*trackedPlacement
	events     []event
	mismatches map[string]int  // by kind
	open       map[string]bool // runs that had not ended when they were last checked
	stats      dayStats
}

// event is a function to call at a time.
type event struct {
	at time.Time
	do func()
}

// dayStats counts what was checked and done in a day.
type dayStats struct{ ticks, done, waited, failed, skipped, retried, requested, stopped, moved, crashed, holds int }

func (s dayStats) String() string {
	return fmt.Sprintf("%d ticks: %d placements refreshed, %d waited, %d failed permanently, %d left to add-ins; %d waits checked again when they "+
		"were to be retried; %d runs requested, %d stopped, %d placements moved or disconnected, %d agents crashed, %d holds by add-ins",
		s.ticks, s.done, s.waited, s.failed, s.skipped, s.retried, s.requested, s.stopped, s.moved, s.crashed, s.holds)
}

// A whole day is so long that a document that is missing from its beginning is missing for more than 24 hours. settleTime is how soon after its
// tick a run has done all that can be done: another agent takes over the entries of one that crashed after 10 s.
const (
	wholeDay   = 26*time.Hour + 30*time.Minute
	someHours  = 3*time.Hour + 30*time.Minute
	someDays   = 1 // each of someHours
	settleTime = 50 * time.Second
)

// at plans an event.
func (d *simulatedDay) at(when time.Time, do func()) {
	i, _ := slices.BinarySearchFunc(d.events, when, func(e event, at time.Time) int {
		if e.at.After(at) {
			return 1
		}
		return -1
	})
	d.events = slices.Insert(d.events, i, event{when, do})
}

// plan plans the checks of ticks, and what users do. Ticks are in the minutes 2, 3 and 4 of each 5, users act in the minute 1.
func (d *simulatedDay) plan() {
	for _, t := range d.schedules {
		for at := d.from.Add(time.Duration(t.first) * time.Minute); at.Before(d.to); at = at.Add(time.Duration(t.every) * time.Minute) {
			d.at(at.Add(settleTime), func() { d.checkTick(t, at) })
		}
	}
	actions := randomTimes(d.rand, d.from.Add(90*time.Minute), d.to.Sub(d.from)-150*time.Minute, int(d.to.Sub(d.from)/(30*time.Minute)), 7*time.Minute)
	for i, at := range actions {
		at = at.Truncate(5 * time.Minute).Add(time.Minute)
		switch i % 5 {
		case 0, 1:
			d.at(at, d.requestRun)
		case 2:
			d.at(at, d.stopRun)
		case 3:
			d.at(at, d.moveOrDisconnect)
		default:
			d.planCrash(at)
		}
	}
}

// runEvents runs the events of the day.
func (d *simulatedDay) runEvents() {
	d.Helper()
	for len(d.events) > 0 {
		next := d.events[0]
		d.events = d.events[1:]
		if next.at.After(d.to) {
			break
		}
		d.advanceTo(next.at)
		for deadline := next.at.Add(2 * time.Second); d.busy() && time.Now().Before(deadline); {
			d.advance(100 * time.Millisecond) // a retry may fall on the moment: what it leaves is checked
		}
		next.do()
	}
	d.advanceTo(d.to)
	d.checkOpenRuns()
}
