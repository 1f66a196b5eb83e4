package storage_test

import (
	"errors"
	"testing"

	"mooring/placements"
	"mooring/storage"
	"mooring/storage/record"
)

func TestScheduleKeys(t *testing.T) {
	each(t, func(t *testing.T, s *storage.Store) {
		r := create(t, s, shop, named("Sales", "select 1"))
		spec := record.ScheduleSpec{Key: "daily", Target: record.RunTarget{ReportID: r.ID}, Cron: []string{"@daily"}}
		put := func(d record.Deployment, spec record.ScheduleSpec) (*record.Schedule, error) {
			return s.Schedules().Create(t.Context(), d, spec, ada, func(int64) record.Tick { return record.Tick{} })
		}
		first, err := put(shop, spec)
		if err != nil {
			t.Fatal(err)
		}
		if found, err := s.Schedules().ByKey(t.Context(), shop, "daily"); err != nil || found.ID != first.ID || found.Key != "daily" {
			t.Errorf("%+v %v", found, err)
		}
		if _, err := put(shop, spec); placements.CodeOf(err) != placements.CodeKeyTaken {
			t.Errorf("a second one with the key: %v", err)
		}
		if _, err := put(shop, record.ScheduleSpec{Key: "Daily!", Target: spec.Target}); placements.CodeOf(err) != placements.CodeInvalid {
			t.Errorf("a key of another shape: %v", err)
		}
		without, err := put(shop, record.ScheduleSpec{Target: spec.Target})
		if err != nil {
			t.Fatal(err)
		}
		name := func(id int64, key string) error {
			_, err := s.Schedules().Update(t.Context(), shop, id, record.Actor{ID: 7}, func(c *record.Schedule) (record.Tick, error) {
				c.Key = key
				return record.Tick{}, nil
			})
			return err
		}
		for _, row := range []struct {
			name, key string
			id        int64
			want      placements.Code
		}{
			{"one that another has", "daily", without.ID, placements.CodeKeyTaken},
			{"one for a schedule without", "weekly", without.ID, ""},
			{"the same again", "weekly", without.ID, ""},
			{"another one", "monthly", without.ID, placements.CodeKeyFixed},
			{"none any more", "", without.ID, placements.CodeKeyFixed},
		} {
			if err := name(row.id, row.key); placements.CodeOf(err) != row.want || row.want == "" && err != nil {
				t.Errorf("%s: %v", row.name, err)
			}
		}
		if err := s.Schedules().Delete(t.Context(), shop, first.ID, ada, func(*record.Schedule) error { return nil }); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Schedules().ByKey(t.Context(), shop, "daily"); !errors.Is(err, storage.ErrNotFound) {
			t.Errorf("after its deletion: %v", err)
		}
		if _, err := put(shop, spec); err != nil {
			t.Errorf("the key again: %v", err)
		}
	})
}
