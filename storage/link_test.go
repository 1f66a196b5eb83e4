package storage_test

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mooring/placements"
	"mooring/storage"
	"mooring/storage/record"
	"mooring/storage/standing"
	"mooring/storage/storagetest"
	"mooring/storage/work"
)

// identityOf is what the n-th document says that it is.
func identityOf(n int) string { return fmt.Sprintf("3f2504e0-4f89-41d3-9a0c-%012x", n) }

// linked links a document that has a target, and makes its placements follow.
func linked(t *testing.T, s *storage.Store, identity, target string) *record.Link {
	t.Helper()
	l, err := s.Links().Change(t.Context(), "acme", identity, func(l *record.Link) (work.LinkChange, error) {
		l.State, l.Spreadsheets, l.Target, l.Home = record.LinkLinked, "share", target, identity
		l.IDs = []string{identity, target, "share:" + target}
		l.Unsettled = l.IDs
		return work.LinkChange{}, nil
	})
	fatal(t, err)
	return settle(t, s, l)
}

func settle(t *testing.T, s *storage.Store, l *record.Link) *record.Link {
	t.Helper()
	_, err := s.Links().Settle(t.Context(), "acme", l)
	fatal(t, err)
	l, err = s.Links().Change(t.Context(), "acme", l.Identity, func(l *record.Link) (work.LinkChange, error) {
		l.Unsettled = nil
		return work.LinkChange{}, nil
	})
	fatal(t, err)
	return l
}

func unlinked(t *testing.T, s *storage.Store, identity string) {
	t.Helper()
	l, err := s.Links().Change(t.Context(), "acme", identity, func(l *record.Link) (work.LinkChange, error) {
		l.Unsettled, l.IDs, l.Spreadsheets, l.Target, l.State = l.IDs, nil, "", "", record.LinkNotFound
		return work.LinkChange{}, nil
	})
	fatal(t, err)
	settle(t, s, l)
}

