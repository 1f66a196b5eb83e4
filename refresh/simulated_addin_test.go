package refresh

import (
	"mooring/checksum"
	"mooring/placements"
	"mooring/storage/record"
)

// addinClient is an add-in with a document open, which executes a run itself.
type addinClient struct {
	*simulatedService
	report   int
	id       string
	document string
	lease    ClientLease
	planned  *ClientPlan
}

// begin begins a client run.
func (g *addinClient) begin() error {
	p := g.placement(g.report, g.id).Placement
	lease, err := g.engine.ClientRuns().Start(g.Context(), deskDeployment, Request{
		Executor: record.ExecutorClient, By: placer, Target: record.RunTarget{ReportID: g.reports[g.report], PlacementID: g.id},
	}, p)
	g.lease = lease
	return err
}

// step returns what each further call names the run by.
func (g *addinClient) step() ClientStep {
	return ClientStep{Deployment: deskDeployment, Run: g.run(g.lease.RunID), Fence: g.lease.Fence, By: placer}
}

// renew renews the lease of the run.
func (g *addinClient) renew() {
	g.Helper()
	_, err := g.engine.ClientRuns().Renew(g.Context(), g.step())
	must(g.T, err)
}

// plan sends what stands in the sheet, and keeps the patch that is planned.
func (g *addinClient) plan() {
	g.Helper()
	s := Sheet{Name: "Data", Anchor: placements.Anchor{Column: 3 * g.report}, Extent: checksum.Extent{Rows: 20, Columns: 2}}
	g.host.mu.Lock()
	b := g.host.book(g.document)
	if r, ok := b.markers[g.id]; ok {
		s.Marked = checksum.Extent{Rows: r.Bottom - r.Top + 1, Columns: r.Right - r.Left + 1}
	}
	s.Cells = b.table(s.Anchor, s.Extent)
	g.host.mu.Unlock()
	plan, err := g.engine.ClientRuns().Plan(g.Context(), g.step(), s)
	must(g.T, err)
	g.planned = plan
}

// complete writes what was planned, and completes the run.
func (g *addinClient) complete() *record.Run {
	g.Helper()
	g.host.mu.Lock()
	g.host.book(g.document).apply(g.planned.Patch)
	g.host.mu.Unlock()
	g.planned.Close()
	run, err := g.engine.ClientRuns().Complete(g.Context(), g.step(), g.planned.Checksum, Uncovered{})
	must(g.T, err)
	return run
}
