package storage_test

import (
	"testing"
	"time"

	"mooring/storage"
	"mooring/storage/record"
)

func TestKeys(t *testing.T) {
	each(t, func(t *testing.T, s *storage.Store) {
		now := time.Now()
		s.SetNow(func() time.Time { return now })
		records := s.Tenants()
		add := func(id string, lasts time.Duration) *record.Key {
			t.Helper()
			k := &record.Key{ID: id, Name: "Pipeline", Expires: now.Add(lasts), UserID: 7, Owner: "ada", Bound: []string{}}
			if err := records.AddKey(t.Context(), "acme", k, ada); err != nil {
				t.Fatal(err)
			}
			return k
		}
		want := func(ids ...string) map[string]*record.Key {
			t.Helper()
			list, err := records.Keys(t.Context(), "acme")
			got := map[string]*record.Key{}
			for _, k := range list {
				got[k.ID] = k
			}
			for _, id := range ids {
				if got[id] == nil {
					t.Errorf("%s is not there", id)
				}
			}
			if err != nil || len(got) != len(ids) {
				t.Errorf("%v, %v, want %v", got, err, ids)
			}
			return got
		}
		add("short", time.Hour)
		long := add("long", 90*24*time.Hour)
		if err := records.UseKey(t.Context(), "acme", "long", now); err != nil {
			t.Fatal(err)
		}
		if err := records.UseKey(t.Context(), "acme", "unknown", now); err != nil {
			t.Fatal(err)
		}
		got := want("short", "long")
		if !got["short"].Used.IsZero() || !got["long"].Used.Equal(now.Truncate(time.Millisecond)) || got["long"].Bound == nil {
			t.Errorf("%+v, %+v", got["short"], got["long"])
		}
		if list, err := records.Keys(t.Context(), "globex"); err != nil || len(list) != 0 {
			t.Errorf("another tenant's: %v, %v", list, err)
		}
		now = now.Add(2 * time.Hour)
		add("second", time.Hour)
		want("short", "long", "second") // the clock of who made it may be late
		now = now.Add(48 * time.Hour)
		add("third", time.Hour)
		want("long", "third")
		for range 2 {
			if err := records.EndKey(t.Context(), "acme", long, ada); err != nil {
				t.Fatal(err)
			}
		}
		want("third")
		revoked, err := records.Revoked(t.Context(), "acme")
		if err != nil || len(revoked) != 1 || revoked[0].TokenID != "long" {
			t.Errorf("revoked: %v, %v", revoked, err)
		}
		if err := records.UseKey(t.Context(), "acme", "long", now); err != nil {
			t.Fatal(err)
		}
		add("long", time.Hour)
		if used := want("third", "long")["long"].Used; !used.IsZero() {
			t.Errorf("the use of a key that had ended was noted: %v", used)
		}
	})
}
