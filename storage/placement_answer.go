package storage

import (
	"context"

	"mooring/storage/keys"
	"mooring/storage/layout"
	"mooring/storage/record"
	"mooring/storage/redis"
)

// readLastRefresh reads what ReportView.LastRefresh is made of.
func (t *placementTry) readLastRefresh(k keys.DeploymentKeys) {
	t.tx.Read("HMGET", k.Report(t.report.ID), layout.FieldRefresh, layout.FieldEcho)
}

// inlineFields is how many fields of a placements hash a write returns: reading more would keep other writers waiting.
const inlineFields = 32

// readPlacements reads the report's placements, unless there are many, or exactly as many fields as known, of which nothing need be told.
func (t *placementTry) readPlacements(k keys.DeploymentKeys, known int) {
	t.tx.Read("fields", k.Placements(t.report.ID), inlineFields, known)
}

// viewWritten returns the placements that readPlacements read, or reads them by themselves.
func (s *Placements) viewWritten(ctx context.Context, k keys.DeploymentKeys, report int64, reply any) ([]record.PlacementView, error) {
	fields, many := reply.(int64)
	if !many {
		return layout.ViewPlacements(redis.Pairs(reply))
	}
	cmd := redis.NewMapStringStringCmd(ctx, "hgetall", k.Placements(report))
	var rdb redis.Pipelined = s.db.Redis
	if fields <= batchedFields {
		rdb = s.db.Hot
	}
	if err := rdb.Process(ctx, cmd); err != nil {
		return nil, redis.Unavailable(err)
	}
	return layout.ViewPlacements(cmd.Val())
}

// batchedFields is how many fields are read in one batch with what others want: they would wait for more.
const batchedFields = 512

// lastRefreshReply returns ReportView.LastRefresh of what placementTry.readLastRefresh read.
func lastRefreshReply(reply any) string {
	fields := redis.List(reply)
	return record.StoredLastRefresh(fields[0], fields[1])
}
