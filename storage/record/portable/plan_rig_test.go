package portable_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"mooring/placements"
	"mooring/storage/record"
	"mooring/storage/record/portable"
)

// server is what a plan meets, in memory: applying a plan to it does what storage does, without its indexes.
type server struct {
	held    portable.Holdings
	applied map[portable.AssetKey]*portable.Applied
	ids     int64
	now     time.Time

	documents placements.Documents // where reports may be placed
}

func newServer() *server {
	return &server{
		held: portable.Holdings{
			Reports: map[string]*portable.HeldReport{}, Workbooks: map[string]*record.Workbook{}, Schedules: map[string]*record.Schedule{},
			Refused: map[string]*placements.Error{}, PublicIDs: map[int64]string{},
		},
		applied: map[portable.AssetKey]*portable.Applied{},
		now:     time.Date(2026, 11, 22, 7, 0, 0, 0, time.UTC),
	}
}

// The users of the tests.
var (
	admin  = record.Actor{ID: 1, Email: "ann@example.com", Actions: []string{record.ActionAll}}
	bob    = record.Actor{ID: 2, Email: "bob@example.com", Actions: []string{record.ActionReportEdit}}
	reader = record.Actor{ID: 3, Email: "eve@example.com", Actions: []string{record.ActionReportRead, record.ActionWorkbookRead}}
)

func (s *server) planning(b *portable.Bundle) *portable.Planning {
	if b.Project == "" {
		b.Project = "finance"
	}
	return &portable.Planning{
		Deployment: 2, Bundle: b, Held: &s.held, Applied: s.applied, Who: admin, Now: s.now, Timezone: "Europe/Berlin",
		Documents: s.documents,
	}
}

// checked makes a plan of a bundle that may be faulty.
func checked(p *portable.Planning) (*portable.ApplyPlan, *portable.Writes, error) {
	if err := p.Bundle.Check(); err != nil {
		return nil, nil, err
	}
	return p.Make()
}

// plan plans a bundle as admin.
func (s *server) plan(t testing.TB, b *portable.Bundle) (*portable.ApplyPlan, *portable.Writes) {
	t.Helper()
	p, w, err := checked(s.planning(b))
	if err != nil {
		t.Fatal(err)
	}
	return p, w
}

// apply plans a bundle and applies the plan.
func (s *server) apply(t testing.TB, b *portable.Bundle) *portable.ApplyPlan {
	t.Helper()
	p, w := s.plan(t, b)
	if err := p.Applicable(); err != nil {
		t.Fatal(err, placements.DetailsOf(err))
	}
	s.write(w, b.Project)
	return p
}

func (s *server) write(w *portable.Writes, project string) {
	by := &placements.ManagedBy{Project: project, AppliedAt: placements.Time(s.now), Revision: 1}
	ids := map[string]int64{}
	for _, r := range w.Reports {
		s.writeReport(r, by)
	}
	for ref, r := range s.held.Reports {
		ids[ref] = r.ID
	}
	for _, wb := range w.Workbooks {
		if wb.Action == portable.ActionDelete {
			delete(s.held.Workbooks, wb.Ref)
			continue
		}
		stored := wb.Workbook
		if len(stored.DashboardDraft) > 0 {
			draft, _ := portable.WithReportIDs(stored.DashboardDraft, ids)
			patch, _ := json.Marshal(map[string]json.RawMessage{record.FieldDraft: draft})
			meta, _ := record.MergedMeta(stored.Meta, patch)
			_ = stored.SetMeta(meta)
		}
		s.ids++
		stored.ID, stored.Slug, stored.ManagedBy, stored.Version = s.ids, wb.Ref, by, stored.Version+1
		s.held.Workbooks[wb.Ref] = &stored
	}
	placed := map[portable.AssetKey]string{}
	for _, p := range w.Placements {
		if id := s.writePlacement(p, by); id != "" {
			placed[(&portable.Asset{Definition: &portable.PlacementDeclaration{
				Document: p.Placement.WorkbookID, Sheet: p.Placement.SheetName, Anchor: p.Placement.AnchorCell,
			}}).Key()] = id
		}
	}
	for _, c := range w.Schedules {
		s.writeSchedule(c, by)
	}
	for _, key := range w.Forgotten {
		delete(s.applied, key)
	}
	for _, a := range w.Applied {
		if id := placed[a.Key()]; id != "" {
			a.PlacementID = id
		}
		s.applied[a.Key()] = stored(a)
	}
}

