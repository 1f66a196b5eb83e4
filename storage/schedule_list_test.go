package storage_test

import (
	_ "embed"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mooring/storage"
	"mooring/storage/record"
	"mooring/storage/record/portable"
	"mooring/storage/storagetest"
)

// aimed makes a schedule of a report.
func aimed(t *testing.T, s *storage.Store, report int64) int64 {
	t.Helper()
	made, err := schedule(t, s, report, ada.ID, 1)
	must(t, err)
	return made.ID
}

// reaim lets a schedule refresh another report.
func reaim(t *testing.T, s *storage.Store, id, report int64) error {
	_, err := s.Schedules().Update(t.Context(), shop, id, ada, func(c *record.Schedule) (record.Tick, error) {
		c.Target.ReportID = report
		return record.Tick{}, nil
	})
	return err
}

// wantSchedules checks which schedules a report has: those that use it, and those that its list has, in pages of two.
func wantSchedules(t *testing.T, s *storage.Store, report int64, want ...int64) {
	t.Helper()
	checkIndex(t, s.Dump(t))
	uses, err := s.Reports().Uses(t.Context(), shop, report)
	must(t, err)
	if diff := cmp.Diff(want, idsOf(uses.Schedules)); diff != "" {
		t.Errorf("schedules that use report %d (-want +got):\n%s", report, diff)
	}
	var listed []int64
	q := record.ListQuery{First: 2, Schedules: record.ScheduleFilter{Report: report}}
	for {
		page, err := s.Schedules().List(t.Context(), shop, q, func(*record.Schedule) (bool, error) { return true, nil })
		must(t, err)
		listed = append(listed, idsOf(page.Items)...)
		if q.After = page.EndCursor; !page.HasNextPage {
			break
		}
	}
	if diff := cmp.Diff(want, listed); diff != "" {
		t.Errorf("the list of report %d (-want +got):\n%s", report, diff)
	}
}

func idsOf(schedules []*record.Schedule) (ids []int64) {
	for _, c := range schedules {
		ids = append(ids, c.ID)
	}
	return ids
}

// The schedules of a report are found by themselves, whatever was done to them.
func TestSchedulesOfAReport(t *testing.T) {
	each(t, func(t *testing.T, s *storage.Store) {
		a, b := create(t, s, shop, named("A", "select 1")).ID, create(t, s, shop, named("B", "select 2")).ID
		wantSchedules(t, s, a)
		one, two, three := aimed(t, s, a), aimed(t, s, b), aimed(t, s, a)
		four := aimed(t, s, a)
		wantSchedules(t, s, a, one, three, four)
		wantSchedules(t, s, b, two)
		must(t, reaim(t, s, three, b))
		wantSchedules(t, s, a, one, four)
		wantSchedules(t, s, b, two, three)
		_, err := s.Schedules().Update(t.Context(), shop, four, ada, func(c *record.Schedule) (record.Tick, error) {
			c.Paused = true
			return record.Tick{}, nil
		})
		must(t, err)
		wantSchedules(t, s, a, one, four)
		must(t, s.Schedules().Delete(t.Context(), shop, one, ada, func(*record.Schedule) error { return nil }))
		wantSchedules(t, s, a, four)
		uses, err := s.Reports().Uses(t.Context(), shop, b)
		must(t, err)
		must(t, reaim(t, s, three, a)) // after they were found
		must(t, s.Reports().Delete(t.Context(), shop, b, ada, anyone, uses.Schedules...))
		wantSchedules(t, s, b)
		wantSchedules(t, s, a, three, four)
	})
}

// What a project makes, aims at another report and deletes is listed too, and a report that a schedule of another origin uses is spared.
func TestSchedulesOfAProjectsReports(t *testing.T) {
	each(t, func(t *testing.T, s *storage.Store) {
		const (
			weekly = `schedule weekly {"cron":["@weekly"],"target":{"publicId":"SalesRegion1"}}`
			moved  = `schedule weekly {"cron":["@weekly"],"target":{"publicId":"SalesRegion2"}}`
		)
		pruned := func(assets ...string) *portable.ApplyPlan {
			b := project(t, assets...)
			b.Prune = &portable.Prune{Limit: &portable.PruneLimit{Number: 100, Percent: true}}
			p := planned(t, s, b)
			_, err := s.Plans().Apply(t.Context(), shop, p.ID, pipeline, "UTC", noTick)
			must(t, err)
			return p
		}
		reports := func() (first, second int64) {
			claims, _ := s.Claims(t, shop)
			return claims["SalesRegion1"], claims["SalesRegion2"]
		}
		pruned(sales, salesOther, weekly)
		first, second := reports()
		c, err := s.Schedules().ByKey(t.Context(), shop, "weekly")
		must(t, err)
		wantSchedules(t, s, first, c.ID)
		pruned(sales, salesOther, moved)
		wantSchedules(t, s, first)
		wantSchedules(t, s, second, c.ID)
		byHand := aimed(t, s, first)
		if p := pruned(salesOther, moved); p.Summary.Delete != 0 || !slices.ContainsFunc(p.Assets, func(a portable.PlannedAsset) bool {
			return a.Ref == "SalesRegion1"
		}) {
			t.Errorf("a report with a schedule: %+v", p.Assets)
		}
		wantSchedules(t, s, first, byHand)
		must(t, s.Schedules().Delete(t.Context(), shop, byHand, ada, func(*record.Schedule) error { return nil }))
		pruned(salesOther, moved)
		pruned(`workbook last {}`)
		wantSchedules(t, s, first)
		wantSchedules(t, s, second)
		if left, err := s.Schedules().List(t.Context(), shop, record.ListQuery{First: 9}, everySchedule); err != nil || len(left.Items) != 0 {
			t.Errorf("left: %+v %v", left.Items, err)
		}
	})
}

