package storage_test

import (
	"context"
	"errors"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"mooring/placements"
	"mooring/storage"
	"mooring/storage/record"
)

// placing makes a body place its report too, so that an update by it is decided under the lock.
func placing(in record.ReportInput) record.ReportInput {
	in.ExternalWorkbookID, in.ResultLocation = placements.Sent("book"), placements.Sent("S!A1")
	return in
}

func TestWriterWaitsForTheLock(t *testing.T) {
	each(t, func(t *testing.T, s *storage.Store) {
		r := create(t, s, shop, withPublicID(named("Sales", ""), chosen))
		inside, leave := make(chan struct{}), make(chan struct{})
		first := make(chan error, 1)
		go func() {
			_, err := s.Reports().Update(t.Context(), shop, r.ID, placing(named("first", "")), ada, func(*storage.Report) error {
				close(inside)
				<-leave
				return nil
			})
			first <- err
		}()
		<-inside
		second := make(chan error, 1)
		go func() {
			_, err := s.Reports().Upsert(t.Context(), shop, chosen, record.ReportInput{Title: placements.Sent("second")}, ada, anyone)
			second <- err
		}()
		close(leave)
		for _, done := range []chan error{first, second} {
			if err := <-done; err != nil {
				t.Fatal(err)
			}
		}
		if got := load(t, s, shop, r.ID); got.Name != "first" || got.Title != "second" || got.Version != 3 {
			t.Errorf("one write was lost: %q, %q, version %d", got.Name, got.Title, got.Version)
		}
	})
}

func TestLockThatIsNotFreedInTime(t *testing.T) {
	each(t, func(t *testing.T, s *storage.Store) {
		free := s.HoldPublicID(t, shop, chosen)
		defer free()
		s.SetLocks(20*time.Millisecond, patience)
		_, err := s.Reports().Upsert(t.Context(), shop, chosen, named("x", ""), ada, anyone)
		if !errors.Is(err, storage.ErrBusy) {
			t.Errorf("got %v", err)
		}
		s.SetLocks(patience, patience)
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		defer cancel()
		if _, err := s.Reports().Upsert(ctx, shop, chosen, named("x", ""), ada, anyone); err == nil {
			t.Error("a waiting writer ignores its caller")
		}
	})
}

func TestWriterThatLostItsLockChangesNothing(t *testing.T) {
	each(t, func(t *testing.T, s *storage.Store) {
		r := load(t, s, shop, create(t, s, shop, named("Sales", "")).ID)
		_, err := s.Reports().Update(t.Context(), shop, r.ID, placing(named("late", "")), ada, func(*storage.Report) error {
			s.DropReportLock(t, shop, r.ID) // as if it had run out while the decision took too long
			return nil
		})
		if !errors.Is(err, storage.ErrLockLost) {
			t.Errorf("got %v", err)
		}
		wantSame(t, r, load(t, s, shop, r.ID))
	})
}

func TestWriterDoesNotFreeTheLockOfAnother(t *testing.T) {
	each(t, func(t *testing.T, s *storage.Store) {
		free, r := func() {}, create(t, s, shop, named("Sales", ""))
		_, err := s.Reports().Update(t.Context(), shop, r.ID, placing(withPublicID(named("x", ""), chosen)), ada, func(*storage.Report) error {
			free = s.HoldPublicID(t, shop, chosen) // ours, which it has, ran out and another writer came
			return errDenied
		})
		defer free()
		if !errors.Is(err, errDenied) {
			t.Fatal(err)
		}
		s.SetLocks(20*time.Millisecond, patience)
		if _, err := s.Reports().Upsert(t.Context(), shop, chosen, named("x", ""), ada, anyone); !errors.Is(err, storage.ErrBusy) {
			t.Errorf("the other writer's lock is gone: %v", err)
		}
	})
}

// A connect writes no placement beside who has the report, such as one who deletes it.
func TestAConnectWaitsForWhoHasTheReport(t *testing.T) {
	each(t, func(t *testing.T, s *storage.Store) {
		r := create(t, s, shop, named("Sales", ""))
		if _, err := s.Placements().Connect(t.Context(), shop, r.ID, onBook("book"), ada, nil, true); err != nil {
			t.Fatal(err) // from now on it is decided on memory
		}
		s.SetLocks(20*time.Millisecond, patience)
		s.HoldReport(t, shop, r.ID)
		if _, err := s.Placements().Connect(t.Context(), shop, r.ID, onBook("book"), ada, nil, true); !errors.Is(err, storage.ErrBusy) {
			t.Errorf("it does not wait: %v", err)
		}
	})
}

