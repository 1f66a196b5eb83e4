package storage_test

import (
	"errors"
	"os"
	"strconv"
	"sync"
	"testing"

	"mooring/placements"
	"mooring/storage"
	"mooring/storage/record"
)

func TestUpsertReport(t *testing.T) {
	each(t, func(t *testing.T, s *storage.Store) {
		first := upsert(t, s, shop, chosen, named("Sales", "select 1"))
		if first.StoredPublicID != chosen || first.SynthesizedID != "" || first.Version != 1 {
			t.Errorf("created %+v", first)
		}
		before := load(t, s, shop, first.ID)
		again := upsert(t, s, shop, chosen, named("Sales", "select 1"))
		wantSame(t, before, again)
		wantSame(t, before, load(t, s, shop, first.ID))

		edited := upsert(t, s, shop, chosen, record.ReportInput{Name: placements.Sent("Costs")})
		if edited.ID != first.ID || edited.Name != "Costs" || edited.SQLQuery != "select 1" || edited.Version != 2 {
			t.Errorf("updated %+v", edited)
		}
	})
}

func TestUpsertRefusals(t *testing.T) {
	each(t, func(t *testing.T, s *storage.Store) {
		upsert(t, s, other, chosen, named("elsewhere", ""))
		try := func(id string, in record.ReportInput, allow func(*storage.Report) error) error {
			_, err := s.Reports().Upsert(t.Context(), shop, id, in, ada, allow)
			return err
		}
		wantConflict(t, try(chosen, named("x", ""), anyone), placements.CodeElsewhere)
		wantConflict(t, try(chosen, named("x", ""), nobody), placements.CodeElsewhere) // interface.md, upsert rule 6: whoever asks
		wantInvalid(t, try(reserved, named("x", ""), anyone), placements.CodeReservedID, "")
		wantInvalid(t, try(another, withPublicID(named("x", ""), chosen), anyone), placements.CodePublicIDFixed, "/publicId")
		if err := try(another, named("x", ""), nobody); !errors.Is(err, errDenied) {
			t.Errorf("a denied creation: %v", err)
		}
		if page, err := pageOf(10, s.Reports().List(t.Context(), shop, record.ListQuery{First: 10}, everyReport)); len(page.Items) != 0 || err != nil {
			t.Errorf("refused upserts left %v, %v", page.Items, err)
		}
	})
}

func TestUpsertBySynthesizedID(t *testing.T) {
	each(t, func(t *testing.T, s *storage.Store) {
		r := load(t, s, shop, create(t, s, shop, named("Sales", "select 1")).ID)
		twin := create(t, s, shop, named("Sales", "select 1"))
		_, err := s.Reports().Upsert(t.Context(), shop, r.PublicID, named("x", ""), ada, anyone)
		wantConflict(t, err, placements.CodeAmbiguous)
		wantSame(t, r, load(t, s, shop, r.ID))

		if err := s.Reports().Delete(t.Context(), shop, twin.ID, ada, anyone); err != nil {
			t.Fatal(err)
		}
		adopted := upsert(t, s, shop, r.PublicID, record.ReportInput{})
		if adopted.ID != r.ID || adopted.StoredPublicID != r.PublicID || adopted.Version != 1 || adopted.UpdatedAt != r.UpdatedAt {
			t.Errorf("adopted %+v", adopted)
		}
		// A stored publicId wins over a synthesized one, here and in other deployments.
		create(t, s, shop, named("Sales", "select 1"))
		if got := upsert(t, s, shop, r.PublicID, record.ReportInput{}); got.ID != r.ID {
			t.Errorf("leads to %d, want %d", got.ID, r.ID)
		}
		create(t, s, other, named("Sales", "select 1"))
		_, err = s.Reports().Upsert(t.Context(), other, r.PublicID, named("x", ""), ada, anyone)
		wantConflict(t, err, placements.CodeElsewhere)
	})
}

func TestSynthesizedIDIsLookedUpInTheDeploymentOnly(t *testing.T) {
	each(t, func(t *testing.T, s *storage.Store) {
		r := create(t, s, shop, named("Sales", "select 1"))
		got := upsert(t, s, other, r.PublicID, named("x", ""))
		if got.DeploymentID != other.ID || got.StoredPublicID != r.PublicID {
			t.Errorf("upsert elsewhere: %+v", got)
		}
	})
}

// rounds is how often a race is run: more when MOORING_TEST_ROUNDS says so.
func rounds(few int) int {
	n, err := strconv.Atoi(os.Getenv("MOORING_TEST_ROUNDS"))
	if err != nil {
		return few
	}
	return n
}

func TestSimultaneousFirstUpsertsCreateOnce(t *testing.T) {
	each(t, func(t *testing.T, s *storage.Store) {
		for round := range rounds(10) {
			race(t, s, "Race"+strconv.Itoa(10_000_000+round))
		}
	})
}

// race lets 64 callers upsert a publicId that nobody has yet.
func race(t *testing.T, s *storage.Store, publicID string) {
	t.Helper()
	const callers = 64
	type answer struct {
		report  *storage.Report
		creates bool // the branch that the last access check chose
		err     error
	}
	answers := make([]answer, callers)
	start := make(chan struct{})
	var wg sync.WaitGroup
	for i := range answers {
		wg.Go(func() {
			<-start
			a := &answers[i]
			a.report, a.err = s.Reports().Upsert(t.Context(), shop, publicID, named("Race", "select 1"), ada, func(r *storage.Report) error {
				a.creates = r == nil
				return nil
			})
		})
	}
	close(start)
	wg.Wait()
	creations, ids := 0, map[int64]bool{}
	for _, a := range answers {
		if a.err != nil {
			wantConflict(t, a.err, placements.CodeBranchChanged)
			continue
		}
		ids[a.report.ID] = true
		if a.creates {
			creations++
		}
	}
	if creations != 1 || len(ids) != 1 {
		t.Fatalf("%s: %d creations, ids %v", publicID, creations, ids)
	}
}

func TestUpsertWhoseBranchChanged(t *testing.T) {
	each(t, func(t *testing.T, s *storage.Store) {
		t.Run("created meanwhile", func(t *testing.T) {
			err := interleaved(t, s, chosen, func() { upsert(t, s, shop, chosen, named("other", "")) })
			wantConflict(t, err, placements.CodeBranchChanged)
		})
		t.Run("deleted meanwhile", func(t *testing.T) {
			r := upsert(t, s, shop, another, named("mine", ""))
			s.ForgetUpserted() // who remembers it decides anew when it is gone
			err := interleaved(t, s, another, func() {
				if err := s.Reports().Delete(t.Context(), shop, r.ID, ada, anyone); err != nil {
					t.Error(err)
				}
			})
			wantConflict(t, err, placements.CodeBranchChanged)
		})
	})
}

// interleaved runs an upsert whose access check is made while someone else holds the lock, and meanwhile between the check and the lock.
func interleaved(t *testing.T, s *storage.Store, publicID string, meanwhile func()) error {
	t.Helper()
	free := s.HoldPublicID(t, shop, publicID)
	asked := false
	_, err := s.Reports().Upsert(t.Context(), shop, publicID, named("mine", "select 1"), ada, func(*storage.Report) error {
		if !asked {
			asked = true
			free()
			meanwhile()
		}
		return nil
	})
	return err
}
