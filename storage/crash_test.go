package storage_test

import (
	"errors"
	"fmt"
	"math"
	"testing"
	"time"

	"mooring/placements"
	"mooring/placements/placementstest"
	"mooring/storage"
	"mooring/storage/record"
	"mooring/storage/storagetest"
)

// crashing is a write to a storage that holds a report and a workbook, neither with a name of its own.
type crashing func(t *testing.T, s *storage.Store, r *storage.Report, w *record.Workbook) error

// crashingWrites are those that touch more than one record.
var crashingWrites = map[string]crashing{
	"create": func(t *testing.T, s *storage.Store, _ *storage.Report, _ *record.Workbook) error {
		_, err := s.Reports().Create(t.Context(), shop, withPublicID(named("New", ""), another), ada)
		return err
	},
	"upsert that creates": func(t *testing.T, s *storage.Store, _ *storage.Report, _ *record.Workbook) error {
		in := named("New", "")
		in.ExternalWorkbookID, in.ResultLocation = placements.Sent("book"), placements.Sent("S!A1")
		_, err := s.Reports().Upsert(t.Context(), shop, another, in, ada, anyone)
		return err
	},
	"upsert that adopts": func(t *testing.T, s *storage.Store, r *storage.Report, _ *record.Workbook) error {
		_, err := s.Reports().Upsert(t.Context(), shop, r.PublicID, named("Renamed", ""), ada, anyone)
		return err
	},
	"update that assigns": func(t *testing.T, s *storage.Store, r *storage.Report, _ *record.Workbook) error {
		_, err := s.Reports().Update(t.Context(), shop, r.ID, withPublicID(named("Renamed", ""), another), ada, anyone)
		return err
	},
	"import of placements": func(t *testing.T, s *storage.Store, r *storage.Report, _ *record.Workbook) error {
		return storagetest.Import(t.Context(), s, shop, r.ID, asKept(placementstest.Moored()))
	},
	"delete": func(t *testing.T, s *storage.Store, r *storage.Report, _ *record.Workbook) error {
		return s.Reports().Delete(t.Context(), shop, r.ID, ada, anyone)
	},
	"workbook upsert that creates": func(t *testing.T, s *storage.Store, _ *storage.Report, _ *record.Workbook) error {
		_, err := s.Workbooks().Upsert(t.Context(), shop, "new", book("New", `{"dashboardDraft":{}}`), ada, anyWorkbook)
		return err
	},
	"workbook update that assigns": func(t *testing.T, s *storage.Store, _ *storage.Report, w *record.Workbook) error {
		_, err := s.Workbooks().Update(t.Context(), shop, w.ID, record.WorkbookInput{Slug: placements.Sent("mine"), Name: placements.Sent("x")}, ada, anyWorkbook)
		return err
	},
	"workbook publish": func(t *testing.T, s *storage.Store, _ *storage.Report, w *record.Workbook) error {
		_, err := s.Workbooks().Publish(t.Context(), shop, w.ID, ada, anyWorkbook)
		return err
	},
	"workbook delete": func(t *testing.T, s *storage.Store, _ *storage.Report, w *record.Workbook) error {
		return s.Workbooks().Delete(t.Context(), shop, w.ID, ada, anyWorkbook)
	},
}

func TestCrashedWritersLeaveAllOrNothing(t *testing.T) {
	each(t, func(t *testing.T, s *storage.Store) {
		for name, write := range crashingWrites {
			crash(t, s, math.MaxInt, false, write) // the server learns the scripts, which takes round trips of its own
			trips := crash(t, s, math.MaxInt, false, write)
			for at := range trips + 1 {
				t.Run(fmt.Sprintf("%s, after %d of %d round trips", name, at, trips), func(t *testing.T) { crash(t, s, at, at == trips, write) })
			}
		}
	})
}

// crash stops a write after some round trips, looks at what it left, and repeats it. The last round trip of a write is its commit. It returns
// how many round trips were made.
func crash(t *testing.T, s *storage.Store, at int, committed bool, write crashing) (trips int) {
	t.Helper()
	s.Clear(t)
	s.ForgetPlacements()
	s.ForgetUpserted()
	r := create(t, s, shop, named("Sales", "select 1"))
	w := createBook(t, s, book("Sales", `{"dashboardDraft":{"title":"D"}}`))
	before := s.Dump(t)
	revive := s.CrashAfter(at)
	err := write(t, s, r, w)
	trips = revive()
	if at > trips {
		if err != nil || trips < 2 {
			t.Fatalf("a write without a crash makes %d round trips: %v", trips, err)
		}
		return trips
	}
	if !errors.Is(err, storage.ErrCrash) {
		t.Fatalf("not stopped: %v", err)
	}
	wantWhole(t, s, before, committed)
	s.ExpireLocks(t)
	if err := write(t, s, r, w); err != nil && !repeated(err) {
		t.Errorf("the write that was stopped cannot be repeated: %v", err)
	}
	return trips
}

// repeated reports whether err says that the first write took place.
func repeated(err error) bool {
	var c *placements.Error
	return errors.Is(err, storage.ErrNotFound) || errors.As(err, &c) && (c.Code == placements.CodePublicIDTaken || c.Code == placements.CodeAddressTaken)
}

// wantWhole checks that every claim has its asset and every asset its claim and, unless the write was committed, that nothing but locks and
// counters differs from before.
func wantWhole(t *testing.T, s *storage.Store, before map[string]map[string]string, committed bool) {
	t.Helper()
	if !committed {
		wantSameDump(t, before, s.Dump(t))
	}
	reports, err := pageOf(100, s.Reports().List(t.Context(), shop, record.ListQuery{First: 100}, everyReport))
	if err != nil {
		t.Fatal(err)
	}
	publicIDs := map[string]int64{}
	for _, r := range reports.Items {
		if r.StoredPublicID != "" {
			publicIDs[r.StoredPublicID] = r.ID
		}
	}
	workbooks, err := pageOf(100, s.Workbooks().List(t.Context(), shop, record.ListQuery{First: 100}, func(*record.Workbook) bool { return true }))
	if err != nil {
		t.Fatal(err)
	}
	slugs := map[string]int64{}
	for _, w := range workbooks.Items {
		if w.Slug != "" {
			slugs[w.Slug] = w.ID
		}
	}
	claimedIDs, claimedSlugs := s.Claims(t, shop)
	wantSameClaims(t, claimedIDs, publicIDs)
	wantSameClaims(t, claimedSlugs, slugs)
}

// A writer that died holding its locks delays others only until these run out.
func TestLocksOfADeadWriterRunOut(t *testing.T) {
	each(t, func(t *testing.T, s *storage.Store) {
		r := create(t, s, shop, withPublicID(named("Sales", ""), chosen))
		s.SetLocks(patience, 30*time.Millisecond)
		s.HoldReport(t, shop, r.ID)
		s.SetLocks(patience, patience)
		upsert(t, s, shop, chosen, named("Renamed", ""))
	})
}
