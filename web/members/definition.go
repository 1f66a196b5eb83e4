package members

import (
	"encoding/json"
	"slices"

	"mooring/placements"
	"mooring/storage/record"
	"mooring/storage/record/portable"
	"mooring/web/bind"
	"mooring/web/dashboard"
)

// definition is what a bundle says of an asset, of whatever kind: its kind may come after it. Members that kinds share have one
// variable: that of the first kind in the order of members.
type definition struct {
	record.ReportInput // its name is that of all kinds; meta and folderId are a workbook's too
	access             []record.RoleAccess
	dashboard          placements.Optional[json.RawMessage]
	placement          portable.PlacementDeclaration // its options are a schedule's too
	schedule           ScheduleBody
	target             placements.Optional[portable.ScheduleTarget]
	sent               []string // the names of all members
}

func (d *definition) members(o *bind.Object) {
	o.Collect(&d.sent)
	o.Either("parameters", func(o *bind.Object) { parameters(o, &d.ReportInput) }, func(o *bind.Object) { Settings(o, &d.placement.Parameters) })
	if said := d.placement.Parameters; said.Sent && said.Value == nil {
		d.ReportInput.Parameters = placements.Null[[]placements.Parameter]()
	}
	for _, kind := range Kinds {
		d.membersOf(kind)(o)
	}
}

// membersOf returns what names the members of that kind.
func (d *definition) membersOf(kind portable.AssetKind) func(*bind.Object) {
	switch kind {
	case portable.KindReport:
		return d.reportMembers
	case portable.KindWorkbook:
		return d.workbookMembers
	case portable.KindPlacement:
		return d.placementMembers
	}
	return d.scheduleMembers
}

func (d *definition) reportMembers(o *bind.Object) {
	Definition(o, &d.ReportInput)
	bind.Objects(o, "access", &d.access, MaxRoles, Role)
}

func (d *definition) workbookMembers(o *bind.Object) {
	bind.OptionalText(o, "name", &d.Name, MaxName)
	o.OptionalWhole("folderId", &d.FolderID, 1)
	o.JSON("meta", &d.Meta, (*bind.Object).Open)
	o.JSON("dashboard", &d.dashboard, Draft)
}

func (d *definition) placementMembers(o *bind.Object) {
	bind.Text(o, "report", &d.placement.Report, MaxName)
	bind.Choice(o, "host", &d.placement.Host, Hosts)
	bind.Text(o, "document", &d.placement.Document, MaxText)
	bind.Text(o, "sheet", &d.placement.Sheet, MaxText)
	bind.Text(o, "anchor", &d.placement.Anchor, MaxText)
	bind.OptionalText(o, "statusCell", &d.placement.StatusCell, MaxName)
	bind.OptionalText(o, "fillRight", &d.placement.FillRight, MaxName)
	Settings(o, &d.placement.Parameters)
	Options(o, &d.placement.Options)
}

func (d *definition) scheduleMembers(o *bind.Object) {
	d.schedule.Members(o)
	bind.Optional(o, "target", &d.target, portableTarget)
}

// portableTarget names a target by what means the same in another deployment.
func portableTarget(o *bind.Object, in *portable.ScheduleTarget) {
	o.Required("publicId")
	bind.Text(o, "publicId", &in.PublicID, MaxName)
	bind.Text(o, "document", &in.Document, MaxText)
	bind.Text(o, "address", &in.Address, MaxText)
}

// definitionKeys are the members of each kind.
var definitionKeys = func() map[portable.AssetKind][]string {
	keys := map[portable.AssetKind][]string{}
	for _, kind := range Kinds {
		keys[kind] = bind.Names(new(definition).membersOf(kind))
	}
	return keys
}()

