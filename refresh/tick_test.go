package refresh

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mooring/placements"
	"mooring/refresh/cron"
	"mooring/storage/record"
)

func TestDecideTick(t *testing.T) {
	const (
		hourly  = "0 * * * *"
		monthly = "0 7 1 * *"
	)
	for _, tt := range []struct {
		name           string
		spec           string
		catchUp        string
		jitter         int
		tick, now      string
		wantTick       string // of the run; empty: none
		trigger        record.Trigger
		skipped, queue bool
		missed         int // earlier ones, that the run stands for
		notCaughtUp    int // all of them
		next           string
	}{
		{
			name: "a tick in time", spec: hourly, tick: "07:00:00", now: "07:00:00.2",
			wantTick: "07:00:00", trigger: record.TriggerSchedule, next: "08:00:00",
		},
		{
			name: "a minute late is in time", spec: hourly, catchUp: record.CatchUpSkip, tick: "07:00:00", now: "07:01:00",
			wantTick: "07:00:00", trigger: record.TriggerSchedule, next: "08:00:00",
		},
		{
			name: "jitter does not make a tick late", spec: hourly, catchUp: record.CatchUpSkip, jitter: 600, tick: "07:00:00", now: "07:10:59",
			wantTick: "07:00:00", trigger: record.TriggerSchedule, next: "08:00:00",
		},
		{
			name: "skip records what it misses once", spec: hourly, catchUp: record.CatchUpSkip, tick: "07:00:00", now: "09:30:00",
			wantTick: "07:00:00", trigger: record.TriggerSchedule, skipped: true, notCaughtUp: 3, next: "10:00:00",
		},
		{
			name: "what skip misses is not counted for ever", spec: "* * * * *", catchUp: record.CatchUpSkip, tick: "07:00:00", now: "+2400h 07:00:30",
			wantTick: "07:00:00", trigger: record.TriggerSchedule, skipped: true, notCaughtUp: maxMissed, next: "+2400h 07:01:00",
		},
		{
			name: "latest makes the last missed tick good", spec: hourly, catchUp: record.CatchUpLatest, tick: "07:00:00", now: "09:30:00",
			wantTick: "09:00:00", trigger: record.TriggerCatchUp, missed: 2, notCaughtUp: 2, next: "10:00:00",
		},
		{
			name: "latest is what a schedule without a policy does", spec: hourly, tick: "07:00:00", now: "08:00:00",
			wantTick: "08:00:00", trigger: record.TriggerCatchUp, missed: 1, notCaughtUp: 1, next: "09:00:00",
		},
		{
			name: "all makes one good after the other, waiting for each", spec: hourly, catchUp: record.CatchUpAll, tick: "07:00:00",
			now:      "09:30:00",
			wantTick: "07:00:00", trigger: record.TriggerCatchUp, queue: true, next: "08:00:00",
		},
		{
			name: "all begins within the last 24 hours", spec: hourly, catchUp: record.CatchUpAll, tick: "07:00:00", now: "+48h 09:30:00",
			wantTick: "+24h 10:00:00", trigger: record.TriggerCatchUp, queue: true, missed: 27, notCaughtUp: 27, next: "+24h 11:00:00",
		},
		{
			name: "24 hours to the millisecond are within", spec: hourly, catchUp: record.CatchUpAll, tick: "07:00:00", now: "+24h 07:00:00",
			wantTick: "07:00:00", trigger: record.TriggerCatchUp, queue: true, next: "08:00:00",
		},
		{
			name: "latest after days makes one good", spec: hourly, catchUp: record.CatchUpLatest, tick: "07:00:00", now: "+72h 07:30:00",
			wantTick: "+72h 07:00:00", trigger: record.TriggerCatchUp, missed: 72, notCaughtUp: 72, next: "+72h 08:00:00",
		},
		{
			name: "a tick that is too old is recorded, not made good", spec: monthly, catchUp: record.CatchUpLatest, tick: "07:00:00",
			now:      "+25h 07:00:00",
			wantTick: "07:00:00", trigger: record.TriggerSchedule, skipped: true, notCaughtUp: 1, next: "+744h 07:00:00",
		},
		{
			name: "nor by all", spec: monthly, catchUp: record.CatchUpAll, tick: "07:00:00", now: "+25h 07:00:00",
			wantTick: "07:00:00", trigger: record.TriggerSchedule, skipped: true, notCaughtUp: 1, next: "+744h 07:00:00",
		},
		{
			name: "a tick that was moved since it became due waits", spec: hourly, tick: "08:00:00", now: "07:00:00", next: "08:00:00",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			times, err := cron.Parse([]string{tt.spec}, "UTC")
			must(t, err)
			c := &record.Schedule{ID: 3, Next: moment(t, tt.tick), Owner: record.Actor{ID: 7}, ScheduleSpec: record.ScheduleSpec{
				CatchUp: tt.catchUp, JitterSeconds: tt.jitter, Target: record.RunTarget{ReportID: 5}, Options: onEdit(placements.Stop),
			}}
			f := decideTick(record.Deployment{Tenant: "acme", ID: 1}, c, times, moment(t, tt.now))
			if want := moment(t, tt.next); !f.Next.At.Equal(want) {
				t.Errorf("the next tick is %s, want %s", f.Next.At, want)
			}
			if f.Missed != tt.notCaughtUp {
				t.Errorf("%d ticks are missed, want %d", f.Missed, tt.notCaughtUp)
			}
			if f.Queue != tt.queue {
				t.Errorf("queue is %t", f.Queue)
			}
			if tt.wantTick == "" {
				if f.Run != nil {
					t.Errorf("there is a run: %+v", f.Run)
				}
				return
			}
			at := moment(t, tt.wantTick)
			want := &record.Run{
				ID: record.RunID(3, at), ScheduleID: 3, ReportID: 5, Options: onEdit(placements.Stop), RequestedBy: record.Actor{ID: 7},
				Trigger: tt.trigger, State: placements.RunQueued, FireTime: placements.Time(at), Due: at.Add(delay(c, at)), MissedFires: tt.missed,
				Placements: []record.RunPlacement{},
			}
			if tt.skipped {
				want.State, want.Error = placements.RunSkipped, f.Run.Error
			}
			if tt.skipped != (f.Run.Error != "") {
				t.Errorf("the run's reason is %q", f.Run.Error)
			}
			if diff := cmp.Diff(want, f.Run); diff != "" {
				t.Errorf("run (-want +got):\n%s", diff)
			}
		})
	}
}

