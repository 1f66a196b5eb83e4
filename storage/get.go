package storage

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"mooring/storage/record"
	"mooring/storage/redis"
)

// Report returns a report with its placements; ErrNotFound.
func (s *Store) Report(ctx context.Context, d record.Deployment, id int64) (*Report, error) {
	k := s.deployment(d)
	p := s.rdb.Pipeline()
	record, placed := p.HGetAll(ctx, k.report(id)), p.HGetAll(ctx, k.placements(id))
	if _, err := p.Exec(ctx); err != nil {
		return nil, redis.Unavailable(err)
	}
	return s.readReport(k, id, record.Val(), placed.Val())
}

// ReportDefinition returns what decides who may do what with a report, and little else; ErrNotFound.
func (s *Store) ReportDefinition(ctx context.Context, d record.Deployment, id int64) (*record.Definition, error) {
	text, err := s.rdb.HGet(ctx, s.deployment(d).report(id), fieldDefinition).Result()
	if errors.Is(err, redis.Nil) {
		return nil, ErrNotFound
	}
	if err != nil {
		return nil, redis.Unavailable(err)
	}
	def := new(record.Definition)
	if err := json.Unmarshal([]byte(text), def); err != nil {
		return nil, fmt.Errorf("report %d: definition: %w", id, err)
	}
	return def, nil
}

// lockReport takes the lock of a report, and those of more, and loads the report. ErrNotFound, and then no lock is held.
func (s *Store) lockReport(ctx context.Context, k deploymentKeys, id int64, more ...string) (held, *Report, error) {
	locks := append([]string{k.reportLock(id)}, more...)
	h, hashes, err := s.lockLoad(ctx, locks, []string{k.report(id), k.placements(id)})
	if err != nil {
		return held{}, nil, err
	}
	r, err := s.readReport(k, id, hashes[0], hashes[1])
	if err != nil {
		s.unlock(ctx, h)
		return held{}, nil, err
	}
	return h, r, nil
}

// ReportByPublicID returns the report of the deployment that stores the publicId, else the only one that shows it because it was
// synthesized. Errors: ErrNotFound; the *placements.Error CodeAmbiguous when several show it.
func (s *Store) ReportByPublicID(ctx context.Context, d record.Deployment, publicID string) (*Report, error) {
	k := s.deployment(d)
	p := s.rdb.Pipeline()
	stored, shown := p.HGet(ctx, k.publicIDs(), publicID), p.SMembers(ctx, k.synthesized(publicID))
	_, _ = p.Exec(ctx) // each command's own error says more
	if err := stored.Err(); err != nil && !errors.Is(err, redis.Nil) {
		return nil, redis.Unavailable(err)
	}
	if id, here := k.owned(stored.Val()); here {
		return s.Report(ctx, d, id)
	}
	switch ids, err := shown.Result(); len(ids) {
	case 0:
		if err != nil {
			return nil, redis.Unavailable(err)
		}
		return nil, ErrNotFound
	case 1:
		id, err := parseID(ids[0])
		if err != nil {
			return nil, err
		}
		return s.Report(ctx, d, id)
	}
	return nil, ambiguous(publicID)
}
