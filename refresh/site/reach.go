package site

import "mooring/placements"

// AddinOnly reports whether no agent reaches the document of p in a tenant, so that only an add-in refreshes it (decisions.md §7b): no host
// of its kind is configured there, or its id is the one that an add-in gave to a document which it could not name otherwise.
func (s *Locator) AddinOnly(tenant string, p placements.Placement) bool {
	return !s.HasKind(tenant, p.Host) || placements.AddinID(p.WorkbookID) && len(s.candidates(tenant, p)) == 0
}

// Remedy says, as the end of a sentence, what makes agents reach the document of p, which none reaches.
func (s *Locator) Remedy(tenant string, p placements.Placement) string {
	if !s.HasKind(tenant, p.Host) {
		return "have a spreadsheet host of its kind configured"
	}
	return "save it to a place that Mooring reaches and choose Look again in its pane"
}

// Reached reports whether an agent reaches the document of p.
func (s *Locator) Reached(tenant string, p placements.Placement) bool { return !s.AddinOnly(tenant, p) }
