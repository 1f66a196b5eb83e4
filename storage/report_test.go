package storage_test

import (
	"encoding/json"
	"errors"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mooring/checksum"
	"mooring/placements"
	"mooring/storage"
	"mooring/storage/record"
)

const (
	chosen   = "Sales2026abc"
	another  = "Costs2026abc"
	reserved = "000000abcdef"
)

func TestCreateReport(t *testing.T) {
	each(t, func(t *testing.T, s *storage.Store) {
		in := named("Sales", "select 1")
		in.Title, in.FolderID, in.Meta = placements.Sent("All sales"), placements.Sent[int64](4), raw(`{ "chart" : {"kind":"bar"} }`)
		in.Source = placements.Sent("PLAYGROUND")
		in.PivotItems = placements.Sent(record.PivotItems{Columns: []string{"a"}, Filters: []string{}, Measures: []string{}, Rows: []string{}})
		r := create(t, s, shop, withPublicID(in, chosen))
		folder := int64(4)
		want := &storage.Report{ReportHead: record.ReportHead{
			DefinitionText: r.DefinitionText, ID: 1, DeploymentID: 1, PublicID: chosen, StoredPublicID: chosen, Type: "REPORT", UserID: 7,
			Definition: record.Definition{
				Name: "Sales", Title: "All sales", SQLQuery: "select 1", FolderID: &folder, Source: "PLAYGROUND",
				Meta: json.RawMessage(`{"chart":{"kind":"bar"}}`), PivotItems: in.PivotItems.Value,
				RolesWithAccess: []record.RoleAccess{}, CreatedBy: 7, User: ada.User(), UpdatedBy: new(ada.User()), Version: 1,
				CreatedAt: r.CreatedAt, UpdatedAt: r.CreatedAt, CurrentChecksum: r.CurrentChecksum,
			},
		}}
		if diff := cmp.Diff(want, r, shownOnly); diff != "" {
			t.Errorf("created:\n%s", diff)
		}
		want.Placements = []storage.Placed{}
		if diff := cmp.Diff(want, load(t, s, shop, r.ID), shownOnly); diff != "" {
			t.Errorf("read back:\n%s", diff)
		}
	})
}

func TestPublicIDOfANewReport(t *testing.T) {
	each(t, func(t *testing.T, s *storage.Store) {
		create(t, s, shop, withPublicID(named("first", ""), chosen))
		_, err := s.Reports().Create(t.Context(), shop, withPublicID(named("second", ""), chosen), ada)
		wantConflict(t, err, placements.CodePublicIDTaken)
		_, err = s.Reports().Create(t.Context(), other, withPublicID(named("second", ""), chosen), ada)
		wantConflict(t, err, placements.CodeElsewhere)
		for _, id := range []string{reserved, "short", "Sales-2026ab", "Sales2026abcd"} {
			_, err = s.Reports().Create(t.Context(), shop, withPublicID(named("third", ""), id), ada)
			code, _ := record.PublicIDFault(id)
			wantInvalid(t, err, code, "/publicId")
		}
		elsewhere := record.Deployment{Tenant: "globex", ID: 1}
		if r := create(t, s, elsewhere, withPublicID(named("first", ""), chosen)); r.PublicID != chosen {
			t.Errorf("another account's reports count: %s", r.PublicID)
		}
	})
}

func TestSynthesizedID(t *testing.T) {
	each(t, func(t *testing.T, s *storage.Store) {
		r := create(t, s, shop, named("Sales", "select 1"))
		twin := create(t, s, shop, named("Sales", "select 1"))
		if _, fault := record.PublicIDFault(r.PublicID); r.StoredPublicID != "" || fault != "" || r.PublicID != twin.PublicID {
			t.Errorf("identical creations show %q and %q", r.PublicID, twin.PublicID)
		}
		if r.ID == twin.ID {
			t.Error("identical creations are one report")
		}
		edited, err := s.Reports().Update(t.Context(), shop, r.ID, named("Renamed", "select 2"), ada, anyone)
		if err != nil || edited.PublicID != r.PublicID {
			t.Errorf("after an edit it shows %q, want %q (%v)", edited.PublicID, r.PublicID, err)
		}
	})
}