// faults are what is wrong with the definition of an asset of that kind. A draft is completed on the way.
func (d *definition) faults(kind portable.AssetKind, strict bool) (wrong []placements.Detail, err error) {
	for _, name := range d.sent {
		if strict && !slices.Contains(definitionKeys[kind], name) {
			wrong = append(wrong, unknownMember(kind, name)...)
		}
	}
	switch kind {
	case portable.KindReport:
		if d.placement.Parameters.Value != nil {
			wrong = append(wrong, notOfKind("must be an array"))
		}
		return append(wrong, placements.ParameterFaults(d.ReportInput.Parameters.OrZero())...), nil
	case portable.KindWorkbook:
		draft, err := d.completeDraft()
		return append(wrong, draft...), err
	case portable.KindPlacement:
		if d.ReportInput.Parameters.Value != nil {
			wrong = append(wrong, notOfKind("must be an object"))
		}
		return append(wrong, d.placementFaults()...), nil
	case portable.KindSchedule:
		if slices.Contains(d.sent, "parameters") {
			wrong = append(wrong, notOfKind("are said of placements: leave them out"))
		}
		return append(wrong, d.scheduleFaults()...), nil
	}
	return wrong, nil
}

// notOfKind is the fault of parameters as assets of another kind have them.
func notOfKind(message string) placements.Detail {
	return placements.Detail{Pointer: "/parameters", Code: placements.CodeInvalid, Message: message}
}

// unknownMember is the fault of a member of another kind; that of one that no kind has is told already.
func unknownMember(kind portable.AssetKind, name string) []placements.Detail {
	for _, other := range Kinds {
		if slices.Contains(definitionKeys[other], name) {
			message := "is a key of a " + string(other) + ", not of a " + string(kind) + ": leave it out"
			return []placements.Detail{{Pointer: "/" + name, Code: placements.CodeUnknownKey, Message: message}}
		}
	}
	return nil
}

func (d *definition) completeDraft() (wrong []placements.Detail, err error) {
	if d.dashboard.Value == nil {
		return nil, nil
	}
	draft, faults, err := dashboard.Read(*d.dashboard.Value)
	if err != nil {
		return nil, err
	}
	for _, one := range faults {
		wrong = append(wrong, placements.Detail{Pointer: "/dashboard" + one.Pointer, Code: one.Code, Message: one.Message})
	}
	text, err := record.Encode(draft)
	d.dashboard = placements.Sent(json.RawMessage(text))
	return wrong, err
}

func (d *definition) placementFaults() (wrong []placements.Detail) {
	for _, one := range []struct{ name, text string }{
		{"report", d.placement.Report},
		{"document", d.placement.Document},
		{"sheet", d.placement.Sheet},
		{"anchor", d.placement.Anchor},
	} {
		if one.text == "" {
			wrong = append(wrong, placements.Detail{Pointer: "/" + one.name, Code: placements.CodeInvalid, Message: "is required: send it"})
		}
	}
	return wrong
}

// scheduleFaults judges what was sent; whether more is needed depends on the schedule as it is stored.
func (d *definition) scheduleFaults() []placements.Detail {
	spec := record.ScheduleSpec{Target: record.RunTarget{ReportID: 1}}
	d.schedule.Apply(&spec)
	if !d.schedule.cron.Sent {
		spec.Cron = []string{"@hourly"}
	}
	return d.schedule.Faults(spec)
}

// declaration returns the definition of an asset of that kind.
func (d *definition) declaration(kind portable.AssetKind) portable.Declaration {
	switch kind {
	case portable.KindReport:
		report := &portable.ReportDeclaration{ReportInput: d.ReportInput}
		if slices.Contains(d.sent, "access") {
			report.Access = placements.Null[[]record.RoleAccess]()
			if d.access != nil {
				report.Access = placements.Sent(d.access)
			}
		}
		return report
	case portable.KindWorkbook:
		in := record.WorkbookInput{Name: d.Name, FolderID: d.FolderID, Meta: d.Meta}
		return &portable.WorkbookDeclaration{WorkbookInput: in, Dashboard: d.dashboard}
	case portable.KindPlacement:
		return &d.placement
	}
	s := &d.schedule
	return &portable.ScheduleDeclaration{
		Name: d.Name, Target: d.target, Cron: s.cron, Timezone: s.timezone, CatchUp: s.catchUp, Overlap: s.overlap,
		JitterSeconds: s.jitter(), Paused: s.paused, Options: d.placement.Options,
	}
}

// Kinds are the kinds of assets that a bundle may have.
var Kinds = []portable.AssetKind{portable.KindReport, portable.KindWorkbook, portable.KindPlacement, portable.KindSchedule}
