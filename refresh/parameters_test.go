package refresh

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/source"
	"mooring/storage"
	"mooring/storage/record"
	"mooring/storage/storagetest"
)

// counting is a source that counts its queries.
type counting struct {
	source.Source
	source.Binder
	queries atomic.Int64
}

func (c *counting) Query(ctx context.Context, q source.Query, b *checksum.Builder) ([]source.Column, error) {
	c.queries.Add(1)
	return c.Source.Query(ctx, q, b)
}

// counted makes the rig's source count.
func (r *rig) counted() *counting {
	r.Helper()
	d := r.engine.tenants["acme"].Deployments[1]
	c := &counting{Source: d.Source, Binder: d.Source.(source.Binder)}
	d.Source = c
	r.engine.tenants["acme"].Deployments[1] = d
	return c
}

// asking gives the rig's report a query and parameters.
func (r *rig) asking(sql string, of ...placements.Parameter) {
	r.Helper()
	_, err := r.engine.records.Reports().Update(r.Context(), r.d, r.report, record.ReportInput{
		SQLQuery: placements.Sent(sql), Parameters: placements.Sent(of),
		Judge: func(d *record.Definition) []placements.Detail { return r.engine.ParameterFaults(r.d, d) },
	}, record.Actor{ID: 7}, func(*storage.Report) error { return nil })
	must(r.T, err)
}

// valued connects at a location with a value of the parameter name; nil clears all.
func (r *rig) valued(location string, name *string) {
	r.Helper()
	c := placements.Connection{ExternalWorkbookID: "book.xlsx", ResultLocation: location, AddressOnly: true, Parameters: placements.Null[placements.ParameterSettings]()}
	if name != nil {
		c.Parameters = placements.Sent(placements.ParameterSettings{"name": {Value: new(textValue(*name))}})
	}
	_, err := r.engine.records.Placements().Connect(r.Context(), r.d, r.report, c, record.Actor{ID: 7, Actions: []string{record.ActionReportRead}}, nil, false)
	must(r.T, err)
}

func textValue(s string) placements.ParameterValue {
	return placements.OneValue(placements.TextScalar(s))
}

const byName = "SELECT name, people FROM cities WHERE name = @name"

// shownStatus is what the rig's one placement shows.
func (r *rig) shownStatus() placements.Status {
	r.Helper()
	report, err := r.engine.records.Reports().Get(r.Context(), r.d, r.report)
	must(r.T, err)
	return report.Placements[0].View().Status(&report.Definition)
}

func TestParametersOfABlock(t *testing.T) {
	t.Parallel()
	r := newRig(t, storagetest.Open(t, "embedded"))
	r.asking(byName, placements.Parameter{Name: "name", Title: "City", Type: placements.ParameterText})
	r.valued("Sheet1!B3", nil)
	run := r.refresh(Request{})
	if run.State != placements.RunFailed || run.ErrorClass != placements.Conflict || run.Error != "City has no value" {
		t.Fatalf("run without a value is %s, %s: %s", run.State, run.ErrorClass, run.Error)
	}
	r.valued("Sheet1!B3", new("Oslo"))
	run = r.refresh(Request{})
	if run.State != placements.RunSucceeded || r.cell("B4") != "Oslo" || !run.Placements[0].Parameters["name"].Value.Equal(textValue("Oslo")) {
		t.Fatalf("run is %s (%s), B4 holds %q, it used %v", run.State, run.Error, r.cell("B4"), run.Placements[0].Parameters)
	}
	if got := r.shownStatus(); got != placements.UpToDate {
		t.Errorf("status %s after the write", got)
	}
	r.valued("Sheet1!B3", new("Bergen"))
	if got := r.shownStatus(); got != placements.Changed {
		t.Errorf("status %s once it says another value", got)
	}
	if r.refresh(Request{}); r.cell("B4") != "Bergen" || r.shownStatus() != placements.UpToDate {
		t.Errorf("B4 holds %q, status %s", r.cell("B4"), r.shownStatus())
	}

	// The report allows less by then; the default counts where the block says nothing.
	allowed := placements.Parameter{
		Name: "name", Title: "City", Type: placements.ParameterText, Allowed: []placements.Scalar{placements.TextScalar("Oslo"), placements.TextScalar("Rome")},
		Default: new(textValue("Oslo")),
	}
	r.asking(byName, allowed)
	run = r.refresh(Request{})
	if run.ErrorClass != placements.Conflict || run.Error != "the value of City is not allowed: choose one of Oslo, Rome" || r.cell("B4") != "Bergen" {
		t.Errorf("a value that is not allowed: %s, %s, B4 holds %q", run.ErrorClass, run.Error, r.cell("B4"))
	}
	if !run.Placements[0].Parameters["name"].Value.Equal(textValue("Bergen")) {
		t.Errorf("the run keeps %v", run.Placements[0].Parameters)
	}
	r.valued("Sheet1!B3", nil)
	if r.refresh(Request{}); r.cell("B4") != "Oslo" || r.shownStatus() != placements.UpToDate {
		t.Errorf("B4 holds %q, status %s", r.cell("B4"), r.shownStatus())
	}
	allowed.Default = new(textValue("Rome"))
	if r.asking(byName, allowed); r.shownStatus() != placements.Changed {
		t.Errorf("status %s once the default is another", r.shownStatus())
	}

	// A value that looks like SQL is a value.
	r.asking(byName, placements.Parameter{Name: "name", Type: placements.ParameterText})
	r.valued("Sheet1!B3", new("x' OR '1'='1"))
	if run = r.refresh(Request{}); run.State != placements.RunSucceeded || r.cell("B4") != "" {
		t.Errorf("run is %s (%s), B4 holds %q", run.State, run.Error, r.cell("B4"))
	}
}

// TestEqualValuesShareAQuery: 100 placements with 10 different values are 10 queries.
func TestEqualValuesShareAQuery(t *testing.T) {
	t.Parallel()
	r := newRig(t, storagetest.Open(t, "embedded"))
	r.asking("SELECT @name AS name", placements.Parameter{Name: "name", Type: placements.ParameterText})
	for i := range 100 {
		r.valued(fmt.Sprintf("Sheet1!%c%d", 'H'+i%10, 2+3*(i/10)), new(fmt.Sprintf("value %d", i%10)))
	}
	c := r.counted()
	run := r.refresh(Request{})
	if run.State != placements.RunSucceeded || c.queries.Load() != 10 {
		t.Fatalf("run is %s (%s) after %d queries", run.State, run.Error, c.queries.Load())
	}
	for i := range 100 {
		if cell := fmt.Sprintf("%c%d", 'H'+i%10, 3+3*(i/10)); r.cell(cell) != fmt.Sprintf("value %d", i%10) {
			t.Fatalf("%s holds %q", cell, r.cell(cell))
		}
	}
	for _, p := range run.Placements {
		if !strings.HasPrefix(p.Parameters["name"].Value.Scalars()[0].Text(), "value ") {
			t.Errorf("%s was queried with %v", p.PlacementID, p.Parameters)
		}
	}
}
