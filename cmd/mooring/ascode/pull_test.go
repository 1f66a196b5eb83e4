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

	"mooring/cmd/mooring/ascode"
	"mooring/cmd/mooring/yaml"
	"mooring/storage/record/portable"
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
		{
			"a name",
			func(r []ascode.Remote) { r[1].Definition["name"] = "Revenue by region" },
			"reports/revenue.yaml",
			"name: Revenue ",
			"name: Revenue by region ",
		},
		{"a list of the pivot", func(r []ascode.Remote) {
			r[1].Definition["pivotItems"].(map[string]any)["rows"] = []any{"region", "year"}
		}, "reports/revenue.yaml", "[region]", "[region, year]"},
		{"a member that files leave out", func(r []ascode.Remote) {
			r[1].Definition["pivotItems"].(map[string]any)["columns"] = []any{"year"}
		}, "reports/revenue.yaml", "measures: [revenue]}", "measures: [revenue], columns: [year]}"},
		{
			"meta",
			func(r []ascode.Remote) { r[1].Definition["meta"] = map[string]any{"price": "${sum}", "more": 1} },
			"reports/revenue.yaml",
			"  chart: {kind: bar}\n  price: \"$${amount}\"",
			"  price: \"$${sum}\"\n  more: 1",
		},
		{"access", func(r []ascode.Remote) {
			r[1].Definition["access"].([]any)[0].(map[string]any)["actions"] = []any{"All", "ReportRead"}
		}, "reports/revenue.yaml", "[ReportRead]", "[All, ReportRead]"},
		{
			"SQL",
			func(r []ascode.Remote) { r[1].Definition["sqlQuery"] = "select 1\n" },
			"reports/revenue.sql",
			finance()["reports/revenue.sql"],
			"select 1\n",
		},
		{
			"a query",
			func(r []ascode.Remote) { r[0].Definition["jsonQuery"] = `{"measures":["costs","tax"]}` },
			"reports/costs.yml",
			"[costs]",
			"[costs, tax]",
		},
		{
			"a query that is other text",
			func(r []ascode.Remote) { r[0].Definition["jsonQuery"] = `{ "a": 1 }` },
			"reports/costs.yml",
			"query:\n  measures: [costs]",
			`query: "{ \"a\": 1 }"`,
		},
		{"a chart", func(r []ascode.Remote) {
			widget := r[2].Definition["dashboard"].(map[string]any)["widgets"].([]any)[1].(map[string]any)
			widget["config"] = map[string]any{"reportPublicId": r[0].Ref, "reportId": 7}
		}, "workbooks/board.yaml", "report: OtherReport1", "report: Costs0000001"},
		{
			"an option of a placement",
			func(r []ascode.Remote) { r[4].Definition["onEdit"] = "stop" },
			"placements/board.xlsx.yaml",
			"onEdit: keep",
			"onEdit: stop",
		},
		{
			"the report of a placement",
			func(r []ascode.Remote) { r[3].Definition["report"] = r[1].Ref },
			"placements/board.xlsx.yaml",
			"- report: Costs0000001",
			"- report: RevByRegion1",
		},
		{"cron", func(r []ascode.Remote) { r[5].Definition["cron"] = []any{"@daily"} }, "schedules/weekdays.yaml", "0 7 * * 1-5", `"@daily"`},
		{
			"a target",
			func(r []ascode.Remote) { r[5].Definition["target"].(map[string]any)["address"] = "Data!B1" },
			"schedules/weekdays.yaml",
			"at: Data!A1",
			`at: "Data!B1"`,
		},
		{
			"another document",
			func(r []ascode.Remote) { r[5].Definition["target"].(map[string]any)["document"] = "x.xlsx" },
			"schedules/weekdays.yaml",
			`"${board}"`,
			`x.xlsx`,
		},
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

