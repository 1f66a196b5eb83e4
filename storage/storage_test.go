package storage_test

import (
	"errors"
	"testing"

	"mooring/placements"
	"mooring/storage"
	"mooring/storage/storagetest"
)

var (
	shop = storage.Deployment{Tenant: "acme", ID: 1}
	ada  = storage.User{ID: 7, Email: "ada@example.com", FirstName: "Ada"}
)

func anyone(*storage.Report) error { return nil }

func create(t *testing.T, s *storage.Store, d storage.Deployment, in storage.ReportInput) *storage.Report {
	t.Helper()
	r, err := s.CreateReport(t.Context(), d, in, ada)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestConnectAndDisconnect(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, s *storage.Store) {
		r := create(t, s, shop, storage.ReportInput{Name: storage.Sent("Sales")})
		c := placements.Connection{ExternalWorkbookID: "book", ResultLocation: "Sheet1!B2"}
		got, err := s.Connect(t.Context(), shop, r.ID, c, ada, anyone)
		if err != nil {
			t.Fatal(err)
		}
		if loaded, _ := s.Report(t.Context(), shop, r.ID); len(loaded.Placements) != 1 || loaded.ResultLocation != "Sheet1!B2" {
			t.Errorf("after connect: %+v", loaded)
		}
		_, removed, err := s.Disconnect(t.Context(), shop, r.ID, placements.Target{PlacementID: got.Placement.ID}, anyone)
		if err != nil || removed == nil || removed.ID != got.Placement.ID {
			t.Errorf("removed %+v, %v", removed, err)
		}
		if entries, err := s.DocumentPlacements(t.Context(), "acme", "book"); len(entries) != 0 || err != nil {
			t.Errorf("index after disconnect: %+v, %v", entries, err)
		}
	})
}

func TestUnknownReportIsNotFound(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, s *storage.Store) {
		if _, err := s.Report(t.Context(), shop, 99); !errors.Is(err, storage.ErrNotFound) {
			t.Errorf("got %v", err)
		}
		_, err := s.Connect(t.Context(), shop, 99, placements.Connection{}, ada, anyone)
		if !errors.Is(err, storage.ErrNotFound) {
			t.Errorf("got %v", err)
		}
	})
}
