package ascode_test

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"mooring/cmd/mooring/ascode"
)

// contents reads all files of a folder but the lock.
func contents(t testing.TB, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || name == "mooring.lock" {
			return err
		}
		text, err := os.ReadFile(filepath.Join(dir, name))
		files[name] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// object passes a value through JSON, as the server does.
func object(t testing.TB, v any) map[string]any {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	var m map[string]any
	if err := json.Unmarshal(text, &m); err != nil {
		t.Fatal(err)
	}
	return m
}

// applied is the server after an apply of the folder.
func applied(t testing.TB, f *ascode.Folder) (remotes []ascode.Remote) {
	t.Helper()
	for i, a := range f.Bundle().Assets {
		remotes = append(remotes, ascode.Remote{
			Kind: a.Kind, Ref: a.Ref, ID: json.RawMessage(fmt.Sprint(i + 1)), Version: 1,
			Definition: object(t, a.Definition), Applied: object(t, a.Definition),
		})
	}
	return remotes
}

// pull pulls the server's state into a folder and writes it.
func pull(t testing.TB, dir string, remotes []ascode.Remote, side ascode.Side) ascode.Pulled {
	t.Helper()
	p := readFolder(t, dir, "").Pull(remotes, side)
	if err := p.Write(); err != nil {
		t.Fatal(err)
	}
	return p
}

func TestPullAfterApplyWritesNothing(t *testing.T) {
	dir := folder(t, finance())
	before := contents(t, dir)
	remotes := applied(t, readFolder(t, dir, ""))
	for i := range remotes { // what the server adds is not managed
		maps.Copy(remotes[i].Definition, map[string]any{"title": "set in the console", "paused": false, "shiftRows": nil})
	}
	remotes[1].Definition["pivotItems"].(map[string]any)["displayScale"] = "model"
	remotes[2].Definition["dashboard"].(map[string]any)["kind"] = "CLASSIC"
	first := pull(t, dir, remotes, ascode.Undecided)
	if len(first.Changes) != 1 || first.Changes[0].File != "mooring.lock" || len(first.Conflicts)+len(first.Notes) > 0 {
		t.Errorf("got %+v", first)
	}
	if again := pull(t, dir, remotes, ascode.Undecided); len(again.Changes) > 0 {
		t.Errorf("again: %+v", again)
	}
	if diff := cmp.Diff(before, contents(t, dir)); diff != "" {
		t.Errorf("(-before +after):\n%s", diff)
	}
}

func TestPullChangesOnlyWhatTheServerChanged(t *testing.T) {
	tests := []struct {
		name     string
		edit     func(remotes []ascode.Remote)
		file     string
		old, new string
	}{
		{"a name", func(r []ascode.Remote) { r[1].Definition["name"] = "Revenue by region" }, "reports/revenue.yaml", "name: Revenue ", "name: Revenue by region "},
		{"a list of the pivot", func(r []ascode.Remote) {
			r[1].Definition["pivotItems"].(map[string]any)["rows"] = []any{"region", "year"}
		}, "reports/revenue.yaml", "[region]", "[region, year]"},
		{"a member that files leave out", func(r []ascode.Remote) {
			r[1].Definition["pivotItems"].(map[string]any)["columns"] = []any{"year"}
		}, "reports/revenue.yaml", "measures: [revenue]}", "measures: [revenue], columns: [year]}"},
		{"meta", func(r []ascode.Remote) { r[1].Definition["meta"] = map[string]any{"price": "${sum}", "more": 1} }, "reports/revenue.yaml", "  chart: {kind: bar}\n  price: \"$${amount}\"", "  price: \"$${sum}\""},
		{"access", func(r []ascode.Remote) {
			r[1].Definition["access"].([]any)[0].(map[string]any)["actions"] = []any{"All", "ReportRead"}
		}, "reports/revenue.yaml", "[ReportRead]", "[All, ReportRead]"},
		{"SQL", func(r []ascode.Remote) { r[1].Definition["sqlQuery"] = "select 1\n" }, "reports/revenue.sql", finance()["reports/revenue.sql"], "select 1\n"},
		{"a query", func(r []ascode.Remote) { r[0].Definition["jsonQuery"] = `{"measures":["costs","tax"]}` }, "reports/costs.yml", "[costs]", "[costs, tax]"},
		{"a query that is other text", func(r []ascode.Remote) { r[0].Definition["jsonQuery"] = `{ "a": 1 }` }, "reports/costs.yml", "query:\n  measures: [costs]", `query: "{ \"a\": 1 }"`},
		{"a chart", func(r []ascode.Remote) {
			r[2].Definition["dashboard"].(map[string]any)["widgets"].([]any)[1].(map[string]any)["config"] = map[string]any{"reportPublicId": r[0].Ref, "reportId": 7}
		}, "workbooks/board.yaml", "report: OtherReport1", "report: Costs0000001"},
		{"an option of a placement", func(r []ascode.Remote) { r[4].Definition["onEdit"] = "stop" }, "placements/board.xlsx.yaml", "onEdit: keep", "onEdit: stop"},
		{"the report of a placement", func(r []ascode.Remote) { r[3].Definition["report"] = r[1].Ref }, "placements/board.xlsx.yaml", "- report: Costs0000001", "- report: RevByRegion1"},
		{"cron", func(r []ascode.Remote) { r[5].Definition["cron"] = []any{"@daily"} }, "schedules/weekdays.yaml", "0 7 * * 1-5", `"@daily"`},
		{"a target", func(r []ascode.Remote) { r[5].Definition["target"].(map[string]any)["address"] = "Data!B1" }, "schedules/weekdays.yaml", "at: Data!A1", `at: "Data!B1"`},
		{"another document", func(r []ascode.Remote) { r[5].Definition["target"].(map[string]any)["document"] = "x.xlsx" }, "schedules/weekdays.yaml", `"${board}"`, `x.xlsx`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := folder(t, finance())
			remotes := applied(t, readFolder(t, dir, ""))
			tt.edit(remotes)
			p := pull(t, dir, remotes, ascode.Undecided)
			want := finance()
			want[tt.file] = strings.Replace(want[tt.file], tt.old, tt.new, 1)
			if diff := cmp.Diff(want, contents(t, dir)); diff != "" || len(p.Conflicts)+len(p.Notes) > 0 {
				t.Errorf("%+v\n(-want +got):\n%s", p, diff)
			}
			if again := pull(t, dir, remotes, ascode.Undecided); len(again.Changes)+len(again.Conflicts) > 0 {
				t.Errorf("again: %+v", again)
			}
		})
	}
}

