package storage

import (
	"context"
	"slices"
	"strings"
)

// loadCells reads the placements that a cell index names.
func (s *Store) loadCells(ctx context.Context, k tenantKeys, cells []string) ([]DocumentPlacement, error) {
	members := make([]string, len(cells))
	for i, cell := range cells {
		members[i] = memberOf(cell)
	}
	slices.Sort(members) // by report, as a spreadsheet's list is
	return s.loadMembers(ctx, k, members)
}

// memberOf is the name of a placement in the index of its spreadsheet: what a member of a cell index has after the rectangle.
func memberOf(cell string) string {
	parts := strings.SplitN(cell, ":", 4)
	if len(parts) < 4 {
		return ""
	}
	return parts[3]
}
