package placements

import "time"

// Stamp is what the service adds to a connect or refresh: who, when, and the state of the report.
type Stamp struct {
	Now           time.Time
	By            RunAs
	MayEdit       bool              // the report: also to move placements of others
	QueryChecksum string            // the report's current one
	DefaultHost   Host              // for a placement whose host was not named; empty is SheetsA
	NewID         string            // for a placement recorded without an id of its own
	IDTaken       bool              // a placement of another report has the connection's placementId in that spreadsheet
	ShowsFilters  bool              // the report shows what it is filtered by in the cell above its block
	Parameters    []Parameter       // of the report
	Used          map[string]string // see Facts: of a write of the service itself
}

// placer says who put a placement where it stands after a connect: who places or moves it, or with edit access sends its address again.
func (s Stamp) placer(old Placement, elsewhere bool) Placer {
	switch {
	case s.MayEdit && (elsewhere || old.Placer == PlacedByReader):
		return PlacedByEditor
	case elsewhere:
		return PlacedByReader
	}
	return old.Placer
}

// others reports whether p is known to be another person's. One recorded without a person belongs to none; what a caller without a user
// has placed belongs to somebody else for everybody, such callers too.
func (s Stamp) others(p Placement) bool {
	known := p.RunAs != nil || p.PlacedByUserID != 0
	return known && !p.PlacedFor(s.By.UID)
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