func TestPullKeepsTheLineBreaksOfSQL(t *testing.T) {
	files := finance()
	files["reports/revenue.sql"] = "select 1\r\nfrom t\r\n"
	dir := folder(t, files)
	remotes := applied(t, readFolder(t, dir, ""))
	remotes[1].Definition["sqlQuery"] = "select 2\nfrom t\n"
	pull(t, dir, remotes, ascode.Undecided)
	if got := contents(t, dir)["reports/revenue.sql"]; got != "select 2\r\nfrom t\r\n" {
		t.Errorf("got %q", got)
	}
}

func TestPullOfWhatBothChanged(t *testing.T) {
	for side, want := range map[ascode.Side]string{ascode.Undecided: "Mine", ascode.Ours: "Mine", ascode.Theirs: "Theirs"} {
		dir := folder(t, finance())
		remotes := applied(t, readFolder(t, dir, ""))
		remotes[1].Definition["name"] = "Theirs"
		remotes[1].Definition["meta"].(map[string]any)["price"] = "theirs"
		const file = "reports/revenue.yaml"
		text := strings.Replace(finance()[file], "name: Revenue", "name: Mine", 1)
		if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		p := pull(t, dir, remotes, side)
		got := contents(t, dir)[file]
		if !strings.Contains(got, "name: "+want+"   # by region\n") || !strings.Contains(got, "price: theirs\n") {
			t.Errorf("side %d: got\n%s", side, got)
		}
		var conflicts []ascode.Conflict
		if side == ascode.Undecided {
			conflicts = []ascode.Conflict{{Kind: ascode.Report, Ref: remotes[1].Ref, Pointer: "/name", File: "Mine", Server: "Theirs"}}
		}
		if diff := cmp.Diff(conflicts, p.Conflicts); diff != "" {
			t.Errorf("side %d (-want +got):\n%s", side, diff)
		}
	}
}

