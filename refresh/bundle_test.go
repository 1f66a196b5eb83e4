package refresh

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/xuri/excelize/v2"

	"mooring/placements"
	"mooring/storage"
	"mooring/storage/record"
	"mooring/storage/record/portable"
)

const bundleReport = "Cities000001"

// bundle is the bundle of those assets; each is kind, ref and definition.
func (r *rig) bundle(assets ...[3]string) *portable.Bundle {
	r.Helper()
	b := &portable.Bundle{Project: "finance"}
	for _, a := range assets {
		text, err := json.Marshal(map[string]any{"kind": a[0], "ref": a[1], "definition": json.RawMessage(a[2])})
		must(r.T, err)
		var asset portable.Asset
		must(r.T, json.Unmarshal(text, &asset))
		b.Assets = append(b.Assets, asset)
	}
	return b
}

func (r *rig) plan(assets ...[3]string) *portable.ApplyPlan {
	r.Helper()
	plan, err := r.engine.Bundles().Plan(r.Context(), r.d, r.bundle(assets...), record.Actor{ID: 7, Actions: []string{record.ActionAll}})
	must(r.T, err)
	return plan
}

func TestAPlanTellsWhatTheSourceSays(t *testing.T) {
	t.Parallel()
	eachRig(t, func(r *rig) {
		r.published()
		r.connect("Sheet1!B2")
		r.succeeded(r.refresh(Request{}), 4)
		r.edit("book.xlsx", func(f *excelize.File) { must(t, f.SetCellFormula("Sheet1", "H1", "MAX(C3:C5)")) })

		got := r.plan(
			[3]string{"report", bundleReport, `{"sqlQuery":"SELECT name, 1 AS area FROM cities"}`},
			[3]string{"report", "Broken000001", `{"sqlQuery":"SELECT name\nFRM cities c"}`},
			[3]string{"report", "Sound0000001", `{"sqlQuery":"SELECT 1"}`},
		)
		want := &portable.ColumnDiff{Appear: []string{"area"}, Vanish: []portable.ColumnVanish{{
			Name: "people", Placements: []string{"book.xlsx/Sheet1!B2"}, Formulas: []string{"book.xlsx/Sheet1!H1", "book.xlsx/Sheet1!F2"},
		}}}
		if diff := cmp.Diff(want, got.Assets[0].Columns); diff != "" {
			t.Errorf("columns (-want +got):\n%s", diff)
		}
		if e := got.Assets[1].Error; e == nil || e.Code != placements.CodeQueryFailed || e.Line != 2 || e.Column < 1 {
			t.Errorf("the broken query: %+v", e)
		}
		if a := got.Assets[2]; a.Error != nil || a.Columns != nil || a.Message != "" {
			t.Errorf("the sound query: %+v", a)
		}
		if _, err := r.engine.Bundles().Apply(r.Context(), r.d, got.ID, record.Actor{ID: 7, Actions: []string{record.ActionAll}}); placements.CodeOf(err) != placements.CodePlanConflicts {
			t.Errorf("a plan with an error was applied: %v", err)
		}
		if kept := r.plan([3]string{"report", bundleReport, `{"title":"Cities"}`}).Assets[0]; kept.Columns != nil {
			t.Errorf("the query stays: %+v", kept.Columns)
		}
	})
}

// A report may lose its query, or never have one: a plan says so, and can be applied.
func TestAReportWithoutAQueryIsApplied(t *testing.T) {
	eachRig(t, func(r *rig) {
		for _, query := range []string{`"SELECT 1"`, "null"} {
			plan := r.plan([3]string{"report", bundleReport, `{"sqlQuery":` + query + `}`}, [3]string{"report", "Empty0000001", `{"name":"Empty"}`})
			if said := plan.Assets[0].Message == withoutQuery; said != (query == "null") || plan.Assets[0].Error != nil || plan.Assets[1].Error != nil {
				t.Errorf("%s: %+v", query, plan.Assets)
			}
			_, err := r.engine.Bundles().Apply(t.Context(), r.d, plan.ID, record.Actor{ID: 7, Actions: []string{record.ActionAll}})
			must(t, err)
		}
		got, err := r.engine.records.Reports().ByPublicID(t.Context(), r.d, bundleReport)
		if must(t, err); got.HasQuery() {
			t.Errorf("it keeps %q", got.SQLQuery)
		}
	})
}

