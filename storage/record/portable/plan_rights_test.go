package portable_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"mooring/placements"
	"mooring/storage/record"
	"mooring/storage/record/portable"
)

// somebody has no actions: what they may do, a role of a report says. They may edit the report of costs.
var somebody = record.Actor{ID: 50, Email: "somebody@example.com", Roles: []int64{7}}

// What the project has of the report of sales, in words that nobody who may not read it is told.
const (
	hiddenPlan  = `{"name":"Hush","cron":["7 7 7 7 *"],"paused":true,"target":{"publicId":"SalesRegion1","document":"board.xlsx"}}`
	hiddenPlace = `{"report":"SalesRegion1","host":"SHEETS_B","document":"board.xlsx","sheet":"Data","anchor":"A1","statusCell":"Z99"}`
	costsPlan   = `{"target":{"publicId":"CostsByMonth"},"cron":["0 1 * * *"]}`
	costsPlace  = `{"report":"CostsByMonth","host":"SHEETS_B","document":"board.xlsx","sheet":"Data","anchor":"A1"}`
)

// withHidden is a server with the reports of sales and costs, where the project finance has a placement and a schedule of sales, both
// protected or not. somebody may do with the report of sales what those actions say.
func withHidden(t *testing.T, protect bool, actions ...string) *server {
	t.Helper()
	s := newServer()
	b := bundle(
		asset(t, "report", salesID, someSQL), asset(t, "report", costsID, `{"sqlQuery":"SELECT 2"}`),
		asset(t, "placement", "board.xlsx/Data!A1", hiddenPlace), asset(t, "schedule", "daily", hiddenPlan),
	)
	b.Assets[2].Protect, b.Assets[3].Protect = protect, protect
	s.apply(t, b)
	delete(s.applied, portable.ReportKey(salesID)) // the reports are another's to manage
	delete(s.applied, portable.ReportKey(costsID))
	s.held.Reports[costsID].RolesWithAccess = []record.RoleAccess{{ID: 7, Actions: []string{record.ActionReportEdit}}}
	s.held.Reports[salesID].RolesWithAccess = []record.RoleAccess{{ID: 7, Actions: actions}}
	return s
}

// outcome is what becomes of an asset when somebody plans a bundle: what the plan does with it, "left" where it does not have it,
// "forgotten" where the project forgets it, "refused" or "unknown".
func outcome(t *testing.T, s *server, b *portable.Bundle, name string) string {
	t.Helper()
	p := s.planning(b)
	p.Who = somebody
	plan, w, err := checked(p)
	told, _ := json.Marshal([]any{plan, placements.DetailsOf(err), fmt.Sprint(err)})
	if sales := s.held.Reports[salesID]; somebody.Level(&sales.Definition) < record.MayRead {
		for _, secret := range []string{"Hush", "7 7 7 7", "Z99", "ann@example.com", "Sales\""} {
			if strings.Contains(string(told), secret) {
				t.Errorf("who may not read the report is told %q: %s", secret, told)
			}
		}
	}
	switch {
	case placements.CodeOf(err) == placements.CodeForbidden:
		return "refused"
	case err != nil:
		return "unknown"
	}
	for i := range plan.Assets {
		if one := &plan.Assets[i]; one.Name() == name {
			if one.Action == portable.ActionConflict && len(one.Changes) > 0 {
				t.Errorf("a conflict with %v", one.Changes)
			}
			return string(one.Action)
		}
	}
	if len(w.Forgotten) > 0 {
		return "forgotten"
	}
	for _, one := range w.Applied {
		if string(one.Kind)+":"+one.Ref == name {
			t.Errorf("what the plan does not have is applied: %+v", one)
		}
	}
	if len(w.Schedules)+len(w.Placements) > 0 {
		t.Errorf("what the plan does not have is written: %+v", w)
	}
	return "left"
}

