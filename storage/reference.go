package storage

import (
	"context"
	"strconv"
)

// ReportIDs gives the ids of the deployment's reports that store one of these publicIds. Those that none has, or one of another
// deployment, are left out.
func (s *Store) ReportIDs(ctx context.Context, d Deployment, publicIDs []string) (map[string]int64, error) {
	ids := make(map[string]int64, len(publicIDs))
	if len(publicIDs) == 0 {
		return ids, nil
	}
	k := s.deployment(d)
	owners, err := s.rdb.HMGet(ctx, k.publicIDs(), publicIDs...).Result()
	if err != nil {
		return nil, unavailable(err)
	}
	for i, owner := range owners {
		text, _ := owner.(string)
		if id, here := k.owned(text); here {
			ids[publicIDs[i]] = id
		}
	}
	return ids, nil
}

// ExistingReports tells which of these ids are reports of the deployment.
func (s *Store) ExistingReports(ctx context.Context, d Deployment, ids []int64) (map[int64]bool, error) {
	exist := make(map[int64]bool, len(ids))
	if len(ids) == 0 {
		return exist, nil
	}
	members := make([]string, len(ids))
	for i, id := range ids {
		members[i] = strconv.FormatInt(id, 10)
	}
	// A report's score is its id, which is at least 1; a missing member scores 0.
	scores, err := s.rdb.ZMScore(ctx, s.deployment(d).reports(), members...).Result()
	if err != nil {
		return nil, unavailable(err)
	}
	for i, score := range scores {
		exist[ids[i]] = score > 0
	}
	return exist, nil
}