// A member that files leave out means what the last apply left: an edit of it by hand is written into the file.
func TestPullOfWhatFilesLeaveOut(t *testing.T) {
	const file, name = "reports/revenue.yaml", "name: Revenue   # by region\n"
	for _, row := range []struct {
		name      string
		member    string
		value     any
		line      string // that the file gains after its name
		own       string // that the file has already
		conflicts int
	}{
		{name: "nothing was edited"},
		{name: "one without a value", member: "title", value: "By Bob", line: "title: By Bob\n"},
		{name: "one that had a value", member: "description", value: "New", line: "description: New\n"},
		{name: "one that lost its value", member: "description", value: "", line: "description: null\n"},
		{name: "a number that lost its value", member: "folderId", value: nil, line: "folderId: null\n"},
		{name: "one that the file says by now", member: "title", value: "By Bob", own: "title: Mine\n", conflicts: 1},
		{name: "one that the file says alike by now", member: "title", value: "By Bob", own: "title: By Bob\n"},
	} {
		t.Run(row.name, func(t *testing.T) {
			dir := folder(t, finance())
			remotes := applied(t, readFolder(t, dir, ""))
			unsaid := map[string]any{"title": "", "description": "Old", "folderId": 7.0, "rowKey": []any{}}
			remotes[1].Unsaid = unsaid
			maps.Copy(remotes[1].Definition, unsaid)
			if row.member != "" {
				remotes[1].Definition[row.member] = row.value
			}
			write(t, filepath.Join(dir, file), strings.Replace(finance()[file], name, name+row.own, 1))
			p := pull(t, dir, remotes, ascode.Undecided)
			want := strings.Replace(finance()[file], name, name+row.own+row.line, 1)
			if got := contents(t, dir)[file]; len(p.Conflicts) != row.conflicts || sorted(got) != sorted(want) {
				t.Errorf("got %+v\n%s", p.Conflicts, got)
			}
			if again := pull(t, dir, remotes, ascode.Undecided); len(again.Changes) > 0 {
				t.Errorf("again: %+v", again.Changes)
			}
		})
	}
}

// sorted returns a text with its lines in order: where a line is added matters elsewhere.
func sorted(text string) string {
	return strings.Join(slices.Sorted(strings.Lines(text)), "")
}

func TestPullOfWhatIsProtected(t *testing.T) {
	dir := folder(t, map[string]string{"project.yaml": emptyProject})
	pull(t, dir, []ascode.Remote{{Kind: portable.KindWorkbook, Ref: "board", Definition: map[string]any{"name": "Board"}, Protect: true}}, ascode.Undecided)
	if b := readFolder(t, dir, "").Bundle(); len(b.Assets) != 1 || !b.Assets[0].Protect {
		t.Errorf("%+v", b.Assets)
	}
}

