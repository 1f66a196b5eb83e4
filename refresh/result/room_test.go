package result

import (
	"context"
	"errors"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"
	"weak"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/pivot"
	"mooring/refresh/source"
	"mooring/storage/record"
)

// growing is a source whose results have that many bytes, or a little more; it notes how many bytes all of them have at one time.
type growing struct {
	bytes      int
	mu         sync.Mutex
	held, peak int
	queries    int
}

func (s *growing) Query(ctx context.Context, q source.Query, b *checksum.Builder) ([]source.Column, error) {
	s.mu.Lock()
	s.queries++
	s.mu.Unlock()
	b.Append(checksum.Str("text"))
	for left := s.bytes; left > 0; left -= 1000 {
		if err := q.Memory.Grow(1000); err != nil {
			s.hold(-b.Size())
			return nil, err
		}
		before := b.Size()
		b.Append(checksum.Str(string(make([]byte, 990))))
		s.hold(b.Size() - before)
		time.Sleep(time.Microsecond)
	}
	return []source.Column{{Name: "text"}}, ctx.Err()
}

func (s *growing) hold(bytes int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.held += bytes
	s.peak = max(s.peak, s.held)
}

func (s *growing) Check(context.Context) error { return nil }
func (s *growing) Close() error                { return nil }

// ask runs a query that takes its memory of m.
func (s *growing) ask(ctx context.Context, m *Room, patience time.Duration, waits func()) (*Answer, error) {
	return Question{From: Origin{Source: s, MaxBytes: 4 << 20}, Of: new(record.Definition), Room: m, Patience: patience}.ask(ctx, waits)
}

// drop releases a result.
func (s *growing) drop(r *Answer) {
	s.hold(-r.Grid.Size())
	r.share.release()
}

// TestFault10ResultsWaitForRoom has many more clients than results fit, each of which grows: all get theirs, and at no time was there more than
// the bound.
func TestFault10ResultsWaitForRoom(t *testing.T) {
	for name, size := range map[string]int{"room for some": 16 << 20, "room for one": 4 << 20} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m, s := NewRoom(size, 4<<20), &growing{bytes: 3 << 20}
				var all sync.WaitGroup
				for range 24 {
					all.Go(func() {
						r, err := s.ask(t.Context(), m, 0, func() {})
						if err != nil {
							t.Error(err)
							return
						}
						time.Sleep(time.Duration(rand.IntN(10)) * time.Millisecond)
						s.drop(r)
					})
				}
				all.Wait()
				if s.peak > size {
					t.Errorf("%d bytes at one time, where %d may be", s.peak, size)
				}
				if s.queries > 2*24 {
					t.Errorf("24 results took %d queries: a query runs again once at most", s.queries)
				}
				if !m.Idle() || m.shared != size-4<<20 {
					t.Errorf("not everything was given back: %+v", m)
				}
			})
		})
	}
}

func TestAResultThatOutgrowsTheRoomGivesItBackBeforeItWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, s := NewRoom(8<<20, 4<<20), &growing{bytes: 3 << 20}
		var kept []*Answer
		for range 2 { // one in the shared part, one in the lane
			r, err := s.ask(t.Context(), m, 0, func() {})
			if err != nil {
				t.Fatal(err)
			}
			kept = append(kept, r)
		}
		if _, err := s.ask(t.Context(), m, time.Minute, func() {}); !errors.Is(err, ErrNoRoom) {
			t.Errorf("got %v, want no room", err)
		}
		if m.shared < 1<<20-2000 { // 4 MiB without one result
			t.Errorf("a client that gave up keeps memory: %d bytes are free", m.shared)
		}
		waits := make(chan struct{})
		got := make(chan error)
		go func() {
			r, err := s.ask(t.Context(), m, 0, func() { close(waits) })
			if err == nil {
				s.drop(r)
			}
			got <- err
		}()
		<-waits
		s.drop(kept[0])
		if err := <-got; err != nil {
			t.Error(err)
		}
		s.drop(kept[1])
	})
}

func TestASmallResultPassesThoseThatWaitForALargeOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, large, small := NewRoom(8<<20, 4<<20), &growing{bytes: 3 << 20}, &growing{bytes: 10_000}
		first, err := large.ask(t.Context(), m, 0, func() {})
		if err != nil {
			t.Fatal(err)
		}
		second, err := large.ask(t.Context(), m, 0, func() {})
		if err != nil {
			t.Fatal(err)
		}
		ctx, end := context.WithCancel(t.Context())
		var waiting sync.WaitGroup
		waiting.Go(func() {
			if _, err := large.ask(ctx, m, 0, func() {}); !errors.Is(err, context.Canceled) {
				t.Errorf("got %v, want cancelled", err)
			}
		})
		synctest.Wait()
		if _, err := small.ask(t.Context(), m, time.Nanosecond, func() {}); err != nil {
			t.Errorf("a small result had to wait: %v", err)
		}
		end()
		waiting.Wait()
		large.drop(first)
		large.drop(second)
	})
}

// TestWritesNeverWaitForResults fills the room with results that only writes free: one write at a time goes on all the same.
func TestWritesNeverWaitForResults(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := NewRoom(4<<20, 4<<20)
		s, err := m.firstShare(t.Context(), 0, func() {})
		if err != nil {
			t.Fatal(err)
		}
		done, err := m.Write(t.Context(), 5<<20)
		if err != nil {
			t.Fatal(err)
		}
		var second sync.WaitGroup
		second.Go(func() {
			done, err := m.Write(t.Context(), 5<<20)
			if err != nil {
				t.Error(err)
				return
			}
			done()
		})
		synctest.Wait()
		if !m.beyond || len(m.writes) != 1 {
			t.Errorf("two writes are beyond the bound at one time: %+v", m)
		}
		done()
		second.Wait()
		s.release()
	})
}

// Who has closed a result may still hold it, as the frame of a handler does: its table must go all the same.
func TestAClosedResultHoldsNoTable(t *testing.T) {
	m := NewRoom(1<<30, 1<<20)
	a, err := (&growing{bytes: 10_000}).ask(t.Context(), m, 0, func() {})
	must(t, err)
	table := weak.Make(a.Grid)
	a.share.keep() // another user
	a.Close()
	if a.Grid == nil {
		t.Fatal("another one uses it")
	}
	a.Close()
	runtime.GC()
	if table.Value() != nil {
		t.Error("the table of a closed result is still there")
	}
	runtime.KeepAlive(a)
}

func TestAPivotIsBoundedToo(t *testing.T) {
	var b checksum.Builder
	b.Append(checksum.Str("row"), checksum.Str("column"), checksum.Str("n"))
	for i := range 300 {
		b.Append(checksum.Num(float64(i)), checksum.Num(float64(i)), checksum.Num(1))
	}
	flat := b.Grid()
	columns := []source.Column{{Name: "row"}, {Name: "column"}, {Name: "n"}}
	p := pivot.Items{Rows: []string{"row"}, Columns: []string{"column"}, Measures: []string{"n"}}
	q := source.Query{MaxBytes: source.Size(flat.Size()), Memory: &share{of: NewRoom(1<<20, 1<<20), users: 1, lane: true}}
	err := new(Answer).pivot(t.Context(), &growing{}, q, flat, columns, p)
	if f, ok := errors.AsType[*placements.Fault](err); !ok || f.Class != placements.Structure {
		t.Errorf("a sparse pivot of %d bytes gives %v, want a structure fault", flat.Size(), err)
	}
}
