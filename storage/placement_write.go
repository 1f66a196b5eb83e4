package storage

import (
	"cmp"
	"context"
	"slices"

	"mooring/placements"
	"mooring/storage/journal"
	"mooring/storage/record"
	"mooring/storage/redis"
)

// placementWrite says which placements of which report a write may concern, and who asks for it.
type placementWrite struct {
	k       deploymentKeys
	id      int64
	near    candidates
	at      site // of the document that the write names; zero for one that names none
	trust   trust
	who     record.Actor
	expects func(*record.ReportHead) error // see Store.Connect
}

// placementTry is one try of a placementWrite.
type placementTry struct {
	report    *Report // with the candidates only
	recalled  bool    // the report is one of memory, which has no checksums
	idHolders int64   // placements of other reports that have the id in the document
	before    []*position
	lock      held // none unless on a lock
	tx        txn  // with the conditions that make it fail if any of that has changed
}

// writePlacements calls try with what a write is to be decided on until it is not overtaken. ErrNotFound also when the caller may not read
// the report.
func (s *Store) writePlacements(ctx context.Context, w placementWrite, try func(*placementTry) error) error {
	done, err := s.placing.Lock(ctx, placeKey{w.k.ref(w.id), cmp.Or(w.near.key, w.near.id)})
	if err != nil {
		return err
	}
	defer done()
	return optimistic(func(on basis) error {
		t, err := s.beginPlacements(ctx, w, on)
		if err != nil {
			return err
		}
		defer s.unlock(ctx, t.lock)
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

func (s *Store) beginPlacements(ctx context.Context, w placementWrite, on basis) (t *placementTry, err error) {
	t = new(placementTry)
	switch on {
	case onMemory:
		if t.report = s.recall(w.k, w.id, w.near, w.trust); t.report == nil {
			return nil, errOvertaken
		}
		t.recalled = true
	case onRead:
		t.report, t.idHolders, err = s.loadCandidates(ctx, w.k, w.id, w.near)
	case onLock:
		t.lock, t.report, t.idHolders, err = s.lockCandidates(ctx, w.k, w.id, w.near)
	}
	if err != nil {
		return nil, err
	}
	if on == onLock {
		t.lock.guard(&t.tx)
	} else {
		t.tx.If("", "GET", w.k.ReportLock(w.id))
	}
	t.tx.If(t.report.Version, "HGET", w.k.Report(w.id), fieldVersion)
	w.at.need(&t.tx, w.k.TenantKeys)
	t.needCandidates(w)
	return t, nil
}

// needCandidates adds the conditions that w names exactly the placements that the report of t has. One that was not written again still
// stands at its address, so only an address that is free needs to be looked at. A usual write needs no index: what stands at the address it
// names, or has the id in the spreadsheet, is known.
func (t *placementTry) needCandidates(w placementWrite) {
	n, placed := w.near, w.k.Placements(w.id)
	freeID, freeKey, hasID, onSheet, onSpot := n.id != "", n.key != "", false, 0, 0
	for i := range t.report.Placements {
		p := &t.report.Placements[i]
		at := p.position()
		t.before = append(t.before, at)
		t.tx.If(addressValue(at.slot, p.Rev), "HGET", placed, addressField+at.key)
		freeID = freeID && at.slot != n.id
		freeKey = freeKey && at.key != n.key
		hasID = hasID || at.slot == n.id && at.document == n.document
		if at.sheetID != "" && at.SheetSpot(at.sheetID) == n.sheet {
			onSheet++
		}
		if at.Spot() == n.spot {
			onSpot++
		}
	}
	if freeID {
		t.tx.If("", "HGET", placed, placementField+n.id)
	}
	if freeKey {
		t.tx.If("", "HGET", placed, addressField+n.key)
	}
	if n.sheet != "" && freeKey {
		from, to := prefixed(n.sheet)
		t.tx.If(onSheet, "ZLEXCOUNT", w.k.Spots(w.id), from, to)
	}
	if n.spot != "" {
		from, to := prefixed(n.spot)
		t.tx.If(onSpot, "ZLEXCOUNT", w.k.Spots(w.id), from, to)
	}
	if n.document != "" && !hasID {
		from, to := prefixed("=" + n.id)
		t.tx.If(t.idHolders, "ZLEXCOUNT", w.k.Document(n.document), from, to)
	}
}

// apply runs what was decided and returns what its reads replied. What is disputed keeps the checksum that a refresh compares with, so it is
// decided again if that was not at hand.
func (s *Store) apply(ctx context.Context, k deploymentKeys, t *placementTry) ([]any, error) {
	if t.recalled && slices.ContainsFunc(t.report.Placements, func(p Placed) bool { return p.Disputed() }) {
		return nil, errOvertaken
	}
	replies, err := s.write(ctx, &t.tx)
	if err != nil {
		return nil, err
	}
	t.lock.released()
	s.remember(k, t.report, t.before)
	return replies, nil
}

// notePlacement notes what a connect, which is about to be recorded, does to r's placements. One that only stamps a data write is no part of
// the audit.
func (t *txn) notePlacement(k deploymentKeys, r *Report, ch placements.Change, who record.Actor) {
	if ch.Created {
		t.note(k, journal.Of(who, journal.Connect, journal.OfPlacement(r.ID, &ch.Placement)))
		return
	}
	if changed := journal.PlacementPointers(&r.Placements[ch.Index].Placement, &ch.Placement); len(changed) > 0 {
		t.note(k, journal.Of(who, journal.Update, journal.OfPlacement(r.ID, &ch.Placement)).Made(0, changed...))
	}
}

// readOverlaps reads the members of the cell indexes that meet what stands at a position, but for that itself.
func readOverlaps(t *txn, k deploymentKeys, report int64, at *position) {
	sheet := at.sheet()
	t.Read("overlapping", k.Cells(0, sheet), k.Cells(1, sheet), k.Cells(2, sheet),
		k.cellMember(report, at), overlapBegin(at.rect), padded(at.rect.Top, rowDigits))
}

// readLastRefresh reads what ReportView.LastRefresh is made of.
func (t *placementTry) readLastRefresh(k deploymentKeys) {
	t.tx.Read("HMGET", k.Report(t.report.ID), fieldRefresh, fieldEcho)
}

// inlineFields is how many fields of a placements hash a write returns: reading more would keep other writers waiting.
const inlineFields = 32

// readPlacements reads the report's placements, unless there are many, or exactly as many fields as known, of which nothing need be told.
func (t *placementTry) readPlacements(k deploymentKeys, known int) {
	t.tx.Read("fields", k.Placements(t.report.ID), inlineFields, known)
}

// viewWritten returns the placements that readPlacements read, or reads them by themselves.
func (s *Store) viewWritten(ctx context.Context, k deploymentKeys, report int64, reply any) ([]record.PlacementView, error) {
	fields, many := reply.(int64)
	if !many {
		return viewPlacements(redis.Pairs(reply))
	}
	cmd := redis.NewMapStringStringCmd(ctx, "hgetall", k.Placements(report))
	var rdb redis.Pipelined = s.rdb
	if fields <= batchedFields {
		rdb = s.hot
	}
	if err := rdb.Process(ctx, cmd); err != nil {
		return nil, redis.Unavailable(err)
	}
	return viewPlacements(cmd.Val())
}

// batchedFields is how many fields are read in one batch with what others want: they would wait for more.
const batchedFields = 512

// ofConnection names what a connect may concern.
func ofConnection(c placements.Connection, place placements.Range) candidates {
	n := candidates{id: c.PlacementID, key: place.Key()}
	if c.SheetID != "" {
		n.sheet = place.SheetSpot(c.SheetID)
	}
	if c.PlacementID != "" {
		n.document = place.Document
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
