package storage

import (
	"context"
	"sync"

	"mooring/placements"
	"mooring/storage/record"
	"mooring/storage/redis"
)

// candidates names those placements of a report that a connect, a disconnect or a refresh may concern, so that its cost does not grow
// with the report: the one of that id, the one at that address, all at that sheet and anchor, and, where none has the address, all at that
// anchor of the sheet with that id. With a document, placements of other reports that have the id there are counted. Empty texts name none.
type candidates struct{ id, key, spot, sheet, document string }

// ofConnection names what a connect may concern.
func ofConnection(c placements.Connection, place placements.Place) candidates {
	n := candidates{id: c.PlacementID, key: place.Key()}
	if c.SheetID != "" {
		n.sheet = place.SheetSpot(c.SheetID)
	}
	if c.PlacementID != "" {
		n.document = c.ExternalWorkbookID
	}
	return n
}

// ofTarget names what a target may address.
func ofTarget(t placements.Target) candidates {
	switch form, a := t.Form(); form {
	case placements.ByID:
		return candidates{id: t.PlacementID}
	case placements.ByAddress:
		return candidates{key: a.Key()}
	case placements.ByLocation:
		return candidates{spot: a.Spot()}
	}
	return candidates{}
}

// candidatesScript reads a report and candidates among its placements.
var candidatesScript = redis.NewScript(lua("candidates"))

// loadCandidates reads a report with only those of its placements that n names, and remembers them. idHolders is how many placements of
// other reports have the id in the document. ErrNotFound.
func (s *Store) loadCandidates(ctx context.Context, k deploymentKeys, id int64, n candidates) (r *Report, idHolders int64, err error) {
	keys := []string{k.Report(id), k.Placements(id), k.Spots(id), k.Document(n.document)}
	owner := ""
	if n.document != "" {
		owner = k.Owner(id)
	}
	out, err := candidatesScript.Run(ctx, s.rdb, keys, n.id, n.key, n.spot, n.sheet, owner).Slice()
	if err != nil {
		return nil, 0, redis.Unavailable(err)
	}
	if r, err = s.readReport(k, id, redis.Pairs(out[0]), redis.Pairs(out[1])); err != nil {
		return nil, 0, err
	}
	s.remember(k, r, nil)
	idHolders, _ = out[2].(int64)
	return r, idHolders, nil
}

// lockCandidates takes the lock of a report and loads it as loadCandidates does. An error leaves no lock held.
func (s *Store) lockCandidates(
	ctx context.Context, k deploymentKeys, id int64, n candidates,
) (h held, r *Report, idHolders int64, err error) {
	h, _, err = s.lockLoad(ctx, []string{k.ReportLock(id)}, nil)
	if err != nil {
		return held{}, nil, 0, err
	}
	if r, idHolders, err = s.loadCandidates(ctx, k, id, n); err != nil {
		s.unlock(ctx, h)
		return held{}, nil, 0, err
	}
	return h, r, idHolders, nil
}

// The bounds of what a Store remembers of reports and placements; a placement counts once by its slot and once by its address.
const (
	maxHeads  = 4096
	maxPlaced = 32768
)

// trust is how far a write may be decided on what this process remembers of placements.
type trust int

const (
	trustNothing trust = iota // it needs checksums, which are not remembered
	trustSeen                 // all candidates must have been seen
	trustUnseen               // a candidate that was never seen may be taken for absent
)

// remember keeps a report as it was just read or written, and the placements that r has now instead of those that stood at before.
func (s *Store) remember(k deploymentKeys, r *Report, before []*position) {
	ref := k.ref(r.ID)
	if seen, ok := s.heads.get(ref); !ok || seen.DefinitionText != r.DefinitionText || seen.StoredPublicID != r.StoredPublicID {
		s.rememberHead(k, r.ReportHead)
	}
	for _, gone := range before {
		s.placed.remove(placedRef{ref, gone.slot}, placedRef{ref, gone.key})
	}
	for i := range r.Placements {
		p := r.Placements[i]
		p.ResultChecksum = nil
		at := p.position()
		s.placed.put(placedRef{ref, at.slot}, &p, 1)
		s.placed.put(placedRef{ref, at.key}, &p, 1)
	}
}

// rememberHead keeps a report as it was just read or written.
func (s *Store) rememberHead(k deploymentKeys, head record.ReportHead) {
	head.Effect = 0
	s.heads.put(k.ref(head.ID), &head, 1)
}

// recall returns a report as this process last saw it, with those of its placements that n names; nil when it did not see all that it has
// to.
func (s *Store) recall(k deploymentKeys, id int64, n candidates, how trust) *Report {
	ref := k.ref(id)
	head, ok := s.heads.get(ref)
	if !ok || how == trustNothing || n.spot != "" {
		return nil
	}
	r := &Report{ReportHead: *head}
	byID, hasID := s.placed.get(placedRef{ref, n.id})
	byKey, hasKey := s.placed.get(placedRef{ref, n.key})
	if how == trustSeen && (n.id != "" && !hasID || n.key != "" && !hasKey) {
		return nil
	}
	if n.id != "" && hasID {
		r.Placements = append(r.Placements, *byID)
	}
	if n.key != "" && hasKey && (n.id == "" || !hasID || byID.Rev != byKey.Rev) {
		r.Placements = append(r.Placements, *byKey)
	}
	return r
}

// reportRef names a report within the storage.
type reportRef struct {
	prefix string // of the deployment's keys
	id     int64
}

func (k deploymentKeys) ref(report int64) reportRef { return reportRef{k.Deployment.Prefix, report} }

// placedRef names a placement of a report: by its slot, and by the key of its address.
type placedRef struct {
	report reportRef
	name   string
}

// cache holds values within a bound on their sizes. Arbitrary ones make room for new ones. What is in it may be out of date: who uses it
// checks that, and must not change it.
type cache[K comparable, V any] struct {
	most int // sum of the sizes

	mu     sync.RWMutex
	values map[K]sized[V]
	held   int
}

type sized[V any] struct {
	value V
	size  int
}

func newCache[K comparable, V any](most int) *cache[K, V] {
	return &cache[K, V]{most: most, values: map[K]sized[V]{}}
}

func (c *cache[K, V]) get(key K) (V, bool) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	v, ok := c.values[key]
	return v.value, ok
}

// put holds a value, unless its size is such that it would displace many.
func (c *cache[K, V]) put(key K, value V, size int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.drop(key)
	if size > c.most/16 {
		return
	}
	for old := range c.values {
		if c.held+size <= c.most {
			break
		}
		c.drop(old)
	}
	c.values[key] = sized[V]{value, size}
	c.held += size
}

func (c *cache[K, V]) remove(keys ...K) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, key := range keys {
		c.drop(key)
	}
}

func (c *cache[K, V]) drop(key K) {
	c.held -= c.values[key].size
	delete(c.values, key)
}
