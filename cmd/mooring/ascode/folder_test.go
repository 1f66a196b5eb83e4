package ascode_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mooring/cmd/mooring/ascode"
)

// finance is a folder without faults.
func finance() map[string]string {
	return map[string]string{
		"project.yaml": `project: finance
server: https://acme.example.com
default: dev
environments:
  dev: {deployment: 2, ids: derived, values: {board: dev-board.xlsx}, roles: {viewers: 12}}
  prod: {deployment: "${DEPLOYMENT}", values: {board: "${BOARD_ID}"}, roles: {viewers: 7}}
prune: {limit: "10%"}
external: [OtherReport1]
`,
		"reports/revenue.yaml": `# what the board shows
publicId: RevByRegion1
name: Revenue   # by region
pivot: {rows: [region], measures: [revenue]}
access: {viewers: [ReportRead]}
meta:
  chart: {kind: bar}
  price: "$${amount}"
`,
		"reports/revenue.sql": "select region, ${x} from sales\nwhere amount > 0\n",
		"reports/costs.yml":   "publicId: Costs0000001\nname: Costs\nquery:\n  measures: [costs]\n",
		"workbooks/board.yaml": `slug: board
name: Board
dashboard:
  title: Board
  widgets:
    - {id: a, type: CHART, config: {report: RevByRegion1}}
    - {id: b, type: CHART, config: {report: OtherReport1}}
    - {id: c, type: TEXT}
`,
		"placements/board.xlsx.yaml": `document: "${board}"
host: excel
items:
  # the first
  - {report: RevByRegion1, sheet: Data, at: a1, onEdit: keep}
  - report: Costs0000001
    sheet: Costs
    at: B2
    protect: true
`,
		"schedules/weekdays.yaml": `key: weekdays
cron: 0 7 * * 1-5
timezone: Europe/Berlin
target: {report: RevByRegion1, document: "${board}", at: Data!A1}
`,
		"README.md":         "not read",
		".github/x.yaml":    "{",
		"reports/.x.yaml":   "{",
		"reports/README.md": "not read",
		"docs/x.yaml":       "{",
	}
}

// folder writes files to a directory of their own.
func folder(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// variables are those of the environment of a test.
func variables(name string) (string, bool) {
	v, set := map[string]string{"DEPLOYMENT": "1", "BOARD_ID": "1aB"}[name]
	return v, set
}

func readFolder(t testing.TB, dir, environment string) *ascode.Folder {
	t.Helper()
	f, err := ascode.Read(dir, environment, variables)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestBundle(t *testing.T) {
	for _, environment := range []string{"dev", "prod"} {
		t.Run(environment, func(t *testing.T) {
			f := readFolder(t, folder(t, finance()), environment)
			got, err := json.MarshalIndent(f.Bundle(), "", "  ")
			if err != nil {
				t.Fatal(err)
			}
			golden(t, "bundle-"+environment+".json", string(got)+"\n")
			if f.Project.Server != "https://acme.example.com" || f.Project.Prune.Limit != "10%" {
				t.Errorf("got %+v", f.Project)
			}
		})
	}
}

// golden compares with a file of testdata; GOLDEN=write writes it.
func golden(t *testing.T, name, got string) {
	t.Helper()
	name = filepath.Join("testdata", name)
	if os.Getenv("GOLDEN") == "write" {
		if err := os.WriteFile(name, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", name, diff)
	}
}

func TestReadRefusesLinks(t *testing.T) {
	outside := filepath.Join(t.TempDir(), "z.yaml")
	if err := os.WriteFile(outside, []byte("publicId: Outside00001\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	dir := folder(t, finance())
	links := map[string]string{"reports/z.yaml": outside, "reports/y": filepath.Dir(outside), "workbooks/z.yaml": "board.yaml"}
	for name, target := range links {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	_, err := ascode.Read(dir, "", variables)
	const want = "reports/y: is a link or no file: put the file itself here\n" +
		"reports/z.yaml: is a link or no file: put the file itself here\n" +
		"workbooks/z.yaml: is a link or no file: put the file itself here"
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestReadTakesAnEmptyFolder(t *testing.T) {
	f := readFolder(t, folder(t, map[string]string{"project.yaml": "project: x\nenvironments: {dev: {deployment: 1}}\n"}), "")
	if got := f.Bundle(); len(got.Assets) != 0 || got.Assets == nil || got.Environment != "dev" {
		t.Errorf("got %+v", got)
	}
}

func TestReadTakesWindowsFiles(t *testing.T) {
	want := readFolder(t, folder(t, finance()), "").Bundle()
	files := finance()
	for name, text := range files {
		files[name] = "\uFEFF" + strings.ReplaceAll(text, "\n", "\r\n")
	}
	if diff := cmp.Diff(want, readFolder(t, folder(t, files), "").Bundle()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestPlaceFindsTheLine(t *testing.T) {
	f := readFolder(t, folder(t, finance()), "prod")
	for pointer, want := range map[string]string{
		"/assets/1/definition/name":                   "reports/revenue.yaml:3:7",
		"/assets/1/definition/pivotItems/rows/0":      "reports/revenue.yaml:4:16",
		"/assets/1/definition/access/0/actions":       "reports/revenue.yaml:5:19",
		"/assets/1/definition/sqlQuery":               "reports/revenue.sql:1:1",
		"/assets/1/ref":                               "reports/revenue.yaml:2:11",
		"/assets/0/definition/jsonQuery":              "reports/costs.yml:4:3",
		"/assets/2/definition/dashboard/widgets/1/id": "workbooks/board.yaml:7:12",
		"/assets/3/definition/anchor":                 "placements/board.xlsx.yaml:8:9",
		"/assets/5/definition/target/publicId":        "schedules/weekdays.yaml:4:18",
		"/assets/5/definition/cron/0":                 "schedules/weekdays.yaml:2:7",
		"/project":                                    "project.yaml",
		"/assets/99":                                  "project.yaml",
	} {
		if got := f.Place(pointer).String(); got != want {
			t.Errorf("%s: got %s, want %s", pointer, got, want)
		}
	}
	if got := f.SQLPlace("RevByRegion1", 2, 7).String(); got != "reports/revenue.sql:2:7" {
		t.Errorf("got %s", got)
	}
}
