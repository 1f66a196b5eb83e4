package storage_test

import (
	"fmt"
	"strings"
	"testing"

	"mooring/placements"
	"mooring/storage"
	"mooring/storage/record"
	"mooring/storage/record/portable"
	"mooring/storage/storagetest"
)

// large is a bundle of n assets, a quarter of each kind; the queries of the first few say what was changed.
func large(t testing.TB, n, changed int) *portable.Bundle {
	b := project(t)
	for i := range n / 4 {
		query := "select 1 -- " + strings.Repeat("x", 500)
		if i < changed {
			query += " changed"
		}
		report := fmt.Sprintf("Report%06d", i)
		b.Assets = append(b.Assets, project(t,
			fmt.Sprintf(`report %s {"name":"R","sqlQuery":%q}`, report, query),
			fmt.Sprintf(`workbook w%d {"name":"W","dashboard":{"widgets":[{"id":"a","type":"CHART","config":{"reportPublicId":%q}}]}}`, i, report),
			fmt.Sprintf(`placement b%d.xlsx/Data!A1 {"report":%q,"document":"b%d.xlsx","sheet":"Data","anchor":"A1"}`, i, report, i),
			fmt.Sprintf(`schedule s%d {"cron":["@daily"],"target":{"publicId":%q,"document":"b%d.xlsx","address":"Data!A1"}}`, i, report, i),
		).Assets...)
	}
	return b
}

// The largest bundle is created, and then deleted, in one step each.
func TestApplyTheLargestPlan(t *testing.T) {
	each(t, func(t *testing.T, s *storage.Store) {
		if r := applied(t, s, large(t, portable.MaxBundleAssets, 0)); r.Summary.Create != portable.MaxBundleAssets {
			t.Errorf("%+v", r.Summary)
		}
		if p := planned(t, s, large(t, portable.MaxBundleAssets, 10)); p.Summary.Update != 10 || p.Summary.Unchanged != portable.MaxBundleAssets-10 {
			t.Errorf("%+v", p.Summary)
		}
		b := project(t, `workbook last {}`)
		b.Prune = &portable.Prune{Limit: &portable.PruneLimit{Number: 100, Percent: true}}
		if r := applied(t, s, b); r.Summary.Delete != portable.MaxBundleAssets {
			t.Errorf("%+v", r.Summary)
		}
		b.Assets = make([]portable.Asset, portable.MaxBundleAssets+1)
		if _, _, err := s.Plans().Make(t.Context(), shop, b, pipeline, "UTC"); placements.CodeOf(err) != placements.CodePlanTooLarge {
			t.Errorf("one more: %v", err)
		}
	})
}

// The yardstick of BenchmarkPlan is reading the assets once.
func BenchmarkPlan(b *testing.B) {
	s := storagetest.Open(b, storagetest.Redis(b))
	applied(b, s, large(b, 1000, 0))
	bundle := large(b, 1000, 10)
	b.Run("plan", func(b *testing.B) {
		for b.Loop() {
			if p, _, err := s.Plans().Make(b.Context(), shop, bundle, pipeline, "UTC"); err != nil || p.Summary.Update != 10 {
				b.Fatal(err, p)
			}
		}
	})
	b.Run("list", func(b *testing.B) {
		for b.Loop() {
			n := 0
			for _, err := range s.Reports().List(b.Context(), shop, record.ListQuery{Meta: true}, everyReport) {
				if n++; err != nil {
					b.Fatal(err)
				}
			}
			for _, err := range s.Workbooks().List(b.Context(), shop, record.ListQuery{Meta: true}, func(*record.Workbook) bool { return true }) {
				if n++; err != nil {
					b.Fatal(err)
				}
			}
			all := func(*record.Schedule) (bool, error) { return true, nil }
			p, err := s.Schedules().List(b.Context(), shop, record.ListQuery{First: 1000}, all)
			if n += len(p.Items); err != nil || n != 750 {
				b.Fatal(n, err)
			}
		}
	})
}
