package placements

// RunAs is on whose behalf a placement's report is queried: who placed it, as their token said then (decisions.md §3). With row-level
// security the placement holds what they may see, also when another person asks for the run.
type RunAs struct {
	UID     int64    `json:"uid"`
	Email   string   `json:"email,omitempty"`
	Roles   []int64  `json:"roles,omitempty"`
	Actions []string `json:"-"` // of the token itself, on reports: whether they may still read is judged by them. Never shown.
}

// Behalf is on whose behalf p is queried. For a placement from before that was recorded it is its placer, without roles and actions.
func (p Placement) Behalf() RunAs {
	if p.RunAs == nil {
		return RunAs{UID: p.PlacedByUserID}
	}
	return *p.RunAs
}

// PlacedFor reports whether p is queried on behalf of that user; 0 is no user.
func (p Placement) PlacedFor(uid int64) bool { return uid != 0 && p.Behalf().UID == uid }

// others reports whether p is known to be another person's. One recorded without a person belongs to none.
func (s Stamp) others(p Placement) bool {
	known := p.RunAs != nil || p.PlacedByUserID != 0
	return known && p.Behalf().UID != s.By.UID
}

// runAs is on whose behalf a placement is queried after a connect: who writes its cells or puts it elsewhere. An address sent again
// changes nothing; from the placer it completes a record that has no runAs.
func (s Stamp) runAs(old Placement, addressOnly, moved bool) *RunAs {
	if addressOnly && !moved && (old.RunAs != nil || !old.PlacedFor(s.By.UID)) {
		return old.RunAs
	}
	by := s.By
	return &by
}
