package ascode_test

import (
	"errors"
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mooring/cmd/mooring/ascode"
	"mooring/cmd/mooring/yaml"
)

func TestReadTellsEveryFaultWithItsPlace(t *testing.T) {
	set := func(name, text string) map[string]string { return map[string]string{name: text} }
	const report, board = "reports/revenue.yaml", "workbooks/board.yaml"
	tests := []struct {
		name  string
		files map[string]string
		want  string
	}{
		{"broken YAML", set(report, "publicId: [\n"), report + ":1:11: is not YAML: sequence end token ']' not found"},
		{"an unknown key", set(report, "publicId: RevByRegion1\ntitel: x\n"), report + `:2:1: unknown key "titel": write title if you mean that`},
		{
			"an unknown key like no other",
			set("schedules/x.yaml", "key: x\ncron: '@daily'\ntarget: {report: RevByRegion1, zzzzzz: 1}\n"),
			`schedules/x.yaml:3:32: unknown key "zzzzzz": known here are at, document, report`,
		},
		{
			"a key twice",
			set(report, "publicId: RevByRegion1\nname: a\nname: b\n"),
			report + `:3:1: the key "name" stands at line 2 already: keep one of them`,
		},
		{
			"two files with one id",
			set("reports/z.yaml", "publicId: RevByRegion1\n"),
			`reports/z.yaml:1:11: the publicId "RevByRegion1" stands at reports/revenue.yaml:2:11 already: each report has its own`,
		},
		{
			"two files with one slug",
			set("workbooks/z.yaml", "slug: Board\n"),
			`workbooks/z.yaml:1:7: the workbook "board" stands at workbooks/board.yaml:1:7 already: keep one of them`,
		},
		{
			"two files with one key",
			set("schedules/z.yaml", "key: weekdays\ncron: '@daily'\ntarget: {report: RevByRegion1}\n"),
			`schedules/z.yaml:1:6: the schedule "weekdays" stands at schedules/weekdays.yaml:1:6 already: keep one of them`,
		},
		{
			"two placements at one spot",
			set("placements/z.yaml", "document: dev-board.xlsx\nitems: [{report: RevByRegion1, sheet: DATA, at: $A$1}]\n"),
			`placements/z.yaml:2:9: the placement "dev-board.xlsx/DATA!A1" stands at placements/board.xlsx.yaml:5:5 already: keep one of them`,
		},
		{
			"a chart of a report that is nowhere",
			set(board, "slug: board\ndashboard: {widgets: [{type: CHART, config: {report: RevByRegion2}}]}\n"),
			board + `:2:54: no report here has the publicId "RevByRegion2": write RevByRegion1 if you mean that, or list it under external`,
		},
		{
			"a chart without a report",
			set(board, "slug: board\ndashboard: {widgets: [{type: CHART}]}\n"),
			board + ":2:23: a chart names its report: add config with report: PUBLICID",
		},
		{
			"a chart by numeric id",
			set(board, "slug: board\ndashboard: {widgets: [{type: CHART, config: {report: RevByRegion1, reportId: 3}}]}\n"),
			board + ":2:68: a chart names its report under report: take reportId out",
		},
		{
			"a dashboard in meta",
			set(board, "slug: board\nmeta: {dashboardDraft: {}}\n"),
			board + ":2:24: a dashboard stands under dashboard, not in meta: move it there",
		},
		{
			"a placement of a report that is nowhere",
			set("placements/z.yaml", "document: z\nitems: [{report: zzzzzzzzzzzz, sheet: A, at: A1}]\n"),
			`placements/z.yaml:2:18: no report here has the publicId "zzzzzzzzzzzz": known here are Costs0000001, OtherReport1, RevBy`,
		},
		{
			"a schedule of a report that is nowhere",
			set("schedules/z.yaml", "key: z\ncron: '@daily'\ntarget: {report: zzzzzzzzzzzz}\n"),
			`schedules/z.yaml:3:18: no report here has the publicId "zzzzzzzzzzzz"`,
		},
		{"a wrong type", set(report, "publicId: RevByRegion1\nname: [a]\n"), report + ":2:7: expected text, found a list: write it so"},
		{
			"a number for text",
			set(report, "publicId: RevByRegion1\nname: 2024\n"),
			report + `:2:7: expected text, found a number: write it in quotes, "2024"`,
		},
		{
			"text for a list",
			set(report, "publicId: RevByRegion1\nrowKey: region\n"),
			report + ":2:9: expected a list, found text: write it in brackets, [region]",
		},
		{
			"a number with a fraction",
			set(report, "publicId: RevByRegion1\nfolderId: 1.5\n"),
			report + ":2:11: 1.5 is not a whole number from 1: write one",
		},
		{
			"an unknown choice",
			set(report, "publicId: RevByRegion1\nsource: EXCEL\n"),
			report + `:2:9: "EXCEL" is not known: write excel if you mean that`,
		},
		{
			"a choice that is like none",
			set(report, "publicId: RevByRegion1\nsource: libreoffice\n"),
			report + `:2:9: "libreoffice" is not known: write one of google, excel, SHEETS_A, SHEETS_B, PLAYGROUND, D3`,
		},
		{
			"a kind of spreadsheet that is nearly one",
			set("placements/z.yaml", "document: z\nhost: Gogle\nitems: [{report: RevByRegion1, sheet: A, at: A1}]\n"),
			`placements/z.yaml:2:7: "Gogle" is not known: write google if you mean that`,
		},
		{
			"a long name",
			set(report, "publicId: RevByRegion1\nname: "+strings.Repeat("é", 256)+"\n"),
			report + ":2:7: has 256 characters, at most 255 are allowed: shorten it",
		},
		{"a missing key", set("reports/z.yaml", "name: x\n"), "reports/z.yaml:1:1: publicId is missing: add it"},
		{"a bad publicId", set("reports/z.yaml", "publicId: short\n"), "reports/z.yaml:1:11: A publicId has exactly 12 characters"},
		{
			"a reserved publicId",
			set("reports/z.yaml", "publicId: \"000000abcdef\"\n"),
			"reports/z.yaml:1:11: A publicId that begins with six zeros is reserved",
		},
		{"a bad slug", set("workbooks/z.yaml", "slug: a b\n"), "workbooks/z.yaml:1:7: A slug has 1 to 128 characters"},
		{
			"a bad key",
			set("schedules/z.yaml", "key: A\ncron: '@daily'\ntarget: {report: RevByRegion1}\n"),
			"schedules/z.yaml:1:6: A key has 1 to 128 characters",
		},
		{"a bad cell", set("placements/z.yaml", "document: z\nitems: [{report: RevByRegion1, sheet: A, at: 1A}]\n"), "placements/z.yaml:2:46: "},
		{
			"a bad address",
			set("schedules/z.yaml", "key: z\ncron: '@daily'\ntarget: {report: RevByRegion1, document: d, at: A!}\n"),
			"schedules/z.yaml:3:49: ",
		},
		{
			"a bad status cell",
			set("placements/z.yaml", "document: z\nitems: [{report: RevByRegion1, sheet: A, at: A1, statusCell: A!B1}]\n"),
			`placements/z.yaml:2:62: "A!B1" is not a cell`,
		},
		{
			"bad columns to fill",
			set("placements/z.yaml", "document: z\nitems: [{report: RevByRegion1, sheet: A, at: A1, fillRight: F1}]\n"),
			`placements/z.yaml:2:61: "F1" does not name columns`,
		},
		{
			"an address in no sheet",
			set("schedules/z.yaml", "key: z\ncron: '@daily'\ntarget: {report: RevByRegion1, document: d, at: A1}\n"),
			"schedules/z.yaml:3:49: names no sheet: write it as Sheet1!B2",
		},
		{
			"an address in no document",
			set("schedules/z.yaml", "key: z\ncron: '@daily'\ntarget: {report: RevByRegion1, at: A!A1}\n"),
			"schedules/z.yaml:3:36: stands in no document: add document",
		},
		{
			"a bad cron",
			set("schedules/z.yaml", "key: z\ncron: ['@daily', 0 7 * *]\ntarget: {report: RevByRegion1}\n"),
			`schedules/z.yaml:2:18: cron is "0 7 * *": has 4 fields, needs 5`,
		},
		{
			"a bad zone",
			set("schedules/z.yaml", "key: z\ncron: '@daily'\ntimezone: Mars/Base\ntarget: {report: RevByRegion1}\n"),
			`schedules/z.yaml:3:11: timezone is "Mars/Base", which is not known: give an IANA name`,
		},
		{
			"an unknown role",
			set(report, "publicId: RevByRegion1\naccess: {viewer: [ReportRead]}\n"),
			report + `:2:10: the environment "dev" has no role "viewer": write viewers if you mean that`,
		},
		{
			"a variable where none is taken",
			set(report, "publicId: RevByRegion1\nname: ${board}\n"),
			report + ":2:7: ${board} is not replaced here, only where a document is named: write $${",
		},
		{
			"an unknown value",
			set("placements/z.yaml", "document: ${bord}\nitems: []\n"),
			"placements/z.yaml:1:11: ${bord} is no value of the environment: write board if you mean that",
		},
		{
			"half a variable",
			set("placements/z.yaml", "document: ${bord\nitems: []\n"),
			"placements/z.yaml:1:11: ${bord is no variable: write ${NAME}",
		},
		{
			"a private key in SQL",
			set("reports/revenue.sql", "-- x\n--- -----BEGIN RSA PRIVATE KEY-----\n"),
			"reports/revenue.sql:2:5: looks like a private key: take it out",
		},
		{
			"a bearer token",
			set(report, "publicId: RevByRegion1\nmeta: {auth: Bearer abcdefghijklmnop1234}\n"),
			report + ":2:14: looks like a bearer token",
		},
		{
			"a web token",
			set(report, "publicId: RevByRegion1\nmeta: {a: eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NSJ9.c2lnbmF0dXJl}\n"),
			report + ":2:11: looks like a token",
		},
		{
			"a password in an address",
			set(report, "publicId: RevByRegion1\ndescription: postgres://me:secret@db/x\n"),
			report + ":2:14: looks like a password in an address",
		},
		{"a password in a query", set(report, "publicId: RevByRegion1\ndescription: https://db/x?user=a&password=b\n"), report + ":2:"},
		{
			"a connection string",
			set(report, "publicId: RevByRegion1\ndescription: host=db user=me password=x\n"),
			report + ":2:14: looks like a password in a connection string",
		},
		{
			"another connection string",
			set("reports/revenue.sql", "-- Server=db;Uid=me;Pwd=x\n"),
			"reports/revenue.sql:1:4: looks like a password in a connection string",
		},
		{
			"SQL twice",
			set(report, "publicId: RevByRegion1\nsql: select 1\n"),
			report + ":2:6: the SQL stands in reports/revenue.sql as well: keep one of them",
		},
		{"SQL of no report", set("reports/z.sql", "select 1"), "reports/z.sql: no report stands beside it"},
		{
			"SQL of two reports",
			set("reports/revenue.yml", "publicId: AnotherRepor\n"),
			"reports/revenue.sql: two files stand beside it, .yaml and .yml",
		},
		{"SQL in another encoding", set("reports/revenue.sql", "select '\xfc'"), "reports/revenue.sql: is not UTF-8"},
		{"YAML in another encoding", set(report, "publicId: RevByRegion1\nname: \xfc\n"), report + ":2:7: a character that YAML does not take"},
		{"an empty file", set("reports/z.yaml", "# nothing\n"), "reports/z.yaml: is empty"},
		{"a list as a file", set("reports/z.yaml", "- a\n"), "reports/z.yaml:1:1: expected keys and values, found a list"},
		{"a directory like one of ours", set("report/z.yaml", "a: 1\n"), "report: is not read: write reports if you mean that"},
		{"an anchor", set(report, "publicId: &x RevByRegion1\n"), report + ":1:11: an anchor is not read here"},
		{"a second document", set(report, "publicId: RevByRegion1\n---\nname: x\n"), report + ":3:"},
		{"a broken lock", set("mooring.lock", "<<<<<<< HEAD\n"), "mooring.lock: line 1 is no entry: take the file out"},
		{
			"too many assets",
			set("placements/z.yaml", "document: z\nitems:\n"+manyPlacements(1999)),
			"project.yaml: the folder has 2005 assets, a plan at most 2000",
		},
		{
			"too many bytes",
			set("reports/revenue.sql", strings.Repeat("select 1\n", 1<<20)),
			"reports/revenue.sql: the files up to here have more than 8388608 bytes",
		},
		{"no project", set("project.yaml", ""), "project.yaml: is empty"},
		{"a project without environments", set("project.yaml", "project: x\n"), "project.yaml:1:1: environments is missing: add it"},
		{
			"an unknown default",
			set("project.yaml", "project: x\ndefault: dve\nenvironments: {dev: {deployment: 1}, prod: {deployment: 2}}\n"),
			`project.yaml:2:10: there is no environment "dve": write dev if you mean that`,
		},
		{
			"no default",
			set("project.yaml", "project: x\nenvironments: {dev: {deployment: 1}, prod: {deployment: 2}}\n"),
			`project.yaml:2:15: there are several environments: name one with --env`,
		},
		{
			"a bad project's name",
			set("project.yaml", "project: X\nenvironments: {dev: {deployment: 1}}\n"),
			`project.yaml:1:10: a project's name has`,
		},
		{
			"an unset variable",
			set("project.yaml", "project: x\nenvironments: {dev: {deployment: 1, values: {a: \"${NONE}\"}}}\n"),
			`project.yaml:2:49: the environment variable NONE is not set: set it`,
		},
		{
			"a bad deployment",
			set("project.yaml", "project: x\nenvironments: {dev: {deployment: two}}\n"),
			`project.yaml:2:34: "two" is no id: write a whole number from 1`,
		},
		{
			"a bad limit",
			set("project.yaml", "project: x\nprune: {limit: 101%}\nenvironments: {dev: {deployment: 2}}\n"),
			`project.yaml:2:16: "101%" is no limit`,
		},
		{
			"a password in the server",
			set("project.yaml", "project: x\nserver: ftp://x\nenvironments: {dev: {deployment: 2}}\n"),
			`project.yaml:2:9: is no address of a server`,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			files := finance()
			maps.Copy(files, tt.files)
			_, err := ascode.Read(folder(t, files), "", variables)
			var faults ascode.Faults
			if !errors.As(err, &faults) {
				t.Fatalf("got %v, want faults", err)
			}
			if !strings.Contains("\n"+err.Error(), "\n"+tt.want) {
				t.Errorf("got\n%v\nwant\n%s", err, tt.want)
			}
			if strings.Contains(err.Error(), "secret@") {
				t.Errorf("a secret is told: %v", err)
			}
		})
	}
}

