package checksum

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// parallel calls work with ranges [from,to) that together are [0,n), on all processors, and returns when all are done.
// Ranges are small against n, so that a processor busy elsewhere does not hold up the rest.
func parallel(n int, work func(from, to int)) {
	workers := min(runtime.GOMAXPROCS(0), n)
	if workers <= 1 {
		if n > 0 {
			work(0, n)
		}
		return
	}
	step := max(n/(16*workers), 1)
	var next atomic.Int64
	drain := func() {
		for {
			to := int(next.Add(int64(step)))
			from := to - step
			if from >= n {
				return
			}
			work(from, min(to, n))
		}
	}
	var others sync.WaitGroup
	for range workers - 1 {
		others.Go(drain)
	}
	drain()
	others.Wait()
}