// A connect that was decided on a report which was edited since is decided again.
func TestAConnectIsOfTheReportAsItIsThen(t *testing.T) {
	each(t, func(t *testing.T, s *storage.Store) {
		r := create(t, s, shop, named("Sales", "select 1"))
		var seen []int64
		writes := onBook("book", func(c *placements.Connection) { c.AddressOnly = false })
		_, err := s.Placements().Connect(t.Context(), shop, r.ID, writes, ada, func(head *record.ReportHead) error {
			if seen = append(seen, head.Version); len(seen) == 1 {
				_, err := s.Reports().Update(t.Context(), shop, r.ID, named("Sales", "select 2"), ada, func(*storage.Report) error { return nil })
				return err
			}
			return nil
		}, true)
		if err != nil || len(seen) < 2 || seen[len(seen)-1] != 2 {
			t.Errorf("it was decided on the versions %v, %v; want the second at last", seen, err)
		}
		now := load(t, s, shop, r.ID)
		if got := now.Placements[0].QueryChecksum; got != now.CurrentChecksum {
			t.Errorf("the placement has the query %q, the report %q", got, now.CurrentChecksum)
		}
	})
}

func TestDocumentLock(t *testing.T) {
	each(t, func(t *testing.T, s *storage.Store) {
		s.SetLocks(20*time.Millisecond, patience)
		held, _, release, err := s.Work().LockDocument(t.Context(), "acme", "book")
		if err != nil {
			t.Fatal(err)
		}
		if who, err := s.Work().DocumentWriter(t.Context(), "acme", "book"); err != nil || !strings.Contains(who, strconv.Itoa(os.Getpid())) {
			t.Errorf("the writer is %q, %v, want this process", who, err)
		}
		impatient, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond) // many times what a write waits for its locks
		defer cancel()
		if _, _, _, err := s.Work().LockDocument(impatient, "acme", "book"); err == nil || errors.Is(err, storage.ErrBusy) {
			t.Errorf("a second writer: %v, want it to wait as long as it may", err)
		}
		_, _, freeOther, err := s.Work().LockDocument(t.Context(), "acme", "another book")
		if err != nil {
			t.Fatal(err)
		}
		freeOther()
		release()
		if held.Err() == nil {
			t.Error("the lease outlives its release")
		}
		_, _, release, err = s.Work().LockDocument(t.Context(), "acme", "book")
		if err != nil {
			t.Fatalf("after the release: %v", err)
		}
		release()
	})
}

func TestDocumentLockIsProlongedWhileItsWriterLives(t *testing.T) {
	each(t, func(t *testing.T, s *storage.Store) {
		t.Parallel() // it waits for a third of the lock's lifetime
		s.SetLocks(patience, 6*time.Second)
		held, _, release, err := s.Work().LockDocument(t.Context(), "acme", "book")
		if err != nil {
			t.Fatal(err)
		}
		defer release()
		lock := s.DocumentLockKey("acme", "book")
		if err := s.Client().Persist(t.Context(), lock).Err(); err != nil {
			t.Fatal(err)
		}
		for s.Client().PTTL(t.Context(), lock).Val() < 0 { // until it is given a lifetime again
			select {
			case <-held.Done():
				t.Fatalf("the lease has ended: %v", context.Cause(held))
			case <-time.After(10 * time.Millisecond):
			}
		}
	})
}

func TestDocumentLockThatIsLostEndsTheLease(t *testing.T) {
	each(t, func(t *testing.T, s *storage.Store) {
		s.SetLocks(time.Second, 90*time.Millisecond)
		held, _, release, err := s.Work().LockDocument(t.Context(), "acme", "book")
		if err != nil {
			t.Fatal(err)
		}
		defer release()
		s.TakeDocumentLock(t, "acme", "book")
		select {
		case <-held.Done():
		case <-time.After(patience):
			t.Fatal("the lease goes on")
		}
		if !errors.Is(context.Cause(held), storage.ErrLockLost) {
			t.Errorf("cause %v", context.Cause(held))
		}
	})
}

func TestCallerThatLeavesWhileTheLockIsTakenFreesIt(t *testing.T) {
	calls := map[string]func(ctx context.Context, s *storage.Store, id int64) error{
		"update": func(ctx context.Context, s *storage.Store, id int64) error {
			_, err := s.Reports().Update(ctx, shop, id, placing(named("x", "")), ada, anyone)
			return err
		},
		"upsert": func(ctx context.Context, s *storage.Store, _ int64) error {
			_, err := s.Reports().Upsert(ctx, shop, chosen, named("x", ""), ada, anyone)
			return err
		},
		"create": func(ctx context.Context, s *storage.Store, _ int64) error {
			_, err := s.Reports().Create(ctx, shop, withPublicID(named("x", ""), another), ada)
			return err
		},
		"document": func(ctx context.Context, s *storage.Store, _ int64) error {
			_, _, _, err := s.Work().LockDocument(ctx, "acme", "book")
			return err
		},
	}
	each(t, func(t *testing.T, s *storage.Store) {
		id := create(t, s, shop, withPublicID(named("Sales", ""), chosen)).ID
		for name, call := range calls {
			if err := call(s.LeaveAfterLocking(t.Context()), s, id); !errors.Is(err, context.Canceled) {
				t.Errorf("%s: %v", name, err)
			}
			for key := range s.Dump(t) {
				if strings.Contains(key, "lock:") {
					t.Errorf("%s leaves %s", name, key)
				}
			}
		}
	})
}
