package storage_test

import (
	"errors"
	"iter"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mooring/placements"
	"mooring/storage"
	"mooring/storage/list"
	"mooring/storage/record"
)

// pageOf is the first so many of a list.
func pageOf[T any](first int, items iter.Seq2[list.Item[T], error]) (p record.Page[T], err error) {
	for item, err := range items {
		if err = errors.Join(err, item.Err); err != nil {
			return p, err
		}
		if p.HasNextPage = len(p.Items) == first; p.HasNextPage {
			break
		}
		p.Items = append(p.Items, item.Asset)
		if p.EndCursor, err = item.Cursor(); err != nil {
			return p, err
		}
	}
	return p, nil
}

// names goes through all pages of a list and gives the names on each.
func names(t *testing.T, s *storage.Store, q record.ListQuery, visible func(*storage.Report) bool) [][]string {
	t.Helper()
	var pages [][]string
	for {
		page, err := pageOf(q.First, s.Reports().List(t.Context(), shop, q, visible))
		if err != nil {
			t.Fatal(err)
		}
		var on []string
		for _, r := range page.Items {
			on = append(on, r.Name)
		}
		pages = append(pages, on)
		if !page.HasNextPage {
			return pages
		}
		q.After = page.EndCursor
	}
}

func TestReportList(t *testing.T) {
	folder, workbook := int64(4), int64(9)
	each(t, func(t *testing.T, s *storage.Store) {
		now := time.Now()
		s.SetNow(func() time.Time { now = now.Add(time.Millisecond); return now })
		var first int64
		for i, name := range []string{"beta", "Alpha", "gamma", "alpha", "Delta"} {
			in := named(name, "select "+strconv.Itoa(i))
			if i%2 == 0 {
				in.FolderID = placements.Sent(folder)
			}
			switch name {
			case "gamma":
				in.WorkbookID, in.Title = placements.Sent(workbook), placements.Sent("The ALPHABET")
			case "Delta":
				in.ExternalWorkbookID, in.ResultLocation = placements.Sent("book"), placements.Sent("S!A1")
			}
			if r := create(t, s, shop, in); i == 0 {
				first = r.ID
			}
		}
		create(t, s, other, named("elsewhere", ""))
		if _, err := s.Reports().Update(t.Context(), shop, first, record.ReportInput{Title: placements.Sent("edited last")}, ada, anyone); err != nil {
			t.Fatal(err)
		}
		tests := map[string]struct {
			query   record.ListQuery
			visible func(*storage.Report) bool
			want    [][]string
		}{
			"in the order of creation":         {record.ListQuery{First: 10}, everyReport, [][]string{{"beta", "Alpha", "gamma", "alpha", "Delta"}}},
			"the latest first":                 {record.ListQuery{First: 10, Descending: true}, everyReport, [][]string{{"Delta", "alpha", "gamma", "Alpha", "beta"}}},
			"in pages":                         {record.ListQuery{First: 2}, everyReport, [][]string{{"beta", "Alpha"}, {"gamma", "alpha"}, {"Delta"}}},
			"a full last page has no next":     {record.ListQuery{First: 5}, everyReport, [][]string{{"beta", "Alpha", "gamma", "alpha", "Delta"}}},
			"by name, case apart":              {record.ListQuery{First: 2, SortBy: record.ByName}, everyReport, [][]string{{"Alpha", "alpha"}, {"beta", "Delta"}, {"gamma"}}},
			"by name, downwards":               {record.ListQuery{First: 2, SortBy: record.ByName, Descending: true}, everyReport, [][]string{{"gamma", "Delta"}, {"beta", "alpha"}, {"Alpha"}}},
			"by time of creation":              {record.ListQuery{First: 9, SortBy: record.ByCreatedAt, Descending: true}, everyReport, [][]string{{"Delta", "alpha", "gamma", "Alpha", "beta"}}},
			"by time of change":                {record.ListQuery{First: 3, SortBy: record.ByUpdatedAt}, everyReport, [][]string{{"Alpha", "gamma", "alpha"}, {"Delta", "beta"}}},
			"by folder":                        {record.ListQuery{First: 2, FolderID: &folder}, everyReport, [][]string{{"beta", "gamma"}, {"Delta"}}},
			"by workbook":                      {record.ListQuery{First: 2, WorkbookID: &workbook}, everyReport, [][]string{{"gamma"}}},
			"by spreadsheet":                   {record.ListQuery{First: 2, ExternalWorkbookID: "book"}, everyReport, [][]string{{"Delta"}}},
			"by a spreadsheet without any":     {record.ListQuery{First: 2, ExternalWorkbookID: "none"}, everyReport, [][]string{nil}},
			"by text in name or title":         {record.ListQuery{First: 9, Search: "aLPHa"}, everyReport, [][]string{{"Alpha", "gamma", "alpha"}}},
			"what may not be seen is left out": {record.ListQuery{First: 2}, func(r *storage.Report) bool { return r.FolderID != nil }, [][]string{{"beta", "gamma"}, {"Delta"}}},
		}
		for name, tt := range tests {
			t.Run(name, func(t *testing.T) {
				if diff := cmp.Diff(tt.want, names(t, s, tt.query, tt.visible)); diff != "" {
					t.Error(diff)
				}
			})
		}
		page, err := pageOf(9, s.Reports().List(t.Context(), shop, record.ListQuery{First: 9, ExternalWorkbookID: "book"}, everyReport))
		if err != nil || len(page.Items[0].Placements) != 1 {
			t.Errorf("a listed report shows %+v, %v", page.Items[0].Placements, err)
		}
	})
}