func TestUpdateReport(t *testing.T) {
	start := named("Sales", "select 1")
	start.FolderID, start.Meta = placements.Sent[int64](4), raw(`{"a":1,"b":{"c":2}}`)
	start.Source = placements.Sent("D3")
	tests := map[string]struct {
		in      record.ReportInput
		changed bool
	}{
		"an absent key changes nothing":                   {record.ReportInput{}, false},
		"the same values change nothing":                  {start, false},
		"source is recorded at creation only":             {record.ReportInput{Source: placements.Sent("PLAYGROUND")}, false},
		"meta with its keys in another order is the same": {record.ReportInput{Meta: raw(`{"b": {"c": 2}, "a": 1}`)}, false},
		"meta is replaced, not merged":                    {record.ReportInput{Meta: raw(`{"a":1}`)}, true},
		"meta null clears it":                             {record.ReportInput{Meta: placements.Null[json.RawMessage]()}, true},
		"a name is changed":                               {record.ReportInput{Name: placements.Sent("Costs")}, true},
		"null clears a folder":                            {record.ReportInput{FolderID: placements.Null[int64]()}, true},
		"null clears a name":                              {record.ReportInput{Name: placements.Null[string]()}, true},
		"pivot items are set":                             {record.ReportInput{PivotItems: placements.Sent(record.PivotItems{Rows: []string{"x"}})}, true},
		"spreadsheet keys that are empty place nothing": {record.ReportInput{SpreadsheetKeys: record.SpreadsheetKeys{
			ExternalWorkbookID: placements.Sent(""), ResultLocation: placements.Null[string](),
		}}, false},
		"a publicId of null is none where none is stored": {record.ReportInput{PublicID: placements.Null[string]()}, false},
		"the publicId that is shown, read back, is no change": {record.ReportInput{
			PublicID: placements.Sent(record.SynthesizedID("Sales", "select 1", "")), ReadBack: true,
		}, false},
		"a workbookName alone is not about the definition": {record.ReportInput{SpreadsheetKeys: record.SpreadsheetKeys{
			WorkbookName: placements.Sent("Book"),
		}}, false},
	}
	each(t, func(t *testing.T, s *storage.Store) {
		for name, tt := range tests {
			t.Run(name, func(t *testing.T) {
				before := load(t, s, shop, create(t, s, shop, start).ID)
				got, err := s.Reports().Update(t.Context(), shop, before.ID, tt.in, bob, anyone)
				if err != nil {
					t.Fatal(err)
				}
				after := load(t, s, shop, before.ID)
				wantSame(t, got, after)
				if !tt.changed {
					wantSame(t, before, after)
				} else if after.Version != 2 || after.CreatedBy != ada.ID || after.UpdatedBy.ID != bob.ID {
					t.Errorf("version %d, createdBy %d, updatedBy %d; want 2, %d, %d", after.Version, after.CreatedBy, after.UpdatedBy.ID, ada.ID, bob.ID)
				}
				if updated := got.Effect == record.Updated; updated != tt.changed {
					t.Errorf("it was %s", got.Effect)
				}
			})
		}
	})
}

func TestQueryChecksum(t *testing.T) {
	each(t, func(t *testing.T, s *storage.Store) {
		r := create(t, s, shop, named("Sales", "select 1"))
		update := func(in record.ReportInput) string {
			t.Helper()
			got, err := s.Reports().Update(t.Context(), shop, r.ID, in, ada, anyone)
			if err != nil {
				t.Fatal(err)
			}
			return got.CurrentChecksum
		}
		if got := update(record.ReportInput{Name: placements.Sent("x"), Meta: raw(`{"y":1}`)}); got != r.CurrentChecksum {
			t.Error("what does not decide the cells changes the checksum")
		}
		if got := update(record.ReportInput{JSONQuery: placements.Sent("{}")}); got == r.CurrentChecksum {
			t.Error("another jsonQuery has the same checksum")
		}
		if got := update(record.ReportInput{JSONQuery: placements.Sent("")}); got != r.CurrentChecksum {
			t.Error("reverting the edit does not restore the checksum")
		}
		if got := update(record.ReportInput{PivotItems: placements.Sent(record.PivotItems{ShowColumnTotals: true})}); got == r.CurrentChecksum {
			t.Error("other pivot items have the same checksum")
		}
	})
}

func TestPublicIDIsWriteOnce(t *testing.T) {
	each(t, func(t *testing.T, s *storage.Store) {
		r := create(t, s, shop, named("Sales", "select 1"))
		twin := create(t, s, shop, named("Sales", "select 1"))
		create(t, s, shop, withPublicID(named("taken", ""), another))
		create(t, s, other, withPublicID(named("elsewhere", ""), "Elsewhere123"))
		assign := func(id string) error {
			_, err := s.Reports().Update(t.Context(), shop, r.ID, record.ReportInput{PublicID: placements.Sent(id)}, ada, anyone)
			return err
		}
		wantConflict(t, assign(another), placements.CodePublicIDTaken)
		wantConflict(t, assign("Elsewhere123"), placements.CodeElsewhere)
		wantInvalid(t, assign(reserved), placements.CodeReservedID, "/publicId")
		if got := load(t, s, shop, r.ID); got.StoredPublicID != "" || got.Version != 1 {
			t.Fatalf("refused assignments left %+v", got)
		}
		if err := assign(chosen); err != nil {
			t.Fatal(err)
		}
		if got := load(t, s, shop, r.ID); got.PublicID != chosen || got.Version != 2 {
			t.Errorf("after the assignment: %s, version %d", got.PublicID, got.Version)
		}
		if err := assign(chosen); err != nil {
			t.Errorf("the same again: %v", err)
		}
		wantInvalid(t, assign("Different123"), placements.CodePublicIDFixed, "/publicId")
		_, err := s.Reports().Update(t.Context(), shop, r.ID, record.ReportInput{PublicID: placements.Null[string]()}, ada, anyone)
		wantInvalid(t, err, placements.CodePublicIDFixed, "/publicId")
		if got := load(t, s, shop, r.ID); got.PublicID != chosen || got.Version != 2 {
			t.Errorf("after refusals: %s, version %d", got.PublicID, got.Version)
		}
		if got := upsert(t, s, shop, twin.PublicID, record.ReportInput{}); got.ID != twin.ID {
			t.Errorf("the synthesized id, now of one report only, leads to %d, want %d", got.ID, twin.ID)
		}
	})
}

