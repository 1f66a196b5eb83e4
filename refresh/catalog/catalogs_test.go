package catalog_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/catalog"
	"mooring/refresh/source"
	"mooring/storage/record"
)

var shop = record.Deployment{Tenant: "acme", ID: 1}

// lister is a source that lists a table for each time that it is asked, and says for whom.
type lister struct {
	personal bool
	takes    time.Duration
	err      error

	mu    sync.Mutex
	asked []source.User
}

func (l *lister) Query(context.Context, source.Query, *checksum.Builder) ([]source.Column, error) {
	return nil, errors.New("nothing is queried here")
}
func (l *lister) Check(context.Context) error { return nil }
func (l *lister) Close() error                { return nil }
func (l *lister) PerUser() bool               { return l.personal }

func (l *lister) Catalog(ctx context.Context, u source.User) ([]source.Dataset, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.asked = append(l.asked, u)
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-time.After(l.takes):
	}
	return []source.Dataset{{Name: fmt.Sprintf("of ask %d", len(l.asked))}}, l.err
}

// names are those that a listing has.
func names(t *testing.T, c *catalog.Catalogs, s source.Source, by record.Actor, fresh bool) string {
	t.Helper()
	l, err := c.Get(t.Context(), shop, s, by, fresh)
	if err != nil {
		return "error: " + err.Error()
	}
	var list []string
	for _, d := range l.Search("", "") {
		list = append(list, d.Name)
	}
	return strings.Join(list, ", ")
}

func TestAListingIsKeptForTenMinutes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var c catalog.Catalogs
		s, ana := &lister{}, record.Actor{ID: 1}
		for _, step := range []struct {
			fact  string
			after time.Duration
			fresh bool
			want  string
		}{
			{"the first one is asked for", 0, false, "of ask 1"},
			{"and kept", 9*time.Minute + 59*time.Second, false, "of ask 1"},
			{"for ten minutes", time.Second, false, "of ask 2"},
			{"it is not asked for anew within a minute", 59 * time.Second, true, "of ask 2"},
			{"but then", time.Second, true, "of ask 3"},
			{"only for who says so", time.Minute, false, "of ask 3"},
		} {
			time.Sleep(step.after)
			if got := names(t, &c, s, ana, step.fresh); got != step.want {
				t.Errorf("%s: %s, want %s", step.fact, got, step.want)
			}
		}
	})
}

func TestAListingIsOfThoseWhoAreShownTheSame(t *testing.T) {
	people := []record.Actor{{ID: 1}, {ID: 2}, {ID: 2, Roles: []int64{7}}, {ID: 2, Roles: []int64{7}, Actions: []string{"All"}}}
	for personal, want := range map[bool]int{false: 1, true: 3} {
		var c catalog.Catalogs
		s := &lister{personal: personal}
		for _, by := range people {
			names(t, &c, s, by, false)
		}
		if len(s.asked) != want {
			t.Errorf("personal %v: asked %d times, want %d", personal, len(s.asked), want)
		}
		if !slices.ContainsFunc(s.asked, func(u source.User) bool { return u.ID == 1 && u.Tenant == "acme" }) {
			t.Errorf("asked for %+v", s.asked)
		}
	}
}

func TestThoseWhoAskAtOnceShareOneAsk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var c catalog.Catalogs
		s := &lister{takes: time.Second}
		var asking sync.WaitGroup
		for range 5 {
			asking.Go(func() {
				if got := names(t, &c, s, record.Actor{ID: 1}, true); got != "of ask 1" {
					t.Error(got)
				}
			})
		}
		asking.Go(func() {
			ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
			defer cancel()
			if _, err := c.Get(ctx, shop, s, record.Actor{ID: 1}, false); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("one who hangs up: %v", err)
			}
		})
		asking.Wait()
	})
}

func TestAFailureIsToldAndNotKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var c catalog.Catalogs
		s := &lister{err: &placements.Fault{Class: placements.Transient, Message: "down"}}
		if got := names(t, &c, s, record.Actor{}, false); got != "error: down" {
			t.Error(got)
		}
		s.err = nil
		if got := names(t, &c, s, record.Actor{}, false); got != "of ask 2" {
			t.Error(got)
		}
		s.takes = time.Hour
		time.Sleep(time.Hour)
		if got := names(t, &c, s, record.Actor{}, false); !strings.Contains(got, "did not say within 1m0s") {
			t.Error(got)
		}
	})
}

func TestASourceWithoutACatalogListsNothing(t *testing.T) {
	var c catalog.Catalogs
	if _, err := c.Get(t.Context(), shop, struct{ source.Source }{&lister{}}, record.Actor{}, false); !errors.Is(err, source.ErrUnlisted) {
		t.Errorf("%v, want ErrUnlisted", err)
	}
}

// wide is a source with so many tables of so many columns.
type wide struct {
	lister
	tables, columns int
}

func (w *wide) Catalog(ctx context.Context, u source.User) ([]source.Dataset, error) {
	if _, err := w.lister.Catalog(ctx, u); err != nil {
		return nil, err
	}
	list := make([]source.Dataset, w.tables)
	for i := range list {
		list[i].Name = fmt.Sprintf("Table_%d", i)
		for j := range w.columns {
			list[i].Columns = append(list[i].Columns, source.Field{Name: fmt.Sprintf("column_%d_of_%d", j, i)})
		}
	}
	return list, nil
}

// What all listings hold is bounded: the oldest go.
func TestListingsAreBounded(t *testing.T) {
	var c catalog.Catalogs
	w := &wide{lister: lister{personal: true}, tables: 1000, columns: 300}
	for range 2 {
		for id := range int64(5) {
			names(t, &c, w, record.Actor{ID: id + 1}, false)
		}
		if got := names(t, &c, w, record.Actor{ID: 5}, false); got == "" {
			t.Error("nothing is listed")
		}
	}
	if len(w.asked) != 10 {
		t.Errorf("asked %d times, want 10: five listings of 300,000 columns are not kept", len(w.asked))
	}
}

func TestSearch(t *testing.T) {
	var c catalog.Catalogs
	w := &wide{tables: 12, columns: 2}
	l, err := c.Get(t.Context(), shop, w, record.Actor{}, false)
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		fact, text string
		behind     catalog.Place
		want       string
	}{
		{"part of a name, whatever its case", "TABLE_1", "", "Table_1 Table_10 Table_11"},
		{"a column's name", "column_1_OF_7", "", "Table_7"},
		{"nothing", "column_9", "", ""},
		{"what follows a place", "table_1", "1 Table_1", "Table_10 Table_11"},
		{"a place that moved", "table_1", "3 Table_10", "Table_11"},
		{"a place that is gone", "", "10 Dropped", "Table_10 Table_11"},
		{"a place behind the end", "", "99 Dropped", ""},
	} {
		var got []string
		for _, d := range l.Search(row.text, row.behind) {
			got = append(got, d.Name)
		}
		if strings.Join(got, " ") != row.want {
			t.Errorf("%s: %q, want %q", row.fact, got, row.want)
		}
	}
	for text, want := range map[string]bool{"0 a": true, "7 ": true, "12 a b": true, "7": false, "-1 a": false, "07 a": false, "x a": false, "": false} {
		if catalog.IsPlace(text) != want {
			t.Errorf("IsPlace(%q) is %v", text, !want)
		}
	}
}

// A search of 2,000 members takes far less than the 50 ms that a key may take.
func BenchmarkSearch(b *testing.B) {
	var c catalog.Catalogs
	l, err := c.Get(b.Context(), shop, &wide{tables: 40, columns: 50}, record.Actor{}, false)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		for range l.Search("column_49_of_39", "") {
		}
	}
}
