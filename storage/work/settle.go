package work

import (
	"context"
	"errors"
	"slices"

	"mooring/placements"
	"mooring/storage/keys"
	"mooring/storage/layout"
	"mooring/storage/record"
	"mooring/storage/redis"
)

// Settle makes the placements in a document follow its link, or the end of it: they are listed with each other, and those of one report at one
// address become one. It does what is left of it. A caller holds the locks of the document under all its ids.
func (s *Links) Settle(ctx context.Context, tenant string, l *record.Link) (merged []record.MergedPlacement, err error) {
	type placed struct{ deployment, report int64 }
	k, seen := s.db.Tenant(tenant), map[placed]bool{}
	var ids []string
	for _, id := range append(slices.Clone(l.Unsettled), l.Target) {
		ids = append(ids, placements.Spellings(id)...)
	}
	for _, id := range ids {
		members, err := s.db.Redis.ZRangeByLex(ctx, k.Document(id), &redis.ZRangeBy{Min: "-", Max: "(="}).Result()
		if err != nil {
			return merged, redis.Unavailable(err)
		}
		for _, m := range members {
			deployment, report, _, err := layout.SplitMember(m)
			if err != nil {
				return merged, err
			}
			if of := (placed{deployment, report}); !seen[of] {
				seen[of] = true
				gone, err := s.settleReport(ctx, s.db.Deployment(record.Deployment{Tenant: tenant, ID: deployment}), report, l)
				merged = append(merged, gone...)
				if err != nil {
					return merged, err
				}
			}
		}
	}
	return merged, nil
}

// settleReport is Settle of the placements of a report.
func (s *Links) settleReport(
	ctx context.Context, k keys.DeploymentKeys, report int64, l *record.Link,
) (merged []record.MergedPlacement, err error) {
	err = s.reader.Change(ctx, k, report, record.Actor{}, nil, func(to *layout.Recorder, r *layout.Report) error {
		t := settling{to: to, r: r, l: l}
		for i := 0; i < len(r.Placements); i++ {
			if t.concerns(&r.Placements[i].Placement) && t.follow(i) {
				i = -1 // the list is another one
			}
		}
		merged = t.merged
		return nil
	})
	if errors.Is(err, record.ErrNotFound) {
		return nil, nil
	}
	return merged, err
}

// settling makes the placements of one report follow a link.
type settling struct {
	to     *layout.Recorder
	r      *layout.Report
	l      *record.Link
	merged []record.MergedPlacement
}

// concerns reports whether p is in the document of the link.
func (t *settling) concerns(p *placements.Placement) bool {
	unsettled := func(id string) bool {
		return slices.ContainsFunc(t.l.Unsettled, func(one string) bool { return placements.LinkID(one) == placements.LinkID(id) })
	}
	return unsettled(p.Home()) || unsettled(p.WorkbookID) ||
		t.l.Target != "" && p.WorkbookID == t.l.Target && p.Spreadsheets == t.l.Spreadsheets
}

// follow makes a placement follow the link. again says that it became one with another, so that the list has one less.
func (t *settling) follow(index int) (again bool) {
	p := &t.r.Placements[index]
	next := p.At(placements.Whereabouts{})
	if t.l.Target != "" {
		next = p.At(t.l.Whereabouts())
	}
	next.Apart = false
	other := slices.IndexFunc(t.r.Placements, func(o layout.Placed) bool { return o.AddressKey() == next.AddressKey() })
	switch {
	case other < 0 || other == index:
	case t.l.MayMerge || t.r.Placements[other].Behalf().UID == p.Behalf().UID:
		t.merge(index, other, next)
		return true
	default:
		next.Apart = true
		if next.AddressKey() != p.AddressKey() {
			return false // there is no address for it: it stays where it is recorded
		}
	}
	if linkedAs(&p.Placement, &next) {
		return false
	}
	t.to.Rewrite(t.r, index, next)
	return false
}

// linkedAs reports whether both follow the same link.
func linkedAs(p, q *placements.Placement) bool {
	return p.Spreadsheets == q.Spreadsheets && p.Linked.Document == q.Linked.Document && p.Target == q.Target && p.Path == q.Path && p.Apart == q.Apart
}

// merge makes two placements one, the one that was written later. next is the first as it follows the link.
func (t *settling) merge(index, other int, next placements.Placement) {
	stays, goes := index, other
	if before(&t.r.Placements[index], &t.r.Placements[other]) {
		stays, goes = other, index
		next = t.r.Placements[other].Placement
	}
	gone := t.r.Placements[goes]
	t.to.RecordDisconnect(t.r.ID, &gone)
	next.Merged = slices.Concat(next.Merged, gone.Merged)
	if gone.ID != "" {
		next.Merged = append(next.Merged, gone.ID)
		t.merged = append(t.merged, record.MergedPlacement{
			DeploymentID: t.to.Keys.ID, ReportID: t.r.ID, PlacementID: gone.ID, Into: t.r.Placements[stays].ID,
		})
	}
	t.to.Rewrite(t.r, stays, next)
	for _, id := range next.Merged {
		t.to.Tx.Then("HSET", t.to.Keys.Placements(t.r.ID), layout.MergedField+id, t.r.Placements[stays].Position().Slot)
	}
	t.r.Placements = slices.Delete(t.r.Placements, goes, goes+1)
}

// before reports whether p was written before q.
func before(p, q *layout.Placed) bool {
	if p.RefreshedAt != q.RefreshedAt {
		return p.RefreshedAt < q.RefreshedAt
	}
	return p.Claim < q.Claim
}
