package storage_test

import (
	"errors"
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"mooring/placements"
	"mooring/placements/placementstest"
	"mooring/storage"
	"mooring/storage/keep"
	"mooring/storage/record"
	"mooring/storage/storagetest"
)

// asKept gives placements as another service may have kept them: with a claim and the outcome of a run.
func asKept(list []placements.Placement) []storage.Placed {
	kept := make([]storage.Placed, len(list))
	for i, p := range list {
		p.PlacedAt, p.RefreshedAt, p.QueryChecksum = fmt.Sprintf("2020-01-0%dT00:00:00.000Z", i+1), "2020-02-01T00:00:00.000Z", "q"
		kept[i] = storage.Placed{Placement: p, Claim: int64(i), LastRun: &placements.LastRun{RunID: fmt.Sprint("run", i), State: placements.RunSkipped}}
	}
	return kept
}

func importAll(t *testing.T, s *storage.Store, report int64, list ...storage.Placed) {
	t.Helper()
	if err := storagetest.Import(t.Context(), s, shop, report, list); err != nil {
		t.Fatal(err)
	}
}

// unrevised compares placements but for their revisions.
var unrevised = cmp.Options{cmpopts.IgnoreFields(storage.Placed{}, "Rev"), cmpopts.IgnoreUnexported(storage.Placed{})}

func TestImportedPlacementsAreKeptExactlyAsGiven(t *testing.T) {
	each(t, func(t *testing.T, s *storage.Store) {
		r := create(t, s, shop, named("Sales", ""))
		want := asKept(placementstest.Moored())
		importAll(t, s, r.ID, want[:3]...)
		importAll(t, s, r.ID, want[3:]...)
		importAll(t, s, r.ID)
		loaded := load(t, s, shop, r.ID)
		if diff := cmp.Diff(want, loaded.Placements, unrevised); diff != "" {
			t.Errorf("(-imported +stored):\n%s", diff)
		}
		loaded.Placements = nil
		wantSame(t, r, loaded)
	})
}

func TestImportedPlacementsOfNoHostStandInTheReportsOne(t *testing.T) {
	each(t, func(t *testing.T, s *storage.Store) {
		in := named("Sales", "")
		in.Source = placements.Sent("SHEETS_B")
		r := create(t, s, shop, in)
		importAll(t, s, r.ID, storage.Placed{Placement: placements.Placement{WorkbookID: "doc", ResultLocation: "Data!A1"}})
		if got := load(t, s, shop, r.ID).Placements[0].Host; got != placements.SheetsB {
			t.Errorf("host %q, want SHEETS_B", got)
		}
	})
}

// Every index must name what was imported, and nothing of it must stay when it is disconnected, by whatever form addresses it.
func TestImportedPlacementsAreInEveryIndexUntilTheyAreDisconnected(t *testing.T) {
	who := adaReads
	each(t, func(t *testing.T, s *storage.Store) {
		r := create(t, s, shop, named("Sales", ""))
		before := withoutHistory(s.Dump(t))
		kept := asKept(placementstest.Moored())
		importAll(t, s, r.ID, kept...)
		for _, p := range kept {
			a, _ := p.Address()
			meets := placements.Connection{ExternalWorkbookID: a.Document, SheetName: a.Sheet, ResultLocation: a.Anchor.String()}
			other := create(t, s, shop, named("Other", ""))
			got, err := s.Placements().Connect(t.Context(), shop, other.ID, meets, who, nil, true)
			if err != nil {
				t.Fatal(err)
			}
			if len(got.Overlaps) != 1 || got.Overlaps[0].Placement.ID != p.ID || got.Overlaps[0].ReportID != r.ID {
				t.Errorf("%v: overlaps %+v, want the imported one", a, got.Overlaps)
			}
			if err := s.Reports().Delete(t.Context(), shop, other.ID, ada, anyone); err != nil {
				t.Fatal(err)
			}
		}
		for document, want := range map[string]int{"doc": 4, "other": 1, "old": 2} {
			page, err := s.Placements().InDocument(t.Context(), shop.Tenant, document, "", 100)
			if err != nil || len(page.Items) != want {
				t.Errorf("%s lists %d placements, %v, want %d", document, len(page.Items), err, want)
			}
		}
		for i, target := range []placements.Target{
			{ExternalWorkbookID: "old", SheetName: "data", AnchorCell: "$a$1"},
			{ResultLocation: "'Older data'!C3"},
			{PlacementID: "p1"},
			{ResultLocation: "Sheet1!H2"},
			{ResultLocation: "Sheet1!B2"}, // p1 is gone: only p4 is left there
			{ExternalWorkbookID: "doc", SheetName: "It's", AnchorCell: "B2"},
			{ExternalWorkbookID: "doc", ResultLocation: "οδος!B2"},
		} {
			if _, removed, err := s.Placements().Disconnect(t.Context(), shop, r.ID, target, who, nil, true); removed == nil || err != nil {
				t.Errorf("target %d removed %s, %v", i, removed, err)
			}
		}
		wantSameDump(t, before, withoutHistory(s.Dump(t)))
	})
}

