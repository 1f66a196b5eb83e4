package result

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"sync"
	"time"

	"mooring/placements"
)

// ErrNoRoom is why there is no result: the process holds as many as it may.
var ErrNoRoom = errors.New("as many results are in memory as may be")

// noRoom ends a query whose result outgrows the shared memory.
func noRoom() error {
	return &placements.Fault{
		Class: placements.Transient, Err: ErrNoRoom, RetryAfter: roomRetry,
		Message: "as many results are in memory as may be: try again in a while, or raise limits.resultsInMemory",
	}
}

// Room bounds the bytes of the results, encoded, that a process holds at one time, and of what writes read of their documents.
//
// Nothing waits while it holds any of it, so that no two results wait for each other. A result first grows in what all share; where that is
// used up its query ends, releases what it took, and runs again once a whole result fits: in the lane, which is as large as a result may
// be, or in the shared part. Those who wait get it first come, first served. A finished result leaves the lane if it fits elsewhere.
// A write waits while it holds results, but no write waits for a result, and one of them may always go beyond the bound: it makes room.
type Room struct {
	mu     sync.Mutex
	shared int  // bytes that are free
	size   int  // of all
	whole  int  // bytes that the largest result takes; the lane has them beside the shared ones
	lane   bool // taken
	beyond bool // a write is beyond the bound
	freed  int  // bytes released since the last collection

	Part   int       // bytes that a write is to read at a time
	wholes []*waiter // for a whole result
	writes []*waiter // to write
}

// waiter is one in a queue. granted is closed once it has what it waits for.
type waiter struct {
	share   *share // for a result
	bytes   int    // for a write
	beyond  bool   // the write was granted beyond the bound
	granted chan struct{}
}

// NewRoom returns room for that many bytes, of which the largest result takes whole.
func NewRoom(size, whole int) *Room {
	whole = min(whole, size)
	return &Room{size: size, shared: size - whole, whole: whole, Part: size / 4}
}

// share is what one result takes. Its users release it.
type share struct {
	of    *Room
	taken int  // of the shared bytes
	lane  bool // it has the lane
	users int
}

// firstBytes is how much must be free for a query to begin: it would else run for nothing.
const firstBytes = 1 << 20

// begin returns a share that can grow; where there is no room at all it waits for a whole one, as wholeShare does.
func (m *Room) firstShare(ctx context.Context, patience time.Duration, waits func()) (*share, error) {
	m.mu.Lock()
	free := m.shared >= firstBytes
	m.mu.Unlock()
	if free {
		return &share{of: m, users: 1}, nil
	}
	return m.wholeShare(ctx, patience, waits)
}

// wholeShare waits for room for a whole result, for so long, 0: as long as ctx goes on. waits is called before. Its error is ErrNoRoom or
// ctx's cause.
func (m *Room) wholeShare(ctx context.Context, patience time.Duration, waits func()) (*share, error) {
	if patience > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, patience, noRoom())
		defer cancel()
	}
	w := &waiter{share: &share{of: m, users: 1}, granted: make(chan struct{})}
	if err := m.await(ctx, &m.wholes, w, waits); err != nil {
		return nil, err
	}
	return w.share, nil
}

// await queues w and waits until it is granted. Its error is ctx's cause.
func (m *Room) await(ctx context.Context, queue *[]*waiter, w *waiter, waits func()) error {
	m.mu.Lock()
	*queue = append(*queue, w)
	m.grant()
	m.mu.Unlock()
	select {
	case <-w.granted:
		return nil
	default:
		waits()
	}
	select {
	case <-w.granted:
		m.Collect()
		return nil
	case <-ctx.Done():
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if i := slices.Index(*queue, w); i >= 0 {
		*queue = slices.Delete(*queue, i, i+1)
		return context.Cause(ctx)
	}
	return nil // granted at the same moment
}

// grant serves the queues: writes first, since they make room.
func (m *Room) grant() {
	for len(m.writes) > 0 && m.grantWrite(m.writes[0]) {
		close(m.writes[0].granted)
		m.writes = m.writes[1:]
	}
	for len(m.wholes) > 0 && m.grantWhole(m.wholes[0].share) {
		close(m.wholes[0].granted)
		m.wholes = m.wholes[1:]
	}
}

func (m *Room) grantWrite(w *waiter) bool {
	switch {
	case w.bytes <= m.shared:
		m.shared -= w.bytes
	case !m.beyond:
		m.beyond, w.beyond = true, true
	default:
		return false
	}
	return true
}

func (m *Room) grantWhole(s *share) bool {
	switch {
	case !m.lane:
		m.lane, s.lane = true, true
	case m.whole <= m.shared:
		m.shared -= m.whole
		s.taken = m.whole
	default:
		return false
	}
	return true
}

// Write waits until that many bytes of documents may be read, and returns what to call when they are not needed any more.
func (m *Room) Write(ctx context.Context, bytes int) (done func(), err error) {
	w := &waiter{bytes: bytes, granted: make(chan struct{})}
	if err := m.await(ctx, &m.writes, w, func() {}); err != nil {
		return nil, err
	}
	return func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		if w.beyond {
			m.beyond = false
		} else {
			m.shared += bytes
		}
		m.freed += bytes
		m.grant()
	}, nil
}

// Grow implements source.Memory.
func (s *share) Grow(bytes int) error {
	m := s.of
	m.mu.Lock()
	defer m.mu.Unlock()
	if s.lane || s.taken >= m.whole { // a whole result fits already
		return nil
	}
	if bytes > m.shared {
		return noRoom()
	}
	m.shared -= bytes
	s.taken += bytes
	return nil
}

// finished keeps what a result of that many bytes takes in the end.
func (s *share) finished(bytes int) {
	m := s.of
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case !s.lane:
		m.shared += s.taken - bytes
		s.taken = bytes
	case bytes <= m.shared:
		m.shared -= bytes
		s.taken, s.lane, m.lane = bytes, false, false
	}
	m.grant()
}

// Idle reports whether nothing takes any of the room, or waits for it.
func (m *Room) Idle() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.shared == m.size-m.whole && !m.lane && !m.beyond && len(m.wholes)+len(m.writes) == 0
}

// keep adds a user of the result.
func (s *share) keep() {
	s.of.mu.Lock()
	defer s.of.mu.Unlock()
	s.users++
}

// release takes a user away and reports whether it was the last, with which what the result took is freed.
func (s *share) release() (last bool) {
	m := s.of
	m.mu.Lock()
	defer m.mu.Unlock()
	if s.users--; s.users > 0 {
		return false
	}
	m.shared += s.taken
	m.freed += s.taken
	if s.lane {
		m.lane = false
		m.freed += m.whole
	}
	s.taken, s.lane = 0, false
	m.grant()
	return true
}

// largeTables is how many bytes of tables are worth a collection of their own.
const largeTables = 32 << 20

// Collect frees the memory of tables that are not used any more, when they are large. The collector by itself would wait until as much
// again was allocated: the next table would stand beside them. Tables have no pointers, which makes a collection cheap.
func (m *Room) Collect() {
	m.mu.Lock()
	large := m.freed >= largeTables
	if large {
		m.freed = 0
	}
	m.mu.Unlock()
	if large {
		runtime.GC()
	}
}

// roomRetry is when to ask again for a result that there was no room for.
const roomRetry = 5 * time.Second