func TestAPlanTellsWhenSchedulesFire(t *testing.T) {
	eachRig(t, func(r *rig) {
		who := record.Actor{ID: 7, Actions: []string{record.ActionAll}}
		report := [3]string{"report", "Fires0000001", `{"sqlQuery":"SELECT 1 AS a"}`}
		schedule := func(cron string) [3]string {
			return [3]string{"schedule", "daily", `{"cron":["` + cron + `"],"target":{"publicId":"Fires0000001"}}`}
		}
		first := r.plan(report, schedule("0 7 1 1 *"))
		if f := first.Assets[1].NextFires; f == nil || len(f.Before) != 0 || len(f.After) != plannedFires {
			t.Errorf("a new schedule: %+v", f)
		}
		_, err := r.engine.Bundles().Apply(r.Context(), r.d, first.ID, who)
		must(t, err)
		made, err := r.engine.records.Schedules().ByKey(r.Context(), r.d, "daily")
		must(t, err)
		if got := placements.Time(made.Next); got != first.Assets[1].NextFires.After[0] {
			t.Errorf("it fires at %s, planned %v", got, first.Assets[1].NextFires.After)
		}
		if f := r.plan(report, schedule("0 7 1 1 *")).Assets[1].NextFires; f != nil {
			t.Errorf("one that stays: %+v", f)
		}
		moved := r.plan(report, schedule("0 8 1 1 *"))
		if f := moved.Assets[1].NextFires; f == nil || f.Before[0] != first.Assets[1].NextFires.After[0] || f.After[0] == f.Before[0] {
			t.Errorf("one that moves: %+v", f)
		}
	})
}

// What a source cannot say now is no fault of a query; a fault that stays is.
func TestFaultsThatPassAreNoErrorsOfAPlan(t *testing.T) {
	for class, blocks := range map[placements.Class]bool{
		placements.Transient: false, placements.Quota: false, placements.Auth: true, placements.Structure: true, placements.Permanent: true,
	} {
		var a portable.PlannedAsset
		tellFault(&a, &placements.Fault{Class: class, Message: "the database says no"})
		if (a.Error != nil) != blocks || blocks == (a.Message != "") {
			t.Errorf("%s: %+v", class, a)
		}
	}
}

func TestADeploymentWithoutASourcePlansQueriesUnchecked(t *testing.T) {
	eachRig(t, func(r *rig) {
		r.d.ID = 2
		if a := r.plan([3]string{"report", "Elsewhere001", `{"sqlQuery":"no SQL"}`}).Assets[0]; a.Error != nil || a.Action != portable.ActionCreate {
			t.Errorf("%+v", a)
		}
	})
}

// published gives the rig's report the public id of bundles.
func (r *rig) published() {
	r.Helper()
	_, err := r.engine.records.Reports().Update(r.Context(), r.d, r.report, record.ReportInput{PublicID: placements.Sent(bundleReport)},
		record.Actor{ID: 7, Actions: []string{record.ActionAll}}, func(*storage.Report) error { return nil })
	must(r.T, err)
}

// previewed is what a plan says of the write of the block at Sheet1!B3; both are members of JSON objects.
func (r *rig) previewed(who int64, report, placement string) string {
	r.Helper()
	b := r.bundle([3]string{"report", bundleReport, "{" + report + "}"}, [3]string{
		"placement", "book.xlsx/Sheet1!B3",
		`{"report":"` + bundleReport + `","document":"book.xlsx","sheet":"Sheet1","anchor":"B3",` + placement + `}`,
	})
	b.Preview = true
	plan, err := r.engine.Bundles().Plan(r.Context(), r.d, b, record.Actor{ID: who, Actions: []string{record.ActionAll}})
	must(r.T, err)
	if e := plan.Assets[1].Error; e != nil {
		r.Errorf("%s, %s: %+v", report, placement, e)
	}
	return plan.Assets[1].Preview
}

// TestAPlanPreviewsValuesForWhoseRowsTheyFind: a source that shows each person other rows is asked for no rows of another user.
func TestAPlanPreviewsValuesForWhoseRowsTheyFind(t *testing.T) {
	t.Parallel()
	eachRig(t, func(r *rig) {
		const declared, bergen = `"parameters":[{"name":"name","type":"text","default":"Oslo"}]`, `"parameters":{"name":{"value":"Bergen"}}`
		oslo := placements.Parameter{Name: "name", Type: placements.ParameterText, Default: new(textValue("Oslo"))}
		r.asking(byName, oslo)
		r.published()
		c := r.counted() // which does not say that all are shown the same rows
		r.valued("Sheet1!B3", nil)
		r.succeeded(r.refresh(Request{}), 2)
		asked := c.queries.Load()
		for _, tt := range []struct {
			fact              string
			who               int64
			report, placement string
			want              string
			asks              bool
		}{
			{"another value, of who placed it", 7, declared, bergen, "1 row written, none moved", true},
			{"another value", 8, declared, bergen, othersRows, false},
			{"another default", 8, strings.ReplaceAll(declared, "Oslo", "Bergen"), `"onEdit":"stop"`, othersRows, false},
			{"no other values", 8, declared, `"onEdit":"stop"`, "nothing to write", true},
		} {
			if got := r.previewed(tt.who, tt.report, tt.placement); got != tt.want {
				t.Errorf("%s: %q, want %q", tt.fact, got, tt.want)
			}
			if n := c.queries.Load(); n > asked != tt.asks {
				t.Errorf("%s: %d queries", tt.fact, n-asked)
			}
			asked = c.queries.Load()
		}
	})
}

