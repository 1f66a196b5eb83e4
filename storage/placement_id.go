package storage

import (
	"context"
	"crypto/rand"
	"fmt"
	"slices"

	"mooring/storage/record"
)

// Load returns the report that an attempt refreshes, as it was when the attempt began. Every placement that the run is to refresh has an
// id: marker, fingerprints, last run and history go by it, so one that was recorded before ids existed is given one here, and keeps it
// whatever becomes of the run. Errors: ErrNotFound; ErrBusy and ErrLockLost when no id could be given.
//
// An attempt that another one has overtaken may still give ids: they are the ids that the other one finds, or it finds those of the other.
func (s *Store) Load(ctx context.Context, a *RunAttempt) (*Report, error) {
	target := a.Run.Target()
	if a.err != nil || !slices.ContainsFunc(a.report.Placements, func(p Placed) bool { return needsID(target, p) }) {
		return a.report, a.err
	}
	r, err := s.giveIDs(ctx, s.deployment(a.entry.Deployment), target)
	if err != nil {
		return nil, fmt.Errorf("ids for placements of report %d: %w", target.ReportID, err)
	}
	return r, nil
}

// needsID reports whether a run on t needs an id for p.
func needsID(t record.RunTarget, p Placed) bool { return p.ID == "" && t.Has(p.Placement) }

// giveIDs gives an id to the placements of t that have none, all of them or none, and loads the report.
func (s *Store) giveIDs(ctx context.Context, k deploymentKeys, t record.RunTarget) (*Report, error) {
	h, r, err := s.lockReport(ctx, k, t.ReportID)
	if err != nil {
		return nil, err
	}
	defer s.unlock(ctx, h)
	var tx txn
	for i, p := range r.Placements {
		if !needsID(t, p) {
			continue
		}
		p.ID = rand.Text()
		rewritePlacement(&tx, k, r, i, p.Placement)
		if p.LastRun != nil {
			tx.set(k.placements(r.ID), lastRunField+p.ID, p.LastRun)
		}
	}
	if tx.Idle() {
		return r, nil
	}
	return r, s.commit(ctx, h, &tx)
}
