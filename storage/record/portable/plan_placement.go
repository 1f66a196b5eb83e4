package portable

import (
	"errors"
	"strings"

	"mooring/placements"
	"mooring/storage/record"
)

// addPlacement plans a placement.
func (m *maker) addPlacement(a *Asset, d *PlacementDeclaration) (err error) {
	from, old, applied := m.placed(a, d)
	c := comparison{report: d.Report, level: m.onPlaced(d, from, applied)}
	if c.level < record.MayRead {
		m.conceal(a, d.Report, m.onReport(d.Report))
		return nil
	}
	applied = m.Held.readable(m.Who, applied)
	c.applied = applied
	if c.said, err = treeOf(d); err != nil {
		return err
	}
	if old != nil {
		c.managedBy, c.placed = old.ManagedBy, old.ID
		if c.before, err = OfPlacement(old, from.PublicID); err != nil {
			return err
		}
	}
	if d, err = meant(d, c.said, m.continued(applied, old != nil, c.managedBy)); err != nil {
		return err
	}
	after, refusal := m.connect(from, old, d)
	if refusal != nil {
		c.conflict = refused(d, refusal, m.parametersOf(d.Report))
		after = placements.Placement{Host: d.Host, WorkbookID: d.Document, SheetName: d.Sheet, AnchorCell: d.Anchor}
	}
	if c.after, err = OfPlacement(&after, d.Report); err != nil {
		return err
	}
	if old != nil && old.Placer == placements.PlacedByReader && after.Placer == placements.PlacedByEditor {
		if c.vouched = m.Documents.Allow(after); !c.vouched {
			after.Placer = old.Placer // no agent opens it now, and the plan does not ask whether one may later
		}
	}
	one := m.compare(a, c)
	if refusal != nil && refusal.Code == placements.CodeForbidden {
		m.demand(record.MayNothing, record.MayRead, refusal.Message)
	}
	m.demand(c.level, wanted(one.Action), needsAssetEdit)
	w, ok := m.write(one)
	if !ok {
		return nil
	}
	if one.Action != ActionAdopt {
		one.Documents = []string{d.Document}
		if !m.Documents.Allow(after) {
			m.forbidden = append(m.forbidden, one.detail(w.Asset, placements.CodeDocument,
				"reports may not be placed in this spreadsheet: name another one, or have it added to documents in the configuration"))
		}
	}
	after.Spreadsheets = m.Documents.HostOf(after)
	m.writes.Placements = append(m.writes.Placements, PlacementWrite{w, d.Report, from, old, after})
	return nil
}

// onPlaced is the caller's level on the reports that a placement concerns: that of the declaration, which the caller may read, that whose
// placement it is, and that for which the project applied what stands there. What was applied for one that is gone is no one's.
func (m *maker) onPlaced(d *PlacementDeclaration, from *HeldReport, applied *Applied) record.Level {
	level := m.onReport(d.Report)
	if from != nil {
		level = min(level, m.Who.Level(&from.Definition))
	}
	if applied != nil {
		level = min(level, m.onReport(applied.Report()))
	}
	return level
}

// placed returns the placement that the declaration means, with its report, and what the project applied of it: what stands at the
// address, or else what the project put there and a person moved, or what the project put there of another report.
func (m *maker) placed(a *Asset, d *PlacementDeclaration) (from *HeldReport, old *placements.Placement, applied *Applied) {
	from, applied = m.Held.Reports[d.Report], m.Applied[a.Key()]
	if from != nil {
		if old = m.Held.find(from, d.Address()); old != nil {
			if moved := m.appliedAs(from.PublicID, old); moved != nil {
				applied = moved
			}
			return from, old, applied
		}
	}
	if applied == nil {
		return nil, nil, nil
	}
	if from = m.Held.Reports[applied.text("report")]; from == nil {
		return nil, nil, applied
	}
	if old = from.byID(applied.PlacementID); old == nil {
		old = m.Held.find(from, applied.address())
	}
	if old == nil || !old.ManagedBy.By(m.Bundle.Project) || m.declares(from.PublicID, old) {
		return nil, nil, applied
	}
	return from, old, applied
}

// appliedAs returns what the project applied of a placement, wherever that stood then; nil when nothing.
func (m *maker) appliedAs(report string, p *placements.Placement) *Applied {
	if p.ID == "" || !p.ManagedBy.By(m.Bundle.Project) {
		return nil
	}
	key, ok := m.placedAs[report+"/"+p.ID]
	if !ok {
		return nil
	}
	m.claimed[key] = true
	return m.Applied[key]
}

// declares reports whether the bundle has the placement by where it stands.
func (m *maker) declares(report string, p *placements.Placement) bool {
	return declaration(m, report, p) != nil
}

