package refresh_test

import (
	"slices"
	"strconv"
	"testing"
	"time"

	"mooring/placements"
	"mooring/storage/record"
	"mooring/storage/storagetest"
)

// quietRuns is how many runs of each quiet tenant TestBenchTurns asks for, one each quietEvery.
const (
	quietRuns  = 400
	quietEvery = 20 * time.Millisecond
	floodRuns  = 100_000
)

// quietTenant is a tenant that asks for a run now and then, and its reports.
type quietTenant struct {
	name    string
	d       record.Deployment
	reports [10]int64 // which remember 100 runs each
	runs    []*record.Run
}

// TestBenchTurns measures how long runs wait that two quiet tenants ask for, one in the partition of a third and one in another: alone, and while
// 100,000 runs of that third one are in the queue.
func TestBenchTurns(t *testing.T) {
	f := newFiguresAlone(t)
	flood := record.Deployment{Tenant: "flood", ID: 1}
	report, quiet := f.report(flood), f.quietTenants(flood.Tenant)
	end := f.agent(32)
	f.pickups("alone", quiet)
	end()
	f.flood(flood, report)
	defer f.agent(32)()
	f.pickups("flooded", quiet)
	left, err := f.store.Work().Queue.Depth(t.Context())
	must(t, err)
	f.print("turns_left", float64(left))
}

// quietTenants are one beside a tenant, in its partition, and one apart from it.
func (f *figures) quietTenants(tenant string) []*quietTenant {
	f.Helper()
	beside, apart := &quietTenant{name: "beside"}, &quietTenant{name: "apart"}
	for i := 0; beside.d.ID == 0 || apart.d.ID == 0; i++ {
		q, d := apart, record.Deployment{Tenant: "quiet-" + strconv.Itoa(i), ID: 1}
		if benchPartition(d.Tenant) == benchPartition(tenant) {
			q = beside
		}
		if q.d.ID != 0 {
			continue
		}
		q.d = d
		for i := range q.reports {
			q.reports[i] = f.report(d)
		}
	}
	return []*quietTenant{beside, apart}
}

// flood asks for the runs of a tenant, many at once.
func (f *figures) flood(d record.Deployment, report int64) {
	f.Helper()
	const together = 100
	f.each(floodRuns/together, func(batch int) error {
		orders := make([]record.Order, together)
		for i := range orders {
			orders[i] = record.Order{DeploymentID: d.ID, Run: emptyRun(report, batch*together+i)}
		}
		_, err := f.store.Work().Queue.Runs.Enqueue(f.Context(), d.Tenant, orders...)
		return err
	})
}

// pickups asks for runs of the quiet tenants, one after the other whether the one before has begun or not, waits until all have ended, and
// prints how long they waited.
func (f *figures) pickups(name string, quiet []*quietTenant) {
	f.Helper()
	time.Sleep(300 * time.Millisecond)
	for _, q := range quiet {
		q.runs = nil
	}
	for i := range quietRuns {
		for _, q := range quiet {
			run := emptyRun(q.reports[i%len(q.reports)], i)
			must(f.T, storagetest.Enqueue(f.Context(), f.store.Work(), q.d, run))
			q.runs = append(q.runs, run)
		}
		time.Sleep(quietEvery)
	}
	for _, q := range quiet {
		waits := make([]float64, len(q.runs))
		for i, run := range q.runs {
			waits[i] = between(f.T, run.FireTime, f.untilEnded(q.d, run.ID).StartedAt)
		}
		slices.Sort(waits)
		f.print("turns_"+name+"_"+q.name+"_p50_ms", quantile(waits, 0.5))
		f.print("turns_"+name+"_"+q.name+"_p99_ms", quantile(waits, 0.99))
	}
}

func (f *figures) untilEnded(d record.Deployment, id string) *record.Run {
	f.Helper()
	for {
		run, err := f.store.Queue().Runs.Get(f.Context(), d, id)
		must(f.T, err)
		if run.State == placements.RunSucceeded || run.EndedAt != "" {
			return run
		}
		time.Sleep(5 * time.Millisecond)
	}
}
