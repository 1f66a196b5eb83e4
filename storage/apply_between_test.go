package storage_test

import (
	"context"
	"testing"

	"mooring/placements"
	"mooring/storage"
	"mooring/storage/record"
	"mooring/storage/record/portable"
)

// edits are what a person may do while a plan is applied that changes the same asset: each returns what the asset is called then, and
// names reads that.
var edits = map[string]struct {
	edit  func(ctx context.Context, s *storage.Store) error
	names func(ctx context.Context, s *storage.Store) (string, error)
}{
	"a report": {
		func(ctx context.Context, s *storage.Store) error {
			r, err := s.Reports().ByPublicID(ctx, shop, "SalesRegion1")
			if err == nil {
				_, err = s.Reports().Update(ctx, shop, r.ID, named("By hand", "select 1"), bob, anyone)
			}
			return err
		},
		func(ctx context.Context, s *storage.Store) (string, error) {
			r, err := s.Reports().ByPublicID(ctx, shop, "SalesRegion1")
			if err != nil {
				return "", err
			}
			return r.Name, nil
		},
	},
	"a workbook": {
		func(ctx context.Context, s *storage.Store) error {
			w, err := s.Workbooks().BySlug(ctx, shop, "board")
			if err == nil {
				_, err = s.Workbooks().Update(ctx, shop, w.ID, record.WorkbookInput{Name: placements.Sent("By hand")}, bob, func(*record.Workbook) error { return nil })
			}
			return err
		},
		func(ctx context.Context, s *storage.Store) (string, error) {
			w, err := s.Workbooks().BySlug(ctx, shop, "board")
			if err != nil {
				return "", err
			}
			return w.Name, nil
		},
	},
	"a schedule": {
		func(ctx context.Context, s *storage.Store) error {
			c, err := s.Schedules().ByKey(ctx, shop, "daily")
			if err == nil {
				_, err = s.Schedules().Update(ctx, shop, c.ID, bob, func(stored *record.Schedule) (record.Tick, error) {
					stored.Name = "By hand"
					return record.Tick{}, nil
				})
			}
			return err
		},
		func(ctx context.Context, s *storage.Store) (string, error) {
			c, err := s.Schedules().ByKey(ctx, shop, "daily")
			if err != nil {
				return "", err
			}
			return c.Name, nil
		},
	},
}

// changePlanned returns a plan that changes a report, a workbook and a schedule of an empty store that it has filled with them.
func changePlanned(t *testing.T, s *storage.Store) *portable.ApplyPlan {
	t.Helper()
	s.Clear(t)
	s.ForgetPlacements()
	s.ForgetUpserted()
	applied(t, s, project(t, sales, placement, `workbook board {"name":"Board"}`, daily))
	return planned(t, s, project(t, salesTwo, placement, `workbook board {"name":"By plan"}`,
		`schedule daily {"cron":["@weekly"],"target":{"publicId":"SalesRegion1","document":"board.xlsx","address":"Data!A1"}}`))
}

// never is no round trip.
const never = -1

// applyBeside applies a plan, and does something else before one of its round trips. It returns how many the apply made after all.
func applyBeside(t *testing.T, s *storage.Store, id string, at int, meanwhile func()) (trips int, result *portable.PlanResult, err error) {
	t.Helper()
	ended := s.Before(at, meanwhile)
	result, err = s.Plans().Apply(t.Context(), shop, id, pipeline, "UTC", noTick)
	return ended(), result, err
}

// An edit that comes between any two round trips of an apply stands when the apply has ended: before the plan is carried out it makes it
// stale, so that nothing of it is done, and after that it is an edit like any other.
func TestAnEditBetweenTheStepsOfAnApply(t *testing.T) {
	each(t, func(t *testing.T, s *storage.Store) {
		for name, one := range edits {
			meanwhile := func() {
				if err := one.edit(t.Context(), s); err != nil {
					t.Errorf("%s is edited: %v", name, err)
				}
			}
			trips, _, err := applyBeside(t, s, changePlanned(t, s).ID, never, nil)
			if err != nil {
				t.Fatal(err)
			}
			stale := 0
			for at := range trips {
				_, _, err = applyBeside(t, s, changePlanned(t, s).ID, at, meanwhile)
				switch code := placements.CodeOf(err); {
				case code == placements.CodePlanStale:
					stale++
				case err != nil:
					t.Errorf("%s before round trip %d: %v", name, at, err)
				}
				if got, err := one.names(t.Context(), s); err != nil || got != "By hand" {
					t.Errorf("%s edited before round trip %d of %d is called %q (%v)", name, at, trips, got, err)
				}
			}
			if stale == 0 {
				t.Errorf("%s was never edited before the plan was carried out", name)
			}
		}
	})
}

// A plan that is applied between any two round trips of another apply of it is applied once, and both are told the same; so is one that
// changes nothing.
func TestAPlanAppliedBetweenTheStepsOfItsApply(t *testing.T) {
	for name, plan := range map[string]func(*testing.T, *storage.Store) *portable.ApplyPlan{"changes": changePlanned, "no change": nothingPlanned} {
		t.Run(name, func(t *testing.T) {
			each(t, func(t *testing.T, s *storage.Store) { applyTwiceBetween(t, s, plan) })
		})
	}
}

// nothingPlanned returns a plan that changes nothing of what is stored.
func nothingPlanned(t *testing.T, s *storage.Store) *portable.ApplyPlan {
	t.Helper()
	p := changePlanned(t, s)
	if _, err := s.Plans().Apply(t.Context(), shop, p.ID, pipeline, "UTC", noTick); err != nil {
		t.Fatal(err)
	}
	return planned(t, s, project(t, salesTwo, placement))
}

func applyTwiceBetween(t *testing.T, s *storage.Store, plan func(*testing.T, *storage.Store) *portable.ApplyPlan) {
	t.Helper()
	trips, _, err := applyBeside(t, s, plan(t, s).ID, never, nil)
	if err != nil {
		t.Fatal(err)
	}
	for at := range trips {
		id := plan(t, s).ID
		var first *portable.PlanResult
		_, result, err := applyBeside(t, s, id, at, func() {
			if first, err = s.Plans().Apply(t.Context(), shop, id, pipeline, "UTC", noTick); err != nil {
				t.Error(err)
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		a, _ := record.Encode(first)
		if b, _ := record.Encode(result); a != b {
			t.Errorf("before round trip %d: one plan was applied to two ends:\n%s\n%s", at, a, b)
		}
		if r, err := s.Reports().ByPublicID(t.Context(), shop, "SalesRegion1"); err != nil || r.Version != 2 {
			t.Errorf("before round trip %d: %+v %v", at, r, err)
		}
	}
}
