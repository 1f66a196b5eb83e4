package main

import (
	"cmp"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/xuri/excelize/v2"

	"mooring/cmd/mooring/process"
	"mooring/placements"
	"mooring/storage/record"
)

// As code, a cell from which a placement takes a value is the one that was applied, wherever people move it, and however often: plans have nothing
// to do, and a pull writes where it stands. What was pulled and not applied since is a change of the file's, as of any member.
func TestACellOfAParameterIsFollowedAsCode(t *testing.T) {
	t.Parallel()
	p := &project{newCodeSite(t, "embedded", 1), writeProject(t, map[string]string{
		"project.yaml": "project: finance\nenvironments: {dev: {deployment: 1}}\n",
		"reports/sales.yaml": "publicId: SalesOfOrder\nname: Sales\nsource: SHEETS_B\nparameters:\n" +
			"  - {name: customer, type: text, allowed: [Ada, Ben], default: Ada, fromCells: true}\n" +
			"  - {name: ids, type: number, list: true, fromCells: true}\n" +
			"  - {name: least, type: number}\n",
		"reports/sales.sql": "SELECT id, amount FROM orders WHERE customer = @customer AND id IN (@ids) AND amount >= @least\n",
		"placements/orders.yaml": "document: orders.xlsx\nhost: SHEETS_B\nitems:\n  - {report: SalesOfOrder, sheet: Sheet1, at: B2,\n" +
			"     parameters: {customer: {cell: \"Setup!B2\"}, ids: {cell: \"Setup!A5:A7\"}, least: {value: 5}}}\n" +
			"  - {report: SalesOfOrder, sheet: Sheet1, at: H2, parameters: {ids: {value: [1, 2]}, least: {value: 5}}}\n",
	})}
	book := filepath.Join(filepath.Dir(p.config), "sheets", "orders.xlsx")
	inBook(t, book, func(f *excelize.File) error {
		_, err := f.NewSheet("Setup")
		for cell, v := range map[string]any{"B2": "Ben", "A5": 1, "A6": 2} {
			err = cmp.Or(err, f.SetCellValue("Setup", cell, v))
		}
		return err
	})
	p.shows(process.ExitDone, "Sheet1!B2 in orders.xlsx: refreshed, 2 rows written", "apply", "{}", "--approve", "--refresh")
	p.applied("dev")
	for _, to := range []string{"Plan", "Other"} {
		refreshAt(t, p, book, to)
		p.applied("dev")
		if out := p.run(process.ExitDone, "pull", "{}", "--theirs"); !strings.Contains(out, "placements/orders.yaml") {
			t.Errorf("the sheet is called %s, and pull says %s", to, out)
		}
		text := p.file("placements/orders.yaml")
		for _, want := range []string{to + "!B2", to + "!A5:A7"} {
			if !strings.Contains(text, want) {
				t.Errorf("the file does not say %s:\n%s", want, text)
			}
		}
		p.applied("dev")
		p.run(process.ExitDone, "apply", "{}", "--approve")
		p.applied("dev")
	}
	p.edit("placements/orders.yaml", "Other!B2", "Other!B3")
	p.shows(process.ExitDone, "/parameters/customer/cell", "plan", "{}")
	p.run(process.ExitDone, "apply", "{}", "--approve")
	p.applied("dev")
}

// refreshAt calls the sheet with the cells otherwise, as its reader would, and has the blocks refreshed.
func refreshAt(t *testing.T, p *project, book, to string) {
	t.Helper()
	inBook(t, book, func(f *excelize.File) error { return f.SetSheetName(f.GetSheetList()[1], to) })
	var started struct{ RunID string }
	if err := json.Unmarshal(p.send("POST", "1/reports/1/refreshes", "{}"), &started); err != nil {
		t.Fatal(err)
	}
	var run record.Run
	for deadline := time.Now().Add(patience); !hasEnded(run); time.Sleep(poll) {
		if err := json.Unmarshal(p.send("GET", "1/reports/1/refreshes/"+started.RunID, ""), &run); err != nil || time.Now().After(deadline) {
			t.Fatalf("%v, %v", run, err)
		}
	}
	at := ""
	for _, one := range run.Placements {
		at += one.Parameters["customer"].Cell // of one of them
	}
	if run.State != placements.RunSucceeded || at != to+"!B2" {
		t.Fatalf("the run is %s: %s, and found the cell at %s", run.State, run.Error, at)
	}
}

// inBook edits a workbook as a spreadsheet program would.
func inBook(t *testing.T, name string, edit func(*excelize.File) error) {
	t.Helper()
	f, err := excelize.OpenFile(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := cmp.Or(edit(f), f.Save()); err != nil {
		t.Fatal(err)
	}
}
