package storage

import (
	"context"
	"slices"
	"strings"

	"github.com/redis/go-redis/v9"

	"mooring/placements"
)

// overlapsScript finds the placements whose rectangles meet a given one.
//
//	KEYS   cell indexes of the sheet
//	ARGV   the arguments of overlapScript but the first
//	result members
var overlapsScript = redis.NewScript(overlapScript + `return overlapping(1, unpack(ARGV))`)

// overlaps lists the other placements, of whatever report, that claim a cell of rect on the sheet where a placement stands.
func (s *Store) overlaps(ctx context.Context, k deploymentKeys, report int64, at *stand, rect placements.Rect) ([]DocumentPlacement, error) {
	cmd := endKeys(k.overlapKeys(scriptCommand(), at.sheet()))
	cmd = append(cmd, k.cellMember(report, at), overlapBegin(rect), padded(rect.Top, rowDigits),
		padded(rect.Bottom, rowDigits), padded(rect.Left, columnDigits), padded(rect.Right, columnDigits))
	out, err := runScript(ctx, s.rdb, overlapsScript, cmd)
	if err != nil {
		return nil, unavailable(err)
	}
	return s.loadCells(ctx, k.tenantKeys, list(out))
}

// loadCells reads the placements that a cell index names.
func (s *Store) loadCells(ctx context.Context, k tenantKeys, cells []string) ([]DocumentPlacement, error) {
	members := make([]string, len(cells))
	for i, cell := range cells {
		if parts := strings.SplitN(cell, ":", 4); len(parts) == 4 {
			members[i] = parts[3] // after the rectangle
		}
	}
	slices.Sort(members) // by report, as a spreadsheet's list is
	return s.loadMembers(ctx, k, members)
}

// NewerOwners lists the placements that have claimed a cell of rect since p, a placement of that report, was last connected or rewritten. Whoever
// wrote last owns the cells, so a run must not write p there while there are any (decisions.md §6).
func (s *Store) NewerOwners(ctx context.Context, d Deployment, reportID int64, p Placed, rect placements.Rect) ([]DocumentPlacement, error) {
	k := s.deployment(d)
	at := p.standing()
	others, err := s.overlaps(ctx, k, reportID, at, rect)
	self := k.indexed(reportID, at.slot)
	var newer []DocumentPlacement
	for _, o := range others {
		if o.Claim > p.Claim || o.Claim == p.Claim && o.Member > self {
			newer = append(newer, o)
		}
	}
	return newer, err
}