func manyPlacements(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "- {report: RevByRegion1, sheet: A, at: A%d}\n", i+1)
	}
	return b.String()
}

func TestABrokenProjectMakesNoOtherFaults(t *testing.T) {
	files := finance()
	files["project.yaml"] = "project: [\n"
	_, err := ascode.Read(folder(t, files), "", variables)
	if want := "project.yaml:1:10: is not YAML: sequence end token ']' not found"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestReadTellsTheFaultsOfAllFiles(t *testing.T) {
	files := finance()
	files["reports/revenue.yaml"] = "publicId: RevByRegion1\nnme: x\naccess: {nobody: [A]}\n"
	files["reports/costs.yml"] = "publicId: [\n"
	files["schedules/weekdays.yaml"] = "key: weekdays\ncron: x\ntimezone: y\ntarget: {report: RevByRegion1}\nnme: z\n"
	_, err := ascode.Read(folder(t, files), "", variables)
	var faults ascode.Faults
	errors.As(err, &faults)
	var rules []yaml.Rule
	for _, f := range faults {
		rules = append(rules, f.Rule)
	}
	want := []yaml.Rule{
		ascode.RuleReference, yaml.RuleYAML, yaml.RuleKey, ascode.RuleReference, yaml.RuleValue, yaml.RuleValue, yaml.RuleKey,
	}
	if diff := cmp.Diff(want, rules); diff != "" {
		t.Errorf("%v\n(-want +got):\n%s", err, diff)
	}
}

// What a file names is told with what else is wrong with it.
func TestReadTellsWhatIsNamedInFilesWithOtherFaults(t *testing.T) {
	files := finance()
	maps.Copy(files, map[string]string{
		"reports/z.yaml":    "publicId: RevByRegion1\nnmae: x\naccess: {viewer: [A], viewers: A}\n",
		"workbooks/z.yaml":  "slug: Board\nmeta: {dashboardDraft: {}}\ndashboard: {widgets: [{type: CHART, config: {report: nowhere}}, {type: CHART}, 7]}\n",
		"placements/z.yaml": "document: d\nitems:\n- {report: nowhere, sheet: S, at: A1}\n- {report: Nowhere00001, sheet: s, at: A1}\n",
		"schedules/y.yaml":  "key: weekdays\ntimezone: Mars/Base\ntarget: {report: Nowhere00001, at: A1}\n",
		"schedules/z.yaml":  "key: z\ncron: [7, often]\ntarget: 8\n",
	})
	_, err := ascode.Read(folder(t, files), "", variables)
	var places []string
	for line := range strings.Lines(err.Error()) {
		place, _, _ := strings.Cut(line, ": ")
		places = append(places, place)
	}
	want := []string{
		"placements/z.yaml:3:12", "placements/z.yaml:4:3", "placements/z.yaml:4:12",
		"reports/z.yaml:1:11", "reports/z.yaml:2:1", "reports/z.yaml:3:10", "reports/z.yaml:3:32",
		"schedules/y.yaml:1:1", "schedules/y.yaml:1:6", "schedules/y.yaml:2:11", "schedules/y.yaml:3:18", "schedules/y.yaml:3:36", "schedules/y.yaml:3:36",
		"schedules/z.yaml:2:8", "schedules/z.yaml:2:11", "schedules/z.yaml:3:9",
		"workbooks/z.yaml:1:7", "workbooks/z.yaml:2:24", "workbooks/z.yaml:3:54", "workbooks/z.yaml:3:65", "workbooks/z.yaml:3:80",
	}
	if diff := cmp.Diff(want, places); diff != "" {
		t.Errorf("%v\n(-want +got):\n%s", err, diff)
	}
}