func TestListCursors(t *testing.T) {
	each(t, func(t *testing.T, s *storage.Store) {
		for _, name := range []string{"a", "b", "c"} {
			create(t, s, shop, named(name, ""))
		}
		page, err := pageOf(1, s.Reports().List(t.Context(), shop, record.ListQuery{First: 1}, everyReport))
		if err != nil {
			t.Fatal(err)
		}
		for name, q := range map[string]record.ListQuery{
			"nonsense":         {First: 1, After: "%%%"},
			"no JSON":          {First: 1, After: "AAAA"},
			"of another order": {First: 1, After: page.EndCursor, SortBy: record.ByName},
			"of the other way": {First: 1, After: page.EndCursor, Descending: true},
		} {
			t.Run(name, func(t *testing.T) {
				_, err := pageOf(q.First, s.Reports().List(t.Context(), shop, q, everyReport))
				wantInvalid(t, err, placements.CodeCursor, "")
			})
		}
		// A report deleted at the end of a page leaves the rest of the list as it was.
		if err := s.Reports().Delete(t.Context(), shop, page.Items[0].ID, ada, anyone); err != nil {
			t.Fatal(err)
		}
		if got := names(t, s, record.ListQuery{First: 5, After: page.EndCursor}, everyReport); !cmp.Equal(got, [][]string{{"b", "c"}}) {
			t.Errorf("after a deletion: %v", got)
		}
	})
}

func TestLongList(t *testing.T) {
	each(t, func(t *testing.T, s *storage.Store) {
		const n = 450 // more than two chunks
		for i := range n {
			create(t, s, shop, named("report "+strconv.Itoa(i), ""))
		}
		total := 0
		for _, page := range names(t, s, record.ListQuery{First: 201}, everyReport) {
			total += len(page)
		}
		if total != n {
			t.Errorf("%d reports listed, want %d", total, n)
		}
	})
}

func TestWorkbookList(t *testing.T) {
	each(t, func(t *testing.T, s *storage.Store) {
		for _, slug := range []string{"sales", "costs", "staff"} {
			upsertBook(t, s, slug, book("Workbook of "+slug, `{}`))
		}
		page, err := pageOf(5, s.Workbooks().List(t.Context(), shop, record.ListQuery{First: 5, Search: "STA", SortBy: record.ByName}, func(*record.Workbook) bool { return true }))
		if err != nil || len(page.Items) != 1 || page.Items[0].Slug != "staff" || page.HasNextPage {
			t.Errorf("%+v, %v", page, err)
		}
	})
}

func TestReferences(t *testing.T) {
	each(t, func(t *testing.T, s *storage.Store) {
		here := upsert(t, s, shop, chosen, named("here", ""))
		upsert(t, s, other, another, named("elsewhere", ""))
		ids, err := s.Reports().IDs(t.Context(), shop, []string{chosen, another, "Nowhere12345"})
		if diff := cmp.Diff(map[string]int64{chosen: here.ID}, ids); diff != "" || err != nil {
			t.Errorf("%s %v", diff, err)
		}
		hidden := upsert(t, s, shop, "Hidden000001", named("hidden", ""))
		many := []int64{here.ID, hidden.ID, 99} // more than are read at once
		for id := int64(100); id < 150; id++ {
			many = append(many, id)
		}
		asked := 0
		readable, err := s.Reports().Readable(t.Context(), shop, many, func(createdBy int64, _ []record.RoleAccess) bool {
			asked++
			return createdBy == here.CreatedBy && asked == 1
		})
		if diff := cmp.Diff(map[int64]bool{here.ID: true, hidden.ID: false}, readable); diff != "" || err != nil {
			t.Errorf("%s %v", diff, err)
		}
	})
}
