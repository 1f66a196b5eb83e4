package storage_test

import (
	"errors"
	"testing"

	"mooring/placements"
	"mooring/storage"
	"mooring/storage/record"
	"mooring/storage/storagetest"
)

// TestUpsertingAgainNeverRestsOnMemory: one instance remembers a report that another one then changes.
func TestUpsertingAgainNeverRestsOnMemory(t *testing.T) {
	address := storagetest.Redis(t)
	refused := errors.New("refused")
	for name, tt := range map[string]struct {
		meanwhile func(t *testing.T, other *storage.Store, r *storage.Report)
		allow     func(*storage.Report) error
		check     func(t *testing.T, before, after *storage.Report, err error)
	}{
		"nothing happened: the change is made in one step": {
			check: func(t *testing.T, before, after *storage.Report, err error) {
				if err != nil || after.ID != before.ID || after.Version != before.Version+1 || after.Title != "again" {
					t.Errorf("got %+v, %v", after, err)
				}
			},
		},
		"an edit of the other is kept": {
			meanwhile: func(t *testing.T, other *storage.Store, r *storage.Report) {
				in := record.ReportInput{SQLQuery: placements.Sent("select 2")}
				if _, err := other.Reports().Update(t.Context(), shop, r.ID, in, ada, anyone); err != nil {
					t.Fatal(err)
				}
			},
			check: func(t *testing.T, before, after *storage.Report, err error) {
				if err != nil || after.SQLQuery != "select 2" || after.Title != "again" || after.Version != before.Version+2 {
					t.Errorf("got %+v, %v", after, err)
				}
			},
		},
		"a report that the other deleted is created": {
			meanwhile: func(t *testing.T, other *storage.Store, r *storage.Report) {
				if err := other.Reports().Delete(t.Context(), shop, r.ID, ada, anyone); err != nil {
					t.Fatal(err)
				}
			},
			check: func(t *testing.T, before, after *storage.Report, err error) {
				if err != nil || after.ID == before.ID || after.Version != 1 || after.SQLQuery != "" {
					t.Errorf("got %+v, %v", after, err)
				}
			},
		},
		"a deletion and a new report of the same id and version": {
			meanwhile: func(t *testing.T, other *storage.Store, r *storage.Report) {
				if err := other.Reports().Delete(t.Context(), shop, r.ID, ada, anyone); err != nil {
					t.Fatal(err)
				}
				upsert(t, other, shop, r.PublicID, named("theirs", "select 3"))
			},
			check: func(t *testing.T, before, after *storage.Report, err error) {
				if err != nil || after.ID == before.ID || after.Name != "theirs" || after.Title != "again" || after.Version != 2 {
					t.Errorf("got %+v, %v", after, err)
				}
			},
		},
		"a refusal is the caller's, on the report as stored": {
			allow: func(*storage.Report) error { return refused },
			check: func(t *testing.T, _, _ *storage.Report, err error) {
				if !errors.Is(err, refused) {
					t.Errorf("error %v", err)
				}
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			s, other := storagetest.Open(t, address), storagetest.Open(t, address)
			before := upsert(t, s, shop, chosen, named("mine", "select 1"))
			if tt.meanwhile != nil {
				tt.meanwhile(t, other, before)
			}
			allow := anyone
			if tt.allow != nil {
				allow = tt.allow
			}
			after, err := s.Reports().Upsert(t.Context(), shop, chosen, record.ReportInput{Title: placements.Sent("again")}, ada, allow)
			tt.check(t, before, after, err)
			stored, readErr := other.Reports().Get(t.Context(), shop, max(before.ID, idOf(after)))
			if readErr != nil {
				t.Fatal(readErr)
			}
			if err == nil && stored.DefinitionText != after.DefinitionText {
				t.Errorf("stored %s, answered %s", stored.DefinitionText, after.DefinitionText)
			}
			if err := other.Reports().Delete(t.Context(), shop, stored.ID, ada, anyone); err != nil {
				t.Fatal(err)
			}
		})
	}
}

func idOf(r *storage.Report) int64 {
	if r == nil {
		return 0
	}
	return r.ID
}
