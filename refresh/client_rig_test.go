package refresh

import (
	"errors"
	"maps"
	"testing"
	"time"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/host"
	"mooring/storage"
	"mooring/storage/record"
)

// pane is an add-in in which the desk's document is open, about the block of one report.
type pane struct {
	*desk
	report int
	id     string // of the placement
	engine *Engine
	by     record.Actor
	lease  ClientLease
	asked  int // plans
	sent   int // rows in full
	// digests: it sends the fingerprints of rows, and only those in full that are asked for.
	digests bool
	table   int // columns of the table that the block is
	// blockAlone: it sends nothing of the status cell.
	blockAlone bool
	putsBack   string // the run whose change its runs put back
	writeOver  bool
}

// connectAs places the i-th report there for a user.
func (d *desk) connectAs(i int, at string, user int64) {
	d.Helper()
	_, err := d.store.Placements().Connect(d.Context(), deskDeployment, d.reports[i], placements.Connection{
		ExternalWorkbookID: "book", ResultLocation: at, PlacementID: d.standing(i).ID,
	}, record.Actor{ID: user, Actions: []string{record.ActionReportRead}}, nil, false)
	must(d.T, err)
}

// standing is that of the i-th report, empty once it is disconnected.
func (d *desk) standing(i int) (p storage.Placed) {
	d.Helper()
	r, err := d.store.Reports().Get(d.Context(), deskDeployment, d.reports[i])
	must(d.T, err)
	if len(r.Placements) > 0 {
		p = r.Placements[0]
	}
	return p
}

func (d *desk) pane(i int, digests bool) *pane {
	return &pane{
		desk: d, report: i, id: d.standing(i).ID, engine: d.engine, by: record.Actor{ID: 7, Actions: []string{record.ActionReportRead}}, digests: digests,
	}
}

// placed is the placement of the pane's report.
func (p *pane) placed() storage.Placed { return p.standing(p.report) }

func (p *pane) start(options ...placements.OnEdit) error {
	r := Request{Executor: record.ExecutorClient, By: p.by, Restores: p.putsBack, WriteOver: p.writeOver}
	r.Target = record.RunTarget{ReportID: p.reports[p.report], PlacementID: p.id}
	for _, o := range options {
		r.OnEdit = placements.Sent(o)
	}
	lease, err := p.engine.ClientRuns().Start(p.Context(), deskDeployment, r, p.placed().Placement)
	if err == nil {
		p.lease = lease
	}
	return err
}

func (p *pane) step() ClientStep {
	p.Helper()
	return ClientStep{Deployment: deskDeployment, Run: p.run(p.lease.RunID), Fence: p.lease.Fence, By: p.by}
}

// sheet reads what the pane sends: the block by its marker, and a margin.
func (p *pane) sheet(need *NeedError) Sheet {
	placed := p.placed().Placement
	p.books.mu.Lock()
	defer p.books.mu.Unlock()
	b := p.books.book("book")
	stands := placements.Anchor{Column: 3 * p.report} // of a placement that is gone
	if placed.AnchorCell != "" {
		var err error
		stands, err = placements.ParseAnchor(placed.AnchorCell)
		must(p.T, err)
	}
	s := Sheet{Name: "Data", Anchor: stands, Extent: checksum.Extent{Rows: 20, Columns: 2}}
	if r, ok := b.markers[p.id]; ok {
		s.Anchor, s.Marked = placements.Anchor{Row: r.Top, Column: r.Left}, checksum.Extent{Rows: r.Bottom - r.Top + 1, Columns: r.Right - r.Left + 1}
		s.Stamp, s.Table = b.stamps[p.id], p.table
	}
	if need != nil {
		s.Extent = s.Extent.Union(need.Extent)
	}
	s.Status, s.Filters = p.status(b, placed, need), p.filters(b, s.Anchor, need)
	cells := b.table(s.Anchor, s.Extent)
	if !p.digests {
		s.Cells = cells
		return s
	}
	s.Fingerprints = cells.Block().Fingerprints
	if need != nil {
		for _, span := range need.Rows {
			p.sent += span.To - span.From
			s.Rows = append(s.Rows, SheetRows{From: span.From, Cells: cells.Slice(span.From, span.To)})
		}
	}
	return s
}

