package refresh

import (
	"cmp"
	"fmt"

	"mooring/placements"
	"mooring/storage"
)

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

// byAgents leaves out the placements that only an add-in reaches, and says so in the run.
func (a *attempt) byAgents(list []storage.Placed) (reached []storage.Placed) {
	for _, p := range list {
		if !a.AddinOnly(a.d.Tenant, p.Placement) {
			reached = append(reached, p)
			continue
		}
		o := a.outcomeOf(p)
		o.State, o.Reason = placements.RunSkipped, placements.ReasonAddinOnly
		o.Error = fmt.Sprintf("no agent reaches the spreadsheet %.80q: open it, and refresh the report there by the add-in", cmp.Or(p.WorkbookName, p.WorkbookID))
		a.setOutcome(o)
		if p.LastRun == nil { // else that is told: the add-in's own run, or what an agent's was when it reached the spreadsheet
			a.leaves(p)
		}
	}
	return reached
}