func TestAccessIsAskedUnderTheLock(t *testing.T) {
	each(t, func(t *testing.T, s *storage.Store) {
		r := load(t, s, shop, create(t, s, shop, named("Sales", "select 1")).ID)
		calls := map[string]func(allow func(*storage.Report) error) error{
			"update": func(allow func(*storage.Report) error) error {
				_, err := s.Reports().Update(t.Context(), shop, r.ID, named("x", "y"), bob, allow)
				return err
			},
			"access": func(allow func(*storage.Report) error) error {
				_, err := s.Reports().UpdateAccess(t.Context(), shop, r.ID, []record.RoleAccess{{ID: 1}}, ada, allow)
				return err
			},
			"delete": func(allow func(*storage.Report) error) error {
				return s.Reports().Delete(t.Context(), shop, r.ID, ada, allow)
			},
			"upsert": func(allow func(*storage.Report) error) error {
				_, err := s.Reports().Upsert(t.Context(), shop, r.PublicID, named("x", "y"), bob, allow)
				return err
			},
		}
		for name, call := range calls {
			err := call(func(seen *storage.Report) error {
				if seen == nil || seen.ID != r.ID {
					t.Errorf("%s: asked about %+v", name, seen)
				}
				return errDenied
			})
			if !errors.Is(err, errDenied) {
				t.Errorf("%s: %v", name, err)
			}
			wantSame(t, r, load(t, s, shop, r.ID))
			if _, err := s.Reports().Update(t.Context(), shop, r.ID, record.ReportInput{}, ada, anyone); err != nil {
				t.Errorf("after a denied %s the report stays locked: %v", name, err)
			}
		}
	})
}

func TestUpdateAccess(t *testing.T) {
	each(t, func(t *testing.T, s *storage.Store) {
		r := create(t, s, shop, named("Sales", ""))
		roles := []record.RoleAccess{{ID: 3, Name: "Analysts", Actions: []string{"ReportEdit"}}}
		for range 2 {
			if _, err := s.Reports().UpdateAccess(t.Context(), shop, r.ID, roles, ada, anyone); err != nil {
				t.Fatal(err)
			}
			if got := load(t, s, shop, r.ID); !reflect.DeepEqual(got.RolesWithAccess, roles) || got.Version != 2 {
				t.Errorf("%+v, version %d", got.RolesWithAccess, got.Version)
			}
		}
	})
}

func TestDeleteReport(t *testing.T) {
	each(t, func(t *testing.T, s *storage.Store) {
		in := withPublicID(named("Sales", ""), chosen)
		in.ExternalWorkbookID, in.ResultLocation = placements.Sent("book"), placements.Sent("S!A1")
		placed := create(t, s, shop, in)
		loose := create(t, s, shop, named("Costs", ""))
		for _, r := range []*storage.Report{placed, loose} {
			if err := s.Reports().Delete(t.Context(), shop, r.ID, ada, anyone); err != nil {
				t.Fatal(err)
			}
			if _, err := s.Reports().Get(t.Context(), shop, r.ID); !errors.Is(err, storage.ErrNotFound) {
				t.Errorf("deleted: %v", err)
			}
			if err := s.Reports().Delete(t.Context(), shop, r.ID, ada, anyone); !errors.Is(err, storage.ErrNotFound) {
				t.Errorf("deleted twice: %v", err)
			}
		}
		wantOnly(t, s, "mooring:partitions", "mooring:schema", ":ids", ":events", ":audit")
		if r := upsert(t, s, other, chosen, named("Sales", "")); r.PublicID != chosen {
			t.Error("the publicId of a deleted report is not free")
		}
	})
}

