package storage

import (
	"context"

	"mooring/placements"
)

// StampRefresh records that who has just rewritten cells of a report in a spreadsheet (decisions.md §6, PUT …/refresh): it stamps the report and the
// placement that w addresses, if it addresses one. Errors: ErrNotFound, also when who may not read the report; *placements.InvalidError.
func (s *Store) StampRefresh(ctx context.Context, d Deployment, reportID int64, w placements.Rewrite, who Reader) (*Report, error) {
	if err := w.Check(); err != nil {
		return nil, err
	}
	k := s.deployment(d)
	h, r, err := s.lockNear(ctx, k, reportID, who, nearTarget(w.Target))
	if err != nil {
		return nil, err
	}
	defer s.unlock(ctx, h)
	var todo changes
	stamp := s.placeStamp(r, who.User)
	if index, ok := w.Match(r.places()); ok {
		p, err := placements.Refreshed(r.Placements[index].Placement, w, stamp)
		if err != nil {
			return nil, err
		}
		// Whoever wrote last owns the cells.
		r.Placements[index].Claim = stamp.Now.UnixMicro()
		rewritePlacement(&todo, k, r, index, p)
	}
	r.RefreshedAt, r.RefreshedBy, r.RefreshedByUser = placements.Time(stamp.Now), who.User.ID, &who.User
	todo.set(k.report(r.ID), fieldMarks, r.Marks)
	if err := s.commit(ctx, h, todo); err != nil {
		return nil, err
	}
	return s.showAfter(ctx, k, r, false)
}
