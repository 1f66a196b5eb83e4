package placements

// Behalf is on whose behalf p is queried. For a placement from before that was recorded it is its placer, without roles and actions.
func (p Placement) Behalf() RunAs {
	if p.RunAs == nil {
		return RunAs{UID: p.PlacedByUserID}
	}
	return *p.RunAs
}

// PlacedFor reports whether p is queried on behalf of that user; 0 is no user.
func (p Placement) PlacedFor(uid int64) bool { return uid != 0 && p.Behalf().UID == uid }

// InOwnDocument reports whether the document of p counts as that user's: p is queried on their behalf, and they put it there with edit access
// to its report, or before that was recorded (decisions.md §3).
func (p Placement) InOwnDocument(uid int64) bool {
	return p.PlacedFor(uid) && p.Placer != PlacedByReader
}