// withoutHistory is a dump but for what tells of the past.
func withoutHistory(dump map[string]map[string]string) map[string]map[string]string {
	maps.DeleteFunc(dump, func(key string, _ map[string]string) bool {
		return strings.HasSuffix(key, ":events") || strings.HasSuffix(key, ":audit")
	})
	return dump
}

func TestADeletedReportTakesImportedPlacementsAlong(t *testing.T) {
	each(t, func(t *testing.T, s *storage.Store) {
		before := s.Dump(t)
		r := create(t, s, shop, named("Sales", ""))
		importAll(t, s, r.ID, asKept(placementstest.Moored())...)
		if err := s.Reports().Delete(t.Context(), shop, r.ID, ada, anyone); err != nil {
			t.Fatal(err)
		}
		wantSameDump(t, before, withoutHistory(s.Dump(t)))
	})
}

func TestImportRefuses(t *testing.T) {
	moored := asKept(placementstest.Moored())
	elsewhere := func(edit func(p *storage.Placed)) storage.Placed {
		p := storage.Placed{Placement: placements.Placement{WorkbookID: "doc", SheetName: "New", AnchorCell: "A1"}}
		edit(&p)
		return p
	}
	for _, tc := range []struct {
		fact     string
		list     []storage.Placed
		pointer  string
		existing []storage.Placed // what is there and conflicts
	}{
		{"one without a sheet", []storage.Placed{elsewhere(func(p *storage.Placed) { p.SheetName = "" })}, "/0", nil},
		{"one without a cell", []storage.Placed{moored[0], elsewhere(func(p *storage.Placed) { p.AnchorCell = "?" })}, "/1", nil},
		{"one without a spreadsheet", []storage.Placed{elsewhere(func(p *storage.Placed) { p.WorkbookID = "" })}, "/0", nil},
		{"an id that would name another slot", []storage.Placed{elsewhere(func(p *storage.Placed) { p.ID = "\x013:docA1!NEW" })}, "/0", nil},
		{"a time that would end the line of facts", []storage.Placed{elsewhere(func(p *storage.Placed) { p.PlacedAt = "\t" })}, "/0", nil},
		{
			"two at one address",
			[]storage.Placed{moored[1], moored[4], elsewhere(func(p *storage.Placed) { p.WorkbookID, p.SheetName, p.ID = "old", "DATA", "p9" })},
			"/2", nil,
		},
		{"two of one id", []storage.Placed{elsewhere(func(p *storage.Placed) { p.ID = "p1" }), moored[0]}, "/1", nil},
		{"an address that is taken", []storage.Placed{moored[1], moored[4]}, "/1", []storage.Placed{moored[4]}},
		{"an id that is taken", []storage.Placed{moored[1], elsewhere(func(p *storage.Placed) { p.ID = "p1" })}, "/1", []storage.Placed{moored[0]}},
	} {
		t.Run(tc.fact, func(t *testing.T) {
			each(t, func(t *testing.T, s *storage.Store) {
				r := create(t, s, shop, named("Sales", ""))
				importAll(t, s, r.ID, tc.existing...)
				before := s.Dump(t)
				err := storagetest.Import(t.Context(), s, shop, r.ID, tc.list)
				code := placements.CodeInvalid
				if tc.existing != nil {
					code = placements.CodeAddressTaken
				}
				wantInvalid(t, err, code, tc.pointer)
				wantSameDump(t, before, s.Dump(t))
			})
		})
	}
}

func TestImportIntoAnUnknownReport(t *testing.T) {
	each(t, func(t *testing.T, s *storage.Store) {
		before := s.Dump(t)
		err := storagetest.Import(t.Context(), s, shop, 4711, asKept(placementstest.Moored())[:1])
		wantInvalid(t, err, placements.CodeNoReport, "/0")
		wantSameDump(t, before, s.Dump(t))
	})
}

