package storage

import (
	"context"

	"mooring/storage/record"
	"mooring/storage/redis"
)

// Managed lists the assets that a project has applied in the deployment, for who may read them, and those that were deleted by hand since.
func (s *Store) Managed(ctx context.Context, d record.Deployment, project string, who record.Actor) ([]record.ManagedAsset, error) {
	k := s.deployment(d)
	p, err := s.project(ctx, k, project)
	if err != nil {
		return nil, err
	}
	h, err := s.loadWanted(ctx, k, wantedBy(&record.Bundle{Project: project}, p.applied), nil)
	if err != nil {
		return nil, err
	}
	return h.Managed(project, p.applied, who)
}

// Unmanaged lists the assets of the deployment that no project manages, for who may read them. A workbook without a slug and a schedule
// without a key have no portable name and are left out.
func (s *Store) Unmanaged(ctx context.Context, d record.Deployment, who record.Actor) ([]record.ManagedAsset, error) {
	k := s.deployment(d)
	h := newHoldings()
	ids, err := s.allIDs(ctx, k)
	if err != nil {
		return nil, err
	}
	if _, err := s.loadNaming(ctx, k, h, ids); err != nil {
		return nil, err
	}
	if err := s.loadReports(ctx, k, h, ids.reports); err != nil {
		return nil, err
	}
	delete(h.Workbooks, "")
	delete(h.Schedules, "")
	return h.Unmanaged(who)
}

// allIDs are the ids of all assets of a deployment.
func (s *Store) allIDs(ctx context.Context, k deploymentKeys) (ids found, err error) {
	for _, kind := range []struct {
		index string
		into  *[]int64
	}{{k.reports(), &ids.reports}, {k.workbooks(), &ids.workbooks}, {k.schedules(), &ids.schedules}} {
		members, err := s.rdb.ZRange(ctx, kind.index, 0, -1).Result()
		if err != nil {
			return ids, redis.Unavailable(err)
		}
		for _, member := range members {
			id, err := parseID(member)
			if err != nil {
				return ids, err
			}
			*kind.into = append(*kind.into, id)
		}
	}
	return ids, nil
}
