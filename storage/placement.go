package storage

import "mooring/placements"

// Placed is a placement and the outcome of the latest run on it, nil when there was none.
type Placed struct {
	placements.Placement
	LastRun *placements.LastRun
	Rev     string    // differs in every record ever written
	Claim   int64     // microseconds since 1970 when someone last connected or rewrote it: the latest owns its cells
	text    string    // JSON of the placement as stored; empty: not stored yet
	at      *position // see position
}

// The fields of a report's placements hash begin with what they hold; scripts spell them out.
const (
	placementField = "p:" // + slot -> record
	lastRunField   = "r:" // + slot -> LastRun JSON
	addressField   = "a:" // + address key -> slot, tab, revision of its record: see addressValue
)

// placedFields is how many fields a placement that no run has met takes: its record and its address.
const placedFields = 2

// addressValue is what the address field of a placement holds. The revision differs in every record ever written, so a writer that finds
// what it expects here knows that what it decided on is still there, and reads no record.
func addressValue(slot, revision string) string { return slot + "\t" + revision }

// recordPlacement stores what a connect decided and returns it: a connect claims the cells, and a conflict that the last run met is
// over.
func (s *Store) recordPlacement(tx *txn, k deploymentKeys, r *Report, ch placements.Change) *Placed {
	next := Placed{Placement: ch.Placement, Claim: s.now().UnixMicro()}
	if ch.Created {
		writePlacement(tx, k, r.ID, nil, &next)
		r.Placements = append(r.Placements, next)
		return &r.Placements[len(r.Placements)-1]
	}
	old := r.Placements[ch.Index]
	writePlacement(tx, k, r.ID, &old, &next)
	was, now := old.position().slot, next.position().slot
	if run := old.LastRun; run != nil && run.State == placements.RunFailed && run.ErrorClass == placements.Conflict {
		tx.Then("HDEL", k.placements(r.ID), lastRunField+was)
	} else if next.LastRun = run; run != nil && was != now {
		tx.set(k.placements(r.ID), lastRunField+now, run)
	}
	r.Placements[ch.Index] = next
	return &r.Placements[ch.Index]
}

// rewritePlacement stores p, a change to r's placement index that does not claim the cells anew. What the report repeats of it stays
// true.
func rewritePlacement(tx *txn, k deploymentKeys, r *Report, index int, p placements.Placement) {
	next := r.Placements[index]
	next.Placement = p
	was := r.Placements[index].position().slot
	writePlacement(tx, k, r.ID, &r.Placements[index], &next)
	tx.echoAs(k, r.ID, was, &next)
	r.Placements[index] = next
}