// Each row is something that a plan does to an asset of the report of sales, and what becomes of it for who may nothing with that report, who
// may read it, and who may edit it. All of them may edit the report of costs.
func TestPlanAsksAboutWhatItChanges(t *testing.T) {
	const daily, placed = "schedule:daily", "placement:board.xlsx/Data!A1"
	schedule := func(definition string) func(*testing.T, *server) *portable.Bundle {
		return func(t *testing.T, _ *server) *portable.Bundle {
			return bundle(asset(t, "schedule", "daily", definition))
		}
	}
	place := func(definition string) func(*testing.T, *server) *portable.Bundle {
		return func(t *testing.T, _ *server) *portable.Bundle {
			return bundle(asset(t, "placement", "board.xlsx/Data!A1", definition))
		}
	}
	of := func(project string, what func(*testing.T, *server) *portable.Bundle, names ...string) func(*testing.T, *server) *portable.Bundle {
		return func(t *testing.T, s *server) *portable.Bundle {
			b := what(t, s)
			b.Project, b.TakeOver = project, names
			if len(names) == 0 {
				s.held.Schedules["daily"].ManagedBy, s.held.Reports[salesID].Placements[0].ManagedBy = nil, nil
			}
			s.applied = map[portable.AssetKey]*portable.Applied{}
			return b
		}
	}
	gone := func(what func(*testing.T, *server) *portable.Bundle) func(*testing.T, *server) *portable.Bundle {
		return func(t *testing.T, s *server) *portable.Bundle {
			delete(s.held.Schedules, "daily")
			s.held.Reports[salesID].Placements = nil
			return what(t, s)
		}
	}
	none := func(_ *testing.T, _ *server) *portable.Bundle { return bundle() }
	pruned := func(t *testing.T, _ *server) *portable.Bundle {
		b := bundle(asset(t, "report", costsID, `{}`))
		b.Prune = &portable.Prune{}
		return b
	}
	protects := func(what func(*testing.T, *server) *portable.Bundle) func(*testing.T, *server) *portable.Bundle {
		return func(t *testing.T, s *server) *portable.Bundle {
			b := what(t, s)
			b.Assets[0].Protect = true
			return b
		}
	}
	for _, row := range []struct {
		what                string
		name                string
		protect             bool
		bundle              func(*testing.T, *server) *portable.Bundle
		nothing, read, edit string
	}{
		{"aim a schedule elsewhere", daily, false, schedule(costsPlan), "conflict", "refused", "update"},
		{"aim it elsewhere and pause it", daily, false, schedule(`{"target":{"publicId":"CostsByMonth"},"cron":["0 1 * * *"],"paused":true}`), "conflict", "refused", "update"},
		{"pause it without a target", daily, false, schedule(`{"paused":false}`), "unknown", "refused", "update"},
		{"change its times where it is", daily, false, schedule(strings.Replace(hiddenPlan, "7 7 7 7 *", "@daily", 1)), "unknown", "refused", "update"},
		{"leave it as it is", daily, false, schedule(hiddenPlan), "unknown", "unchanged", "unchanged"},
		{"take its protection off", daily, true, schedule(hiddenPlan), "unknown", "refused", "update"},
		{"take its protection off by aiming it elsewhere", daily, true, schedule(costsPlan), "conflict", "refused", "update"},
		{"protect it", daily, false, protects(schedule(hiddenPlan)), "unknown", "refused", "update"},
		{"adopt it", daily, false, of("mine", schedule(hiddenPlan)), "unknown", "refused", "adopt"},
		{"adopt and aim it elsewhere", daily, false, of("mine", schedule(costsPlan)), "conflict", "refused", "update"},
		{"take it over", daily, false, of("mine", schedule(hiddenPlan), daily), "unknown", "refused", "adopt"},
		{"take it over and aim it elsewhere", daily, false, of("mine", schedule(costsPlan), daily), "conflict", "refused", "update"},
		{"make it again where it is gone", daily, false, gone(schedule(hiddenPlan)), "unknown", "refused", "create"},
		{"make another of the same key where it is gone", daily, false, gone(schedule(costsPlan)), "conflict", "refused", "create"},
		{"leave it out", daily, false, none, "left", "kept", "kept"},
		{"prune it", daily, false, pruned, "left", "refused", "delete"},
		{"prune it although it is protected", daily, true, pruned, "left", "kept", "kept"},
		{"prune it where it is gone", daily, false, gone(pruned), "left", "left", "forgotten"},

		{"place another report where it stands", placed, false, place(costsPlace), "conflict", "refused", "update"},
		{"take its protection off by placing another", placed, true, place(costsPlace), "conflict", "refused", "update"},
		{"change its options", placed, false, place(strings.Replace(hiddenPlace, `"statusCell":"Z99"`, `"onEdit":"stop"`, 1)), "unknown", "refused", "update"},
		{"leave it where it is", placed, false, place(hiddenPlace), "unknown", "unchanged", "unchanged"},
		{"no longer protect it", placed, true, place(hiddenPlace), "unknown", "refused", "update"},
		{"adopt what stands there", placed, false, of("mine", place(hiddenPlace)), "unknown", "refused", "adopt"},
		{"take over what stands there", placed, false, of("mine", place(hiddenPlace), placed), "unknown", "refused", "adopt"},
		{"place it again where it is gone", placed, false, gone(place(hiddenPlace)), "unknown", "refused", "create"},
		{"place another where it is gone", placed, false, gone(place(costsPlace)), "conflict", "refused", "create"},
		{"leave what stands there out", placed, false, none, "left", "kept", "kept"},
		{"prune what stands there", placed, false, pruned, "left", "refused", "delete"},
	} {
		for _, who := range []struct {
			actions []string
			want    string
		}{{nil, row.nothing}, {[]string{record.ActionReportRead}, row.read}, {[]string{record.ActionReportEdit}, row.edit}} {
			t.Run(fmt.Sprintf("%s of %s with %v", row.what, row.name, who.actions), func(t *testing.T) {
				s := withHidden(t, row.protect, who.actions...)
				if got := outcome(t, s, row.bundle(t, s), row.name); got != who.want {
					t.Errorf("%s, want %s", got, who.want)
				}
			})
		}
	}
}

