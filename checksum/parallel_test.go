package checksum

import (
	"runtime"
	"sync/atomic"
	"testing"
)

func TestParallelCoversEachNumberOnce(t *testing.T) {
	for _, processors := range []int{1, 2, 7} {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(processors))
		for _, n := range []int{0, 1, 2, 3, 100, 12345} {
			seen := make([]atomic.Int32, n)
			parallel(n, func(from, to int) {
				for i := from; i < to; i++ {
					seen[i].Add(1)
				}
			})
			for i := range seen {
				if times := seen[i].Load(); times != 1 {
					t.Fatalf("%d processors, %d of %d: done %d times", processors, i, n, times)
				}
			}
		}
	}
}

func TestDigestDoesNotDependOnTheProcessors(t *testing.T) {
	g := manyRows(20_000)
	many, block := g.Checksum(), g.Block()
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	if !g.Checksum().Equal(many) || len(Diff(block, g.Block()).Rows) > 0 {
		t.Error("one processor gives another digest")
	}
}
