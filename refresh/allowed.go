package refresh

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"

	"mooring/placements"
	"mooring/refresh/fault"
	"mooring/refresh/site"
	"mooring/storage"
	"mooring/storage/record"
)

// gate leaves out the placements that are not to be refreshed.
type gate struct {
	ledger *ledger
	sites  *site.Locator
}

// sited finds out at which hosts the documents of placements are, and keeps that with them. It leaves out those of which it cannot be told, and
// says why in the run.
func (a *gate) sited(ctx context.Context, list []storage.Placed) (found []storage.Placed) {
	type answer struct {
		at  site.Ref
		err error
	}
	type document struct {
		host             placements.Host
		id, named, there string
		placer           placements.Placer
	}
	answers := map[document]answer{} // hosts are asked once for a document
	for _, p := range list {
		alike := document{p.Host, p.WorkbookID, p.Spreadsheets, p.Target, p.Placer}
		known, asked := answers[alike]
		if !asked {
			known.at, known.err = a.sites.Find(ctx, a.ledger.d, p.Placement)
			answers[alike] = known
		}
		at, err := known.at, known.err
		switch {
		case ctx.Err() != nil:
			return nil // the caller knows why
		case err != nil:
			a.ledger.failed(p, a.unsited(p, fault.Of(err)))
		default:
			found = append(found, at.On(p))
		}
	}
	return found
}

// unsited is what a fault of a placement means whose document was not found.
func (a *gate) unsited(p storage.Placed, f *placements.Fault) *placements.Fault {
	if errors.Is(f, fs.ErrNotExist) && p.QueryChecksum != "" {
		return a.ledger.awaitFile(p, f)
	}
	return fault.OfDocument(f)
}

// allowed leaves out the placements that an agent, the service, or who asked for the run may not refresh, and says so in the run.
func (a *gate) allowed(ctx context.Context, list []storage.Placed) []storage.Placed {
	return a.admitted(a.sited(ctx, a.reached(a.byAgents(list))))
}

// byAgents leaves out the placements that only an add-in reaches, and says so in the run.
func (a *gate) byAgents(list []storage.Placed) (reached []storage.Placed) {
	for _, p := range list {
		if !a.sites.AddinOnly(a.ledger.d.Tenant, p.Placement) {
			reached = append(reached, p)
			continue
		}
		o := a.ledger.outcomeOf(p)
		o.State, o.Reason = placements.RunSkipped, placements.ReasonAddinOnly
		o.Error = fmt.Sprintf("no agent reaches the spreadsheet %.80q: open it, and refresh the report there by the add-in", cmp.Or(p.WorkbookName, p.WorkbookID))
		a.ledger.setOutcome(o)
		if p.LastRun == nil { // else that is told: the add-in's own run, or what an agent's was when it reached the spreadsheet
			a.ledger.leaves(p)
		}
	}
	return reached
}

// reached leaves out the placements that who asked for the run may not have refreshed, and says so in the run.
func (a *gate) reached(list []storage.Placed) (may []storage.Placed) {
	for _, p := range list {
		if a.reaches(p) {
			may = append(may, p)
			continue
		}
		o := a.ledger.outcomeOf(p)
		o.State = placements.RunSkipped
		o.Error = fmt.Sprintf("another person placed the report at %s in %s: without edit access to the report "+
			"a schedule refreshes only its owner's placements, and overwrite takes one's own, with no rows of another person in it",
			p.ResultLocation, p.WorkbookID)
		a.ledger.setOutcome(o)
	}
	return may
}

// reaches reports whether who asked for the run may have p refreshed: without edit access, a schedule refreshes the placements of its owner
// only, and a run overwrites only theirs, with nothing in them of those from whom they took them over.
func (a *gate) reaches(p storage.Placed) bool {
	by := a.ledger.run.RequestedBy
	switch {
	case a.ledger.level(by) >= record.MayEdit:
		return true
	case a.ledger.run.Destroys():
		return p.Wholly(by.ID)
	}
	return a.ledger.run.ScheduleID == 0 || p.PlacedFor(by.ID)
}

// admitted leaves out the placements that cannot be refreshed at all, and says why in the run.
func (a *gate) admitted(list []storage.Placed) (may []storage.Placed) {
	for _, p := range list {
		if fault := a.refusal(p); fault != nil {
			a.ledger.failed(p, fault)
			continue
		}
		may = append(may, p)
	}
	return may
}

// refusal is why p cannot be refreshed at all, nil if it can.
func (a *gate) refusal(p storage.Placed) *placements.Fault {
	if err := a.ledger.queue.Sites.Bounded(a.ledger.d, p.Placement); err != nil {
		return &placements.Fault{Class: placements.Permanent, Message: err.Error()}
	}
	as := record.Behalf(p.Placement)
	by := a.ledger.run.RequestedBy
	switch k := a.ledger.kept; {
	case k != nil && by.Restorable(&k.BlockChange, &p.Placement, a.ledger.level(by)) == 0:
		return fault.Auth("another person placed the report at %s since, and %s may not manage the report: ask them to have what was replaced put back",
			p.ResultLocation, name(by))
	case p.RunAs == nil && a.ledger.personal:
		return fault.Auth("it is not recorded on whose behalf this placement is refreshed, and the source shows each person other rows: " +
			"connect the report there again without addressOnly")
	case p.RunAs != nil && a.ledger.level(as) < record.MayRead:
		return fault.Auth("%s, on whose behalf this placement is refreshed, may not read the report any more: "+
			"give them access again, or connect the report there again without addressOnly", name(as))
	case !a.ledger.client() && !a.sites.MayOpen(a.ledger.d, p.Placement):
		return fault.Auth("it is not known that the spreadsheet %.80q is meant for this report, since a person without edit access to the report "+
			"placed it there: have it added to documents in the configuration, refresh the report by the add-in in the open spreadsheet, or have "+
			"somebody with edit access to the report connect it there", p.WorkbookID)
	}
	return nil
}
