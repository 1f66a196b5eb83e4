package storage_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mooring/placements"
	"mooring/storage"
	"mooring/storage/record"
	"mooring/storage/storagetest"
)

// onBook connects a report at the first cell of a document.
func onBook(document string, edits ...func(*placements.Connection)) placements.Connection {
	c := placements.Connection{ExternalWorkbookID: document, ResultLocation: "Data!A1", AddressOnly: true}
	for _, edit := range edits {
		edit(&c)
	}
	return c
}

// grantRole lets the holders of a role read a report.
func grantRole(t *testing.T, s *storage.Store, report, role int64) {
	t.Helper()
	list := []record.RoleAccess{{ID: role, Actions: []string{record.ActionReportRead}}}
	if _, err := s.Reports().UpdateAccess(t.Context(), shop, report, list, ada, anyone); err != nil {
		t.Fatal(err)
	}
}

// What a token said of who placed a report is kept, so that it can be judged later; only what decides about reports.
func TestAPlacementKeepsWhoPlacedIt(t *testing.T) {
	each(t, func(t *testing.T, s *storage.Store) {
		r := create(t, s, shop, named("Sales", "select 1"))
		carl := record.Actor{
			ID: 9, Email: "carl@example.com", Name: "Carl", Roles: []int64{4, 2}, Actions: []string{"Fly", record.ActionReportEdit, record.ActionWorkbookRead},
		}
		want := &placements.RunAs{UID: 9, Email: "carl@example.com", Roles: []int64{4, 2}, Actions: []string{record.ActionReportEdit}}
		if _, err := s.Placements().Connect(t.Context(), shop, r.ID, onBook("book"), carl, nil, true); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Placements().RecordRefresh(t.Context(), shop, r.ID, placements.Rewrite{Target: placements.Target{
			ExternalWorkbookID: "book", SheetName: "Data", AnchorCell: "A1",
		}}, ada, nil); err != nil {
			t.Fatal(err)
		}
		after := load(t, s, shop, r.ID)
		if diff := cmp.Diff(want, after.Placements[0].RunAs); diff != "" {
			t.Errorf("after a rewrite by another (-want +got):\n%s", diff)
		}
		page, err := s.Placements().InDocument(t.Context(), shop.Tenant, "book", "", 10)
		if err != nil || cmp.Diff(want, page.Items[0].Placement.RunAs) != "" {
			t.Errorf("as the spreadsheet lists it: %+v, %v", page.Items, err)
		}
	})
}

func TestOnlyWhoMayReadPlacesAndOnlyWhoMayEditMovesAnothersPlacement(t *testing.T) {
	each(t, func(t *testing.T, s *storage.Store) {
		r := create(t, s, shop, named("Sales", "select 1"))
		grantRole(t, s, r.ID, 3)
		reader, editor := record.Actor{ID: 11, Roles: []int64{3}}, record.Actor{ID: 12, Actions: []string{record.ActionReportEdit}}
		if _, err := s.Placements().Connect(t.Context(), shop, r.ID, onBook("book"), bob, nil, true); !errors.Is(err, storage.ErrNotFound) {
			t.Errorf("a stranger: %v, want ErrNotFound", err)
		}
		made, err := s.Placements().Connect(t.Context(), shop, r.ID, onBook("book"), ada, nil, true)
		if err != nil {
			t.Fatal(err)
		}
		move := onBook("elsewhere", func(c *placements.Connection) { c.PlacementID = made.Placement.ID })
		_, err = s.Placements().Connect(t.Context(), shop, r.ID, move, reader, nil, true)
		if placements.CodeOf(err) != placements.CodeForbidden {
			t.Errorf("a reader moves ada's placement: %v, want forbidden", err)
		}
		moved, err := s.Placements().Connect(t.Context(), shop, r.ID, move, editor, nil, true)
		if err != nil || moved.Placement.RunAs.UID != editor.ID {
			t.Errorf("an editor moves it: %+v, %v", moved, err)
		}
	})
}

