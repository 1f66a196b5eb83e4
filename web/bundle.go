package web

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/gin-gonic/gin"

	"mooring/placements"
	"mooring/storage/record"
	"mooring/storage/record/portable"
	"mooring/web/bind"
)

// assetDefinition is what a bundle says of an asset, of whatever kind: its kind may come after it. Members that kinds share have one
// variable: that of the first kind in the order of members.
type assetDefinition struct {
	record.ReportInput // its name is that of all kinds; meta and folderId are a workbook's too
	access             []record.RoleAccess
	dashboard          placements.Optional[json.RawMessage]
	placement          portable.PlacementDeclaration // its options are a schedule's too
	schedule           scheduleSettings
	target             placements.Optional[portable.Target]
	sent               []string // the names of all members
}

func (d *assetDefinition) members(o *bind.Object) {
	o.Collect(&d.sent)
	for _, kind := range kinds {
		d.membersOf(kind)(o)
	}
}

// membersOf returns what names the members of that kind.
func (d *assetDefinition) membersOf(kind portable.Kind) func(*bind.Object) {
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
	bind.OptionalText(o, "statusCell", &d.placement.StatusCell, maxName)
	optionMembers(o, &d.placement.Options)
}

func (d *assetDefinition) scheduleMembers(o *bind.Object) {
	d.schedule.members(o)
	bind.Optional(o, "target", &d.target, portableMembers)
}

// portableMembers names a target by what means the same in another deployment.
func portableMembers(o *bind.Object, in *portable.Target) {
	o.Required("publicId")
	bind.Text(o, "publicId", &in.PublicID, maxName)
	bind.Text(o, "document", &in.Document, maxText)
	bind.Text(o, "address", &in.Address, maxText)
}

// definitionKeys are the members of each kind.
var definitionKeys = func() map[portable.Kind][]string {
	keys := map[portable.Kind][]string{}
	for _, kind := range kinds {
		keys[kind] = bind.Names(new(assetDefinition).membersOf(kind))
	}
	return keys
}()

// faults are what is wrong with the definition of an asset of that kind. A draft is completed on the way.
func (d *assetDefinition) faults(kind portable.Kind, strict bool) (wrong []placements.Detail, err error) {
	for _, name := range d.sent {
		if strict && !slices.Contains(definitionKeys[kind], name) {
			wrong = append(wrong, unknownMember(kind, name)...)
		}
	}
	switch kind {
	case portable.KindWorkbook:
		draft, err := d.completeDraft()
		return append(wrong, draft...), err
	case portable.KindPlacement:
		return append(wrong, d.placementFaults()...), nil
	case portable.KindSchedule:
		return append(wrong, d.scheduleFaults()...), nil
	}
	return wrong, nil
}

// unknownMember is the fault of a member of another kind; that of one that no kind has is told already.
func unknownMember(kind portable.Kind, name string) []placements.Detail {
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
func (d *assetDefinition) declaration(kind portable.Kind) portable.Declaration {
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
		ShiftRows: s.shiftRows, JitterSeconds: s.jitter(), Paused: s.paused, Options: d.placement.Options,
	}
}

// bundleInput is the body of a plan's creation.
type bundleInput struct {
	portable.Bundle
	assets  []*assetInput // nil: one that is no object
	count   int           // of assets
	surplus assetInput    // takes what comes after the most assets that a bundle may have
}

// maxRef bounds the names of assets: a document's id, a sheet and a cell.
const maxRef = 2_000

func (b *bundleInput) members(o *bind.Object) {
	o.Required("project", "assets")
	bind.Text(o, "project", &b.Project, maxName)
	bind.Text(o, "environment", &b.Environment, maxName)
	bind.Objects(o, "assets", &b.assets, 0, b.asset)
	bind.Pointer(o, "prune", &b.Prune, pruneMembers)
	o.Flag("detach", &b.Detach)
	o.List("takeOver", &b.TakeOver, 0, portable.MaxBundleAssets, maxRef)
	o.List("adopt", &b.Adopt, 0, portable.MaxBundleAssets, maxRef)
}

func (b *bundleInput) asset(o *bind.Object, in **assetInput) {
	if *in == nil {
		if b.count++; b.count > portable.MaxBundleAssets {
			*in = &b.surplus
		} else {
			*in = new(assetInput)
		}
	}
	(*in).members(o)
}