// TestAPlanPreviewsTheCellThatItNames, not the one that the document has a name for.
func TestAPlanPreviewsTheCellThatItNames(t *testing.T) {
	t.Parallel()
	eachRig(t, func(r *rig) {
		r.asking(byName, fromCell())
		r.published()
		r.types("book.xlsx", "B2", "Oslo")
		r.types("book.xlsx", "C3", "Bergen")
		_, err := r.celled("book.xlsx", "Sheet1!B3", "Setup!B2")
		must(t, err)
		r.succeeded(r.refresh(Request{}), 2)
		for cell, want := range map[string]string{"Setup!C3": "1 row written, none moved", "Setup!B2": "nothing to write"} {
			if got := r.previewed(7, "", `"onEdit":"stop","parameters":{"name":{"cell":"`+cell+`"}}`); got != want {
				t.Errorf("of %s: %q, want %q", cell, got, want)
			}
		}
	})
}

// TestAPlanPreviewsWhatItsWritesDoToSheets lets a total stand two rows below the block, and plans shifts while the source has more rows.
func TestAPlanPreviewsWhatItsWritesDoToSheets(t *testing.T) {
	t.Parallel()
	eachRig(t, func(r *rig) {
		r.published()
		r.connect("Sheet1!B2")
		r.succeeded(r.refresh(Request{}), 4)
		r.edit("book.xlsx", func(f *excelize.File) { must(t, f.SetCellFormula("Sheet1", "C7", "SUM(C3:C5)")) })
		r.exec(`INSERT INTO cities VALUES (4, 'Hamar', 31000), (5, 'Moss', 50000)`)
		before := r.bytes("book.xlsx")
		preview := func(report, placement string) string {
			b := r.bundle([3]string{"report", bundleReport, report}, [3]string{"placement", "book.xlsx/Sheet1!B2", placement})
			b.Preview = true
			plan, err := r.engine.Bundles().Plan(r.Context(), r.d, b, record.Actor{ID: 7, Actions: []string{record.ActionAll}})
			must(t, err)
			return plan.Assets[1].Preview
		}
		const there = `"report":"` + bundleReport + `","document":"book.xlsx","sheet":"Sheet1","anchor":"B2"`
		for _, tt := range []struct{ fact, report, placement, want string }{
			{"shifts", `{}`, `{` + there + `,"shiftRows":true}`, "2 rows inserted at Sheet1!B6; 2 formulas in 1 sheet follow"},
			{
				"a query with fewer rows, which the placement shifts", `{"sqlQuery":"SELECT name, people FROM cities WHERE id = 1"}`,
				`{` + there + `,"shiftRows":true}`, "2 rows deleted at Sheet1!B4; 2 formulas in 1 sheet follow",
			},
			{"nothing that the plan changes", `{}`, `{` + there + `}`, ""},
			{
				"a query with the rows that stand", `{"sqlQuery":"SELECT name, people FROM cities WHERE id <= 3 ORDER BY id"}`,
				`{` + there + `}`, "nothing to write",
			},
			{
				"as many rows with other values", `{"sqlQuery":"SELECT name, people + 1 AS people FROM cities WHERE id <= 3 ORDER BY id"}`,
				`{` + there + `}`, "3 rows written, none moved",
			},
			{"a block in the way of what stands below", `{}`, `{` + there + `,"onEdit":"stop"}`, "Sheet1!C7"},
		} {
			if got := preview(tt.report, tt.placement); got != tt.want && (tt.want == "" || !strings.Contains(got, tt.want)) {
				t.Errorf("%s: %q, want %q", tt.fact, got, tt.want)
			}
		}
		if r.bytes("book.xlsx") != before {
			t.Error("a preview wrote to the document")
		}
	})
}
