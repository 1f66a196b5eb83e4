package refresh

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/xuri/excelize/v2"

	"mooring/placements"
	"mooring/refresh/host"
	"mooring/storage/record"
	"mooring/storage/storagetest"
)

// withStatus connects the report at B3 with a status cell; an empty one clears it.
func (r *rig) withStatus(location, cell string) {
	r.Helper()
	c := placements.Connection{ExternalWorkbookID: "book.xlsx", ResultLocation: location, AddressOnly: true, StatusCell: placements.Null[string]()}
	if cell != "" {
		c.StatusCell = placements.Sent(cell)
	}
	_, err := r.engine.records.Placements().Connect(r.Context(), r.d, r.report, c, record.Actor{ID: 7, Actions: []string{record.ActionReportRead}}, nil, false)
	must(r.T, err)
}

// cell is what a cell of the workbook holds.
func (r *rig) cell(name string) (value string) {
	r.Helper()
	r.read("book.xlsx", func(f *excelize.File) {
		var err error
		value, err = f.GetCellValue("Sheet1", name)
		must(r.T, err)
	})
	return value
}

// says checks the status cell and the note of a run that succeeded.
func (r *rig) says(run *record.Run, cell, want, note string) {
	r.Helper()
	if run.State != placements.RunSucceeded {
		r.Fatalf("run is %s: %s", run.State, run.Error)
	}
	if got := r.cell(cell); got != want && (want == "" || !strings.HasPrefix(got, "Refreshed 20") || !strings.HasSuffix(got, want)) {
		r.Errorf("%s holds %q, want %q at its end", cell, got, want)
	}
	if got := run.Placements[0].Note; !strings.Contains(got, note) || (got == "") != (note == "") {
		r.Errorf("note %q, want %q", got, note)
	}
}

func TestStatusCell(t *testing.T) {
	t.Parallel()
	r := newRig(t, storagetest.Open(t, "embedded"))
	zone := time.FixedZone("far", 14*3600)
	d := r.engine.tenants["acme"].Deployments[1]
	d.Location = zone
	r.engine.tenants["acme"].Deployments[1] = d
	r.withStatus("Sheet1!B3", "b1")

	from := time.Now()
	r.says(r.refresh(Request{}), "B1", " · 4 rows changed", "")
	at, err := time.ParseInLocation("Refreshed 2006-01-02 15:04", strings.Split(r.cell("B1"), " · ")[0], zone)
	if err != nil || at.Before(from.Truncate(time.Minute)) || at.After(time.Now()) {
		t.Errorf("%s (%v) is not now in the deployment's time zone", at, err)
	}
	before := r.bytes("book.xlsx")
	r.says(r.refresh(Request{}), "B1", " · 4 rows changed", "")
	if r.bytes("book.xlsx") != before {
		t.Error("an unchanged refresh wrote")
	}

	r.edit("book.xlsx", func(f *excelize.File) { must(t, f.InsertRows("Sheet1", 1, 2)) })
	r.exec("UPDATE cities SET people = 1 WHERE id = 1")
	r.says(r.refresh(Request{}), "B3", " · 1 row changed", "")
	if got := r.placement(); got.StatusCell != "B3" || got.AnchorCell != "B5" {
		t.Errorf("recorded at %s with the status cell %s", got.AnchorCell, got.StatusCell)
	}

	r.edit("book.xlsx", func(f *excelize.File) { must(t, f.SetCellStr("Sheet1", "B3", "see notes")) })
	r.exec("UPDATE cities SET people = 2 WHERE id = 1")
	run := r.refresh(Request{})
	r.says(run, "B3", "see notes", "B3 was left alone: it holds something else")
	if run.RowsWritten != 1 {
		t.Errorf("%d rows written", run.RowsWritten)
	}
	r.edit("book.xlsx", func(f *excelize.File) { must(t, f.SetCellValue("Sheet1", "B3", nil)) })
	r.exec("UPDATE cities SET people = 3 WHERE id = 1")
	r.says(r.refresh(Request{}), "B3", " · 1 row changed", "")

	r.withStatus("Sheet1!B5", "D1") // the marker stands at B3 yet
	r.exec("UPDATE cities SET people = 4 WHERE id = 1")
	r.says(r.refresh(Request{}), "D1", " · 1 row changed", "")
	r.withStatus("Sheet1!B5", "")
	r.exec("UPDATE cities SET people = 5 WHERE id = 1")
	r.edit("book.xlsx", func(f *excelize.File) { must(t, f.SetCellValue("Sheet1", "D1", nil)) })
	r.says(r.refresh(Request{}), "D1", "", "")
}

// A block that grows over its status cell is written without it.
func TestStatusCellInsideWhatIsWritten(t *testing.T) {
	t.Parallel()
	r := newRig(t, storagetest.Open(t, "embedded"))
	r.withStatus("Sheet1!B3", "C5")
	r.says(r.refresh(Request{}), "B3", "name", "C5 was left alone: it lies inside what is written")
}

// A formula is a person's, whatever it shows.
func TestStatusCellWithAFormula(t *testing.T) {
	t.Parallel()
	r := newRig(t, storagetest.Open(t, "embedded"))
	r.edit("book.xlsx", func(f *excelize.File) { must(t, f.SetCellFormula("Sheet1", "B1", `""`)) })
	r.withStatus("Sheet1!B3", "B1")
	r.says(r.refresh(Request{}), "B3", "name", "B1 was left alone")
	r.read("book.xlsx", func(f *excelize.File) {
		if formula, err := f.GetCellFormula("Sheet1", "B1"); err != nil || formula != `""` {
			t.Errorf("the formula is %q, %v", formula, err)
		}
	})
}

// protecting refuses writes to status cells, as a host does whose document protects them.
type protecting struct{ host.Driver }

func (p protecting) Open(ctx context.Context, document string) (host.Session, error) {
	s, err := p.Driver.Open(ctx, document)
	return protected{s}, err
}

type protected struct{ host.Session }

func (p protected) Write(ctx context.Context, patches []host.Patch) ([]host.Written, error) {
	if len(patches) > 1 {
		return nil, &placements.Fault{Class: placements.Auth, Message: "B1 is protected"}
	}
	return p.Session.Write(ctx, patches)
}

// A status cell that the host refuses does not hinder its block.
func TestStatusCellThatIsRefused(t *testing.T) {
	t.Parallel()
	r := newRig(t, storagetest.Open(t, "embedded"))
	hosts := r.engine.tenants["acme"].Hosts
	hosts[0].Driver = protecting{hosts[0].Driver}
	r.withStatus("Sheet1!B3", "B1")
	r.says(r.refresh(Request{}), "B3", "name", "B1 was left alone: B1 is protected")
	r.says(r.refresh(Request{}), "B1", "", "")
}
