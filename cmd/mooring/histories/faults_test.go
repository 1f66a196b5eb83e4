//go:build unix

package histories

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"time"
)

// fault is something that is done to the servers while clients send requests.
type fault string

// The faults.
const (
	kills           fault = "kills"
	pauses          fault = "pauses"
	cutsFromClients fault = "cuts from clients"
	cutsFromRedis   fault = "cuts from Redis"
	switchOvers     fault = "switch-overs" // of a cluster
)

// Faults come by requests, not by time: so many requests meet as many faults, however quick the machine is. Each kind comes when a number of
// requests between least and most was sent since the last one.
var (
	betweenHalts       = between{200, 500} // a kill and a pause in turn, either first
	betweenCuts        = between{30, 120}
	betweenSwitchOvers = between{800, 2000}
	lengthOfPause      = between{50, 400}
)

// enough is how many faults as many requests meet at the least, whatever is drawn.
var enough = map[fault]int{kills: 2, pauses: 2, "cuts": 20, switchOvers: 1}

const requestsForEnough = 3000

// A pause lasts for so many requests, but not so long that all clients come to wait for the server. One in longPauses lasts longer than any lock
// of a server that is not heard of.
const (
	pauseAtMost = 4 * time.Second
	longPause   = 12 * time.Second
	longPauses  = 8
)

// between bounds a number of requests.
type between struct{ least, most int64 }

func (b between) draw(chance *rand.Rand) int64 { return b.least + chance.Int64N(b.most-b.least+1) }

// faults does them. Each is done by the client whose request it comes before.
type faults struct {
	rig *rig

	mu      sync.Mutex
	chance  *rand.Rand
	changed *sync.Cond // a server has come back
	next    map[*between]int64
	halts   []fault // the next ones
	counts  map[fault]int
	paused  []*paused
	coming  sync.WaitGroup
}

// paused is a server that is stopped until so many requests were sent, or a time has passed.
type paused struct {
	server *server
	until  int64 // 0: the time alone ends it
	late   *time.Timer
}

func newFaults(r *rig, seed uint64) *faults {
	f := &faults{rig: r, chance: rand.New(rand.NewPCG(seed, 0)), next: map[*between]int64{}, counts: map[fault]int{}}
	f.changed = sync.NewCond(&f.mu)
	for _, kind := range []*between{&betweenHalts, &betweenCuts, &betweenSwitchOvers} {
		f.next[kind] = kind.draw(f.chance)
	}
	return f
}

// before does the faults that come before request number n.
func (f *faults) before(n int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, p := range slices.Clone(f.paused) {
		if p.until != 0 && n >= p.until {
			f.resume(p)
		}
	}
	for f.isDue(&betweenCuts, n) {
		f.cut(f.rig.servers[f.chance.IntN(servers)])
	}
	for f.isDue(&betweenHalts, n) {
		f.halt(n)
	}
	for f.rig.shard != nil && f.isDue(&betweenSwitchOvers, n) {
		f.counts[switchOvers]++
		f.mu.Unlock()
		f.rig.shard.switchOver()
		f.mu.Lock()
	}
}

// isDue reports whether a fault comes before request number n, and draws when the next one does.
func (f *faults) isDue(kind *between, n int64) bool {
	if n < f.next[kind] {
		return false
	}
	f.next[kind] += kind.draw(f.chance)
	return true
}

// halt kills or pauses a server, and leaves one that serves.
func (f *faults) halt(n int64) {
	if len(f.halts) == 0 {
		f.halts = []fault{kills, pauses}
		f.chance.Shuffle(2, func(i, j int) { f.halts[i], f.halts[j] = f.halts[j], f.halts[i] })
	}
	what := f.halts[0]
	f.halts = f.halts[1:]
	s := f.oneOfTwo()
	f.counts[what]++
	s.setDown(true)
	if what == pauses {
		f.pause(s, n)
		return
	}
	s.process.Kill()
	f.coming.Go(func() {
		s.start()
		f.mu.Lock()
		defer f.mu.Unlock()
		f.changed.Broadcast()
	})
}

// oneOfTwo is one of the servers that serve, once there are two.
func (f *faults) oneOfTwo() *server {
	for {
		serving := slices.DeleteFunc(slices.Clone(f.rig.servers), (*server).isDown)
		if len(serving) > 1 {
			return serving[f.chance.IntN(len(serving))]
		}
		f.changed.Wait()
	}
}

// pause stops a server for some requests.
func (f *faults) pause(s *server, n int64) {
	p, most := &paused{server: s, until: n + lengthOfPause.draw(f.chance)}, pauseAtMost
	if f.counts[pauses]%longPauses == 0 {
		p.until, most = 0, longPause
	}
	if s.process.Pause() != nil {
		s.t.Errorf("the server has ended by itself: %s", s.process.Out)
	}
	f.paused = append(f.paused, p)
	p.late = time.AfterFunc(most, func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.resume(p)
	})
}

// resume lets a server go on, if it does not.
func (f *faults) resume(p *paused) {
	p.late.Stop()
	if i := slices.Index(f.paused, p); i >= 0 {
		f.paused = slices.Delete(f.paused, i, i+1)
		_ = p.server.process.Resume() // it has not ended: only halt ends it
		p.server.setDown(false)
		f.changed.Broadcast()
	}
}

// cut cuts the connections of a server, to its clients or to Redis.
func (f *faults) cut(s *server) {
	if f.chance.IntN(2) == 0 {
		f.counts[cutsFromClients]++
		s.front.cut()
	} else {
		f.counts[cutsFromRedis]++
		f.rig.cutFromRedis(s)
	}
}

// stop lets all servers go on, and returns how many faults of each kind there were.
func (f *faults) stop() map[fault]int {
	f.mu.Lock()
	for _, p := range slices.Clone(f.paused) {
		f.resume(p)
	}
	f.mu.Unlock()
	f.coming.Wait()
	return f.counts
}

// missed says of which faults there were fewer than that many requests are to meet.
func (f *faults) missed(requests int64) (too []string) {
	counts := f.counts
	met := maps.Clone(counts)
	met["cuts"] = counts[cutsFromClients] + counts[cutsFromRedis]
	for _, what := range slices.Sorted(maps.Keys(enough)) {
		if what == switchOvers && f.rig.shard == nil {
			continue
		}
		if want := enough[what] * int(requests/requestsForEnough); met[what] < want {
			too = append(too, fmt.Sprintf("%d %s, want %d", met[what], what, want))
		}
	}
	return too
}

// told lists the faults with their counts.
func told(counts map[fault]int) string {
	var all []string
	for _, what := range slices.Sorted(maps.Keys(counts)) {
		all = append(all, fmt.Sprintf("%d %s", counts[what], what))
	}
	return strings.Join(all, ", ")
}
