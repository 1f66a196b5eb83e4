package storage

import "mooring/storage/layout"

// ForgetPlacements makes s know nothing of reports and placements, as a process that has just started.
func (s *Store) ForgetPlacements() {
	*s.memory = *layout.NewMemory(s.reader)
}
