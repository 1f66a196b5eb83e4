package storage

import (
	"context"

	"mooring/storage/layout"
	"mooring/storage/record"
	"mooring/storage/redis"
)

// readLastRefresh reads what ReportView.LastRefresh is made of.
func (t *placementTry) readLastRefresh() {
	t.to.Tx.Read("HMGET", t.to.Keys.Report(t.report.ID), layout.FieldRefresh, layout.FieldEcho)
}

// inlineFields is how many fields of a placements hash a write returns: reading more would keep other writers waiting.
const inlineFields = 32

// readPlacements reads the report's placements, unless there are many, or exactly as many fields as known, of which nothing need be told.
func (t *placementTry) readPlacements(known int) {
	t.to.Tx.Read("fields", t.to.Keys.Placements(t.report.ID), inlineFields, known)
}

// readLastRun reads the last run on the placement of that slot: one may have come and gone since it was remembered.
func (t *placementTry) readLastRun(slot string) {
	t.to.Tx.Read("HGET", t.to.Keys.Placements(t.report.ID), layout.LastRunField+slot)
}

// readOverlaps reads the members of the cell indexes that meet what stands at a position, but for that itself.
func readOverlaps(to *layout.Recorder, report int64, at *layout.Position) {
	k, sheet := to.Keys, at.SheetKey()
	to.Tx.Read("overlapping", k.Cells(0, sheet), k.Cells(1, sheet), k.Cells(2, sheet),
		layout.CellMember(k, report, at), layout.OverlapBegin(at.Rect), layout.Padded(at.Rect.Top, layout.RowDigits))
}

// viewWritten returns the placements that readPlacements read, or reads them by themselves.
func (s *Placements) viewWritten(ctx context.Context, t *placementTry, reply any) ([]record.PlacementView, error) {
	fields, many := reply.(int64)
	if !many {
		return layout.ViewPlacements(redis.Pairs(reply))
	}
	cmd := redis.NewMapStringStringCmd(ctx, "hgetall", t.to.Keys.Placements(t.report.ID))
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

// readConnected reads what a connect of p answers with: the cells that it meets, then the last run on it, or the placements, and, where the
// report does not know it, the last refresh.
func (t *placementTry) readConnected(p *layout.Placed, minimal, addressOnly bool) {
	readOverlaps(t.to, t.report.ID, p.Position())
	if minimal {
		t.readLastRun(p.Position().Slot)
	} else {
		t.readPlacements(layout.PlacedFields)
	}
	if addressOnly {
		t.readLastRefresh()
	}
}

// viewConnected returns what a connect of p answers with, of what readConnected read but for the cells.
func (s *Placements) viewConnected(
	ctx context.Context, t *placementTry, p *layout.Placed, minimal bool, replies []any,
) (v *record.ReportView, err error) {
	v = &record.ReportView{ReportHead: t.report.ReportHead}
	if len(replies) > 1 {
		v.LastRefresh = lastRefreshReply(replies[1])
	} else {
		v.LastRefresh = t.report.LastRefresh.Members()
	}
	if list, ok := replies[0].([]any); !minimal && (!ok || len(list) > 0) {
		v.Placements, err = s.viewWritten(ctx, t, replies[0])
		return v, err
	}
	p.LastRun, err = record.DecodeLastRun(p.Position().Slot, redis.Text(replies[0])) // none where p alone has no field for one
	v.Placements = []record.PlacementView{p.View()}
	return v, err
}
