package storage_test

import (
	"testing"

	"mooring/placements"
	"mooring/storage"
	"mooring/storage/record"
	"mooring/storage/record/portable"
)

const costs = `report CostsByMonth {"name":"Costs","sqlQuery":"select 3"}`

// somebody may do what a role of theirs may.
var somebody = record.Actor{ID: 50, Email: "somebody@example.com", Roles: []int64{7}}

// allowRole lets the role of somebody do that with a report.
func allowRole(t testing.TB, s *storage.Store, publicID, action string) {
	t.Helper()
	r, err := s.Reports().ByPublicID(t.Context(), shop, publicID)
	if err != nil {
		t.Fatal(err)
	}
	roles := []record.RoleAccess{{ID: 7, Name: "Some", Actions: []string{action}}}
	if _, err := s.Reports().UpdateAccess(t.Context(), shop, r.ID, roles, pipeline, anyone); err != nil {
		t.Fatal(err)
	}
}

// An apply asks for rights as they are then, also for those that change while it is under way.
func TestAnApplyAsksForRightsAgain(t *testing.T) {
	const moved = `schedule daily {"cron":["@daily"],"target":{"publicId":"CostsByMonth"}}`
	for name, row := range map[string]struct {
		report, action string
		want           placements.Code
	}{
		"may only read the report that it was of": {"SalesRegion1", record.ActionReportRead, placements.CodeForbidden},
		"may not read the report that it was of":  {"SalesRegion1", record.ActionWorkbookRead, placements.CodePlanStale},
		"may only read the report that it is of":  {"CostsByMonth", record.ActionReportRead, placements.CodeForbidden},
		"may still edit both":                     {"CostsByMonth", record.ActionReportManage, ""},
	} {
		for _, during := range []bool{false, true} {
			each(t, func(t *testing.T, s *storage.Store) {
				applied(t, s, project(t, sales, costs, placement, daily))
				allowRole(t, s, "SalesRegion1", record.ActionReportEdit)
				allowRole(t, s, "CostsByMonth", record.ActionReportEdit)
				b := &portable.Bundle{Project: "finance", Assets: project(t, moved).Assets}
				p, _, err := s.Plans().Make(t.Context(), shop, b, somebody, "UTC")
				if err == nil {
					err = s.Plans().Keep(t.Context(), shop, p, b, somebody)
				}
				if err != nil {
					t.Fatal(err, placements.DetailsOf(err))
				}
				if !during {
					allowRole(t, s, row.report, row.action)
				}
				changed := !during
				next := func(*record.Schedule, *record.Schedule) (record.Tick, error) {
					if !changed {
						changed = true
						allowRole(t, s, row.report, row.action)
					}
					return record.Tick{}, nil
				}
				if _, err := s.Plans().Apply(t.Context(), shop, p.ID, somebody, "UTC", next); placements.CodeOf(err) != row.want {
					t.Errorf("who %s by the time (while it is applied: %t): %v, want %q", name, during, err, row.want)
				}
				c, err := s.Schedules().ByKey(t.Context(), shop, "daily")
				if err != nil || (c.Version > 1) != (row.want == "") {
					t.Errorf("%s: %+v, %v", name, c, err)
				}
			})
		}
	}
}
