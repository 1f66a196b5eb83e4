package portable

import (
	"cmp"
	"maps"
	"slices"

	"mooring/placements"
	"mooring/storage/record"
)

// Holdings are what the server has of the assets that a bundle or its project names.
type Holdings struct {
	Reports   map[string]*HeldReport      // by the publicId that they show; also those that placements, charts and schedules name
	Workbooks map[string]*record.Workbook // by slug
	Schedules map[string]*record.Schedule // by key
	// Refused says of publicIds why no report of the deployment can have them: one of another deployment has, or several here show them.
	Refused map[string]*placements.Error
	// PublicIDs are the ids that reports show, of those that held charts and schedules name.
	PublicIDs map[int64]string
	// Whereabouts are those of the documents that have a link, by the ids that a bundle or its project names them by.
	Whereabouts map[string]placements.Whereabouts
}

// HeldReport is a report as a plan sees it.
type HeldReport struct {
	ID       int64
	PublicID string // as shown
	Stored   bool   // PublicID is stored; else it is by the first plan that changes or adopts the report
	record.Definition
	ManagedBy  *record.ManagedBy
	Placements []placements.Placement
	Uses       []Use // what depends on the report; known of one that the project may delete
}

// Use is a workbook or schedule that depends on a report.
type Use struct {
	Kind AssetKind
	ID   int64
	// Published: a dashboard that viewers see has a chart of the report, whatever the draft has.
	Published bool
}

// find returns the placement of a report that stands at an address.
func (h *Holdings) find(r *HeldReport, at placements.Address) *placements.Placement {
	return standing(r.Placements, at, h.home(at.Document))
}

// home is the id by which the document is known that an id names.
func (h *Holdings) home(document string) string {
	return cmp.Or(h.Whereabouts[document].Document, document)
}

// spot is the key of what stands at an address, whichever of its ids names the document.
func (h *Holdings) spot(at placements.Address) AssetKey {
	at.Document = h.home(at.Document)
	return PlacementKey(at)
}

// byID returns the placement of that id; none has the empty one.
func (r *HeldReport) byID(id string) *placements.Placement {
	for i := range r.Placements {
		if id != "" && r.Placements[i].ID == id {
			return &r.Placements[i]
		}
	}
	return nil
}

// Applied is what a project last applied of one asset, and what became of it since. Its JSON is a field of the project's hash.
type Applied struct {
	Kind        AssetKind      `json:"kind"`
	Ref         string         `json:"ref"`
	Protect     bool           `json:"protect,omitempty"`
	PlacementID string         `json:"placementId,omitempty"` // of a placement, which may stand elsewhere by now
	Definition  map[string]any `json:"definition"`            // the members that the bundle had, portable; read by Decode
	// Unsaid are the optional members that the bundle left out, as the apply left them. What was applied by a version that did not keep
	// them has none: those are not known.
	Unsaid  map[string]any `json:"unsaid,omitempty"`
	Deleted *Deletion      `json:"-"` // by hand; nil: not, as far as is known
}

// Key is the key of the asset that was applied.
func (a *Applied) Key() AssetKey {
	if a.Kind != KindPlacement {
		return keyOf(a.Kind, a.Ref)
	}
	return PlacementKey(a.address())
}

// whole is all that is known of what was applied: what the bundle said and what it left out.
func (a *Applied) whole() record.Tree {
	all := maps.Clone(a.Definition)
	maps.Copy(all, a.Unsaid)
	return all
}

// text is a member of the definition, empty if that is no text.
func (a *Applied) text(member string) string {
	text, _ := a.Definition[member].(string)
	return text
}

// address is where a placement was applied.
func (a *Applied) address() placements.Address {
	p := PlacementDeclaration{Document: a.text("document"), Sheet: a.text("sheet"), Anchor: a.text("anchor")}
	return p.Address()
}

// Report is the publicId of the report of a placement or schedule.
func (a *Applied) Report() string {
	target, _ := a.Definition["target"].(record.Tree)
	if publicID, ok := target["publicId"].(string); ok {
		return publicID
	}
	return a.text("report")
}

// Deletion is by whom and when an asset was deleted by hand.
type Deletion struct {
	By string `json:"by,omitempty"`
	At string `json:"at,omitempty"` // RFC 3339, UTC, with milliseconds
}

// Wanted are the assets that a plan concerns, by the names that are looked up: of workbooks their slugs, of schedules their keys. Documents
// are where they stand.
type Wanted struct{ PublicIDs, Slugs, Keys, Documents []string }

// Wanted lists the assets that a bundle names, or that its project has applied.
func (b *Bundle) Wanted(applied map[AssetKey]*Applied) Wanted {
	names := map[AssetKind]map[string]bool{KindReport: {}, KindWorkbook: {}, KindSchedule: {}, KindPlacement: {}}
	for _, publicID := range b.References() {
		names[KindReport][publicID] = true
	}
	for i := range b.Assets {
		switch d := b.Assets[i].Definition.(type) {
		case *PlacementDeclaration:
			names[KindPlacement][d.Document] = true
			continue
		case *ScheduleDeclaration:
			names[KindPlacement][d.Target.OrZero().Document] = true
		}
		if of, named := names[b.Assets[i].Kind()]; named {
			of[b.Assets[i].Ref] = true
		}
	}
	for _, a := range applied {
		if a.Kind != KindPlacement {
			names[a.Kind][a.Ref] = true
		} else {
			names[KindPlacement][a.text("document")] = true
		}
		if report := a.Report(); report != "" {
			names[KindReport][report] = true
		}
		for _, publicID := range drawnReports(a.Unsaid["dashboard"]) {
			names[KindReport][publicID] = true
		}
	}
	delete(names[KindPlacement], "")
	list := func(k AssetKind) []string { return slices.Sorted(maps.Keys(names[k])) }
	return Wanted{list(KindReport), list(KindWorkbook), list(KindSchedule), list(KindPlacement)}
}
