//go:build unix

package histories

import (
	"math/rand/v2"
	"sync"
	"time"
)

// faults are what is done to the servers while clients send requests.
type faults struct {
	rig  *rig
	end  chan struct{}
	done sync.WaitGroup

	mu     sync.Mutex
	counts map[string]int
}

// beginFaults kills and pauses one server after the other, and cuts connections all the time, until stop is called.
func beginFaults(r *rig, seed uint64) *faults {
	f := &faults{rig: r, counts: map[string]int{}, end: make(chan struct{})}
	for i, loop := range []struct {
		most time.Duration // between two faults
		one  func(*server, *rand.Rand)
	}{{3 * time.Second, f.halt}, {400 * time.Millisecond, f.cut}} {
		chance := rand.New(rand.NewPCG(seed, uint64(i)))
		f.done.Go(func() {
			for f.waits(time.Duration(chance.Int64N(int64(loop.most)))) {
				loop.one(r.servers[chance.IntN(servers)], chance)
			}
		})
	}
	return f
}

// stop ends them and returns how many of each there were.
func (f *faults) stop() map[string]int {
	close(f.end)
	f.done.Wait()
	return f.counts
}

func (f *faults) count(what string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.counts[what]++
}

// waits reports whether a time passes before the end.
func (f *faults) waits(d time.Duration) bool {
	select {
	case <-time.After(d):
		return true
	case <-f.end:
		return false
	}
}

// halt kills a server and starts it again, or pauses it for some seconds.
func (f *faults) halt(s *server, chance *rand.Rand) {
	s.setDown(true)
	if chance.IntN(2) == 0 {
		f.count("kills")
		s.process.Kill()
		s.start()
		return
	}
	if s.process.Pause() == nil {
		f.count("pauses")
		f.waits(time.Duration(chance.Int64N(int64(4 * time.Second))))
		_ = s.process.Resume() // it has not ended: nobody else ends it
	}
	s.setDown(false)
}

// cut cuts the connections of a server, to its clients or to Redis.
func (f *faults) cut(s *server, chance *rand.Rand) {
	if chance.IntN(2) == 0 {
		f.count("cuts from clients")
		s.front.cut()
	} else {
		f.count("cuts from Redis")
		s.back.cut()
	}
}
