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
