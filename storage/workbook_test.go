package storage_test

import (
	"encoding/json"
	"errors"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mooring/placements"
	"mooring/storage"
	"mooring/storage/record"
)

func anyWorkbook(*record.Workbook) error { return nil }

func book(name, meta string) record.WorkbookInput {
	return record.WorkbookInput{Name: placements.Sent(name), Meta: raw(meta)}
}

func createBook(t *testing.T, s *storage.Store, in record.WorkbookInput) *record.Workbook {
	t.Helper()
	w, err := s.Workbooks().Create(t.Context(), shop, in, ada)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func upsertBook(t *testing.T, s *storage.Store, slug string, in record.WorkbookInput) *record.Workbook {
	t.Helper()
	w, err := s.Workbooks().Upsert(t.Context(), shop, slug, in, ada, anyWorkbook)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func loadBook(t *testing.T, s *storage.Store, id int64) *record.Workbook {
	t.Helper()
	w, err := s.Workbooks().Get(t.Context(), shop, id)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func wantSameBook(t *testing.T, before, after *record.Workbook) {
	t.Helper()
	if diff := cmp.Diff(before, after, shownOnly); diff != "" {
		t.Errorf("the workbook changed:\n%s", diff)
	}
}

func TestCreateWorkbook(t *testing.T) {
	each(t, func(t *testing.T, s *storage.Store) {
		in := book("Sales", `{"owner":"x", "dashboardDraft":{"title":"D"}}`)
		in.Slug = placements.Sent("  Sales-2026 ")
		w := createBook(t, s, in)
		want := &record.Workbook{
			ID: 1, DeploymentID: 1, Type: "WORKBOOK", UserID: 7,
			WorkbookDefinition: record.WorkbookDefinition{
				Name: "Sales", Slug: "sales-2026", CreatedAt: w.CreatedAt, UpdatedAt: w.CreatedAt, CreatedBy: 7, User: ada.User(), UpdatedBy: new(ada.User()), Version: 1,
			},
			Meta:           json.RawMessage(`{"dashboardDraft":{"title":"D"},"owner":"x"}`),
			DashboardDraft: json.RawMessage(`{"title":"D"}`),
		}
		wantSameBook(t, want, w)
		wantSameBook(t, want, loadBook(t, s, w.ID))

		_, err := s.Workbooks().Create(t.Context(), shop, in, ada)
		wantConflict(t, err, placements.CodeSlugTaken)
		if w, err := s.Workbooks().Create(t.Context(), other, in, ada); err != nil || w.Slug != "sales-2026" {
			t.Errorf("the slug counts in another deployment: %v", err)
		}
		in.Slug = placements.Sent("no spaces")
		_, err = s.Workbooks().Create(t.Context(), shop, in, ada)
		wantInvalid(t, err, placements.CodeSlug, "/slug")
	})
}

func TestUpdateWorkbook(t *testing.T) {
	start := book("Sales", `{"a":1,"b":{"c":2},"dashboardDraft":{"title":"D"}}`)
	tests := map[string]struct {
		in   record.WorkbookInput
		meta string // afterwards
		same bool
	}{
		"nothing sent changes nothing":     {record.WorkbookInput{}, `{"a":1,"b":{"c":2},"dashboardDraft":{"title":"D"}}`, true},
		"the same sent changes nothing":    {start, `{"a":1,"b":{"c":2},"dashboardDraft":{"title":"D"}}`, true},
		"meta is replaced":                 {book("Sales", `{"z":1}`), `{"z":1}`, false},
		"meta null clears it":              {record.WorkbookInput{Meta: placements.Null[json.RawMessage]()}, `{}`, false},
		"a draft of null is none":          {book("Sales", `{"dashboardDraft":null}`), `{}`, false},
		"a slug is assigned":               {record.WorkbookInput{Slug: placements.Sent("sales")}, `{"a":1,"b":{"c":2},"dashboardDraft":{"title":"D"}}`, false},
		"a null slug is none as before":    {record.WorkbookInput{Slug: placements.Null[string]()}, `{"a":1,"b":{"c":2},"dashboardDraft":{"title":"D"}}`, true},
		"a folder is set":                  {record.WorkbookInput{FolderID: placements.Sent[int64](3)}, `{"a":1,"b":{"c":2},"dashboardDraft":{"title":"D"}}`, false},
		"a name is changed":                {record.WorkbookInput{Name: placements.Sent("x")}, `{"a":1,"b":{"c":2},"dashboardDraft":{"title":"D"}}`, false},
		"the order of keys does not count": {book("Sales", `{"dashboardDraft":{"title":"D"},"b":{"c":2},"a":1}`), `{"a":1,"b":{"c":2},"dashboardDraft":{"title":"D"}}`, true},
	}
	each(t, func(t *testing.T, s *storage.Store) {
		for name, tt := range tests {
			t.Run(name, func(t *testing.T) {
				s.Clear(t)
				before := createBook(t, s, start)
				got, err := s.Workbooks().Update(t.Context(), shop, before.ID, tt.in, bob, anyWorkbook)
				if err != nil {
					t.Fatal(err)
				}
				after := loadBook(t, s, before.ID)
				wantSameBook(t, got, after)
				if tt.same {
					wantSameBook(t, before, after)
				} else if after.Version != 2 || after.UpdatedBy.ID != bob.ID {
					t.Errorf("version %d, updatedBy %d; want 2, %d", after.Version, after.UpdatedBy.ID, bob.ID)
				}
				if updated := got.Effect == record.Updated; updated == tt.same {
					t.Errorf("it was %s", got.Effect)
				}
				if string(after.Meta) != tt.meta {
					t.Errorf("meta %s, want %s", after.Meta, tt.meta)
				}
			})
		}
	})
}

func TestSlugIsWriteOnceAndUnique(t *testing.T) {
	each(t, func(t *testing.T, s *storage.Store) {
		w := createBook(t, s, book("Sales", `{}`))
		upsertBook(t, s, "taken", book("Other", `{}`))
		assign := func(slug string) error {
			_, err := s.Workbooks().Update(t.Context(), shop, w.ID, record.WorkbookInput{Slug: placements.Sent(slug)}, ada, anyWorkbook)
			return err
		}
		wantConflict(t, assign("taken"), placements.CodeSlugTaken)
		wantInvalid(t, assign("-no"), placements.CodeSlug, "/slug")
		for range 2 {
			if err := assign("Mine"); err != nil {
				t.Fatal(err)
			}
		}
		wantInvalid(t, assign("another"), placements.CodeSlugFixed, "/slug")
		if got := upsertBook(t, s, "mine", record.WorkbookInput{}); got.ID != w.ID || got.Version != 2 {
			t.Errorf("the slug leads to %d, version %d", got.ID, got.Version)
		}
	})
}

func TestUpsertWorkbookMergesMeta(t *testing.T) {
	each(t, func(t *testing.T, s *storage.Store) {
		w := upsertBook(t, s, "sales", book("Sales", `{"a":1,"b":{"c":2,"d":3},"dashboardDraft":{"title":"D","description":"x"}}`))
		before := loadBook(t, s, w.ID)
		same := upsertBook(t, s, "sales", book("Sales", `{"b":{"c":2},"dashboardDraft":{"description":"x","title":"D"}}`))
		wantSameBook(t, before, same)
		wantSameBook(t, before, loadBook(t, s, w.ID))

		merged := upsertBook(t, s, "sales", record.WorkbookInput{Meta: raw(`{"b":{"d":null,"e":4},"dashboardDraft":{"title":"E"}}`)})
		const want = `{"a":1,"b":{"c":2,"e":4},"dashboardDraft":{"title":"E"}}`
		if string(merged.Meta) != want || string(merged.DashboardDraft) != `{"title":"E"}` || merged.Name != "Sales" || merged.Version != 2 {
			t.Errorf("merged %+v with meta %s, want %s", merged.WorkbookDefinition, merged.Meta, want)
		}
		null := upsertBook(t, s, "sales", record.WorkbookInput{Meta: placements.Null[json.RawMessage]()})
		if string(null.Meta) != want {
			t.Errorf("a meta of null is merged to %s", null.Meta)
		}
		_, err := s.Workbooks().Upsert(t.Context(), shop, "sales", record.WorkbookInput{Slug: placements.Sent("other")}, ada, anyWorkbook)
		wantInvalid(t, err, placements.CodeSlugFixed, "/slug")
	})
}

func TestDashboard(t *testing.T) {
	each(t, func(t *testing.T, s *storage.Store) {
		w := createBook(t, s, book("Sales", `{"a":1}`))
		_, err := s.Workbooks().Publish(t.Context(), shop, w.ID, ada, anyWorkbook)
		var invalid *placements.Error
		if !errors.As(err, &invalid) || invalid.Code != placements.CodeNoDraft {
			t.Errorf("nothing to publish: %v", err)
		}
		draft := func(text string) *record.Workbook {
			t.Helper()
			w, err := s.Workbooks().UpdateDashboard(t.Context(), shop, w.ID, json.RawMessage(text), ada, anyWorkbook)
			if err != nil {
				t.Fatal(err)
			}
			return w
		}
		publish := func() *record.Workbook {
			t.Helper()
			w, err := s.Workbooks().Publish(t.Context(), shop, w.ID, ada, anyWorkbook)
			if err != nil {
				t.Fatal(err)
			}
			return w
		}
		if got := draft(`{"title":"one"}`); string(got.DashboardDraft) != `{"title":"one"}` || got.DashboardPublished != nil || string(got.Meta) != `{"a":1,"dashboardDraft":{"title":"one"}}` {
			t.Errorf("draft written: %+v", got)
		}
		if got := publish(); string(got.DashboardPublished) != `{"title":"one"}` || got.Version != 3 {
			t.Errorf("published: %+v", got)
		}
		before := loadBook(t, s, w.ID)
		wantSameBook(t, before, publish())
		wantSameBook(t, before, draft(`{"title":"one"}`))
		wantSameBook(t, before, loadBook(t, s, w.ID))
		if got := draft(`{"title":"two"}`); string(got.DashboardPublished) != `{"title":"one"}` {
			t.Errorf("a new draft is published by itself: %s", got.DashboardPublished)
		}
	})
}

func TestWorkbookAccessIsAskedUnderTheLock(t *testing.T) {
	each(t, func(t *testing.T, s *storage.Store) {
		w := upsertBook(t, s, "sales", book("Sales", `{"dashboardDraft":{}}`))
		before := loadBook(t, s, w.ID)
		denied := func(seen *record.Workbook) error {
			if seen == nil || seen.ID != w.ID {
				t.Errorf("asked about %+v", seen)
			}
			return errDenied
		}
		calls := map[string]func() error{
			"update": func() error {
				_, err := s.Workbooks().Update(t.Context(), shop, w.ID, book("x", `{}`), ada, denied)
				return err
			},
			"upsert": func() error {
				_, err := s.Workbooks().Upsert(t.Context(), shop, "sales", book("x", `{}`), ada, denied)
				return err
			},
			"dashboard": func() error {
				_, err := s.Workbooks().UpdateDashboard(t.Context(), shop, w.ID, json.RawMessage(`{}`), ada, denied)
				return err
			},
			"publish": func() error {
				_, err := s.Workbooks().Publish(t.Context(), shop, w.ID, ada, denied)
				return err
			},
			"delete": func() error { return s.Workbooks().Delete(t.Context(), shop, w.ID, ada, denied) },
		}
		for name, call := range calls {
			if err := call(); !errors.Is(err, errDenied) {
				t.Errorf("%s: %v", name, err)
			}
			wantSameBook(t, before, loadBook(t, s, w.ID))
		}
	})
}

func TestDeleteWorkbook(t *testing.T) {
	each(t, func(t *testing.T, s *storage.Store) {
		w := upsertBook(t, s, "sales", book("Sales", `{"dashboardDraft":{}}`))
		if err := s.Workbooks().Delete(t.Context(), shop, w.ID, ada, anyWorkbook); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Workbooks().Get(t.Context(), shop, w.ID); !errors.Is(err, storage.ErrNotFound) {
			t.Errorf("deleted: %v", err)
		}
		wantOnly(t, s, "mooring:partitions", "mooring:schema", ":ids", ":audit")
	})
}

func TestSimultaneousFirstWorkbookUpsertsCreateOnce(t *testing.T) {
	each(t, func(t *testing.T, s *storage.Store) {
		const callers = 32
		ids := make([]int64, callers)
		var wg sync.WaitGroup
		for i := range ids {
			wg.Go(func() {
				w, err := s.Workbooks().Upsert(t.Context(), shop, "race", book("Race", `{}`), ada, anyWorkbook)
				if err != nil {
					wantConflict(t, err, placements.CodeBranchChanged)
					return
				}
				ids[i] = w.ID
			})
		}
		wg.Wait()
		page, err := pageOf(10, s.Workbooks().List(t.Context(), shop, record.ListQuery{First: 10}, func(*record.Workbook) bool { return true }))
		if err != nil || len(page.Items) != 1 {
			t.Fatalf("%d workbooks, %v", len(page.Items), err)
		}
		for _, id := range ids {
			if id != 0 && id != page.Items[0].ID {
				t.Errorf("an upsert answered %d, the workbook is %d", id, page.Items[0].ID)
			}
		}
	})
}
