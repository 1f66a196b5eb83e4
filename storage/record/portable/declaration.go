package portable

import (
	"encoding/json"
	"reflect"

	"mooring/placements"
	"mooring/storage/record"
)

// Declaration is what a bundle says of an asset: a *ReportDeclaration, *WorkbookDeclaration, *PlacementDeclaration or
// *ScheduleDeclaration. A member that is left out means what was last applied, see meant. null clears one.
type Declaration interface{ kind() AssetKind }

// Unread is the declaration of an asset whose kind cannot be read. A bundle with one is checked as far as it can be, and not planned.
type Unread struct{}

// NewDeclaration returns an empty declaration of that kind, nil for one that there is not.
func NewDeclaration(k AssetKind) Declaration {
	switch k {
	case KindReport:
		return new(ReportDeclaration)
	case KindWorkbook:
		return new(WorkbookDeclaration)
	case KindPlacement:
		return new(PlacementDeclaration)
	case KindSchedule:
		return new(ScheduleDeclaration)
	}
	return nil
}

// ReportDeclaration is what a bundle says of a report.
type ReportDeclaration struct {
	record.ReportInput
	Access placements.Optional[[]record.RoleAccess] `json:"access,omitzero"`
}

// WorkbookDeclaration is what a bundle says of a workbook. Its dashboard is the draft, whose charts name reports by reportPublicId.
type WorkbookDeclaration struct {
	record.WorkbookInput
	Dashboard placements.Optional[json.RawMessage] `json:"dashboard,omitzero"`
}

// PlacementDeclaration is what a bundle says of a placement.
type PlacementDeclaration struct {
	Report   string          `json:"report"` // publicId
	Host     placements.Host `json:"host,omitempty"`
	Document string          `json:"document"`
	Sheet    string          `json:"sheet"`
	Anchor   string          `json:"anchor"`
	// StatusCell is a cell of that sheet, see placements.Placement.
	StatusCell placements.Optional[string] `json:"statusCell,omitzero"`
	// FillRight are columns of that sheet, see placements.Placement.
	FillRight placements.Optional[string] `json:"fillRight,omitzero"`
	// Parameters are all that it says of those of its report.
	Parameters placements.Optional[placements.ParameterSettings] `json:"parameters,omitzero"`
	placements.Options
}

// ScheduleDeclaration is what a bundle says of a schedule.
type ScheduleDeclaration struct {
	Name          placements.Optional[string]         `json:"name,omitzero"`
	Target        placements.Optional[ScheduleTarget] `json:"target,omitzero"`
	Cron          placements.Optional[[]string]       `json:"cron,omitzero"`
	Timezone      placements.Optional[string]         `json:"timezone,omitzero"`
	CatchUp       placements.Optional[string]         `json:"catchUp,omitzero"`
	Overlap       placements.Optional[string]         `json:"overlap,omitzero"`
	JitterSeconds placements.Optional[int]            `json:"jitterSeconds,omitzero"`
	Paused        placements.Optional[bool]           `json:"paused,omitzero"`
	placements.Options
}

// ScheduleTarget is what a schedule refreshes, in names that mean the same in another deployment: all placements of a report, or those in
// one spreadsheet, or the one at that address of it.
type ScheduleTarget struct {
	PublicID string `json:"publicId"`
	Document string `json:"document,omitempty"`
	Address  string `json:"address,omitempty"` // such as Data!A1
}

func (Unread) kind() AssetKind                { return "" }
func (*ReportDeclaration) kind() AssetKind    { return KindReport }
func (*WorkbookDeclaration) kind() AssetKind  { return KindWorkbook }
func (*PlacementDeclaration) kind() AssetKind { return KindPlacement }
func (*ScheduleDeclaration) kind() AssetKind  { return KindSchedule }

// over is d as the declaration has it.
func (r *ReportDeclaration) over(d record.Definition) (record.Definition, error) {
	pivot := d.PivotItems
	if sent := r.PivotItems.Value; sent != nil && reflect.DeepEqual(sent.Plain(), pivot.Plain()) {
		r = new(*r)
		r.PivotItems = placements.Sent(*pivot) // as it is written there: its query has not changed
	}
	err := r.ApplyTo(&d)
	if r.Access.Sent {
		d.RolesWithAccess = append([]record.RoleAccess{}, r.Access.OrZero()...)
	}
	return d, err
}

// over is w as the declaration has it. Like an upsert it merges the meta. The charts of a draft that it replaces have no reportId yet.
func (d *WorkbookDeclaration) over(w record.Workbook) (record.Workbook, error) {
	d.Apply(&w)
	meta, err := record.MergedMeta(w.Meta, d.Meta.OrZero())
	if err != nil {
		return w, err
	}
	if d.Dashboard.Sent {
		draft := d.Dashboard.OrZero()
		if draft == nil {
			draft = json.RawMessage("null")
		}
		patch, err := json.Marshal(map[string]json.RawMessage{record.FieldDraft: draft})
		if err != nil {
			return w, err
		}
		if meta, err = record.MergedMeta(meta, patch); err != nil {
			return w, err
		}
	}
	return w, w.SetMeta(meta)
}

// Address is where the placement is to stand. An anchor that is none is refused by Bundle.Faults.
func (p *PlacementDeclaration) Address() placements.Address {
	anchor, _ := placements.ParseAnchor(p.Anchor)
	return placements.Address{Document: p.Document, Sheet: p.Sheet, Anchor: anchor}
}

// connection is the connect that places it there.
func (p *PlacementDeclaration) connection() placements.Connection {
	at := p.Address()
	return placements.Connection{
		ExternalWorkbookID: p.Document,
		ResultLocation:     localAddress(at),
		AddressOnly:        true,
		Host:               p.Host,
		StatusCell:         p.StatusCell,
		FillRight:          p.FillRight,
		Parameters:         p.Parameters,
		Options:            p.Options,
		Declared:           true,
	}
}

// localAddress is an address within its document, such as 'My data'!B2.
func localAddress(a placements.Address) string {
	return placements.Location{Sheet: a.Sheet, Anchor: a.Anchor, Rows: 1, Columns: 1}.String()
}

// over is s as the declaration has it, but for the target. What is not said at all has its default.
func (d *ScheduleDeclaration) over(s record.ScheduleSpec, timezone string) record.ScheduleSpec {
	d.Name.Set(&s.Name)
	d.Cron.Set(&s.Cron)
	d.Timezone.Set(&s.Timezone)
	d.CatchUp.Set(&s.CatchUp)
	d.Overlap.Set(&s.Overlap)
	d.JitterSeconds.Set(&s.JitterSeconds)
	d.Paused.Set(&s.Paused)
	s.Options = d.Options.Over(s.Options)
	s.Complete(timezone)
	return s
}
