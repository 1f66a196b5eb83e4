package portable

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"time"

	"mooring/placements"
	"mooring/storage/record"
)

// Planning is what a plan is made of. Nothing of it is changed.
type Planning struct {
	Deployment int64
	Bundle     *Bundle
	Held       *Holdings
	Applied    map[AssetKey]*Applied // by the bundle's project
	Who        record.Actor          // asks for the plan, or applies it
	Now        time.Time
	Timezone   string               // of the deployment
	Documents  placements.Documents // where reports may be placed
}

// Writes are what applying a plan changes, beside who manages what. An asset whose Held is nil is created.
type Writes struct {
	Reports    []ReportWrite
	Workbooks  []WorkbookWrite
	Placements []PlacementWrite
	Schedules  []ScheduleWrite
	Applied    []*Applied // what the project's record of applied assets gains
	Forgotten  []AssetKey // what it loses
}

// AssetWrite is what the writes of all kinds have.
type AssetWrite struct {
	Asset  int // index among the plan's assets
	Ref    string
	Action Action // create, update, adopt or delete
}

// ReportWrite writes a report.
type ReportWrite struct {
	AssetWrite
	Held       *HeldReport
	Definition record.Definition // after
}

// WorkbookWrite writes a workbook. The charts of its draft may name reports that the same plan creates, by publicId.
type WorkbookWrite struct {
	AssetWrite
	Held     *record.Workbook
	Workbook record.Workbook // after
}

// PlacementWrite writes a placement of the report with that publicId.
type PlacementWrite struct {
	AssetWrite
	Report    string
	From      *HeldReport // the report whose placement it was; nil: it is created
	Held      *placements.Placement
	Placement placements.Placement // after; one that is created has no id
}

// ScheduleWrite writes a schedule. Its target may name a report and a placement that the same plan creates.
type ScheduleWrite struct {
	AssetWrite
	Held   *record.Schedule
	Spec   record.ScheduleSpec // after, but for the target
	Target ScheduleTarget
}

// Make plans what it takes to make the server's assets what the bundle wants, which Check has passed. Errors are *placements.Error: assets
// of the bundle that name what there is not, with pointers into it; CodeForbidden with what Who may not do; CodePruneLimit.
func (p *Planning) Make() (*ApplyPlan, *Writes, error) {
	m := maker{Planning: p, plan: &ApplyPlan{
		Project: p.Bundle.Project, Environment: p.Bundle.Environment, Deployment: p.Deployment, Assets: []PlannedAsset{},
	}}
	m.declare()
	if faults := m.unknown(); len(faults) > 0 {
		return nil, nil, placements.Faulty(faults...)
	}
	for i := range p.Bundle.Assets {
		if err := m.add(&p.Bundle.Assets[i]); err != nil {
			return nil, nil, fmt.Errorf("%s: %w", p.Bundle.Assets[i].Name(), err)
		}
	}
	if err := m.prune(); err != nil {
		return nil, nil, err
	}
	if len(m.forbidden) > 0 {
		e := placements.Faulty(m.forbidden...)
		e.Message = "This token may not do all that the plan takes, and nothing was planned: see details."
		return nil, nil, e
	}
	return m.plan, &m.writes, m.plan.finish()
}

// maker makes a plan.
type maker struct {
	*Planning
	plan      *ApplyPlan
	writes    Writes
	declared  map[AssetKey]*Asset
	places    map[AssetKey]*Asset               // the placements of the bundle by spot, see Holdings.spot
	named     map[string]bool                   // publicIds that placements, charts and schedules of the bundle name
	aimed     map[string]bool                   // placements that schedules of the bundle name: by publicId and key
	claimed   map[AssetKey]bool                 // of Applied: what the bundle has
	placedAs  map[string]AssetKey               // of Applied placements: by report and id
	asked     map[string][]placements.Parameter // for which reports of placements ask, see parametersOf
	gone      map[Use]bool                      // workbooks and schedules that will not use what they used
	forbidden []placements.Detail
}

