package storage

import (
	"context"
	"crypto/rand"

	"mooring/storage/record"
)

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