// plan asks for a plan, and sends what it needs.
func (p *pane) plan() (*ClientPlan, error) {
	p.Helper()
	var need *NeedError
	for range 5 {
		p.asked++
		plan, err := p.engine.ClientRuns().Plan(p.Context(), p.step(), p.sheet(need))
		more, ok := errors.AsType[*NeedError](err)
		if !ok {
			return plan, err
		}
		if need != nil && more.Extent == (checksum.Extent{}) {
			more.Extent = need.Extent
		}
		if need != nil && more.Status == "" {
			more.Status = need.Status
		}
		if need != nil && more.Filters == "" {
			more.Filters = need.Filters
		}
		need = more
	}
	p.Fatalf("the plan still needs %v", need)
	return nil, nil
}

// write applies a plan, as the document's program does.
func (p *pane) write(plan *ClientPlan) {
	p.Helper()
	p.books.mu.Lock()
	defer p.books.mu.Unlock()
	p.books.book("book").apply(plan.Patch)
	p.books.book("book").writeSide(host.StatusID(p.id), plan.Status)
	p.books.book("book").writeSide(host.FiltersID(p.id), plan.Filters)
}

func (p *pane) complete(plan *ClientPlan) (*record.Run, error) {
	p.Helper()
	return p.engine.ClientRuns().Complete(p.Context(), p.step(), plan.Checksum, Uncovered{})
}

// refreshed makes a whole run and returns it with its plan, whose patch is gone.
func (p *pane) refreshed(options ...placements.OnEdit) (*record.Run, *ClientPlan) {
	p.Helper()
	must(p.T, p.start(options...))
	plan, err := p.plan()
	must(p.T, err)
	p.write(plan)
	plan.Close()
	run, err := p.complete(plan)
	must(p.T, err)
	if run.State != placements.RunSucceeded {
		p.Errorf("the run is %s (%s)", run.State, run.Error)
	}
	return run, plan
}

// disconnect takes the placement out of its report.
func (p *pane) disconnect() {
	p.Helper()
	_, _, err := p.store.Placements().Disconnect(p.Context(), deskDeployment, p.reports[p.report], placements.Target{PlacementID: p.id},
		record.Actor{ID: 7, Actions: []string{record.ActionAll}}, nil, false)
	must(p.T, err)
}

// lapse ends the lease without the pane.
func (p *pane) lapse() {
	p.Helper()
	step := p.step()
	started, err := time.Parse(time.RFC3339, step.Run.StartedAt)
	must(p.T, err)
	p.eventually("the lease has ended", func() bool {
		now, err := p.store.Queue().Clock(p.Context())
		must(p.T, err)
		_, _ = p.store.Queue().Clients.Renew(p.Context(), deskDeployment, step.Run, step.Fence, now.Sub(started)+20*time.Millisecond)
		time.Sleep(50 * time.Millisecond)
		_, err = p.store.Queue().Clients.Resume(p.Context(), deskDeployment, step.Run, step.Fence)
		return errors.Is(err, storage.ErrLockLost)
	})
}

// wantCode checks the code of an error.
func wantCode(t *testing.T, what string, err error, want placements.Code) {
	t.Helper()
	if got := placements.CodeOf(err); got != want || want == "" && err != nil {
		t.Errorf("%s: %v, want the code %q", what, err, want)
	}
}

// agentRuns lets an agent refresh the pane's report and returns the run.
func (p *pane) agentRuns() *record.Run {
	p.Helper()
	id := p.ask(p.report, Request{})
	p.work()
	return p.desk.run(id)
}

// cells is a copy of what stands in the document.
func (d *desk) cells() map[[2]int]checksum.Cell {
	d.books.mu.Lock()
	defer d.books.mu.Unlock()
	cells := maps.Clone(d.books.book("book").cells)
	maps.DeleteFunc(cells, func(_ [2]int, c checksum.Cell) bool { return c.Kind == checksum.Empty })
	return cells
}

// written is how many rows a patch writes.
func written(p host.Patch) (rows int) {
	for _, span := range p.Rows {
		rows += span.To - span.From
	}
	return rows
}
