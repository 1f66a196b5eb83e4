package record

import "mooring/placements"

// Member is a member of an asset's JSON, and what is done with it beside keeping it. Whatever ranges over the members of an asset reads them
// here, so that a new one is named in one place; a test holds the lists against the types.
type Member[T any] struct {
	Name    string
	Audited bool   // the audit names it when a person changes it
	Managed string // what a project calls it that manages it; empty: no project does
	value   func(*T) any
}

// Of returns the member as asset has it.
func (m Member[T]) Of(asset *T) any { return m.value(asset) }

// own is a member that projects call as the interface does.
func own[T any](name string, value func(*T) any) Member[T] { return Member[T]{name, true, name, value} }

// here is a member that means something in its deployment alone.
func here[T any](name string, value func(*T) any) Member[T] { return Member[T]{name, true, "", value} }

// kept is a member that no person decides, or that another one implies.
func kept[T any](names ...string) (list []Member[T]) {
	for _, name := range names {
		list = append(list, Member[T]{Name: name})
	}
	return list
}

// ReportMembers are the members of a Definition.
var ReportMembers = append([]Member[Definition]{
	own("name", func(d *Definition) any { return d.Name }),
	own("title", func(d *Definition) any { return d.Title }),
	own("description", func(d *Definition) any { return d.Description }),
	own("sqlQuery", func(d *Definition) any { return d.SQLQuery }),
	own("jsonQuery", func(d *Definition) any { return d.JSONQuery }),
	own("pivotItems", func(d *Definition) any { return d.PivotItems }),
	own("rowKey", func(d *Definition) any { return d.RowKey }),
	own("parameters", func(d *Definition) any { return d.Parameters }),
	own("folderId", func(d *Definition) any { return d.FolderID }),
	here("workbookId", func(d *Definition) any { return d.WorkbookID }),
	{"rolesWithAccess", true, "access", func(d *Definition) any { return d.RolesWithAccess }},
	own("meta", func(d *Definition) any { return d.Meta }),
	{"source", false, "source", func(d *Definition) any { return d.Source }}, // which is fixed
}, kept[Definition]("createdAt", "updatedAt", "createdBy", "user", "updatedBy", "currentQueryChecksum", "version")...)

// WorkbookMembers are the members of a Workbook. A project calls what meta has of the draft its dashboard.
var WorkbookMembers = append([]Member[Workbook]{
	own("name", func(w *Workbook) any { return w.Name }),
	here("slug", func(w *Workbook) any { return w.Slug }),
	own("folderId", func(w *Workbook) any { return w.FolderID }),
	here("dashboardPublished", func(w *Workbook) any { return w.DashboardPublished }),
	own("meta", func(w *Workbook) any { return w.Meta }),
}, kept[Workbook](
	"id", "deploymentId", "type", "userId", "dashboardDraft", "managedBy", "createdAt", "updatedAt", "createdBy", "user", "updatedBy", "version",
)...)

// ScheduleMembers are the members of a Schedule.
var ScheduleMembers = append(append([]Member[Schedule]{
	here("key", func(s *Schedule) any { return s.Key }),
	own("name", func(s *Schedule) any { return s.Name }),
	own("target", func(s *Schedule) any { return s.Target }),
	own("cron", func(s *Schedule) any { return s.Cron }),
	own("timezone", func(s *Schedule) any { return s.Timezone }),
	own("catchUp", func(s *Schedule) any { return s.CatchUp }),
	own("overlap", func(s *Schedule) any { return s.Overlap }),
	own("jitterSeconds", func(s *Schedule) any { return s.JitterSeconds }),
}, optionMembers(func(s *Schedule) *placements.Options { return &s.Options })...), append([]Member[Schedule]{
	own("paused", func(s *Schedule) any { return s.Paused }),
	here("createdBy", func(s *Schedule) any { return s.CreatedBy }), // the owner, whose rights its runs have
}, kept[Schedule]("id", "deploymentId", "pausedReason", "createdAt", "updatedAt", "updatedBy", "version", "managedBy")...)...)

// PlacementMembers are the members of a placement. What projects manage is called as a member is if it is said of the placement beside its address.
var PlacementMembers = append(append([]Member[placements.Placement]{
	here("id", func(p *placements.Placement) any { return p.ID }),
	here("workbookId", func(p *placements.Placement) any { return p.WorkbookID }),
	here("workbookName", func(p *placements.Placement) any { return p.WorkbookName }),
	own("host", func(p *placements.Placement) any { return p.Host }),
	here("sheetId", func(p *placements.Placement) any { return p.SheetID }),
	here("sheetName", func(p *placements.Placement) any { return p.SheetName }),
	here("anchorCell", func(p *placements.Placement) any { return p.AnchorCell }),
	own("statusCell", func(p *placements.Placement) any { return p.StatusCell }),
	own("fillRight", func(p *placements.Placement) any { return p.FillRight }),
	own("parameters", func(p *placements.Placement) any { return saidParameters(p) }),
	here("runAs", func(p *placements.Placement) any { return shownPerson(p.RunAs) }),
	here("placer", func(p *placements.Placement) any { return p.Placer }),
}, optionMembers(func(p *placements.Placement) *placements.Options { return &p.Options })...), kept[placements.Placement](
	"spreadsheets", "endResultCell", "resultLocation", "resultChecksum", "queryChecksum", "placedAt", "refreshedAt", "asOf", "placedByUserId",
	"refreshedByUserId", "edits", "restoredAt", "managedBy",
)...)

// optionMembers are the options that a placement and a schedule have.
func optionMembers[T any](options func(*T) *placements.Options) []Member[T] {
	return []Member[T]{
		own("onEdit", func(asset *T) any { return said(options(asset).OnEdit) }),
		own("shiftRows", func(asset *T) any { return said(options(asset).ShiftRows) }),
		own("breakSignature", func(asset *T) any { return said(options(asset).BreakSignature) }),
	}
}

// said is an option as an asset has it, nil if it says none.
func said[T any](o placements.Optional[T]) any {
	if !o.Sent {
		return nil
	}
	return o
}

// saidParameters is what a placement says of parameters, nil if it says nothing.
func saidParameters(p *placements.Placement) any {
	if len(p.Parameters) == 0 {
		return nil
	}
	return p.Parameters
}

// shownPerson is what is shown of on whose behalf a placement is queried.
func shownPerson(r *placements.RunAs) any {
	if r == nil {
		return nil
	}
	shown := placements.RunAs{UID: r.UID, Email: r.Email}
	if len(r.Roles) > 0 {
		shown.Roles = r.Roles
	}
	return shown
}

// Managed is what a project can manage of an asset, by what it is called there; without options that the asset does not say.
func Managed[T any](members []Member[T], asset *T) map[string]any {
	managed := map[string]any{}
	for _, m := range members {
		if m.Managed == "" {
			continue
		}
		if v := m.value(asset); v != nil {
			managed[m.Managed] = v
		}
	}
	return managed
}
