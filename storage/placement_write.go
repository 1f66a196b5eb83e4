package storage

import (
	"cmp"
	"context"
	"slices"

	"mooring/storage/engine"
	"mooring/storage/keys"
	"mooring/storage/layout"
	"mooring/storage/record"
	"mooring/storage/redis"
)

// placementWrite says which placements of which report a write may concern, and who asks for it.
type placementWrite struct {
	k       keys.DeploymentKeys
	id      int64
	who     record.Actor
	expects func(*record.ReportHead) error // see Placements.Connect
	minimal bool                           // the answer shows no placements but the one that is written
	near    layout.Candidates
	at      layout.DocumentSite // of the document that the write names; zero for one that names none
	trust   layout.Trust
}

// placementTry is one try of a placementWrite.
type placementTry struct {
	report    *layout.Report // with the candidates only
	recalled  bool           // the report is one of memory, which has no checksums
	idHolders int64          // placements of other reports that have the id in the document
	before    []*layout.Position
	lock      engine.Locks     // none unless on a lock
	to        *layout.Recorder // with the conditions that make it fail if any of that has changed
}

// writePlacements calls try with what a write is to be decided on until it is not overtaken. ErrNotFound also when the caller may not read
// the report.
func (s *Placements) writePlacements(ctx context.Context, w placementWrite, try func(*placementTry) error) error {
	done, err := s.placing.Lock(ctx, placeKey{w.k.Prefix, w.id, cmp.Or(w.near.Key, w.near.ID)})
	if err != nil {
		return err
	}
	defer done()
	return engine.Optimistic(func(on engine.Basis) error {
		t, err := s.beginPlacements(ctx, w, on)
		if err != nil {
			return err
		}
		defer s.db.Unlock(ctx, t.lock)
		if w.who.Level(&t.report.Definition) < record.MayRead {
			return ErrNotFound
		}
		if w.expects != nil {
			if err := w.expects(&t.report.ReportHead); err != nil {
				return err
			}
		}
		return try(t)
	})
}

func (s *Placements) beginPlacements(ctx context.Context, w placementWrite, on engine.Basis) (t *placementTry, err error) {
	t = &placementTry{to: layout.NewRecorder(s.db, new(engine.Transaction), w.k, w.who)}
	switch on {
	case engine.OnMemory:
		if t.report = s.memory.Recall(w.k, w.id, w.near, w.trust); t.report == nil {
			return nil, engine.ErrOvertaken
		}
		t.recalled = true
	case engine.OnRead:
		t.report, t.idHolders, err = s.loadCandidates(ctx, w.k, w.id, w.near)
	case engine.OnLock:
		t.lock, t.report, t.idHolders, err = s.lockCandidates(ctx, w.k, w.id, w.near)
	}
	if err != nil {
		return nil, err
	}
	if on == engine.OnLock {
		t.lock.Guard(t.to.Tx)
	} else {
		t.to.Tx.If("", "GET", w.k.Locks().Report(w.id))
	}
	t.to.Tx.If(t.report.Version, "HGET", w.k.Report(w.id), layout.FieldVersion)
	w.at.Need(t.to.Tx, w.k.TenantKeys)
	t.needCandidates(w)
	return t, nil
}

// needCandidates adds the conditions that w names exactly the placements that the report of t has. One that was not written again still
// stands at its address, so only an address that is free needs to be looked at. A usual write needs no index: what stands at the address it
// names, or has the id in the spreadsheet, is known.
func (t *placementTry) needCandidates(w placementWrite) {
	n, placed, tx := w.near, w.k.Placements(w.id), t.to.Tx
	freeID, freeKey, hasID, onSheet, onSpot := n.ID != "", n.Key != "", false, 0, 0
	for i := range t.report.Placements {
		p := &t.report.Placements[i]
		at := p.Position()
		t.before = append(t.before, at)
		tx.If(layout.AddressValue(at.Slot, p.Rev), "HGET", placed, layout.AddressField+at.AddressKey)
		freeID = freeID && at.Slot != n.ID
		freeKey = freeKey && at.AddressKey != n.Key
		hasID = hasID || at.Slot == n.ID && at.Home == n.Document
		if at.SheetID != "" && at.SheetSpot(at.SheetID) == n.Sheet {
			onSheet++
		}
		if at.Spot() == n.Spot {
			onSpot++
		}
	}
	if freeID {
		tx.If("", "HGET", placed, layout.PlacementField+n.ID)
	}
	if freeKey {
		tx.If("", "HGET", placed, layout.AddressField+n.Key)
	}
	if n.Sheet != "" && freeKey {
		from, to := layout.Bounds(n.Sheet)
		tx.If(onSheet, "ZLEXCOUNT", w.k.Spots(w.id), from, to)
	}
	if n.Spot != "" {
		from, to := layout.Bounds(n.Spot)
		tx.If(onSpot, "ZLEXCOUNT", w.k.Spots(w.id), from, to)
	}
	if n.Document != "" && !hasID {
		from, to := layout.Bounds("=" + n.ID)
		tx.If(t.idHolders, "ZLEXCOUNT", w.k.Document(n.Document), from, to)
	}
}

// apply runs what was decided and returns what its reads replied. What is disputed keeps the checksum that a refresh compares with, so it is
// decided again if that was not at hand.
func (s *Placements) apply(ctx context.Context, t *placementTry) ([]any, error) {
	if t.recalled && slices.ContainsFunc(t.report.Placements, func(p layout.Placed) bool { return p.Disputed() }) {
		return nil, engine.ErrOvertaken
	}
	replies, err := s.db.Write(ctx, t.to.Tx)
	if err != nil {
		return nil, err
	}
	t.lock.Released()
	s.memory.Remember(t.to.Keys, t.report, t.before)
	return replies, nil
}

// candidatesScript reads a report and candidates among its placements.
var candidatesScript = redis.NewScript(lua("candidates"))

// loadCandidates reads a report with only those of its placements that n names, and remembers them. idHolders is how many placements of
// other reports have the id in the document. ErrNotFound.
func (s *Placements) loadCandidates(ctx context.Context, k keys.DeploymentKeys, id int64, n layout.Candidates) (r *layout.Report, idHolders int64, err error) {
	keys := []string{k.Report(id), k.Placements(id), k.Spots(id), k.Document(n.Document)}
	owner := ""
	if n.Document != "" {
		owner = k.Owner(id)
	}
	out, err := candidatesScript.Run(ctx, s.db.Redis, keys, n.ID, n.Key, n.Spot, n.Sheet, owner).Slice()
	if err != nil {
		return nil, 0, redis.Unavailable(err)
	}
	if r, err = s.reader.Report(k, id, redis.Pairs(out[0]), redis.Pairs(out[1])); err != nil {
		return nil, 0, err
	}
	s.memory.Remember(k, r, nil)
	idHolders, _ = out[2].(int64)
	return r, idHolders, nil
}

// lockCandidates takes the lock of a report and loads it as loadCandidates does. An error leaves no lock held.
func (s *Placements) lockCandidates(
	ctx context.Context, k keys.DeploymentKeys, id int64, n layout.Candidates,
) (h engine.Locks, r *layout.Report, idHolders int64, err error) {
	h, _, err = s.db.LockLoad(ctx, []string{k.Locks().Report(id)}, nil)
	if err != nil {
		return engine.Locks{}, nil, 0, err
	}
	if r, idHolders, err = s.loadCandidates(ctx, k, id, n); err != nil {
		s.db.Unlock(ctx, h)
		return engine.Locks{}, nil, 0, err
	}
	return h, r, idHolders, nil
}