func TestAnImportIntoSeveralReportsIsRecordedWholeOrNotAtAll(t *testing.T) {
	each(t, func(t *testing.T, s *storage.Store) {
		first, second := create(t, s, shop, named("Sales", "")), create(t, s, shop, named("Orders", ""))
		at := func(report int64, id, sheet string) keep.Imported {
			return keep.Imported{ReportID: report, Placed: storage.Placed{
				Placement: placements.Placement{ID: id, WorkbookID: "doc", SheetName: sheet, AnchorCell: "A1"},
			}}
		}
		importAll(t, s, second.ID, at(0, "there", "Taken").Placed)
		before := s.Dump(t)
		list := []keep.Imported{
			at(first.ID, "a", "One"), at(second.ID, "b", "Two"), at(second.ID, "a", "Three"), at(first.ID, "there", "Four"), at(4711, "c", "Five"),
			at(second.ID, "", "taken"),
		}
		for _, attempt := range []func() error{
			func() error { return s.Imports().Check(t.Context(), shop, list) },
			func() error { return s.Imports().Import(t.Context(), shop, list, ada) },
		} {
			var got []string
			for _, d := range placements.DetailsOf(attempt()) {
				got = append(got, d.Pointer+" "+string(d.Code))
			}
			want := []string{"/2 invalid_request", "/3 placement_address_taken", "/4 unknown_report", "/5 placement_address_taken"}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("faults (-want +got):\n%s", diff)
			}
			wantSameDump(t, before, s.Dump(t))
		}
		if err := errors.Join(s.Imports().Check(t.Context(), shop, list[:2]), s.Imports().Check(t.Context(), shop, nil)); err != nil {
			t.Errorf("nothing is wrong with the first two: %v", err)
		}
		wantSameDump(t, before, s.Dump(t))
		if err := s.Imports().Import(t.Context(), shop, list[:2], ada); err != nil {
			t.Fatal(err)
		}
		if a, b := len(load(t, s, shop, first.ID).Placements), len(load(t, s, shop, second.ID).Placements); a != 1 || b != 2 {
			t.Errorf("the reports have %d and %d placements, want 1 and 2", a, b)
		}
	})
}

func TestAnImportIsBounded(t *testing.T) {
	each(t, func(t *testing.T, s *storage.Store) {
		r := create(t, s, shop, named("Sales", ""))
		list := make([]keep.Imported, keep.MaxImported+1)
		for i := range list {
			list[i] = keep.Imported{ReportID: r.ID, Placed: storage.Placed{
				Placement: placements.Placement{WorkbookID: "doc", SheetName: fmt.Sprint("S", i), AnchorCell: "A1"},
			}}
		}
		wantInvalid(t, s.Imports().Import(t.Context(), shop, list, ada), placements.CodeInvalid, "")
		if err := s.Imports().Import(t.Context(), shop, list[1:], ada); err != nil {
			t.Fatal(err)
		}
		if got := len(load(t, s, shop, r.ID).Placements); got != keep.MaxImported {
			t.Errorf("%d placements, want %d", got, keep.MaxImported)
		}
	})
}

// A process decides on what it remembers of a report. What was imported since then must count all the same.
func TestWhatIsRememberedFromBeforeAnImportIsNotDecidedOn(t *testing.T) {
	who := adaReads
	doc := func(location, id string) placements.Connection {
		return placements.Connection{ExternalWorkbookID: "doc", ResultLocation: location, PlacementID: id}
	}
	kept := func(id, sheet, anchor string) storage.Placed {
		return storage.Placed{Placement: placements.Placement{ID: id, WorkbookID: "doc", Host: placements.SheetsA, SheetName: sheet, AnchorCell: anchor}}
	}
	each(t, func(t *testing.T, s *storage.Store) {
		r := create(t, s, shop, named("Sales", ""))
		connect := func(c placements.Connection) (*record.ConnectResult, error) {
			return s.Placements().Connect(t.Context(), shop, r.ID, c, who, nil, true)
		}
		if _, err := connect(doc("Data!A1", "p1")); err != nil {
			t.Fatal(err)
		}
		importAll(t, s, r.ID, kept("", "Data", "B2"), kept("p2", "Data", "C3"), kept("", "Data", "D4"))
		if got, err := connect(doc("Data!B2", "")); err != nil || got.Placement.ID == "" || len(load(t, s, shop, r.ID).Placements) != 4 {
			t.Errorf("the first connect there: %+v, %v, want the imported placement with a new id", got, err)
		}
		_, err := connect(doc("Data!C3", "p1"))
		wantConflict(t, err, placements.CodeAddressTaken)
		if got, err := connect(doc("Data!E5", "p2")); err != nil || len(load(t, s, shop, r.ID).Placements) != 4 {
			t.Errorf("a move by an imported id: %+v, %v, want no new placement", got, err)
		}
		_, err = connect(doc("Data!D4", "p1"))
		wantConflict(t, err, placements.CodeAddressTaken)

		// What was disconnected, and is imported again, is another record.
		remove := func(target placements.Target) {
			t.Helper()
			if _, removed, err := s.Placements().Disconnect(t.Context(), shop, r.ID, target, who, nil, true); removed == nil || err != nil {
				t.Errorf("%+v removed %s, %v", target, removed, err)
			}
		}
		again := placements.Target{ExternalWorkbookID: "doc", SheetName: "Data", AnchorCell: "D4"}
		for range 3 {
			remove(again)
			importAll(t, s, r.ID, kept("", "Data", "D4"))
		}
		remove(again)
		if got, err := connect(doc("Data!D4", "p4")); err != nil || got.Placement.ID != "p4" {
			t.Errorf("a connect where an imported one stood: %+v, %v", got, err)
		}
	})
}
