package web

import (
	"encoding/json"
	"slices"

	"mooring/placements"
	"mooring/storage/record"
	"mooring/web/bind"
)

// assetDefinition is what a bundle says of an asset, of whatever kind: its kind may come after it. Members that kinds share have one
// variable: that of the first kind in the order of members.
type assetDefinition struct {
	record.ReportInput // its name is that of all kinds; meta and folderId are a workbook's too
	access             []record.RoleAccess
	dashboard          placements.Optional[json.RawMessage]
	placement          record.PlacementDeclaration // its options are a schedule's too
	schedule           scheduleSettings
	target             placements.Optional[record.PortableTarget]
	sent               []string // the names of all members
}

func (d *assetDefinition) members(o *bind.Object) {
	o.Collect(&d.sent)
	for _, kind := range kinds {
		d.membersOf(kind)(o)
	}
}

// membersOf returns what names the members of that kind.
func (d *assetDefinition) membersOf(kind record.Kind) func(*bind.Object) {
	switch kind {
	case record.KindReport:
		return d.reportMembers
	case record.KindWorkbook:
		return d.workbookMembers
	case record.KindPlacement:
		return d.placementMembers
	}
	return d.scheduleMembers
}

func (d *assetDefinition) reportMembers(o *bind.Object) {
	definitionMembers(o, &d.ReportInput)
	bind.Objects(o, "access", &d.access, maxRoles, roleMembers)
}

func (d *assetDefinition) workbookMembers(o *bind.Object) {
	bind.OptionalText(o, "name", &d.Name, maxName)
	o.OptionalWhole("folderId", &d.FolderID, 1)
	o.JSON("meta", &d.Meta, (*bind.Object).Open)
	o.JSON("dashboard", &d.dashboard, draftMembers)
}

func (d *assetDefinition) placementMembers(o *bind.Object) {
	bind.Text(o, "report", &d.placement.Report, maxName)
	bind.Choice(o, "host", &d.placement.Host, hosts)
	bind.Text(o, "document", &d.placement.Document, maxText)
	bind.Text(o, "sheet", &d.placement.Sheet, maxText)
	bind.Text(o, "anchor", &d.placement.Anchor, maxText)
	optionMembers(o, &d.placement.Options)
}

func (d *assetDefinition) scheduleMembers(o *bind.Object) {
	d.schedule.members(o)
	bind.Optional(o, "target", &d.target, portableMembers)
}

// portableMembers names a target by what means the same in another deployment.
func portableMembers(o *bind.Object, in *record.PortableTarget) {
	o.Required("publicId")
	bind.Text(o, "publicId", &in.PublicID, maxName)
	bind.Text(o, "document", &in.Document, maxText)
	bind.Text(o, "address", &in.Address, maxText)
}

// definitionKeys are the members of each kind.
var definitionKeys = func() map[record.Kind][]string {
	keys := map[record.Kind][]string{}
	for _, kind := range kinds {
		keys[kind] = bind.Names(new(assetDefinition).membersOf(kind))
	}
	return keys
}()

// faults are what is wrong with the definition of an asset of that kind. A draft is completed on the way.
func (d *assetDefinition) faults(kind record.Kind, strict bool) (wrong []placements.Detail, err error) {
	for _, name := range d.sent {
		if strict && !slices.Contains(definitionKeys[kind], name) {
			wrong = append(wrong, unknownMember(kind, name)...)
		}
	}
	switch kind {
	case record.KindWorkbook:
		draft, err := d.completeDraft()
		return append(wrong, draft...), err
	case record.KindPlacement:
		return append(wrong, d.placementFaults()...), nil
	case record.KindSchedule:
		return append(wrong, d.scheduleFaults()...), nil
	}
	return wrong, nil
}

// unknownMember is the fault of a member of another kind; that of one that no kind has is told already.
func unknownMember(kind record.Kind, name string) []placements.Detail {
	for _, other := range kinds {
		if slices.Contains(definitionKeys[other], name) {
			message := "is a key of a " + string(other) + ", not of a " + string(kind) + ": leave it out"
			return []placements.Detail{{Pointer: "/" + name, Code: placements.CodeUnknownKey, Message: message}}
		}
	}
	return nil
}

func (d *assetDefinition) completeDraft() (wrong []placements.Detail, err error) {
	if d.dashboard.Value == nil {
		return nil, nil
	}
	draft, faults, err := parseDraft(*d.dashboard.Value)
	if err != nil {
		return nil, err
	}
	for _, one := range faults {
		wrong = append(wrong, placements.Detail{Pointer: "/dashboard" + one.Pointer, Code: one.Code, Message: one.Message})
	}
	text, err := encode(draft)
	d.dashboard = placements.Sent(json.RawMessage(text))
	return wrong, err
}

func (d *assetDefinition) placementFaults() (wrong []placements.Detail) {
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
func (d *assetDefinition) scheduleFaults() []placements.Detail {
	spec := record.ScheduleSpec{Target: record.RunTarget{ReportID: 1}}
	d.schedule.apply(&spec)
	if !d.schedule.cron.Sent {
		spec.Cron = []string{"@hourly"}
	}
	return d.schedule.faults(spec)
}

// declaration returns the definition of an asset of that kind.
func (d *assetDefinition) declaration(kind record.Kind) record.Declaration {
	switch kind {
	case record.KindReport:
		report := &record.ReportDeclaration{ReportInput: d.ReportInput}
		if slices.Contains(d.sent, "access") {
			report.Access = placements.Null[[]record.RoleAccess]()
			if d.access != nil {
				report.Access = placements.Sent(d.access)
			}
		}
		return report
	case record.KindWorkbook:
		in := record.WorkbookInput{Name: d.Name, FolderID: d.FolderID, Meta: d.Meta}
		return &record.WorkbookDeclaration{WorkbookInput: in, Dashboard: d.dashboard}
	case record.KindPlacement:
		return &d.placement
	}
	s := &d.schedule
	return &record.ScheduleDeclaration{
		Name: d.Name, Target: d.target, Cron: s.cron, Timezone: s.timezone, CatchUp: s.catchUp, Overlap: s.overlap,
		ShiftRows: s.shiftRows, JitterSeconds: s.jitter(), Paused: s.paused, Options: d.placement.Options,
	}
}
