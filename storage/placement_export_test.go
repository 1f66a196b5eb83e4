package storage

import "mooring/storage/record"

// ForgetPlacements makes s know nothing of reports and placements, as a process that has just started.
func (s *Store) ForgetPlacements() {
	s.heads, s.placed = newCache[reportRef, *record.ReportHead](maxHeads), newCache[placedRef, *Placed](maxPlaced)
}