// stored is what was applied as it comes back from a hash.
func stored(a *portable.Applied) *portable.Applied {
	text, err := record.Encode(a)
	back := new(portable.Applied)
	if err == nil {
		err = record.Decode(text, back)
	}
	if err != nil {
		panic(err)
	}
	return back
}

func (s *server) writeReport(r portable.ReportWrite, by *placements.ManagedBy) {
	if r.Action == portable.ActionDelete {
		delete(s.held.Reports, r.Ref)
		return
	}
	s.ids++
	one := &portable.HeldReport{ID: s.ids, PublicID: r.Ref}
	if r.Held != nil {
		one = new(*r.Held)
	}
	one.Definition, one.ManagedBy, one.Stored = r.Definition, by, true
	s.held.Reports[r.Ref], s.held.PublicIDs[one.ID] = one, r.Ref
}

func (s *server) writePlacement(p portable.PlacementWrite, by *placements.ManagedBy) (id string) {
	var kept []placements.Placement
	if p.From != nil {
		from := s.held.Reports[p.From.PublicID]
		if from == nil {
			return ""
		}
		for _, one := range from.Placements {
			if one.ID != p.Held.ID {
				kept = append(kept, one)
			}
		}
		from.Placements = kept
	}
	if p.Action == portable.ActionDelete {
		return ""
	}
	one := p.Placement
	if one.ID == "" {
		s.ids++
		one.ID = fmt.Sprintf("p%d", s.ids)
	}
	one.ManagedBy = by
	to := s.held.Reports[p.Report]
	to.Placements = append(append([]placements.Placement{}, to.Placements...), one)
	return one.ID
}

func (s *server) writeSchedule(c portable.ScheduleWrite, by *placements.ManagedBy) {
	if c.Action == portable.ActionDelete {
		delete(s.held.Schedules, c.Ref)
		return
	}
	report := s.held.Reports[c.Target.PublicID]
	s.ids++
	one := &record.Schedule{ID: s.ids, ScheduleSpec: c.Spec, CreatedBy: admin.ID, Version: 1, ManagedBy: by}
	one.Target, _ = c.Target.Local(report.ID, report.Placements, c.Target.Document)
	s.held.Schedules[c.Ref] = one
}

// asset reads an asset from JSON, as a bundle has it.
func asset(t testing.TB, kind, ref, definition string) portable.Asset {
	t.Helper()
	var a portable.Asset
	if err := json.Unmarshal(fmt.Appendf(nil, `{"kind":%q,"ref":%q,"definition":%s}`, kind, ref, definition), &a); err != nil {
		t.Fatal(err)
	}
	return a
}

func bundle(assets ...portable.Asset) *portable.Bundle { return &portable.Bundle{Assets: assets} }

// The assets of the tests.
const (
	salesID  = "SalesRegion1"
	costsID  = "CostsByMonth"
	someSQL  = `{"name":"Sales","sqlQuery":"SELECT 1"}`
	boardDef = `{"name":"Board","meta":{"team":{"a":1}},"dashboard":{"widgets":[
		{"id":"w","type":"CHART","config":{"reportPublicId":"SalesRegion1"}}]}}`
	withFilters = `{"name":"Sales","sqlQuery":"SELECT 1","pivotItems":{"columns":[],"filters":[],"measures":[],"rows":[],"showAppliedFilters":true}}`
	placeDef    = `{"report":"SalesRegion1","host":"SHEETS_B","document":"board.xlsx","sheet":"Data","anchor":"A1"}`
	planDef     = `{"name":"Daily","cron":["0 7 * * *"],"target":{"publicId":"SalesRegion1","document":"board.xlsx","address":"data!$A$1"}}`
)

// whole is a bundle with an asset of every kind.
func whole(t testing.TB) *portable.Bundle {
	return bundle(
		asset(t, "report", salesID, someSQL), asset(t, "workbook", "board", boardDef),
		asset(t, "placement", "board.xlsx/Data!A1", placeDef), asset(t, "schedule", "daily", planDef),
	)
}

// actions are what a plan does with its assets, by name.
func actions(p *portable.ApplyPlan) map[string]portable.Action {
	m := map[string]portable.Action{}
	for i := range p.Assets {
		m[p.Assets[i].Name()] = p.Assets[i].Action
	}
	return m
}