// declare indexes the bundle.
func (m *maker) declare() {
	m.declared, m.places, m.named = make(map[AssetKey]*Asset, len(m.Bundle.Assets)), map[AssetKey]*Asset{}, map[string]bool{}
	m.claimed, m.gone, m.placedAs, m.aimed = map[AssetKey]bool{}, map[Use]bool{}, map[string]AssetKey{}, map[string]bool{}
	m.asked = map[string][]placements.Parameter{}
	for key, one := range m.Applied {
		if one.PlacementID != "" {
			m.placedAs[one.text("report")+"/"+one.PlacementID] = key
		}
	}
	for i := range m.Bundle.Assets {
		a := &m.Bundle.Assets[i]
		m.declared[a.Key()] = a
		m.claimed[a.Key()] = true
		for _, r := range references(a) {
			m.named[r.publicID] = true
		}
		if d, ok := a.Definition.(*PlacementDeclaration); ok && m.places[m.Held.spot(d.Address())] == nil {
			m.places[m.Held.spot(d.Address())] = a
		}
		if d, ok := a.Definition.(*ScheduleDeclaration); ok {
			if place, one := d.Target.OrZero().place(); one {
				m.aimed[d.Target.OrZero().PublicID+"/"+string(m.Held.spot(place))] = true
			}
		}
	}
}

// add plans one asset of the bundle.
func (m *maker) add(a *Asset) error {
	switch d := a.Definition.(type) {
	case *ReportDeclaration:
		return m.addReport(a, d)
	case *WorkbookDeclaration:
		return m.addWorkbook(a, d)
	case *PlacementDeclaration:
		return m.addPlacement(a, d)
	case *ScheduleDeclaration:
		return m.addSchedule(a, d)
	}
	return fmt.Errorf("unknown declaration %T", a.Definition)
}

// comparison is what is known of an asset before and after.
type comparison struct {
	said      record.Tree // the declaration
	before    record.Tree // portable; nil: there is no such asset
	after     record.Tree // portable
	serviced  record.Tree // optional members that the service itself changed, as they were before: no person did, and no project
	merged    string
	managedBy *record.ManagedBy
	version   int64
	by, at    string // who changed it last
	applied   *Applied
	level     record.Level // of the caller, on what is there and on what it becomes
	conflict  string       // why the rules refuse the change
	report    string       // publicId of the report of a placement or schedule
	placed    string       // id of a placement that is there
	vouched   bool         // a reader placed the placement where it stands, and who may edit its report has it stand there from now on
}

// compare adds to the plan what becomes of an asset, and to the writes what the project will have applied of it if the caller may edit it.
//
// An asset that is there and that no project manages becomes the project's, whether the plan has to change it or not: a publicId, slug or
// key in a file means the asset of that name, as it does in an upsert, and the plan shows what it would change.
func (m *maker) compare(a *Asset, c comparison) *PlannedAsset {
	one := PlannedAsset{Kind: a.Kind(), Ref: a.Ref, Report: c.report, ManagedBy: c.managedBy, Version: c.version}
	mine := c.managedBy.By(m.Bundle.Project)
	foreign := c.managedBy != nil && !mine && !m.takenOver(a)
	if c.before == nil {
		one.Action, one.Changes = ActionCreate, creation(a, &c)
		if c.applied != nil {
			one.Deleted = cmp.Or(c.applied.Deleted, &Deletion{})
		}
	} else {
		one.Changes = differences(c.before, c.after)
		one.Action = actionOf(len(one.Changes) > 0, mine)
	}
	m.protect(a, &one, c.applied)
	if c.vouched {
		one.alsoChanges(MemberChange{placerPointer, string(placements.PlacedByReader), string(placements.PlacedByEditor)})
	}
	switch {
	case c.conflict != "":
		one.Action, one.Message = ActionConflict, c.conflict
	case foreign:
		one.Action = ActionConflict
		one.Message = fmt.Sprintf("the project %s manages it: change it there, or take it over with --take-over %s",
			c.managedBy.Project, a.Name())
	case one.Action == ActionUnchanged:
		one.Version = 0 // it may change in what the bundle does not manage
	}
	if mine && c.applied != nil {
		one.Drift = driftOf(&c)
	}
	if one.Action != ActionConflict && c.level >= record.MayEdit {
		m.remember(a, &c)
	}
	m.plan.Assets = append(m.plan.Assets, one)
	return &m.plan.Assets[len(m.plan.Assets)-1]
}

