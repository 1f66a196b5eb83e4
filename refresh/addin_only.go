package refresh

import "mooring/placements"

// AddinOnly reports whether no agent reaches the document of p in a tenant, so that only an add-in refreshes it (decisions.md §7b): no host
// of its kind is configured there, or its id is the one that an add-in gave to a document which it could not name otherwise.
func (e *Engine) AddinOnly(tenant string, p placements.Placement) bool {
	return !e.hasKind(tenant, p.Host) || placements.AddinID(p.WorkbookID) && len(e.sites(tenant, p)) == 0
}

// Remedy says, as the end of a sentence, what makes agents reach the document of p, which none reaches.
func (e *Engine) Remedy(tenant string, p placements.Placement) string {
	if !e.hasKind(tenant, p.Host) {
		return "have a spreadsheet host of its kind configured"
	}
	return "save it to a place that Mooring reaches and choose Look again in its pane"
}

// Reached reports whether an agent reaches the document of p.
func (e *Engine) Reached(tenant string, p placements.Placement) bool { return !e.AddinOnly(tenant, p) }