func fatal(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// within are the placements of a document under an id, by id.
func within(t *testing.T, s *storage.Store, id string) (ids []string) {
	t.Helper()
	for after := ""; ; {
		page, err := s.Placements().InDocument(t.Context(), "acme", id, after, 500)
		fatal(t, err)
		for _, p := range page.Items {
			ids = append(ids, p.Placement.ID)
		}
		if after = page.EndCursor; !page.HasNextPage {
			slices.Sort(ids)
			return ids
		}
	}
}

// counts are how many placements each document has.
func counts(t *testing.T, s *storage.Store, d record.Deployment) map[string]int64 {
	t.Helper()
	all := map[string]int64{}
	for after := ""; ; {
		page, err := s.Standing().Documents(t.Context(), d, "", "", after, 100)
		fatal(t, err)
		for _, one := range page.Items {
			all[one.ID] = one.Counts.Total
		}
		if after = page.End; !page.HasNextPage {
			return all
		}
	}
}

// Placements of a storage that knew of no links go on as they were: those of documents that are linked are found under every id of these, and
// as before once the links have gone. MOORING_PLACEMENTS says how many there are.
func TestAStorageFromBeforeLinksIsLinked(t *testing.T) {
	d := record.Deployment{Tenant: "acme", ID: 1}
	placed := 500
	if n, err := strconv.Atoi(os.Getenv("MOORING_PLACEMENTS")); err == nil {
		placed = n
	}
	what := storagetest.Amounts{Deployment: d, Reports: placed / 20, Placements: placed, Documents: placed / 10, Runs: placed, Schedules: 5}
	address := storagetest.Redis(t)
	filled := storagetest.Fill(t, address, what)
	s := storagetest.Open(t, address)
	before := counts(t, s, d)
	in := map[string][]string{}
	for id := range before {
		in[id] = within(t, s, id)
	}
	began := time.Now()
	for n, id := range slices.Sorted(maps.Keys(before)) {
		linked(t, s, identityOf(n), id)
	}
	t.Logf("%d placements in %d documents were linked in %s", placed, len(before), time.Since(began).Round(time.Millisecond))
	after := counts(t, s, d)
	for n, id := range slices.Sorted(maps.Keys(before)) {
		for _, name := range []string{id, identityOf(n), "share:" + id} {
			if diff := cmp.Diff(in[id], within(t, s, name)); diff != "" {
				t.Fatalf("under %s (-want +got):\n%s", name, diff)
			}
		}
		if after[identityOf(n)] != before[id] || after[id] != 0 {
			t.Fatalf("%s has %d placements, and %d under its own id, want %d and none", identityOf(n), after[identityOf(n)], after[id], before[id])
		}
	}
	for _, p := range filled.Placements[:20] {
		r, err := s.Reports().Get(t.Context(), d, p.ReportID)
		fatal(t, err)
		if now, found := r.Find(p.ID); !found || now.WorkbookID != p.WorkbookID || now.Target != p.WorkbookID && now.Target != "" {
			t.Errorf("placement %s is recorded in %q now, at %q", p.ID, now.WorkbookID, now.Target)
		}
	}
	page, err := s.Standing().Placements(t.Context(), d, standing.Filter{Document: identityOf(0)}, "", 100)
	if fatal(t, err); len(page.Items) == 0 {
		t.Error("no placement is listed under what its document says that it is")
	}
	for n := range len(before) {
		unlinked(t, s, identityOf(n))
	}
	if diff := cmp.Diff(before, counts(t, s, d)); diff != "" {
		t.Errorf("unlinked again (-want +got):\n%s", diff)
	}
}

// Whatever is placed under either id while a document is being linked is there once, under both.
func TestConnectsWhileADocumentIsLinked(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, s *storage.Store) {
		d := record.Deployment{Tenant: "acme", ID: 1}
		who := record.Actor{ID: 7, Actions: []string{record.ActionReportEdit}}
		report, err := s.Reports().Create(t.Context(), d, record.ReportInput{Name: placements.Sent("R"), SQLQuery: placements.Sent("q")}, who)
		fatal(t, err)
		identity, target := identityOf(1), "plan.xlsx"
		const each = 12
		var all sync.WaitGroup
		for n := range 2 * each {
			all.Go(func() {
				name := identity
				if n >= each {
					name = target
				}
				_, err := s.Placements().Connect(t.Context(), d, report.ID, placements.Connection{
					ExternalWorkbookID: name, ResultLocation: fmt.Sprintf("Data!A%d", 1+n%each), Host: placements.SheetsB,
				}, who, nil, false)
				if err != nil && !errors.Is(err, storage.ErrBusy) {
					t.Errorf("connect to %s: %v", name, err)
				}
			})
			if n == each {
				all.Go(func() { linked(t, s, identity, target) })
			}
		}
		all.Wait()
		l, err := s.Links().Get(t.Context(), "acme", target)
		fatal(t, err)
		l.Unsettled = l.IDs
		settle(t, s, l)
		r, err := s.Reports().Get(t.Context(), d, report.ID)
		fatal(t, err)
		if len(r.Placements) != each {
			t.Errorf("the report has %d placements, want %d", len(r.Placements), each)
		}
		for _, name := range []string{identity, target} {
			if got := within(t, s, name); len(got) != each {
				t.Errorf("under %s there are %d placements, want %d", name, len(got), each)
			}
		}
	})
}

func TestFewDocumentsAreLookedForAtOnce(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, s *storage.Store) {
		look := func(n int, user int64) error {
			_, err := s.Links().Change(t.Context(), "acme", identityOf(n), func(*record.Link) (work.LinkChange, error) {
				return work.LinkChange{Look: time.Now().Add(time.Hour), Looking: user}, nil
			})
			return err
		}
		for n := range 10 {
			fatal(t, look(n, 7))
		}
		if err := look(10, 7); placements.CodeOf(err) != placements.CodeLooksLimit {
			t.Errorf("the eleventh: %v", err)
		}
		fatal(t, look(3, 7)) // the same again
		fatal(t, look(10, 8))
		_, err := s.Links().Change(t.Context(), "acme", identityOf(0), func(*record.Link) (work.LinkChange, error) { return work.LinkChange{}, nil })
		fatal(t, err)
		fatal(t, look(11, 7))
		for n := range 200 - 11 {
			fatal(t, look(1000+n, int64(100+n/10)))
		}
		if err := look(5000, 500); placements.CodeOf(err) != placements.CodeLooksLimit {
			t.Errorf("the 201st of all: %v", err)
		}
	})
}