// creation lists what an asset that is created has: what the bundle says, and of what it leaves out that which was applied before.
func creation(a *Asset, c *comparison) []MemberChange {
	shape := maps.Clone(c.said)
	if c.applied != nil {
		for name, value := range unsaid(a.Kind(), c.said, c.after) {
			if !isEmpty(value) {
				shape[name] = value
			}
		}
	}
	return differences(record.Tree{}, managed(shape, c.after, c.merged))
}

// protectPointer names Asset.Protect among the changes of an asset.
const protectPointer = "/protect"

// protect adds to the changes of an asset that it is protected from now on, or no longer. That is no member of the asset, but of what the
// project has applied of it.
func (m *maker) protect(a *Asset, one *PlannedAsset, applied *Applied) {
	was := applied != nil && applied.Protect && one.ManagedBy.By(m.Bundle.Project)
	switch {
	case a.Protect == was:
		return
	case was:
		one.alsoChanges(MemberChange{protectPointer, true, nil})
	default:
		one.alsoChanges(MemberChange{protectPointer, nil, true})
	}
}

// placerPointer names placements.Facts.Placer among the changes of a placement: as long as a reader is said to have placed it, agents may
// refuse to open its document, and its block gives way to others.
const placerPointer = "/placer"

// alsoChanges adds a change of what is no member of the asset's definition.
func (a *PlannedAsset) alsoChanges(d MemberChange) {
	a.Changes = append(a.Changes, d)
	sortDifferences(a.Changes)
	if a.Action == ActionUnchanged {
		a.Action, a.Version = ActionUpdate, 0 // the asset's own version does not change
	}
}

// Protects reports whether all that a plan changes is whether the asset is protected: nothing of the asset itself is written.
func (a *PlannedAsset) Protects() bool {
	return a.Action == ActionUpdate && len(a.Changes) == 1 && a.Changes[0].Pointer == protectPointer
}

// Vouches reports whether all that a plan changes of a placement is who is said to have placed it, and whether it is protected.
func (a *PlannedAsset) Vouches() bool {
	if a.Action != ActionUpdate || a.Protects() {
		return false
	}
	for _, d := range a.Changes {
		if d.Pointer != placerPointer && d.Pointer != protectPointer {
			return false
		}
	}
	return true
}

// continued is what the project applied of an asset that it still manages, or that is gone: nil when another project has had it since, or
// none.
func (m *maker) continued(one *Applied, there bool, by *record.ManagedBy) *Applied {
	if there && !by.By(m.Bundle.Project) {
		return nil
	}
	return one
}

func actionOf(changes, mine bool) Action {
	switch {
	case changes:
		return ActionUpdate
	case mine:
		return ActionUnchanged
	}
	return ActionAdopt
}

// driftOf is what was changed by hand since the project applied an asset: what differs from what was applied, unless the bundle means the
// same by now.
func driftOf(c *comparison) *Drift {
	applied := c.applied.whole()
	var pointers []string
	for _, d := range differences(applied, managed(applied, c.before, c.merged)) {
		if !record.SameValue(at(c.before, d.Pointer), at(c.after, d.Pointer)) {
			pointers = append(pointers, d.Pointer)
		}
	}
	if len(pointers) == 0 {
		return nil
	}
	return &Drift{By: c.by, At: c.at, Pointers: pointers}
}

// remember records what the project will have applied of an asset, if that is new.
func (m *maker) remember(a *Asset, c *comparison) {
	before, now := c.applied, &Applied{
		Kind: a.Kind(), Ref: a.Ref, Protect: a.Protect, PlacementID: c.placed,
		Definition: managed(c.said, c.after, c.merged), Unsaid: unsaid(a.Kind(), c.said, c.after),
	}
	for name, value := range c.serviced {
		now.Unsaid[name] = value
	}
	if before != nil {
		if key := before.Key(); key != now.Key() {
			m.writes.Forgotten = append(m.writes.Forgotten, key)
		}
		if reflect.DeepEqual(before, now) {
			return
		}
	}
	m.writes.Applied = append(m.writes.Applied, now)
}

// write begins the write of the asset planned last; ok is false when nothing is to be written.
func (m *maker) write(one *PlannedAsset) (w AssetWrite, ok bool) {
	w = AssetWrite{Asset: len(m.plan.Assets) - 1, Ref: one.Ref, Action: one.Action}
	return w, one.Action != ActionUnchanged && one.Action != ActionConflict && !one.Protects()
}