func TestPullOfWhatWasDeleted(t *testing.T) {
	dir := folder(t, finance())
	remotes := applied(t, readFolder(t, dir, ""))
	pull(t, dir, remotes, ascode.Undecided)
	by := &ascode.Deletion{By: "bob@example.com", At: "2026-11-22T07:00:00.000Z"}
	for _, i := range []int{3, 5} {
		remotes[i] = ascode.Remote{Kind: remotes[i].Kind, Ref: remotes[i].Ref, Deleted: by}
	}
	p := pull(t, dir, remotes, ascode.Undecided)
	want := finance()
	delete(want, "schedules/weekdays.yaml")
	const file = "placements/board.xlsx.yaml"
	want[file] = want[file][:strings.Index(want[file], "  - report: Costs")]
	if diff := cmp.Diff(want, contents(t, dir)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	notes := []string{
		"placement:dev-board.xlsx/Costs!B2 was deleted on the server by bob@example.com at 2026-11-22T07:00:00.000Z: it is taken out of " + file,
		"schedule:weekdays was deleted on the server by bob@example.com at 2026-11-22T07:00:00.000Z: it is taken out of schedules/weekdays.yaml",
	}
	if diff := cmp.Diff(notes, p.Notes); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	remotes[4] = ascode.Remote{Kind: remotes[4].Kind, Ref: remotes[4].Ref, Deleted: by}
	pull(t, dir, remotes, ascode.Undecided)
	if _, left := contents(t, dir)[file]; left {
		t.Errorf("%s is left without placements", file)
	}
}

func TestPullKeepsAChangedFileOfWhatWasDeleted(t *testing.T) {
	for side, kept := range map[ascode.Side]bool{ascode.Undecided: true, ascode.Ours: true, ascode.Theirs: false} {
		dir := folder(t, finance())
		pull(t, dir, applied(t, readFolder(t, dir, "")), ascode.Undecided)
		const file = "schedules/weekdays.yaml"
		if err := os.WriteFile(filepath.Join(dir, file), []byte(strings.Replace(finance()[file], "0 7", "0 8", 1)), 0o600); err != nil {
			t.Fatal(err)
		}
		p := pull(t, dir, []ascode.Remote{{Kind: ascode.Schedule, Ref: "weekdays", Deleted: &ascode.Deletion{}}}, side)
		if _, got := contents(t, dir)[file]; got != kept || len(p.Conflicts) > 0 != (side == ascode.Undecided) {
			t.Errorf("side %d: kept %t, %+v", side, got, p)
		}
	}
}

const emptyProject = "project: x\nenvironments: {dev: {deployment: 1, values: {board: b.xlsx}, roles: {viewers: 12}}}\nexternal: [OtherReport1]\n"

func TestPullWritesNewFiles(t *testing.T) {
	dir := folder(t, map[string]string{"project.yaml": emptyProject})
	remotes := []ascode.Remote{
		{Kind: ascode.Report, Ref: "123456789012", Definition: map[string]any{
			"name": "Revenue / Ünïts", "sqlQuery": "select 1", "title": "", "meta": map[string]any{},
			"access": []any{map[string]any{"id": 12.0, "name": "viewers", "actions": []any{"ReportRead"}}},
		}},
		{Kind: ascode.Report, Ref: "RevByRegion1", Definition: map[string]any{"name": "revenue n ts", "sqlQuery": "a\r\nb\r\n"}},
		{Kind: ascode.Report, Ref: "RevByRegion2", Definition: map[string]any{"name": "CON", "access": []any{map[string]any{"id": 99.0, "actions": []any{}}}}},
		{Kind: ascode.Placement, Ref: "b.xlsx/Data!A1", Definition: map[string]any{"report": "RevByRegion1", "document": "b.xlsx", "sheet": "Data", "anchor": "A1", "host": "SHEETS_B"}},
		{Kind: ascode.Placement, Ref: "b.xlsx/Data!C1", Definition: map[string]any{"report": "RevByRegion1", "document": "b.xlsx", "sheet": "Data", "anchor": "C1", "host": "SHEETS_B", "onEdit": "stop"}},
		{Kind: ascode.Schedule, Ref: "daily", Definition: map[string]any{"cron": []any{"@daily"}, "target": map[string]any{"publicId": "RevByRegion1", "document": "b.xlsx", "address": "Data!A1"}}},
	}
	p := pull(t, dir, remotes, ascode.Undecided)
	want := map[string]string{
		"project.yaml":                emptyProject,
		"reports/revenue-n-ts.yaml":   "publicId: \"123456789012\"\nname: \"Revenue / Ünïts\"\naccess:\n  viewers: [ReportRead]\n",
		"reports/revenue-n-ts.sql":    "select 1",
		"reports/revenue-n-ts-2.yaml": "publicId: RevByRegion1\nname: revenue n ts\nsql: \"a\\x0d\\nb\\x0d\\n\"\n",
		"reports/report-con.yaml":     "publicId: RevByRegion2\nname: CON\n",
		"placements/b.xlsx.yaml":      "document: \"${board}\"\nhost: SHEETS_B\nitems:\n  - report: RevByRegion1\n    sheet: Data\n    at: A1\n  - report: RevByRegion1\n    sheet: Data\n    at: C1\n    onEdit: stop\n",
		"schedules/daily.yaml":        "key: daily\ncron: \"@daily\"\ntarget:\n  report: RevByRegion1\n  document: \"${board}\"\n  at: \"Data!A1\"\n",
	}
	if diff := cmp.Diff(want, contents(t, dir)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	note := "report:RevByRegion2: access is left as it is in reports/report-con.yaml: the role 99 has no name in project.yaml: add it to the environment's roles, then pull again"
	if diff := cmp.Diff([]string{note}, p.Notes); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if again := pull(t, dir, remotes[:2], ascode.Undecided); len(again.Changes) > 0 {
		t.Errorf("again: %+v", again)
	}
}

func TestPullLeavesOutWhatCannotBeTracedBack(t *testing.T) {
	dir := folder(t, map[string]string{"project.yaml": strings.Replace(emptyProject, "deployment: 1,", "deployment: 1, ids: derived,", 1)})
	p := pull(t, dir, []ascode.Remote{{Kind: ascode.Report, Ref: "RevByRegion1", Definition: map[string]any{"name": "x"}}}, ascode.Undecided)
	if len(p.Changes) > 0 || len(p.Notes) != 1 || !strings.Contains(p.Notes[0], "is derived from one that stands in no file") {
		t.Errorf("got %+v", p)
	}
}

// state draws what a server may have.
func state(t *rapid.T) (remotes []ascode.Remote) {
	text := rapid.OneOf(rapid.StringMatching(`[a-zA-Z ]{0,12}`), rapid.SampledFrom([]string{
		"", "a: b", "${x}", "$${x}", "# no", "yes", "1", "a\nb\n", "a\r\nb\r\n", "\uFEFFx", "ü😀", "\u0000\u0007", "\uFFFD", " ", "'\"\\", "- a", "a\n\nb", "a \nb",
	}))
	value := rapid.OneOf(
		rapid.Map(text, func(s string) any { return s }), rapid.Map(rapid.Float64Range(-1e6, 1e6), func(f float64) any { return f }),
		rapid.Map(rapid.Int32(), func(n int32) any { return float64(n) }), rapid.Just[any](nil), rapid.Just[any](true), rapid.Just[any](false),
		rapid.Map(rapid.SliceOfN(text, 0, 3), func(list []string) any { return anys(list) }),
	)
	object := rapid.Map(rapid.MapOfN(rapid.StringMatching(`[a-z]{1,6}`), value, 0, 4), func(m map[string]any) any { return m })
	optional := func(def map[string]any, name string, g *rapid.Generator[any]) {
		if rapid.Bool().Draw(t, name) {
			def[name] = g.Draw(t, name)
		}
	}
	texts := rapid.Map(text, func(s string) any { return s })
	lists := rapid.Map(rapid.SliceOfN(text, 0, 3), func(list []string) any { return anys(list) })
	ids := rapid.SliceOfNDistinct(rapid.StringMatching(`[1-9A-Za-z][0-9A-Za-z]{11}`), 1, 4, rapid.ID).Draw(t, "ids")
	for _, id := range ids {
		def := map[string]any{}
		for _, name := range []string{"name", "title", "description", "sqlQuery"} {
			optional(def, name, texts)
		}
		optional(def, "jsonQuery", rapid.OneOf(texts, rapid.SampledFrom([]any{`{"a":1}`, `{"a": 1}`, `{"b":1,"a":2}`, `{"a":1.50}`, `{"a":"<${x}>"}`, `[1]`})))
		optional(def, "pivotItems", rapid.Map(rapid.Bool(), func(totals bool) any {
			return map[string]any{"rows": lists.Draw(t, "rows"), "columns": []any{}, "measures": lists.Draw(t, "measures"), "filters": []any{}, "showColumnTotals": totals, "displayScale": "model"}
		}))
		optional(def, "meta", object)
		optional(def, "folderId", rapid.Map(rapid.IntRange(1, 1e9), func(n int) any { return float64(n) }))
		optional(def, "access", rapid.Map(lists, func(actions any) any { return []any{map[string]any{"id": 12.0, "name": "viewers", "actions": actions}} }))
		remotes = append(remotes, ascode.Remote{Kind: ascode.Report, Ref: id, Definition: def})
	}
	for _, slug := range rapid.SliceOfNDistinct(rapid.StringMatching(`[a-z0-9][a-z0-9._-]{0,5}`), 0, 2, rapid.ID).Draw(t, "slugs") {
		def := map[string]any{"name": slug}
		optional(def, "dashboard", rapid.Map(object, func(settings any) any {
			return map[string]any{"title": texts.Draw(t, "title"), "settings": settings, "widgets": []any{
				map[string]any{"id": "a", "type": "CHART", "config": map[string]any{"reportPublicId": rapid.SampledFrom(ids).Draw(t, "id"), "more": value.Draw(t, "more")}},
				map[string]any{"id": "b", "type": "TEXT", "config": object.Draw(t, "config")},
			}}
		}))
		remotes = append(remotes, ascode.Remote{Kind: ascode.Workbook, Ref: slug, Definition: def})
	}
	for _, spot := range rapid.SliceOfNDistinct(rapid.StringMatching(`(b\.xlsx|c\.xlsx|\$\{board\})/(Data|It's|a!b)![A-D][1-3]`), 0, 4, rapid.ID).Draw(t, "spots") {
		document, rest, _ := strings.Cut(spot, "/")
		i := strings.LastIndexByte(rest, '!')
		def := map[string]any{"document": document, "sheet": rest[:i], "anchor": rest[i+1:], "host": "SHEETS_B", "report": rapid.SampledFrom(ids).Draw(t, "id")}
		remotes = append(remotes, ascode.Remote{Kind: ascode.Placement, Ref: spot, Definition: def})
	}
	for _, key := range rapid.SliceOfNDistinct(rapid.StringMatching(`[a-z0-9][a-z0-9._-]{0,5}`), 0, 2, rapid.ID).Draw(t, "keys") {
		cron := rapid.SampledFrom([]any{[]any{"@daily"}, []any{"0 7 * * *", "@hourly"}}).Draw(t, "cron")
		def := map[string]any{"cron": cron, "target": map[string]any{"publicId": rapid.SampledFrom(ids).Draw(t, "id")}, "paused": rapid.Bool().Draw(t, "paused")}
		remotes = append(remotes, ascode.Remote{Kind: ascode.Schedule, Ref: key, Definition: def})
	}
	return remotes
}

func anys(list []string) []any {
	items := make([]any, len(list))
	for i, s := range list {
		items[i] = s
	}
	return items
}

// planIsEmpty fails unless a bundle says what the server has, of all that is not empty.
func planIsEmpty(t *rapid.T, b ascode.Bundle, remotes []ascode.Remote) {
	got := map[string]string{}
	for _, a := range b.Assets {
		got[string(a.Kind)+":"+a.Ref] = meaning(a.Definition)
	}
	want := map[string]string{}
	for _, r := range remotes {
		want[string(r.Kind)+":"+r.Ref] = meaning(r.Definition)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("the plan is not empty (-server +bundle):\n%s", diff)
	}
}

// meaning returns the members of a definition that are not empty, and not a default of a pivot.
func meaning(def map[string]any) string {
	def = maps.Clone(def)
	if pivot, is := def["pivotItems"].(map[string]any); is {
		pivot = maps.Clone(pivot)
		delete(pivot, "displayScale")
		if pivot["showColumnTotals"] == false {
			delete(pivot, "showColumnTotals")
		}
		def["pivotItems"] = pivot
	}
	if roles, is := def["access"].([]any); is {
		for _, role := range roles {
			actions := role.(map[string]any)["actions"].([]any)
			slices.SortFunc(actions, func(a, b any) int { return strings.Compare(a.(string), b.(string)) })
		}
	}
	maps.DeleteFunc(def, func(_ string, v any) bool {
		text, _ := json.Marshal(v)
		return slices.Contains([]string{"null", `""`, "[]", "{}", "false"}, string(text))
	})
	text, _ := json.Marshal(def)
	var again any
	_ = json.Unmarshal(text, &again)
	text, _ = json.Marshal(again)
	return string(text)
}

func TestPullThenPlanIsEmptyForEveryState(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		dir, err := os.MkdirTemp(t.TempDir(), "")
		if err != nil {
			rt.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "project.yaml"), []byte(emptyProject), 0o600); err != nil {
			rt.Fatal(err)
		}
		for round := range 2 {
			remotes := state(rt)
			if round > 0 { // the assets that went
				for _, a := range mustRead(rt, dir).Bundle().Assets {
					here := func(r ascode.Remote) bool { return r.Kind == a.Kind && r.Ref == a.Ref }
					if i := slices.IndexFunc(remotes, here); i < 0 {
						remotes = append(remotes, ascode.Remote{Kind: a.Kind, Ref: a.Ref, Deleted: &ascode.Deletion{}})
					} else {
						remotes[i].Applied = object(t, a.Definition)
					}
				}
			}
			p := mustRead(rt, dir).Pull(remotes, ascode.Theirs)
			if err := p.Write(); err != nil || len(p.Conflicts) > 0 {
				rt.Fatalf("%v, %+v", err, p)
			}
			f := mustRead(rt, dir)
			left := slices.DeleteFunc(slices.Clone(remotes), func(r ascode.Remote) bool { return r.Deleted != nil })
			planIsEmpty(rt, f.Bundle(), left)
			if again := f.Pull(remotes, ascode.Undecided); len(again.Changes) > 0 {
				rt.Fatalf("again: %+v", again)
			}
		}
	})
}

func mustRead(t *rapid.T, dir string) *ascode.Folder {
	f, err := ascode.Read(dir, "", variables)
	if err != nil {
		t.Fatal(err)
	}
	return f
}
