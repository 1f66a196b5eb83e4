package storage_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"mooring/placements"
	"mooring/storage"
)

// A connect shows the placement that it has written without reading it back where it is the only one.
func TestConnectShowsWhatAReadShows(t *testing.T) {
	each(t, func(t *testing.T, s *storage.Store) {
		r := create(t, s, shop, named("Sales", ""))
		reader := storage.Reader{User: storage.User{ID: 7}, All: true}
		for _, location := range []string{"S!A1:B3", "S!A1:C4", "S!D1", "S!A1:B3"} {
			c := placements.Connection{ExternalWorkbookID: "book", ResultLocation: location}
			done, err := s.Connect(t.Context(), shop, r.ID, c, reader, false)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(load(t, s, shop, r.ID).Show(), done.Report.Show()); diff != "" {
				t.Errorf("%s (-read +connected):\n%s", location, diff)
			}
		}
	})
}