// moment reads a time of the first of a month of 31 days, or hours after it.
func moment(t *testing.T, text string) time.Time {
	t.Helper()
	var later time.Duration
	if text[0] == '+' {
		for i := range text {
			if text[i] == ' ' {
				d, err := time.ParseDuration(text[1:i])
				must(t, err)
				later, text = d, text[i+1:]
				break
			}
		}
	}
	at, err := time.Parse("2006-01-02 15:04:05.999", "2026-03-01 "+text)
	must(t, err)
	return at.Add(later)
}

// Expressions are parsed once for all schedules that have them, but for each zone by itself.
func TestEachScheduleFiresInItsOwnZone(t *testing.T) {
	a := &agent{engine: &Engine{}}
	now := time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		zone string
		next int // hour of the next day, in UTC
	}{{"Europe/Berlin", 6}, {"America/New_York", 12}, {"Europe/Berlin", 6}} {
		c := &record.Schedule{ID: 1, Next: now, ScheduleSpec: record.ScheduleSpec{Cron: []string{"0 7 * * *"}, Timezone: tt.zone}}
		f, err := a.firing(record.Due{ScheduleID: 1, Schedule: c}, now)
		must(t, err)
		if want := time.Date(2026, 3, 3, tt.next, 0, 0, 0, time.UTC); !f.Next.At.Equal(want) {
			t.Errorf("the next tick in %s is %s, want %s", tt.zone, f.Next.At, want)
		}
	}
}

func TestCatchUpAllMakesEveryTickGoodOnce(t *testing.T) {
	times, err := cron.Parse([]string{"*/7 * * * *"}, "Europe/Berlin")
	must(t, err)
	now := time.Date(2026, 3, 29, 12, 0, 0, 0, time.UTC) // a day with a gap
	c := &record.Schedule{ID: 1, Next: times.Next(now.Add(-30 * time.Hour)), ScheduleSpec: record.ScheduleSpec{CatchUp: record.CatchUpAll}}
	var want, got []time.Time
	for at := times.Next(now.Add(-catchUpWindow - time.Nanosecond)); !at.After(now); at = times.Next(at) {
		want = append(want, at)
	}
	for !c.Next.After(now) {
		f := decideTick(record.Deployment{}, c, times, now)
		at, err := time.Parse(time.RFC3339, f.Run.FireTime)
		must(t, err)
		got = append(got, at)
		c.Next = f.Next.At
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("ticks made good (-want +got):\n%s", diff)
	}
}

func TestJitterStaysWithinItsBounds(t *testing.T) {
	times, err := cron.Parse([]string{"* * * * *"}, "UTC")
	must(t, err)
	const seconds = 90
	least, most := time.Hour, time.Duration(0)
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for id := range int64(2000) {
		c := &record.Schedule{ID: id, ScheduleSpec: record.ScheduleSpec{JitterSeconds: seconds}}
		tick := nextTick(c, times, at)
		delay := tick.Due.Sub(tick.At)
		least, most = min(least, delay), max(most, delay)
		if again := nextTick(c, times, at); again != tick {
			t.Fatalf("another agent would give schedule %d the tick %v, not %v", id, again, tick)
		}
	}
	if least < 0 || least > time.Second || most > seconds*time.Second || most < (seconds-1)*time.Second {
		t.Errorf("the delays of 2000 schedules lie between %s and %s, want them spread over 0 to %ds", least, most, seconds)
	}
	if tick := nextTick(&record.Schedule{ID: 1}, times, at); !tick.Due.Equal(tick.At) {
		t.Errorf("without jitter the tick %s is due %s", tick.At, tick.Due)
	}
}
