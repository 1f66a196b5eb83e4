package storage

// ForgetPlacements makes s know nothing of reports and placements, as a process that has just started.
func (s *Store) ForgetPlacements() {
	s.known.mu.Lock()
	defer s.known.mu.Unlock()
	s.known.reports, s.known.placements, s.known.held = nil, nil, 0
}
