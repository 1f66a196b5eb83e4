package simulation

import (
	"fmt"
	"hash"
	"hash/fnv"
	"sync"
	"time"
)

// trace is what happened in a world, in its order. Two worlds of the same seed have the same one.
type trace struct {
	mu    sync.Mutex
	began time.Time
	sum   hash.Hash64
	count int
	lines []string // kept only for a person to read
	keep  bool
	line  []byte
}

func newTrace(keep bool) *trace { return &trace{began: time.Now(), sum: fnv.New64a(), keep: keep} }

// note adds a line. What it says must not differ between two runs of the same seed: no process id, no address.
func (tr *trace) note(format string, args ...any) {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	tr.count++
	tr.line = fmt.Appendf(tr.line[:0], "%d ", time.Since(tr.began))
	tr.line = fmt.Appendf(tr.line, format, args...)
	tr.sum.Write(tr.line)
	if tr.keep {
		tr.lines = append(tr.lines, time.Now().UTC().Format("02 15:04:05.000000000 ")+fmt.Sprintf(format, args...))
	}
}

// exchange adds a line for an exchange with Redis, of which there are many.
func (tr *trace) exchange(process, step string, content uint64) {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	tr.count++
	at := time.Since(tr.began)
	tr.line = append(append(tr.line[:0], process...), step...)
	for _, x := range [2]uint64{uint64(at), content} {
		for i := range 8 {
			tr.line = append(tr.line, byte(x>>(8*i)))
		}
	}
	tr.sum.Write(tr.line)
	if tr.keep {
		tr.lines = append(tr.lines, time.Now().UTC().Format("02 15:04:05.000000000 ")+fmt.Sprintf("%s %s %x", process, step, content))
	}
}

func (tr *trace) hash() string { return fmt.Sprintf("%016x", tr.sum.Sum64()) }

// mixed is a number that depends on all of several.
func mixed(list ...uint64) uint64 {
	x := uint64(0x9e3779b97f4a7c15)
	for _, v := range list {
		x = (x ^ v) * 0xff51afd7ed558ccd
		x = (x ^ x>>33) * 0xc4ceb9fe1a85ec53
		x ^= x >> 29
	}
	return x
}

// textSum is a number that depends on a text.
func textSum(list ...string) uint64 {
	x := uint64(0xcbf29ce484222325)
	for _, s := range list {
		for i := range len(s) {
			x = (x ^ uint64(s[i])) * 0x100000001b3
		}
		x = (x ^ 0xff) * 0x100000001b3
	}
	return x
}

// part is a number in [0,1) made from one that mixed returned.
func part(x uint64) float64 { return float64(x>>11) / (1 << 53) }
