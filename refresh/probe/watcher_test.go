package probe

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// store is what watchers share: the lease, what is kept, the source's data and what was told of it.
type store struct {
	mu     sync.Mutex
	down   bool
	holder string
	until  time.Time
	kept   Seen
	data   int
	looks  int
	told   []string // each change once, with the second in which it was told
	known  map[string]bool
}

// one is a watcher's own view of the store.
type one struct {
	*store
	name  string
	says  chan struct{} // what the source announces
	fails int           // so many tries to listen fail
	dies  bool
}

var errDown = errors.New("the store is down")

func (o *one) Hold(_ context.Context, lease time.Duration) (Seen, bool, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.down {
		return Seen{}, false, errDown
	}
	if o.holder != "" && o.holder != o.name && time.Now().Before(o.until) {
		return Seen{}, false, nil
	}
	o.holder, o.until = o.name, time.Now().Add(lease)
	return o.kept, true, nil
}

func (o *one) Keep(_ context.Context, before Seen, value string) (Seen, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	switch {
	case o.down, o.dies:
		return before, errDown
	case o.holder != o.name, before.Changes != o.kept.Changes:
		return before, ErrLost
	}
	o.kept = Seen{value, before.Changes + 1}
	return o.kept, nil
}

func (o *one) Leave(context.Context) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.holder == o.name && !o.down {
		o.holder = ""
	}
}

func (o *one) Look(context.Context) (string, bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.looks++
	return fmt.Sprint(o.data), o.data >= 0
}

func (o *one) Listen(ctx context.Context, heard func()) {
	if o.fails--; o.fails >= 0 {
		return
	}
	for heard(); ; heard() {
		select {
		case <-ctx.Done():
			return
		case <-o.says:
		}
	}
}

func (o *one) Tell(_ context.Context, before Seen, value string) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.down {
		return errDown
	}
	id := fmt.Sprintf("%d:%s", before.Changes, value)
	if !o.known[id] {
		o.told = append(o.told, fmt.Sprintf("%s at %s", value, time.Since(start).Round(10*time.Millisecond)))
	}
	o.known[id] = true
	return nil
}

// start is when the bubble of a test begins.
var start = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

// set changes the data.
func (s *store) set(data int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.data = data
}

func (s *store) fail(down bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.down = down
}

// watching runs a watcher as an agent does, until stop.
func watching(t *testing.T, target *one, w Watcher) (stop func()) {
	w.Target = target
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for ctx.Err() == nil {
			if w.Round(ctx) != nil {
				_ = sleep(ctx, time.Second)
			}
		}
	}()
	return func() {
		cancel()
		<-ended
	}
}

func newStore() *store { return &store{known: map[string]bool{}, data: 1} }

func (s *store) want(t *testing.T, told ...string) {
	t.Helper()
	synctest.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	if diff := cmp.Diff(told, slices.Clone(s.told)); diff != "" {
		t.Errorf("told (-want +got):\n%s", diff)
	}
}

var polled = Watcher{Timing: Timing{Every: 5 * time.Second}, Asked: true}

func TestEachChangeIsToldOnceOfManyWatchers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStore()
		for _, name := range []string{"a", "b", "c"} {
			defer watching(t, &one{store: s, name: name}, polled)()
		}
		time.Sleep(12 * time.Second)
		s.want(t)
		s.set(2)
		time.Sleep(10 * time.Second)
		s.set(3)
		time.Sleep(time.Minute)
		s.want(t, "2 at 16s", "3 at 26s")
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.looks > 20 {
			t.Errorf("%d looks in 82 s, want those of one watcher", s.looks)
		}
	})
}

func TestAWatcherThatDiesIsFollowedWithinTenSeconds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStore()
		s.holder, s.until, s.kept = "dead", time.Now().Add(leaseFor), Seen{"0", 1} // it has just taken the lease
		defer watching(t, &one{store: s, name: "b"}, polled)()
		time.Sleep(11*time.Second + 10*time.Millisecond)
		s.want(t, "1 at 9s") // the lease, and the debounce
	})
}

func TestAWatcherThatLeavesIsFollowedAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStore()
		stop := watching(t, &one{store: s, name: "a"}, polled)
		synctest.Wait()
		defer watching(t, &one{store: s, name: "b"}, polled)()
		time.Sleep(time.Second)
		stop()
		s.set(2)
		time.Sleep(3 * time.Second)
		s.want(t, "2 at 3s")
	})
}

func TestAChangeWhileNoWatcherWasThere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStore()
		stop := watching(t, &one{store: s, name: "a"}, polled)
		synctest.Wait()
		stop()
		s.set(2)
		defer watching(t, &one{store: s, name: "b"}, polled)()
		time.Sleep(2 * time.Second)
		s.want(t, "2 at 1s")
	})
}

func TestAWatcherThatDiesBeforeItKeepsWhatItTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStore()
		s.kept = Seen{"0", 1}
		stop := watching(t, &one{store: s, name: "a", dies: true}, polled)
		time.Sleep(5 * time.Second)
		stop()
		defer watching(t, &one{store: s, name: "b"}, polled)()
		time.Sleep(10 * time.Second)
		s.want(t, "1 at 1s") // known for the same when it is told again
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.kept.Changes != 2 {
			t.Errorf("%d values kept, want 2", s.kept.Changes)
		}
	})
}

func TestAStoreThatIsAwayForAWhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStore()
		defer watching(t, &one{store: s, name: "a"}, polled)()
		time.Sleep(time.Second)
		s.fail(true)
		s.set(2)
		time.Sleep(time.Minute)
		s.want(t)
		s.fail(false)
		time.Sleep(10 * time.Second)
		synctest.Wait()
		s.mu.Lock()
		defer s.mu.Unlock()
		if len(s.told) != 1 {
			t.Errorf("told %v, want the change once", s.told)
		}
	})
}

func TestASourceThatDoesNotAnswerForAWhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStore()
		defer watching(t, &one{store: s, name: "a"}, polled)()
		time.Sleep(time.Second)
		s.set(-1)
		time.Sleep(time.Minute)
		s.want(t)
		s.set(2)
		time.Sleep(10 * time.Second)
		synctest.Wait()
		s.mu.Lock()
		defer s.mu.Unlock()
		if len(s.told) != 1 {
			t.Errorf("told %v, want the change once", s.told)
		}
	})
}

func TestAnnouncements(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStore()
		a := &one{store: s, name: "a", fails: 3, says: make(chan struct{})}
		defer watching(t, a, Watcher{Listens: true})()
		time.Sleep(10 * time.Second) // it listens after the pauses of 1, 2 and 4 s
		s.want(t)
		for range 150 {
			a.says <- struct{}{}
			time.Sleep(100 * time.Millisecond)
		}
		time.Sleep(10 * time.Second)
		s.want(t, " at 20s", " at 25.9s") // ten busy seconds, and when the next have gone quiet
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.looks > 0 {
			t.Errorf("%d looks for a value that is none", s.looks)
		}
	})
}

func TestAnAnnouncementIsTheOccasionToLook(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStore()
		a := &one{store: s, name: "a", says: make(chan struct{})}
		defer watching(t, a, Watcher{Timing: Timing{Every: time.Hour}, Asked: true, Listens: true})()
		time.Sleep(time.Second)
		a.says <- struct{}{} // about other data
		time.Sleep(10 * time.Second)
		s.want(t)
		s.set(2)
		a.says <- struct{}{}
		time.Sleep(2 * time.Second)
		s.want(t, "2 at 12s")
	})
}
