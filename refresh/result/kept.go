package result

import (
	"sync"
	"time"
)

// keptResults are results of client runs whose add-ins were asked for more of their sheets: the plan that follows, if it comes to this
// process in time, does not run the query again.
type keptResults struct {
	mu   sync.Mutex
	runs map[string]*keptResult
}

type keptResult struct {
	key    queryKey
	result *Answer
	timer  *time.Timer
}

// put keeps a result for a run, unless it is large.
func (k *keptResults) put(run string, key queryKey, t *Answer) {
	if t.Grid.Size() > keptSize {
		return
	}
	t.share.keep()
	one := &keptResult{key: key, result: t}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.runs == nil {
		k.runs = map[string]*keptResult{}
	}
	if old := k.runs[run]; old != nil && old.timer.Stop() {
		old.result.share.release()
	}
	k.runs[run] = one
	one.timer = time.AfterFunc(keptFor, func() {
		k.mu.Lock()
		if k.runs[run] == one {
			delete(k.runs, run)
		}
		k.mu.Unlock()
		t.share.release()
	})
}

// take returns the result that is kept for a run if it is the one of key, and keeps it no longer. The caller releases it. It returns nil
// without one.
func (k *keptResults) take(run string, key queryKey) *Answer {
	k.mu.Lock()
	defer k.mu.Unlock()
	one := k.runs[run]
	if one == nil || !one.timer.Stop() {
		return nil
	}
	delete(k.runs, run)
	if one.key != key {
		one.result.share.release()
		return nil
	}
	return one.result
}

// The bounds of the results that are kept for client runs.
const (
	keptFor  = 30 * time.Second
	keptSize = 16 << 20 // bytes of one, encoded
)
