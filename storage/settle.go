package storage

import (
	"context"
	"errors"
	"fmt"

	"github.com/redis/go-redis/v9"

	"mooring/placements"
)

// Settlement is what a run leaves on one placement.
type Settlement struct {
	// Placement as it is after the run: address corrected, checksums and refresh stamps set when it was written.
	Placement placements.Placement
	// Before is the address key that the placement had when the run loaded it. A placement that was moved or disconnected meanwhile is
	// left alone.
	Before  string
	LastRun placements.LastRun
	Written bool   // the block now holds the run's result
	Rows    []byte // fingerprints of the block's rows, when Written
}

// Settle ends an attempt of a run in one step: the run's record, and for every placement its checksum, address, fingerprints and last run.
// refreshed stamps the report with who it was run for; nil leaves the stamp.
func (s *Store) Settle(ctx context.Context, d Deployment, run *Run, settled []Settlement, refreshed *User) error {
	k := s.deployment(d)
	h, r, err := s.lockReport(ctx, k, run.ReportID)
	if errors.Is(err, ErrNotFound) {
		return s.SaveRun(ctx, d, run)
	}
	if err != nil {
		return fmt.Errorf("settle run %s: %w", run.ID, err)
	}
	defer s.unlock(ctx, h)
	var todo changes
	todo.set(k.run(run.ID), fieldRun, run)
	for _, one := range settled {
		settlePlacement(&todo, k, r, one)
	}
	if refreshed != nil {
		r.RefreshedAt, r.RefreshedBy, r.RefreshedByUser = s.timestamp(), refreshed.ID, refreshed
		todo.set(k.report(r.ID), fieldMarks, r.Marks)
	}
	return s.commit(ctx, h, todo)
}

// settlePlacement adds what the run leaves on a placement that still stands where the run found it.
func settlePlacement(todo *changes, k deploymentKeys, r *Report, one Settlement) {
	p := one.Placement
	now, ok := r.Find(p.ID)
	if !ok || now.AddressKey() != one.Before {
		return
	}
	key := k.placements(r.ID)
	todo.set(key, lastRunField+p.ID, one.LastRun)
	if takes := p.AddressKey(); takes != one.Before {
		todo.add("HDEL", key, addressField+one.Before)
		todo.add("HSET", key, addressField+takes, p.ID)
	}
	todo.set(key, placementField+p.ID, p)
	listDocument(todo, k, r.ID, p)
	if one.Written {
		todo.add("SET", k.rows(r.ID, p.ID), one.Rows)
	}
}

// Rows gives the fingerprints that the last settled write of a placement left; nil when there are none.
func (s *Store) Rows(ctx context.Context, d Deployment, reportID int64, placementID string) ([]byte, error) {
	rows, err := s.rdb.Get(ctx, s.deployment(d).rows(reportID, placementID)).Bytes()
	if errors.Is(err, redis.Nil) {
		return nil, nil
	}
	return rows, unavailable(err)
}