func TestSpreadsheetKeysRecordAPlacement(t *testing.T) {
	sum := checksum.ResultChecksum{V: 2, Chunks: []checksum.Chunk{{From: 0, To: 3, Hash: "ab"}}}
	sent := named("Sales", "select 1")
	sent.ExternalWorkbookID, sent.ResultLocation = placements.Sent("book"), placements.Sent("Sheet1!B2")
	sent.EndResultCell, sent.WorkbookName = placements.Sent("D9"), placements.Sent("Plan")
	sent.ResultChecksum = placements.Sent(sum)
	each(t, func(t *testing.T, s *storage.Store) {
		r := upsert(t, s, shop, chosen, sent)
		before := load(t, s, shop, r.ID)
		if len(before.Placements) != 1 {
			t.Fatalf("placements %+v", before.Placements)
		}
		p := before.Placements[0]
		if p.SheetName != "Sheet1" || p.AnchorCell != "B2" || p.EndResultCell != "D9" || p.WorkbookName != "Plan" ||
			p.QueryChecksum != r.CurrentChecksum || !reflect.DeepEqual(p.ResultChecksum, &sum) || p.PlacedByUserID != ada.ID {
			t.Errorf("placement %+v", p)
		}
		if before.ExternalWorkbookID != "book" || before.ResultLocation != "Sheet1!B2" || before.EndResultCell != "D9" || before.Version != 1 {
			t.Errorf("the report echoes %+v, version %d", before.LastRefresh, before.Version)
		}

		upsert(t, s, shop, chosen, sent)
		wantSame(t, before, load(t, s, shop, r.ID))

		var echo record.ReportInput
		echo.ExternalWorkbookID = placements.Sent(before.ExternalWorkbookID)
		echo.ResultLocation, echo.EndResultCell = placements.Sent(before.ResultLocation), placements.Sent(before.EndResultCell)
		upsert(t, s, shop, chosen, echo)
		wantSame(t, before, load(t, s, shop, r.ID))

		echo.SQLQuery = placements.Sent("select 2")
		edited := upsert(t, s, shop, chosen, echo)
		if p := edited.Placements[0]; p.QueryChecksum != before.CurrentChecksum || edited.CurrentChecksum == before.CurrentChecksum {
			t.Error("an edit that repeats the address passes for a data write")
		}

		echo.ResultChecksum = placements.Sent(checksum.ResultChecksum{V: 2, Chunks: []checksum.Chunk{{From: 0, To: 1, Hash: "cd"}}})
		written := upsert(t, s, shop, chosen, echo)
		if p := written.Placements[0]; p.QueryChecksum != written.CurrentChecksum || p.ResultChecksum.Chunks[0].Hash != "cd" {
			t.Errorf("a new resultChecksum is not recorded: %+v", p)
		}
		if written.Version != edited.Version {
			t.Error("recording a placement makes a version")
		}
	})
}

func TestSpreadsheetKeysLeftOutAreThoseOfThePlacementRecordedLast(t *testing.T) {
	each(t, func(t *testing.T, s *storage.Store) {
		in := named("Sales", "select 1")
		in.ExternalWorkbookID, in.ResultLocation = placements.Sent("book"), placements.Sent("Sheet1!B2")
		r := create(t, s, shop, in)
		update := func(keys record.SpreadsheetKeys) *storage.Report {
			t.Helper()
			got, err := s.Reports().Update(t.Context(), shop, r.ID, record.ReportInput{SpreadsheetKeys: keys}, ada, anyone)
			if err != nil {
				t.Fatal(err)
			}
			return got
		}
		if got := update(record.SpreadsheetKeys{EndResultCell: placements.Sent("D9")}); len(got.Placements) != 1 || got.Placements[0].EndResultCell != "D9" {
			t.Errorf("a new end: %+v", got.Placements)
		}
		if got := update(record.SpreadsheetKeys{ResultLocation: placements.Sent("Sheet2!A1")}); len(got.Placements) != 2 || got.Placements[1].WorkbookID != "book" {
			t.Errorf("another place in the same spreadsheet: %+v", got.Placements)
		}
		var elsewhere record.ReportInput
		elsewhere.ExternalWorkbookID = placements.Sent("other")
		_, err := s.Reports().Update(t.Context(), shop, r.ID, elsewhere, ada, anyone)
		if placements.CodeOf(err) != placements.CodeAddress {
			t.Errorf("another spreadsheet without a place in it: %v", err)
		}
	})
}

func TestSpreadsheetKeysThatNameNoSpot(t *testing.T) {
	each(t, func(t *testing.T, s *storage.Store) {
		in := withPublicID(named("Sales", ""), chosen)
		in.ExternalWorkbookID, in.ResultLocation = placements.Sent("book"), placements.Sent("nowhere")
		if _, err := s.Reports().Create(t.Context(), shop, in, ada); err == nil {
			t.Fatal("a bad address is accepted")
		}
		wantOnly(t, s, "mooring:partitions", "mooring:schema", ":ids", ":events", ":audit")
	})
}