func TestWarnings(t *testing.T) {
	for _, row := range []struct {
		name  string
		files map[string]string
		want  []string
	}{
		{"none", nil, nil},
		{
			"schedules that are twins",
			map[string]string{
				"schedules/a.yaml": "key: a\ncron: ['@daily', '@weekly']\ntarget: {report: RevByRegion1}\n",
				"schedules/b.yaml": "key: b\nname: Other\ncron: ['@weekly', '@daily']\ntarget: {report: RevByRegion1}\n",
				"schedules/c.yaml": "key: c\ncron: ['@weekly', '@daily']\npaused: true\ntarget: {report: RevByRegion1}\n",
				"schedules/d.yaml": "key: d\ncron: ['@weekly', '@daily']\ntimezone: UTC\ntarget: {report: RevByRegion1}\n",
			},
			[]string{"schedules/b.yaml:1:6: schedule:b fires at the same times for the same target as schedule:a at schedules/a.yaml:1:6"},
		},
		{
			"a chart of a report that is gone",
			map[string]string{"workbooks/w.yaml": "slug: w\ndashboard: {widgets: [{id: x, type: CHART, config: {reportId: 17}}]}\n"},
			[]string{"workbooks/w.yaml:2:63: the chart shows report #17 of one deployment, which is gone"},
		},
		{
			"a block in row 1 of a report that shows its filters above",
			map[string]string{"reports/revenue.yaml": "publicId: RevByRegion1\npivot: {rows: [region], showAppliedFilters: true}\n"},
			[]string{`placements/board.xlsx.yaml:5:45: row 1 has no cell above it for the filters that the report "RevByRegion1" shows (reports/revenue.yaml:2:45)`},
		},
		{
			"one that shows none",
			map[string]string{"reports/revenue.yaml": "publicId: RevByRegion1\npivot: {rows: [region], showAppliedFilters: false}\n"},
			nil,
		},
		{
			"one with a row above",
			map[string]string{"reports/costs.yml": "publicId: Costs0000001\npivot: {rows: [region], showAppliedFilters: true}\nquery:\n  measures: [costs]\n"},
			nil,
		},
	} {
		t.Run(row.name, func(t *testing.T) {
			files := finance()
			maps.Copy(files, row.files)
			var got []string
			for i, one := range readFolder(t, folder(t, files), "").Warnings() {
				text := one.String()
				if i < len(row.want) && strings.HasPrefix(text, row.want[i]) {
					text = row.want[i]
				}
				got = append(got, text)
			}
			if diff := cmp.Diff(row.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// A report without a query is told, unless it says that it is to have none: its file of SQL may be missing.
func TestReportsWithoutAQuery(t *testing.T) {
	files := finance()
	delete(files, "reports/revenue.sql")
	files["reports/none.yaml"] = "publicId: NoQuery00000\nsql: null\n"
	files["reports/inside.yaml"] = "publicId: Inside000000\nsql: select 1\n"
	got := readFolder(t, folder(t, files), "").Unasked()
	if len(got) != 1 || !strings.HasPrefix(got[0].String(), "reports/revenue.yaml:2:11: report:") || !strings.Contains(got[0].Message, "there is no reports/revenue.sql") {
		t.Errorf("%v", got)
	}
}

// A file goes on saying kinds of spreadsheets as it did, in its own words or in those of the wire.
func TestPullKeepsTheWordsForSpreadsheets(t *testing.T) {
	const begin = "publicId: RevByRegion1\nsql: select 1\n"
	for _, tt := range []struct{ said, server, want string }{
		{"source: google\n", "SHEETS_A", "source: google\n"},
		{"source: SHEETS_A\n", "SHEETS_A", "source: SHEETS_A\n"},
		{"source: google\n", "SHEETS_B", "source: excel\n"},
		{"source: SHEETS_A\n", "SHEETS_B", "source: SHEETS_B\n"},
		{"source: D3\n", "SHEETS_B", "source: SHEETS_B\n"},
		{"source: excel\n", "PLAYGROUND", "source: PLAYGROUND\n"},
	} {
		dir := folder(t, map[string]string{"project.yaml": emptyProject, "reports/r.yaml": begin + tt.said})
		remotes := applied(t, readFolder(t, dir, ""))
		remotes[0].Definition["source"] = tt.server
		pull(t, dir, remotes, ascode.Undecided)
		if got := contents(t, dir)["reports/r.yaml"]; got != begin+tt.want {
			t.Errorf("%q, %s on the server: %q", tt.said, tt.server, got)
		}
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
			conflicts = []ascode.Conflict{{Kind: portable.KindReport, Ref: remotes[1].Ref, Pointer: "/name", File: "Mine", Server: "Theirs"}}
			conflicts[0].Place = yaml.Place{File: file, Line: 3, Column: 7}
		}
		if diff := cmp.Diff(conflicts, p.Conflicts); diff != "" {
			t.Errorf("side %d (-want +got):\n%s", side, diff)
		}
	}
}

// What was applied from another checkout is pulled into files without local edits; a local edit stays.
func TestPullOfWhatOthersApplied(t *testing.T) {
	one, other := folder(t, finance()), folder(t, finance())
	pull(t, other, applied(t, readFolder(t, other, "")), ascode.Undecided)
	file := filepath.Join(one, "reports/revenue.yaml")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	changed := strings.Replace(string(text), "name: Revenue ", "title: By region\nname: Revenue of all ", 1)
	if err := os.WriteFile(file, []byte(changed), 0o600); err != nil {
		t.Fatal(err)
	}
	remotes := applied(t, readFolder(t, one, ""))
	got := pull(t, other, remotes, ascode.Undecided)
	if def := readFolder(t, other, "").Bundle().Assets[1].Definition; len(got.Conflicts) > 0 || !cmp.Equal(object(t, def), remotes[1].Definition) {
		t.Errorf("pulled %+v, the file says %v, want %v", got, def, remotes[1].Definition)
	}

	mine := strings.Replace(string(text), "name: Revenue ", "name: Mine ", 1)
	if err := os.WriteFile(filepath.Join(other, "reports/revenue.yaml"), []byte(mine), 0o600); err != nil {
		t.Fatal(err)
	}
	pull(t, other, remotes, ascode.Undecided)
	if text := contents(t, other)["reports/revenue.yaml"]; text != mine {
		t.Errorf("an edit is gone: %s", text)
	}
}

func TestPullOfWhatWasDeleted(t *testing.T) {
	dir := folder(t, finance())
	remotes := applied(t, readFolder(t, dir, ""))
	pull(t, dir, remotes, ascode.Undecided)
	by := &portable.Deletion{By: "bob@example.com", At: "2026-11-22T07:00:00.000Z"}
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
		p := pull(t, dir, []ascode.Remote{{Kind: portable.KindSchedule, Ref: "weekdays", Deleted: &portable.Deletion{}}}, side)
		if _, got := contents(t, dir)[file]; got != kept || len(p.Conflicts) > 0 != (side == ascode.Undecided) {
			t.Errorf("side %d: kept %t, %+v", side, got, p)
		}
	}
}

const emptyProject = `project: x
environments: {dev: {deployment: 1, values: {board: b.xlsx}, roles: {viewers: 12}}}
external: [OtherReport1]
`

func TestPullWritesNewFiles(t *testing.T) {
	dir := folder(t, map[string]string{"project.yaml": emptyProject})
	viewers := map[string]any{"id": 12.0, "name": "viewers", "actions": []any{"ReportRead"}}
	unknown := map[string]any{"id": 99.0, "actions": []any{}}
	at := func(anchor string) map[string]any {
		return map[string]any{"report": "RevByRegion1", "document": "b.xlsx", "sheet": "Data", "anchor": anchor, "host": "SHEETS_B"}
	}
	stop := at("C1")
	stop["onEdit"] = "stop"
	target := map[string]any{"publicId": "RevByRegion1", "document": "b.xlsx", "address": "Data!A1"}
	remotes := []ascode.Remote{
		{Kind: portable.KindReport, Ref: "123456789012", Definition: map[string]any{
			"name": "Revenue / Ünïts", "sqlQuery": "select 1", "title": "", "meta": map[string]any{}, "access": []any{viewers},
		}},
		{Kind: portable.KindReport, Ref: "RevByRegion1", Definition: map[string]any{"name": "revenue n ts", "sqlQuery": "a\r\nb\r\n"}},
		{Kind: portable.KindReport, Ref: "RevByRegion2", Definition: map[string]any{"name": "CON", "access": []any{unknown}}},
		{Kind: portable.KindPlacement, Ref: "b.xlsx/Data!A1", Definition: at("A1")},
		{Kind: portable.KindPlacement, Ref: "b.xlsx/Data!C1", Definition: stop},
		{Kind: portable.KindSchedule, Ref: "daily", Definition: map[string]any{"cron": []any{"@daily"}, "target": target}},
	}
	p := pull(t, dir, remotes, ascode.Undecided)
	want := map[string]string{
		"project.yaml":                emptyProject,
		"reports/revenue-n-ts.yaml":   "publicId: \"123456789012\"\nname: \"Revenue / Ünïts\"\naccess:\n  viewers: [ReportRead]\n",
		"reports/revenue-n-ts.sql":    "select 1",
		"reports/revenue-n-ts-2.yaml": "publicId: RevByRegion1\nname: revenue n ts\nsql: \"a\\x0d\\nb\\x0d\\n\"\n",
		"reports/report-con.yaml":     "publicId: RevByRegion2\nname: CON\nsql: null\n",
		"placements/b.xlsx.yaml": `document: "${board}"
host: excel
items:
  - report: RevByRegion1
    sheet: Data
    at: A1
  - report: RevByRegion1
    sheet: Data
    at: C1
    onEdit: stop
`,
		"schedules/daily.yaml": `key: daily
cron: "@daily"
target:
  report: RevByRegion1
  document: "${board}"
  at: "Data!A1"
`,
	}
	for name, text := range want {
		if kind, _, made := strings.Cut(name, "s/"); made && strings.HasSuffix(name, ".yaml") {
			schema := strings.Replace(kind, "placement", "placements", 1) + ".schema.json"
			want[name] = "# yaml-language-server: $schema=../.mooring/" + schema + "\n" + text
		}
	}
	if diff := cmp.Diff(want, contents(t, dir)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	note := "report:RevByRegion2: access is left as it is in reports/report-con.yaml: " +
		"the role 99 has no name in project.yaml: add it to the environment's roles, then pull again"
	if diff := cmp.Diff([]string{note}, p.Notes); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if again := pull(t, dir, remotes[:2], ascode.Undecided); len(again.Changes) > 0 {
		t.Errorf("again: %+v", again)
	}
}

func TestPullListsTheReportsOfOthers(t *testing.T) {
	for _, derived := range []string{"", " ids: derived,"} {
		project := strings.Replace(emptyProject, "deployment: 1,", "deployment: 1,"+derived, 1)
		dir := folder(t, map[string]string{"project.yaml": project})
		def := map[string]any{"cron": []any{"@daily"}, "target": map[string]any{"publicId": "ElsewhereRep"}}
		remotes := []ascode.Remote{{Kind: portable.KindSchedule, Ref: "daily", Definition: def}}
		p := pull(t, dir, remotes, ascode.Undecided)
		want := strings.Replace(project, "[OtherReport1]", "[OtherReport1, ElsewhereRep]", 1)
		if got := contents(t, dir)["project.yaml"]; got != want || len(p.Notes) != 1 {
			t.Errorf("got\n%s\n%q", got, p.Notes)
		}
		b := readFolder(t, dir, "").Bundle()
		if got := b.Assets[0].Definition["target"].(map[string]any)["publicId"]; got != "ElsewhereRep" {
			t.Errorf("got %v", got)
		}
	}
}

func TestPullNotesSecrets(t *testing.T) {
	dir := folder(t, map[string]string{"project.yaml": emptyProject})
	def := map[string]any{"sqlQuery": "select 1\n-- postgres://me:pw@db/x\n", "name": "a"}
	p := pull(t, dir, []ascode.Remote{{Kind: portable.KindReport, Ref: "RevByRegion1", Definition: def}}, ascode.Undecided)
	if len(p.Notes) != 1 || !strings.HasPrefix(p.Notes[0], "reports/a.sql:2:4: looks like a password in an address") {
		t.Errorf("got %q", p.Notes)
	}
}

func TestPullLeavesOutWhatCannotBeTracedBack(t *testing.T) {
	dir := folder(t, map[string]string{"project.yaml": strings.Replace(emptyProject, "deployment: 1,", "deployment: 1, ids: derived,", 1)})
	p := pull(t, dir, []ascode.Remote{{Kind: portable.KindReport, Ref: "RevByRegion1", Definition: map[string]any{"name": "x"}}}, ascode.Undecided)
	if len(p.Changes) > 0 || len(p.Notes) != 1 || !strings.Contains(p.Notes[0], "is derived from one that stands in no file") {
		t.Errorf("got %+v", p)
	}
}

// Whatever a meta holds, pull leaves a folder that can be read: what cannot be written so is left out, and told.
func TestPullWritesOnlyWhatCanBeRead(t *testing.T) {
	keys := func(n int) map[string]any {
		m := map[string]any{}
		for i := range n {
			m[fmt.Sprintf("key%d", i)] = i
		}
		return m
	}
	deep := map[string]any{}
	for range 150 {
		deep = map[string]any{"a": deep}
	}
	for name, tt := range map[string]struct {
		meta    map[string]any
		leftOut bool
	}{
		"at the bound": {keys(4_990), false}, "over the bound": {keys(5_001), false}, "far over it": {keys(20_000), false},
		"too deep": {deep, true}, "too long": {map[string]any{"text": strings.Repeat("x", 1<<20)}, true},
	} {
		t.Run(name, func(t *testing.T) {
			dir := folder(t, finance())
			remotes := applied(t, readFolder(t, dir, ""))
			pull(t, dir, remotes, ascode.Undecided) // mooring.lock has them
			remotes[1].Definition["meta"], remotes[1].Definition["sqlQuery"] = object(t, tt.meta), "select 7\n"
			remotes = append(remotes, ascode.Remote{
				Kind: portable.KindWorkbook, Ref: "newboard", ID: json.RawMessage("77"), Version: 1,
				Definition: map[string]any{"name": "New", "meta": object(t, tt.meta)},
			})
			for _, i := range []int{1, len(remotes) - 1} { // a colleague applied it
				remotes[i].Applied = object(t, remotes[i].Definition)
			}
			before := contents(t, dir)
			p := pull(t, dir, remotes, ascode.Theirs)
			after := readFolder(t, dir, "")
			if tt.leftOut {
				if len(p.Notes) != 2 || !strings.Contains(p.Notes[0]+p.Notes[1], "is not written") || len(p.Changes) > 0 || !cmp.Equal(before, contents(t, dir)) {
					t.Errorf("%q, and files were written: %v", p.Notes, p.Changes)
				}
				delete(remotes[1].Definition, "meta") // what could not be written was no edit of the file
				p = pull(t, dir, remotes[:len(remotes)-1], ascode.Undecided)
				if after = readFolder(t, dir, ""); len(p.Conflicts) > 0 || object(t, after.Bundle().Assets[1].Definition)["sqlQuery"] != "select 7\n" {
					t.Errorf("the next pull: %v, %+v", p.Conflicts, after.Bundle().Assets[1].Definition)
				}
				return
			}
			read := 0
			for _, a := range after.Bundle().Assets {
				if a.Ref == "newboard" || a.Ref == remotes[1].Ref {
					read += len(object(t, a.Definition)["meta"].(map[string]any))
				}
			}
			if read != 2*len(tt.meta) || len(p.Notes) > 0 {
				t.Errorf("%d keys of 2 times %d are read; %q", read, len(tt.meta), p.Notes)
			}
		})
	}
}