func pruneMembers(o *bind.Object, in *portable.Prune) {
	var number *int64
	var text *string
	o.WholeOrText("limit", &number, &text, 0, maxName, func(text string) (placements.Code, string) {
		if _, err := portable.ParsePruneLimit(text); err != nil {
			return placements.CodeInvalid, err.Error()
		}
		return "", ""
	})
	switch {
	case number != nil:
		in.Limit = &portable.PruneLimit{Number: int(min(*number, portable.MaxBundleAssets))}
	case text != nil:
		limit, _ := portable.ParsePruneLimit(*text) // which the rule has read
		in.Limit = &limit
	}
}

// assetInput is one asset of a bundle.
type assetInput struct {
	kind       portable.Kind
	ref        string
	protect    bool
	definition assetDefinition
}

func (a *assetInput) members(o *bind.Object) {
	o.Required("kind", "ref", "definition")
	bind.Choice(o, "kind", &a.kind, kinds)
	bind.Text(o, "ref", &a.ref, maxRef)
	o.Flag("protect", &a.protect)
	o.Object("definition", a.definition.members)
}

var kinds = []portable.Kind{portable.KindReport, portable.KindWorkbook, portable.KindPlacement, portable.KindSchedule}

// readBundle fills in with a body that may be as large as a bundle.
func (s *Server) readBundle(c *gin.Context, in *bundleInput) error {
	raw, err := s.readBody(c)
	if placements.CodeOf(err) == placements.CodeTooLarge || len(raw) > portable.MaxBundleBytes {
		return placements.Errorf(placements.CodePlanTooLarge, "A bundle has at most %d bytes: split the project.", portable.MaxBundleBytes)
	}
	if err != nil {
		return err
	}
	c.Request.Body = io.NopCloser(bytes.NewReader(raw))
	return s.read(c, in)
}

// rules makes the bundle of what was read, and judges it. What needs the server is judged by the plan, unless none can be made.
func (b *bundleInput) rules(s *Server, c *gin.Context, f *bind.Faults) error {
	if b.count > portable.MaxBundleAssets {
		return placements.Errorf(placements.CodePlanTooLarge,
			"A plan has at most %d assets, and this bundle has %d: split the project.", portable.MaxBundleAssets, b.count)
	}
	b.Assets = make([]portable.Asset, len(b.assets))
	for i, in := range b.assets {
		at := fmt.Sprintf("/assets/%d/definition", i)
		if in == nil || in.kind == "" { // whose fault is told
			b.Assets[i] = portable.Asset{Ref: at, Definition: portable.Unread{}}
			continue
		}
		wrong, err := in.definition.faults(in.kind, strict(c))
		if err != nil {
			return err
		}
		for _, one := range wrong {
			f.Join(placements.Detail{Pointer: at + one.Pointer, Code: one.Code, Message: one.Message})
		}
		b.Assets[i] = portable.Asset{Ref: in.ref, Protect: in.protect, Definition: in.definition.declaration(in.kind)}
	}
	err := b.Check()
	if f.Join(placements.DetailsOf(err)...); len(*f) == 0 {
		return err
	}
	r := current(c)
	unknown, err := s.store.BundleFaults(c.Request.Context(), r.deployment(), &b.Bundle, r.Caller.Actor)
	doubtful := b.doubtful(*f)
	f.Join(slices.DeleteFunc(unknown, func(d placements.Detail) bool { return slices.Contains(doubtful, d.Code) })...)
	return err
}

// doubtful are the codes of faults that may be wrong beside those: what is named may be an asset whose own name could not be read.
func (b *bundleInput) doubtful(f bind.Faults) (codes []placements.Code) {
	for i := range b.Assets {
		at := fmt.Sprintf("/assets/%d", i)
		faulty := func(member string) bool {
			return slices.ContainsFunc(f, func(d placements.Detail) bool { return strings.HasPrefix(d.Pointer+"/", at+member+"/") })
		}
		switch b.Assets[i].Definition.(type) {
		case portable.Unread:
			return []placements.Code{placements.CodeNoReport, placements.CodeAddress}
		case *portable.ReportDeclaration:
			if faulty("/ref") {
				codes = append(codes, placements.CodeNoReport)
			}
		case *portable.PlacementDeclaration:
			if faulty("") {
				codes = append(codes, placements.CodeAddress)
			}
		}
	}
	return codes
}
