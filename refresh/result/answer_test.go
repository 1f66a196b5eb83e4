package result

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"mooring/checksum"
	"mooring/refresh/source"
	"mooring/storage/record"
)

func TestQueriesRunOnceForThoseWhoAskTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var q queries
		var ran atomic.Int32
		key := queryKey{record.Deployment{Tenant: "acme", ID: 1}, "sum", "", "user 7", nil}
		slow := func(context.Context, func()) (*Answer, error) {
			ran.Add(1)
			time.Sleep(time.Second)
			return &Answer{share: &share{of: NewRoom(0, 0), users: 1}}, nil
		}
		start := time.Now()
		ask := func(key queryKey, asked, begun time.Time) {
			if r, err := q.do(t.Context(), key, asked, begun, slow, patient{}); r == nil || err != nil {
				t.Errorf("got %v, %v", r, err)
			}
		}
		var all sync.WaitGroup
		for range 5 {
			all.Go(func() { ask(key, start, start) })
		}
		all.Wait()
		if n := ran.Load(); n != 1 {
			t.Errorf("one query that five runs want ran %d times", n)
		}

		// A run that was asked for after the query began must not be shown what it saw.
		ran.Store(0)
		all.Go(func() { ask(key, start, start.Add(time.Second)) })
		synctest.Wait()
		all.Go(func() { ask(key, start.Add(2*time.Second), start.Add(2*time.Second)) })
		all.Wait()
		if n := ran.Load(); n != 2 {
			t.Errorf("a query that began too early served a later run: %d ran, want 2", n)
		}

		// Nor may one user be shown what another may see.
		ran.Store(0)
		other := key
		other.user = "user 8"
		all.Go(func() { ask(key, start, start) })
		all.Go(func() { ask(other, start, start) })
		all.Wait()
		if n := ran.Load(); n != 2 {
			t.Errorf("two users shared a query: %d ran, want 2", n)
		}
		if len(q.flights) != 0 {
			t.Errorf("%d queries are still remembered", len(q.flights))
		}
	})
}

func TestAQueryEndsWhenNobodyWaitsForIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var q queries
		key := queryKey{user: "u"}
		ended := make(chan struct{})
		hang := func(ctx context.Context, _ func()) (*Answer, error) {
			<-ctx.Done()
			close(ended)
			return nil, ctx.Err()
		}
		first, leaveFirst := context.WithCancel(t.Context())
		second, leaveSecond := context.WithCancel(t.Context())
		var all sync.WaitGroup
		for _, ctx := range []context.Context{first, second} {
			all.Go(func() {
				if _, err := q.do(ctx, key, time.Time{}, time.Time{}, hang, patient{}); !errors.Is(err, context.Canceled) {
					t.Errorf("got %v, want cancelled", err)
				}
			})
		}
		synctest.Wait()
		leaveFirst()
		synctest.Wait()
		select {
		case <-ended:
			t.Error("the query ended though one run still waits for it")
		default:
		}
		leaveSecond()
		all.Wait()
		<-ended
	})
}

func TestAPanicInAQueryIsTheRunsFault(t *testing.T) {
	var q queries
	_, err := q.do(t.Context(), queryKey{}, time.Time{}, time.Time{}, func(context.Context, func()) (*Answer, error) { panic("driver") }, patient{})
	if err == nil {
		t.Error("a panic gave no error")
	}
}

// patient waits for memory.
type patient struct{}

func (patient) WaitsForMemory() {}

// paused is a source whose query goes on once it is let.
type paused struct{ on chan struct{} }

func (s paused) Query(_ context.Context, _ source.Query, b *checksum.Builder) ([]source.Column, error) {
	<-s.on
	b.Append(checksum.Str("text"))
	return []source.Column{{Name: "text"}}, nil
}

func (paused) Check(context.Context) error { return nil }
func (paused) Close() error                { return nil }

// Attempts of a process share results. Each knows the store's clock from its own beginning, a little differently, and all say the same age.
func TestASharedResultHasOneAge(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		all, s := NewResults(1<<20, 1<<10), paused{make(chan struct{})}
		began, since := time.Date(2026, 3, 2, 7, 0, 0, 0, time.UTC), time.Now()
		tables := make([]*Answer, 2)
		var asking sync.WaitGroup
		for i := range tables {
			w := Want{Question: Question{From: Origin{Source: s}, Of: new(record.Definition), Room: all.Runs}, Asked: began, Started: since}
			w.Begun = began.Add(time.Duration(i) * time.Hour)
			asking.Go(func() {
				var err error
				if tables[i], err = all.Get(t.Context(), w); err != nil {
					t.Error(err)
				}
			})
			synctest.Wait()
		}
		close(s.on)
		asking.Wait()
		if tables[0] == nil || tables[0] != tables[1] {
			t.Fatalf("two results: %v", tables)
		}
		if at := tables[0].AsOf; at.Before(began) || at.After(began.Add(30*time.Minute)) {
			t.Errorf("as of %s, want what the first attempt says, which asked after %s", at, began)
		}
		for _, one := range tables {
			one.Close()
		}
		if !all.Runs.Idle() {
			t.Error("memory is taken that nothing uses")
		}
	})
}
