package storage_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mooring/placements"
	"mooring/storage"
	"mooring/storage/record"
	"mooring/storage/record/portable"
)

// refs are the names of assets, with a note on those that were deleted.
func refs(list []portable.ManagedAsset) (names []string) {
	for _, a := range list {
		name := string(a.Kind) + ":" + a.Ref
		if a.Deleted != nil {
			name += " deleted by " + a.Deleted.By
		}
		names = append(names, name)
	}
	return names
}

func TestManagedAssets(t *testing.T) {
	each(t, func(t *testing.T, s *storage.Store) {
		applied(t, s, project(t, sales, board, placement, daily))
		create(t, s, shop, named("By hand", "select 3"))
		create(t, s, shop, named("By hand", "select 3"))
		alone := create(t, s, shop, named("Alone", "select 4"))
		list := func() []string {
			got, err := s.Plans().Managed(t.Context(), shop, "finance", pipeline)
			if err != nil {
				t.Fatal(err)
			}
			return refs(got)
		}
		all := []string{"report:SalesRegion1", "workbook:board", "placement:board.xlsx/Data!A1", "schedule:daily"}
		if diff := cmp.Diff(all, list()); diff != "" {
			t.Error(diff)
		}
		unmanaged, err := s.Plans().Unmanaged(t.Context(), shop, pipeline)
		want := []string{
			"report:" + alone.PublicID, "report:" + record.FreshID(shop, 2), "report:" + record.FreshID(shop, 3), // which show one publicId
		}
		slices.Sort(want)
		if diff := cmp.Diff(want, refs(unmanaged)); err != nil || diff != "" {
			t.Error(diff, err)
		}
		if none, err := s.Plans().Managed(t.Context(), shop, "finance", record.Actor{ID: 99}); err != nil || len(none) != 0 {
			t.Errorf("for a stranger: %v %v", refs(none), err)
		}

		r, err := s.Reports().ByPublicID(t.Context(), shop, "SalesRegion1")
		if err != nil {
			t.Fatal(err)
		}
		moved := placements.Connection{
			ExternalWorkbookID: "board.xlsx", ResultLocation: "Data!C5", PlacementID: r.Placements[0].ID, AddressOnly: true,
		}
		if _, err := s.Placements().Connect(t.Context(), shop, r.ID, moved, pipeline, nil, true); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{
			"report:SalesRegion1", "workbook:board", "placement:board.xlsx/Data!A1 deleted by ", "placement:board.xlsx/Data!C5", "schedule:daily",
		}, list()); diff != "" {
			t.Error(diff)
		}
		if _, _, err := s.Placements().Disconnect(t.Context(), shop, r.ID, placements.Target{PlacementID: r.Placements[0].ID}, pipeline, nil, true); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{
			"report:SalesRegion1", "workbook:board", "placement:board.xlsx/Data!A1 deleted by ci@example.com", "schedule:daily",
		}, list()); diff != "" {
			t.Error(diff)
		}
	})
}