func TestDocumentsBoundWhereReportsArePlaced(t *testing.T) {
	open := func(t *testing.T) *storage.Store {
		s, err := storage.Open(t.Context(), storage.Config{Address: storagetest.Redis(t), Documents: map[record.Deployment]placements.Documents{
			shop: {
				{Name: "google", Kind: placements.SheetsA, Documents: []string{"sales-*", "team/*.xlsx"}},
				{Name: "excel", Kind: placements.SheetsB, Documents: []string{}},
			},
		}})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
		return s
	}
	s := open(t)
	here, there := create(t, s, shop, named("Sales", "select 1")), create(t, s, other, named("Sales", "select 1"))
	for _, tc := range []struct {
		fact       string
		deployment record.Deployment
		sent       placements.Connection
		allowed    bool
	}{
		{"a document that a pattern names", shop, onBook("sales-2026"), true},
		{"a document in a folder that a pattern names", shop, onBook("team/a.xlsx"), true},
		{"a document that no pattern names", shop, onBook("pay"), false},
		{"a star stands for no slash", shop, onBook("team/secret/a.xlsx"), false},
		{"a pattern names the whole id", shop, onBook("my-sales-2026"), false},
		{"a host without a pattern has no documents", shop, onBook("sales-2026", func(c *placements.Connection) { c.Host = placements.SheetsB }), false},
		{"a deployment without bounds", other, onBook("pay"), true},
	} {
		t.Run(tc.fact, func(t *testing.T) {
			id := here.ID
			if tc.deployment == other {
				id = there.ID
			}
			_, err := s.Placements().Connect(t.Context(), tc.deployment, id, tc.sent, ada, nil, true)
			wantPlaced(t, err, tc.allowed)
			in := named("Declared", "select 1")
			in.ExternalWorkbookID, in.ResultLocation, in.Host = placements.Sent(tc.sent.ExternalWorkbookID), placements.Sent("Data!A1"), placements.Sent(tc.sent.Host)
			_, err = s.Reports().Create(t.Context(), tc.deployment, in, ada)
			wantPlaced(t, err, tc.allowed)
		})
	}
}

// wantPlaced checks what came of placing a report where the configuration allows it or does not.
func wantPlaced(t *testing.T, err error, allowed bool) {
	t.Helper()
	code, details := placements.CodeOf(err), placements.DetailsOf(err)
	switch {
	case allowed && err != nil:
		t.Errorf("%v, want it placed", err)
	case !allowed && (code != placements.CodeDocument || details[0].Pointer != "/externalWorkbookId"):
		t.Errorf("%v, want document_not_allowed", err)
	}
}

func TestAnUnknownSourceNamesNoHost(t *testing.T) {
	each(t, func(t *testing.T, s *storage.Store) {
		in := named("Sales", "select 1")
		in.Source = placements.Sent("SHEETS_C")
		_, err := s.Reports().Create(t.Context(), shop, in, ada)
		wantInvalid(t, err, placements.CodeInvalid, "/source")
	})
}

func TestARunAndAScheduleKeepTheRightsOfWhoAsked(t *testing.T) {
	each(t, func(t *testing.T, s *storage.Store) {
		r := create(t, s, shop, named("Sales", "select 1"))
		who := record.Actor{ID: 9, Email: "carl@example.com", Roles: []int64{4}, Actions: []string{"Fly", record.ActionReportRead}}
		kept := who
		kept.Actions = []string{record.ActionReportRead}
		run := &record.Run{ReportID: r.ID, RequestedBy: who, Placements: []record.RunPlacement{}}
		if err := storagetest.Enqueue(t.Context(), s.Work(), shop, run); err != nil {
			t.Fatal(err)
		}
		again, err := s.Queue().Runs.Get(t.Context(), shop, run.ID)
		if err != nil || cmp.Diff(kept, again.RequestedBy) != "" {
			t.Errorf("a run keeps %+v, %v", again.RequestedBy, err)
		}
		first := func(int64) record.Tick { return record.Tick{} }
		c, err := s.Schedules().Create(t.Context(), shop, record.ScheduleSpec{Target: record.RunTarget{ReportID: r.ID}}, who, first)
		if err != nil {
			t.Fatal(err)
		}
		if c, err = s.Schedules().Get(t.Context(), shop, c.ID); err != nil || cmp.Diff(kept, c.Owner) != "" {
			t.Errorf("a schedule keeps %+v, %v", c.Owner, err)
		}
		text, err := json.Marshal(again)
		if err != nil || strings.Contains(string(text), "actions") {
			t.Errorf("a run shows the rights of who asked: %s, %v", text, err)
		}
	})
}
