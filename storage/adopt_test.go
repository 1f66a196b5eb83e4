package storage_test

import (
	"strings"
	"testing"

	"mooring/placements"
	"mooring/storage"
	"mooring/storage/record"
	"mooring/storage/record/portable"
)

// A publicId that was made for a report means it, as long as the report has none of its own.
func TestFreshPublicIDs(t *testing.T) {
	each(t, func(t *testing.T, s *storage.Store) {
		first, second := create(t, s, shop, named("A", "select 1")), create(t, s, shop, named("A", "select 1"))
		fresh := record.FreshID(shop, second.ID)
		bundle := func() *portable.Bundle { return project(t, `report `+fresh+` {"name":"A"}`) }
		twice := project(t, `report `+first.PublicID+` {"name":"A"}`, `report `+fresh+` {"name":"A"}`)
		twice.Adopt = []string{"report:#2"}
		if p := planned(t, s, twice); p.Summary.Conflict != 1 {
			t.Errorf("two names of one report: %+v", p.Assets)
		}

		if p := planned(t, s, project(t, `report Cities000002 {"name":"A"}`)); p.Summary.Create != 1 {
			t.Errorf("a publicId that only ends as one made for the report does: %+v", p.Assets)
		}
		p := planned(t, s, bundle())
		if p.Assets[0].Action != portable.ActionAdopt || !strings.Contains(p.Assets[0].Message, "#2") {
			t.Fatalf("%+v", p.Assets[0])
		}
		done, err := s.Plans().Apply(t.Context(), shop, p.ID, pipeline, "UTC", noTick)
		if err != nil || done.Assets[0].ID != second.ID {
			t.Fatal(done, err)
		}
		got, err := s.Reports().ByPublicID(t.Context(), shop, fresh)
		if err != nil || got.ID != second.ID || got.Version != second.Version || !got.ManagedBy.By("finance") {
			t.Errorf("%+v %v", got, err)
		}
		if p := planned(t, s, project(t, `report `+first.PublicID+` {"name":"A"}`)); p.Assets[0].Action != portable.ActionAdopt {
			t.Errorf("the other one, alone with what it shows: %+v", p.Assets[0])
		}
	})
}

func TestFreshPublicIDOfAReportThatWasNamedSince(t *testing.T) {
	each(t, func(t *testing.T, s *storage.Store) {
		create(t, s, shop, named("A", "select 1"))
		second := create(t, s, shop, named("A", "select 1"))
		b := project(t, `report `+record.FreshID(shop, second.ID)+` {"name":"A"}`)
		p := planned(t, s, b)
		other := record.ReportInput{PublicID: placements.Sent("Named0000001")}
		if _, err := s.Reports().Update(t.Context(), shop, second.ID, other, bob, anyone); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Plans().Apply(t.Context(), shop, p.ID, pipeline, "UTC", noTick); placements.CodeOf(err) != placements.CodePlanStale {
			t.Errorf("applied: %v", err)
		}
		if p := planned(t, s, b); p.Assets[0].Action != portable.ActionConflict || !strings.Contains(p.Assets[0].Message, "Named0000001") {
			t.Errorf("%+v", p.Assets[0])
		}
		if err := s.Reports().Delete(t.Context(), shop, second.ID, bob, anyone); err != nil {
			t.Fatal(err)
		}
		if p := planned(t, s, b); p.Assets[0].Action != portable.ActionCreate {
			t.Errorf("%+v", p.Assets[0])
		}
	})
}