func everySchedule(*record.Schedule) (bool, error) { return true, nil }

//go:embed testdata/layout_3.json
var layout3 []byte

// A storage of layout 3 gets its lists of the reports' schedules at the next start, of several processes at once, and after one that was
// interrupted.
func TestLayout3(t *testing.T) {
	server, rdb := ofLayout(t, layout3)
	stores := openTogether(t, server, 3)
	before := stores[0].Dump(t)
	checkIndex(t, before)
	wantSchedules(t, stores[1], 1, 1, 4)
	wantSchedules(t, stores[2], 2, 2, 3)
	for key := range before {
		if parts := deploymentKey(key); parts.name == "report:2:schedules" {
			must(t, rdb.Del(t.Context(), key).Err())
		}
	}
	must(t, rdb.Set(t.Context(), "mooring:schema", 3, 0).Err())
	wantSameDump(t, before, openTogether(t, server, 3)[0].Dump(t))
}

// openTogether opens a storage as that many processes that start at once.
func openTogether(t *testing.T, server string, n int) []*storage.Store {
	t.Helper()
	stores, errs := make([]*storage.Store, n), make([]error, n)
	together(n, func(i int) {
		stores[i], errs[i] = storage.Open(t.Context(), storage.Config{Address: server, Log: quiet})
	})
	for i, s := range stores {
		must(t, errs[i])
		t.Cleanup(func() { _ = s.Close() })
	}
	return stores
}

// Schedules that are aimed elsewhere and deleted while processes start are listed as they are in the end.
func TestSchedulesAreListedWhileTheyAreWritten(t *testing.T) {
	server := storagetest.Redis(t)
	s := storagetest.Open(t, server)
	a, b := create(t, s, shop, named("A", "select 1")).ID, create(t, s, shop, named("B", "select 2")).ID
	var ids []int64
	for range 60 {
		ids = append(ids, aimed(t, s, a))
	}
	must(t, s.Client().Del(t.Context(), s.ReportSchedules(shop, a)).Err())
	must(t, s.Client().Set(t.Context(), "mooring:schema", 3, 0).Err())
	var writer sync.WaitGroup
	writer.Go(func() {
		for i, id := range ids {
			err := reaim(t, s, id, b)
			if i%3 == 0 && err == nil {
				err = s.Schedules().Delete(t.Context(), shop, id, ada, func(*record.Schedule) error { return nil })
			}
			if err != nil {
				t.Error(err)
			}
		}
	})
	openTogether(t, server, 3)
	writer.Wait()
	checkIndex(t, s.Dump(t))
}

// Planning what deletes a report reads its schedules and no others.
func TestAPlanReadsNoSchedulesOfOtherReports(t *testing.T) {
	address := storagetest.Redis(t)
	s := storagetest.Open(t, address)
	applied(t, s, project(t, sales, salesOther))
	others := create(t, s, shop, named("Others", "select 1")).ID
	b := project(t, sales)
	b.Prune = &portable.Prune{}
	plan := func() (map[string]int64, int64) {
		return storagetest.Asked(t, address, func() { planned(t, s, b) })
	}
	aimed(t, s, others)
	plan() // learns
	calls, bytes := plan()
	for range 1000 {
		aimed(t, s, others)
	}
	after, bytesAfter := plan()
	if diff := cmp.Diff(calls, after); diff != "" || bytesAfter > bytes+slack {
		t.Errorf("%d and %d bytes; commands (-beside 1 +beside 1000):\n%s", bytes, bytesAfter, diff)
	}
}

const (
	salesOther = `report SalesRegion2 {"name":"Other","sqlQuery":"select 3"}`
	slack      = 1000 // bytes: numbers have more digits
)