// setsParameters reports whether d, what the bundle says of a placement, says other values than that has: they are judged there.
func setsParameters(d *PlacementDeclaration, p *placements.Placement) bool {
	return d != nil && d.Parameters.Sent && !d.Parameters.OrZero().Declared(p).Equal(p.Parameters)
}

// declaration is what the bundle says of the placement of a report, by where that stands; nil for nothing.
func declaration(m *maker, report string, p *placements.Placement) *PlacementDeclaration {
	at, _ := p.Address()
	other := m.places[m.Held.spot(at)]
	if other == nil {
		return nil
	}
	if d, ok := other.Definition.(*PlacementDeclaration); ok && d.Report == report {
		return d
	}
	return nil
}

// connect is the placement after the declaration was applied to old, a placement of from.
func (m *maker) connect(from *HeldReport, old *placements.Placement, d *PlacementDeclaration) (placements.Placement, *placements.Error) {
	s := placements.Stamp{
		Now: m.Now, By: m.Who.RunAs(), MayEdit: m.onReport(d.Report) >= record.MayEdit,
		DefaultHost: m.hostOf(d.Report), ShowsFilters: m.showsFilters(d.Report), Parameters: m.parametersOf(d.Report),
	}
	c := d.connection()
	c.Whereabouts = m.Held.Whereabouts[d.Document]
	var existing []placements.Placement
	if owner := m.Held.Reports[d.Report]; owner != nil {
		existing = owner.Placements
		if old != nil && from == owner {
			c.PlacementID = old.ID
			if m.Held.find(owner, d.Address()) == old {
				c.ResultLocation = old.ResultLocation // which may say more than where it begins
			}
		}
	}
	change, err := placements.Connect(existing, c, s)
	if err != nil {
		e, ok := err.(*placements.Error)
		if !ok {
			e = placements.Errorf(placements.CodeInternal, "it cannot be placed there").Because(err)
		}
		return placements.Placement{}, e
	}
	if err := m.checkStatusCell(d, change.Placement); err != nil {
		return placements.Placement{}, err
	}
	return change.Placement, nil
}

// refused says why a declaration is refused, of its values without the request that they came in.
func refused(d *PlacementDeclaration, e *placements.Error, of []placements.Parameter) string {
	if strings.HasPrefix(string(e.Code), "parameter_") {
		if why := d.Parameters.OrZero().Unfit(of); why != "" {
			return why
		}
	}
	return e.Message
}

// checkStatusCell refuses a status cell inside a block of another report that is known here.
func (m *maker) checkStatusCell(d *PlacementDeclaration, p placements.Placement) *placements.Error {
	if !d.StatusCell.Sent || p.StatusCell == "" {
		return nil
	}
	for publicID, held := range m.Held.Reports {
		if publicID == d.Report {
			continue // which Connect has seen
		}
		readable := m.Who.Level(&held.Definition) >= record.MayRead
		if err, ok := errors.AsType[*placements.Error](placements.CheckStatusCell(p, held.Placements, readable)); ok {
			return err
		}
	}
	return nil
}

// showsFilters reports whether a report shows its filters above its blocks once the bundle is applied.
func (m *maker) showsFilters(publicID string) bool {
	d := record.Definition{}
	if held := m.Held.Reports[publicID]; held != nil {
		d = held.Definition
	}
	if a := m.declared[keyOf(KindReport, publicID)]; a != nil {
		if sent := a.Definition.(*ReportDeclaration).PivotItems; sent.Sent {
			d.PivotItems = sent.Value
		}
	}
	return d.ShowsFilters()
}

// parametersOf are those of a report once the bundle is applied.
func (m *maker) parametersOf(publicID string) []placements.Parameter {
	if list, known := m.asked[publicID]; known {
		return list
	}
	d := record.Definition{}
	if held := m.Held.Reports[publicID]; held != nil {
		d = held.Definition
	}
	if a := m.declared[keyOf(KindReport, publicID)]; a != nil {
		if after, err := m.afterwards(a, d); err == nil { // else the plan fails of the report itself
			d = after
		}
	}
	m.asked[publicID] = d.Parameters
	return d.Parameters
}

// hostOf is the host of a report's placements that name none.
func (m *maker) hostOf(publicID string) placements.Host {
	d := record.Definition{}
	if held := m.Held.Reports[publicID]; held != nil {
		d = held.Definition
	} else if a := m.declared[keyOf(KindReport, publicID)]; a != nil {
		d.Source = a.Definition.(*ReportDeclaration).Source.OrZero()
	}
	host, err := d.Host()
	if err != nil { // of a stored report that no request can have made
		return placements.SheetsA
	}
	return host
}
