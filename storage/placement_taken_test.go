package storage_test

import (
	"errors"
	"sync"
	"testing"

	"mooring/placements"
	"mooring/storage"
	"mooring/storage/record"
)

// wantTaken checks that a connect was refused because of its placementId.
func wantTaken(t *testing.T, fact string, err error) {
	t.Helper()
	var conflict *placements.Error
	if !errors.As(err, &conflict) || conflict.Code != placements.CodeIDTaken {
		t.Errorf("%s: %v, want %s", fact, err, placements.CodeIDTaken)
	}
}

// An id names one placement of a spreadsheet, whichever reports of the tenant stand in it, whatever this process remembers of them.
func TestAPlacementIDIsTakenInItsSpreadsheet(t *testing.T) {
	each(t, func(t *testing.T, s *storage.Store) {
		who := ada
		mine, theirs := create(t, s, shop, named("Mine", "")), create(t, s, other, named("Theirs", ""))
		connect := func(d record.Deployment, report int64, c placements.Connection) error {
			t.Helper()
			_, err := s.Placements().Connect(t.Context(), d, report, c, who, nil, true)
			return err
		}
		at := func(document, location, id string) placements.Connection {
			return placements.Connection{ExternalWorkbookID: document, ResultLocation: location, PlacementID: id}
		}
		must(t, connect(other, theirs.ID, at("book", "Data!A1", "p")))
		wantTaken(t, "at another spot", connect(shop, mine.ID, at("book", "Data!H1", "p")))
		must(t, connect(shop, mine.ID, at("book", "Data!H1", "q")))
		must(t, connect(shop, mine.ID, at("book", "Data!H1", "p"))) // q stands there and stays q
		if _, known := load(t, s, shop, mine.ID).Find("q"); !known {
			t.Error("a placement that stood there lost its id")
		}
		must(t, connect(shop, mine.ID, at("book2", "Data!A1", "p")))
		wantTaken(t, "by a move", connect(shop, mine.ID, at("book", "Data!A2", "p")))
		if _, _, err := s.Placements().Disconnect(t.Context(), other, theirs.ID, placements.Target{PlacementID: "p"}, who, nil, true); err != nil {
			t.Fatal(err)
		}
		must(t, connect(shop, mine.ID, at("book", "Data!A1", "p")))
		wantTaken(t, "once it has moved there", connect(other, theirs.ID, at("book", "Data!Z1", "p")))
		must(t, s.Reports().Delete(t.Context(), shop, mine.ID, ada, anyone))
		must(t, connect(other, theirs.ID, at("book", "Data!Z1", "p")))
		wantOnlyMembers(t, s, "book", "2:1:p")
	})
}

// wantOnlyMembers checks the placements that the index of a spreadsheet lists.
func wantOnlyMembers(t *testing.T, s *storage.Store, document string, want ...string) {
	t.Helper()
	page, err := s.Placements().InDocument(t.Context(), shop.Tenant, document, "", 100)
	if err != nil || len(page.Items) != len(want) {
		t.Fatalf("%s lists %+v, %v, want %q", document, page.Items, err, want)
	}
	for i, p := range page.Items {
		if p.Member != want[i] {
			t.Errorf("%s lists %q, want %q", document, p.Member, want[i])
		}
	}
}

// Of reports that are connected to one spreadsheet under one id at the same moment, one gets it.
func TestOneOfManyGetsAPlacementID(t *testing.T) {
	each(t, func(t *testing.T, s *storage.Store) {
		const reports = 12
		errs := make([]error, reports)
		var wg sync.WaitGroup
		for i := range reports {
			r := create(t, s, shop, named("Sales", ""))
			wg.Go(func() {
				c := placements.Connection{ExternalWorkbookID: "book", ResultLocation: "Data!A1", PlacementID: "p", AddressOnly: i%2 == 0}
				_, errs[i] = s.Placements().Connect(t.Context(), shop, r.ID, c, ada, nil, i%3 == 0)
			})
		}
		wg.Wait()
		got := 0
		for _, err := range errs {
			if err == nil {
				got++
				continue
			}
			wantTaken(t, "one that came later", err)
		}
		if got != 1 {
			t.Errorf("%d reports have the id, want 1", got)
		}
	})
}