// A status cell inside a block is refused by saying where the block stands to who may read its report only.
func TestAStatusCellInsideABlockThatIsNotRead(t *testing.T) {
	for action, want := range map[string]string{
		"": "statusCell A1 lies inside a block of another report,", record.ActionReportRead: "statusCell A1 lies inside the block at Data!A1,",
	} {
		s := withHidden(t, false, action)
		there := `{"report":"CostsByMonth","host":"SHEETS_B","document":"board.xlsx","sheet":"Data","anchor":"H1","statusCell":"A1"}`
		p := s.planning(bundle(asset(t, "placement", "board.xlsx/Data!H1", there)))
		p.Who = somebody
		plan, _, err := checked(p)
		if err != nil {
			t.Fatal(err, placements.DetailsOf(err))
		}
		if told, _ := json.Marshal(plan.Assets[0]); plan.Assets[0].Action != portable.ActionConflict || !strings.Contains(string(told), want) {
			t.Errorf("with %q: %s, want %s", action, told, want)
		}
	}
}

// A conflict about what the caller may not read is told to who might have created it only, and else refused as a creation is.
func TestWhoMayCreateNothingLearnsOfNoConflict(t *testing.T) {
	for _, name := range []string{"daily", "none"} {
		s := withHidden(t, false)
		s.held.Reports[costsID].RolesWithAccess[0].Actions = []string{record.ActionReportRead}
		if got := outcome(t, s, bundle(asset(t, "schedule", name, costsPlan)), "schedule:"+name); got != "refused" {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// What a project has applied is kept as it is by who may read only, also where nothing on the server changes.
func TestAReaderChangesNothingOfWhatWasApplied(t *testing.T) {
	for action, want := range map[string]int{record.ActionReportRead: 0, record.ActionReportEdit: 2} {
		s := withHidden(t, false, action)
		p := s.planning(bundle(asset(t, "placement", "board.xlsx/Data!A1", hiddenPlace), asset(t, "schedule", "daily", hiddenPlan)))
		for _, one := range s.applied {
			one.Unsaid["more"] = "of an older version"
		}
		p.Who = somebody
		plan, w, err := checked(p)
		if err != nil {
			t.Fatal(err, placements.DetailsOf(err))
		}
		if plan.Summary.Unchanged != 2 || len(w.Applied) != want {
			t.Errorf("%s: %+v writes %+v", action, plan.Summary, w.Applied)
		}
	}
}

// The limit of a prune counts what the caller may read of a project, no more.
func TestPruneLimitCountsWhatIsRead(t *testing.T) {
	s := withHidden(t, false)
	b := bundle(asset(t, "report", costsID, `{}`))
	for i := range 8 {
		ref := fmt.Sprintf("board.xlsx/Data!C%d", i+1)
		definition := strings.Replace(costsPlace, `"A1"`, fmt.Sprintf(`"C%d"`, i+1), 1)
		s.apply(t, bundle(asset(t, "placement", ref, definition)))
	}
	b.Prune = &portable.Prune{}
	p := s.planning(b)
	p.Who = somebody
	if _, _, err := checked(p); err == nil || !strings.Contains(err.Error(), "8 of the project's 8 assets") {
		t.Errorf("%v", err)
	}
}

// A plan that moves a schedule or placement is seen by who may read both reports.
func TestAPlanShowsWhereThingsWereToWhoMayReadThat(t *testing.T) {
	s := withHidden(t, false)
	plan, _ := s.plan(t, bundle(asset(t, "schedule", "daily", costsPlan), asset(t, "placement", "board.xlsx/Data!A1", costsPlace)))
	if shown := plan.For(somebody, admin.ID, &s.held); len(shown.Assets) != 0 || shown.ShowsAll() {
		t.Errorf("%+v", shown.Assets)
	}
	s.held.Reports[salesID].RolesWithAccess[0].Actions = []string{record.ActionReportRead}
	if shown := plan.For(somebody, admin.ID, &s.held); len(shown.Assets) != 2 || !shown.ShowsAll() {
		t.Errorf("%+v", shown.Assets)
	}
}

// What a project has applied, and what was deleted of it, is listed for who may read the report that it was applied for.
func TestManagedShowsNothingOfHiddenReports(t *testing.T) {
	for _, row := range []struct {
		what   string
		change func(s *server)
	}{
		{"what is there", func(*server) {}},
		{"what was deleted", func(s *server) {
			delete(s.held.Schedules, "daily")
			s.held.Reports[salesID].Placements = nil
		}},
		{"what was moved", func(s *server) { s.held.Reports[salesID].Placements[0].AnchorCell = "B7" }},
	} {
		for action, shown := range map[string]bool{"": false, record.ActionReportRead: true} {
			s := withHidden(t, false, action)
			row.change(s)
			list, err := s.held.Managed("finance", s.applied, somebody)
			if err != nil || (len(list) > 0) != shown {
				t.Errorf("%s with %q: %+v, %v", row.what, action, list, err)
			}
		}
	}
	s := withHidden(t, false)
	s.held.Schedules["daily"].Target = record.RunTarget{ReportID: s.held.Reports[costsID].ID} // by hand
	list, err := s.held.Managed("finance", s.applied, somebody)
	if err != nil || len(list) != 1 || list[0].Ref != "daily" {
		t.Fatalf("%+v, %v", list, err)
	}
	if len(list[0].Applied)+len(list[0].Unsaid) > 0 {
		t.Errorf("what was applied for a hidden report is shown: %+v", list[0])
	}
}
