package storage

import (
	"context"
	"encoding/base64"
	"strconv"

	"mooring/placements"
	"mooring/storage/layout"
	"mooring/storage/record"
	"mooring/storage/redis"
)

// InDocument lists placements of the tenant in a spreadsheet, over all deployments and reports, in a fixed order: at most first of
// them after the cursor of an earlier page, from the start when it is empty. A broken cursor is the *placements.Error CodeCursor.
func (s *Placements) InDocument(
	ctx context.Context, tenant, document, after string, first int,
) (record.Page[record.DocumentPlacement], error) {
	k := s.db.Tenant(tenant)
	home, err := s.sites.Home(ctx, tenant, document)
	if err != nil {
		return record.Page[record.DocumentPlacement]{}, err
	}
	by := redis.ZRangeBy{Min: "-", Max: "(=", Count: int64(first) + 1}
	if after != "" {
		last, err := base64.RawURLEncoding.DecodeString(after)
		if err != nil {
			return record.Page[record.DocumentPlacement]{}, placements.Errorf(placements.CodeCursor,
				"after is not a cursor of this list: send an endCursor as it was given.")
		}
		by.Min = "(" + string(last)
	}
	members, err := s.db.Redis.ZRangeByLex(ctx, k.Document(home), &by).Result()
	if err != nil {
		return record.Page[record.DocumentPlacement]{}, redis.Unavailable(err)
	}
	var p record.Page[record.DocumentPlacement]
	if p.HasNextPage = len(members) > first; p.HasNextPage {
		members = members[:first]
	}
	if len(members) > 0 {
		p.EndCursor = base64.RawURLEncoding.EncodeToString([]byte(members[len(members)-1]))
	}
	p.Items, err = layout.LoadMembers(ctx, s.db, k, members)
	return p, err
}

// reportsIn lists the reports of a deployment that have a placement in a spreadsheet.
func (s *Reports) reportsIn(ctx context.Context, d record.Deployment, document string) ([]int64, error) {
	k := s.db.Deployment(d)
	home, err := s.sites.Home(ctx, d.Tenant, document)
	if err != nil {
		return nil, err
	}
	own := strconv.FormatInt(d.ID, 10)
	members, err := s.db.Redis.ZRangeByLex(ctx, k.Document(home), &redis.ZRangeBy{Min: "[" + own + ":", Max: "(" + own + ";"}).Result()
	if err != nil {
		return nil, redis.Unavailable(err)
	}
	var reports []int64
	for _, m := range members {
		_, report, _, err := layout.SplitMember(m)
		if err != nil {
			return nil, err
		}
		if n := len(reports); n == 0 || reports[n-1] != report {
			reports = append(reports, report)
		}
	}
	return reports, nil
}
