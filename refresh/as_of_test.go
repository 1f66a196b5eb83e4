package refresh

import (
	"context"
	"slices"
	"testing"

	"github.com/xuri/excelize/v2"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/source"
	"mooring/storage/record"
)

// watchedSource is a source that calls before and after around each of its queries.
type watchedSource struct {
	source.Source
	before, after func()
}

func (s *watchedSource) Query(ctx context.Context, q source.Query, b *checksum.Builder) ([]source.Column, error) {
	s.before()
	columns, err := s.Source.Query(ctx, q, b)
	s.after()
	return columns, err
}

// around puts a watchedSource between the engine and its source.
func (r *rig) around() *watchedSource {
	d := r.engine.tenants["acme"].Deployments[1]
	s := &watchedSource{Source: d.Source, before: func() {}, after: func() {}}
	d.Source = s
	r.engine.tenants["acme"].Deployments[1] = d
	return s
}

// clock is the store's.
func (r *rig) clock() string {
	r.Helper()
	now, err := r.engine.queue.Queue.Clock(r.Context())
	must(r.T, err)
	return placements.Time(now)
}

// later returns once the store's clock shows another millisecond.
func (r *rig) later() {
	r.Helper()
	began := r.clock()
	r.eventually("the clock goes on", func() bool { return r.clock() > began })
}

// asOf is the age of the placement of that id, as it is stored.
func (r *rig) asOf(id string) string {
	r.Helper()
	found, err := r.engine.records.Reports().Get(r.Context(), r.d, r.report)
	must(r.T, err)
	p, ok := found.Find(id)
	if !ok {
		r.Fatalf("no placement %s", id)
	}
	return p.AsOf
}

// within fails unless at lies between two times, both included.
func (r *rig) within(fact, at, first, last string) {
	r.Helper()
	if at == "" || at < first || at > last {
		r.Errorf("%s: as of %q, want within %s and %s", fact, at, first, last)
	}
}

func TestABlocksAgeIsWhenItsQueryWasStarted(t *testing.T) {
	t.Parallel()
	eachRig(t, func(r *rig) {
		p := r.connect("Sheet1!B2")
		if at := r.asOf(p.ID); at != "" {
			t.Errorf("before the first refresh it is as of %s", at)
		}
		src := r.around()
		var began string
		src.before = func() { began = r.clock(); r.later() }
		run := r.refresh(Request{})
		r.succeeded(run, 4)
		first := r.asOf(p.ID)
		r.within("the first refresh", first, run.FireTime, began)

		r.later()
		run = r.refresh(Request{})
		r.succeeded(run, 0)
		second := r.asOf(p.ID)
		r.within("a refresh that found nothing to write", second, run.FireTime, began)
		if second <= first {
			t.Errorf("it did not grow: %s, then %s", first, second)
		}

		r.exec(`UPDATE cities SET people = 1 WHERE id = 2`)
		r.edit("book.xlsx", func(f *excelize.File) { must(t, f.SetCellInt("Sheet1", "C4", 2)) })
		if run = r.refresh(Request{Options: onEdit(placements.Stop)}); run.State != placements.RunFailed {
			t.Fatalf("the run is %s", run.State)
		}
		if at := r.asOf(p.ID); at != second {
			t.Errorf("a result that could not be written: as of %s, was %s", at, second)
		}

		if r.move(p, "book.xlsx", "Sheet1!H2"); r.asOf(p.ID) != "" {
			t.Errorf("a moved block is as of %s", r.asOf(p.ID))
		}
	})
}

func TestATableThatAnotherRunHasOvertakenIsNotWritten(t *testing.T) {
	t.Parallel()
	eachRig(t, func(r *rig) {
		p := r.connect("Sheet1!B2")
		r.succeeded(r.refresh(Request{}), 4)
		other := New(Config{Store: r.engine.records, Log: r.engine.log, Tenants: map[string]Tenant{"acme": {
			Deployments: map[int64]DeploymentSource{1: r.engine.tenants["acme"].Deployments[1]}, Hosts: r.engine.tenants["acme"].Hosts,
		}}})
		src, queries, overtook := r.around(), 0, ""
		src.before = func() { queries++ }
		src.after = func() {
			if queries > 1 {
				return
			}
			r.later()
			r.exec(`UPDATE cities SET people = 291000 WHERE id = 2`)
			placed := record.RunTarget{ReportID: r.report, PlacementID: p.ID}
			run, err := other.Execute(t.Context(), r.d, Request{Target: placed, By: record.Actor{ID: 7}})
			must(t, err)
			r.succeeded(run, 1)
			overtook = r.asOf(p.ID)
		}
		run := r.refresh(Request{})
		if run.State != placements.RunSucceeded || queries != 2 {
			t.Errorf("the run is %s after %d queries: %s", run.State, queries, run.Error)
		}
		if !slices.Contains(r.cells("book.xlsx"), "|Bergen|291000") {
			t.Errorf("the older table was written over the newer one: %q", r.cells("book.xlsx"))
		}
		if at := r.asOf(p.ID); overtook == "" || at < overtook {
			t.Errorf("as of %q, was %q: it went back", at, overtook)
		}
	})
}

func TestABlockThatAnAddinRefreshesIsAsOfItsPlan(t *testing.T) {
	eachPane(t, func(p *pane) {
		clock := func() string {
			now, err := p.store.Queue().Clock(t.Context())
			must(t, err)
			return placements.Time(now)
		}
		must(t, p.start())
		first := clock()
		plan, err := p.plan()
		must(t, err)
		last := clock()
		p.write(plan)
		plan.Close()
		if at := p.placed().AsOf; at != "" {
			t.Errorf("before it is complete it is as of %s", at)
		}
		p.eventually("the clock goes on", func() bool { return clock() > last })
		_, err = p.complete(plan)
		must(t, err)
		if at := p.placed().AsOf; at < first || at > last {
			t.Errorf("as of %q, want within %s and %s", at, first, last)
		}
	})
}
