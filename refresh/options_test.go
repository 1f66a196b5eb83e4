package refresh

import (
	"archive/zip"
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/xuri/excelize/v2"

	"mooring/placements"

	"mooring/storage/record"
	"mooring/storage/storagetest"
)

// connectAs places the report there with options.
func (r *rig) connectAs(location string, o placements.Options) string {
	r.Helper()
	c, err := r.engine.records.Placements().Connect(r.Context(), r.d, r.report, placements.Connection{
		ExternalWorkbookID: "book.xlsx", ResultLocation: location, AddressOnly: true, Options: o,
	}, record.Actor{ID: 7, Actions: []string{record.ActionReportRead}}, nil, false)
	must(r.T, err)
	return c.Placement.ID
}

func TestWhatARunSaysComesBeforeItsScheduleAndThatBeforeThePlacement(t *testing.T) {
	t.Parallel()
	r := newRig(t, storagetest.Open(t, "embedded"))
	r.connectAs("Sheet1!B2", onEdit(placements.Stop))
	r.succeeded(r.refresh(Request{}), 4)
	typed := func() {
		r.edit("book.xlsx", func(f *excelize.File) { must(t, f.SetCellStr("Sheet1", "C3", "typed")) })
	}
	scheduled := func(o placements.Options) *record.Run {
		c, err := r.engine.Schedules().Create(t.Context(), r.d, record.ScheduleSpec{
			Target: record.RunTarget{ReportID: r.report}, Cron: []string{"@yearly"}, Options: o,
		}, record.Actor{ID: 7})
		must(t, err)
		return newRun(c, c.Next, record.TriggerSchedule)
	}
	for _, tc := range []struct {
		fact    string
		run     placements.Options
		outcome placements.RunState
		cell    string // afterwards
	}{
		{"neither run nor schedule says: the placement stops", scheduled(placements.Options{}).Options, placements.RunFailed, "typed"},
		{"the schedule keeps", scheduled(onEdit(placements.Keep)).Options, placements.RunSucceeded, "typed"},
		{"a run that says nothing stops", placements.Options{}, placements.RunFailed, "typed"},
		{"a run that overwrites", onEdit(placements.Overwrite), placements.RunSucceeded, "700000"},
	} {
		t.Run(tc.fact, func(t *testing.T) {
			typed()
			run := r.refresh(Request{Options: tc.run})
			if run.State != tc.outcome || tc.outcome == placements.RunFailed && run.ErrorClass != placements.Conflict {
				t.Errorf("the run is %s (%s: %s)", run.State, run.ErrorClass, run.Error)
			}
			if cells := r.cells("book.xlsx"); !strings.Contains(cells[2], tc.cell) {
				t.Errorf("row 3 is %q, want %q in it", cells[2], tc.cell)
			}
		})
	}
}

// sign adds the traces of a signature to a workbook.
func (r *rig) sign(name string) {
	r.Helper()
	const signature = "http://schemas.openxmlformats.org/package/2006/relationships/digital-signature/"
	path := filepath.Join(r.dir, name)
	old, err := zip.OpenReader(path)
	must(r.T, err)
	defer old.Close()
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	put := func(name, doc string) {
		part, err := w.Create(name)
		must(r.T, err)
		_, err = io.WriteString(part, doc)
		must(r.T, err)
	}
	for _, f := range old.File {
		in, err := f.Open()
		must(r.T, err)
		doc, err := io.ReadAll(in)
		must(r.T, err)
		switch f.Name {
		case "_rels/.rels":
			relation := `<Relationship Id="sig" Type="` + signature + `origin" Target="_xmlsignatures/origin.sigs"/></Relationships>`
			doc = bytes.Replace(doc, []byte("</Relationships>"), []byte(relation), 1)
		case "[Content_Types].xml":
			kind := `<Default Extension="sigs" ContentType="application/vnd.openxmlformats-package.digital-signature-origin"/><Default `
			doc = bytes.Replace(doc, []byte("<Default "), []byte(kind), 1)
		}
		put(f.Name, string(doc))
	}
	put("_xmlsignatures/origin.sigs", "")
	must(r.T, w.Close())
	must(r.T, os.WriteFile(path, out.Bytes(), 0o600))
}

func TestASignedWorkbookIsWrittenForThePlacementsThatAllowIt(t *testing.T) {
	t.Parallel()
	r := newRig(t, storagetest.Open(t, "embedded"))
	allows := r.connectAs("Sheet1!B2", placements.Options{BreakSignature: placements.Sent(true)})
	refuses := r.connectAs("Sheet1!H2", placements.Options{})
	r.sign("book.xlsx")
	before := r.bytes("book.xlsx")
	run := r.refresh(Request{Options: placements.Options{BreakSignature: placements.Sent(false)}})
	if same := r.bytes("book.xlsx") == before; run.State != placements.RunFailed || !same {
		t.Fatalf("a run that says false is %s (%s), file the same: %t", run.State, run.Error, same)
	}
	run = r.refresh(Request{})
	for _, o := range run.Placements {
		switch {
		case o.PlacementID == allows && (o.State != placements.RunSucceeded || o.RowsWritten != 4):
			t.Errorf("the block that allows it is %s with %d rows (%s)", o.State, o.RowsWritten, o.Error)
		case o.PlacementID == refuses && (o.ErrorClass != placements.Conflict || !strings.Contains(o.Error, "breakSignature")):
			t.Errorf("the other one is %s (%s: %s)", o.State, o.ErrorClass, o.Error)
		}
	}
	if cells := r.cells("book.xlsx"); !strings.Contains(cells[1], "name|people") || strings.Count(strings.Join(cells, "\n"), "Oslo") != 1 {
		t.Errorf("the sheet has %q", cells)
	}
	if strings.Contains(r.bytes("book.xlsx"), "_xmlsignatures") {
		t.Error("the signature is still there")
	}
}
