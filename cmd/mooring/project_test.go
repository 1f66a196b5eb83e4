package main

import (
	"bytes"
	"fmt"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"

	"mooring/cmd/mooring/process"

	"github.com/google/go-cmp/cmp"
)

// planOf is the answer with a plan of one asset; more is what the plan has of it beside its name.
func planOf(action, more string) string {
	const text = `200 {"id":"P1","hash":"h","project":"finance","deployment":1,"summary":{%q:1},"assets":[{"kind":"report","ref":"OrdersReport","action":%q%s}]}`
	return fmt.Sprintf(text, action, action, more)
}

func TestExitStatusOfProjectCommands(t *testing.T) {
	t.Parallel()
	answers := func(pairs ...string) map[string]string {
		m := map[string]string{}
		for i := 0; i < len(pairs); i += 2 {
			m[pairs[i]] = pairs[i+1]
		}
		return m
	}
	const plans, apply = "POST /deployments/1/plans", "POST /plans/P1/apply"
	emptyPlan, changePlan := planOf("unchanged", ""), planOf("update", `,"changes":[{"pointer":"/name","before":"Order","after":"Orders"}]`)
	driftPlan := planOf("update", `,"drift":{"by":"bob@example.com","at":"2026-11-20T12:00:00Z","pointers":["/name"]}`)
	foreignPlan := planOf("conflict", `,"managedBy":{"project":"sales"}`)
	brokenPlan := planOf("update", `,"error":{"code":"sql","message":"no such column: amount","line":1,"column":22}`)
	pulledOrders := func(applied string) string {
		const item = `{"kind":"report","ref":"OrdersReport","id":1,"version":2,"definition":{"name":"All orders"},"applied":{"name":%q}}`
		return fmt.Sprintf(`200 {"items":[`+item+`],"pageInfo":{}}`, applied)
	}
	tests := []struct {
		name    string
		args    []string // {} is the folder
		answers map[string]string
		status  int
		stdout  string // what it holds
		stderr  string // what it holds
		asked   int    // requests
	}{
		{"no change is done", []string{"plan", "{}"}, answers(plans, emptyPlan), process.ExitDone, "1 unchanged.", "Planning 4 assets", 1},
		{"a change is done", []string{"plan", "{}"}, answers(plans, changePlan), process.ExitDone, `"Order" → "Orders"`, "", 1},
		{"no change in detail", []string{"plan", "{}", "--detailed-exitcode"}, answers(plans, emptyPlan), process.ExitDone, "1 unchanged.", "", 1},
		{"a change in detail", []string{"plan", "{}", "--detailed-exitcode"}, answers(plans, changePlan), process.ExitChanges, "1 to update", "", 1},
		{
			"a plan as annotations",
			[]string{"plan", "{}", "--format", "github"},
			answers(plans, brokenPlan),
			process.ExitFailed, "/reports/orders.sql,line=1,col=22::", "", 1,
		},
		{"a plan as JSON", []string{"plan", "{}", "--format", "json"}, answers(plans, changePlan), process.ExitDone, `"action": "update"`, "", 1},
		{"a plan as a comment", []string{"plan", "{}", "--format", "markdown"}, answers(plans, changePlan), process.ExitDone, "### Plan of `finance`", "", 1},
		{
			"a conflict",
			[]string{"plan", "{}"},
			answers(plans, foreignPlan),
			process.ExitConflict, "! conflict report:OrdersReport", "reports/orders.yaml:1:11: report:OrdersReport: is managed by the project sales", 1,
		},
		{
			"an error in SQL stands in the file of SQL",
			[]string{"plan", "{}", "--detailed-exitcode"},
			answers(plans, brokenPlan),
			process.ExitFailed, "", "reports/orders.sql:1:22: report:OrdersReport: no such column: amount", 1,
		},
		{
			"what the server refuses stands in the files",
			[]string{"plan", "{}"},
			answers(plans, `400 {"message":"Bad.","code":"invalid","details":[{"pointer":"/assets/0/definition/name","message":"Is too short."},`+
				`{"pointer":"/assets/3/definition/cron","message":"Fires too often."}]}`),
			process.ExitFailed, "", "schedules/daily.yaml:2:7: Fires too often.", 1,
		},
		{"not signed in", []string{"plan", "{}"}, answers(plans, `401 {"message":"No token."}`), process.ExitDenied, "", "401: No token.", 1},
		{
			"not allowed",
			[]string{"plan", "{}"},
			answers(plans, `403 {"message":"Not all.","details":[{"pointer":"/assets/0","message":"Needs rights."}]}`),
			process.ExitDenied, "", "reports/orders.yaml:1:11: Needs rights.", 1,
		},
		{"a server that fails", []string{"plan", "{}"}, answers(plans, `503 {"message":"Later."}`), process.ExitFailed, "", "503: Later.", 1},
		{"an environment that is none", []string{"plan", "{}", "--env", "test"}, nil, process.ExitFailed, "", `there is no environment "test"`, 0},
		{"a folder that is none", []string{"plan", "{}/x"}, nil, process.ExitFailed, "", "no such file", 0},
		{"an asset that is none", []string{"plan", "{}", "--take-over", "orders"}, nil, process.ExitUsage, "", `"orders" names no asset`, 0},
		{"a format that is none", []string{"plan", "{}", "--format", "html"}, nil, process.ExitUsage, "", "--format", 0},

		{"apply has nobody to ask", []string{"apply", "{}"}, nil, process.ExitUsage, "", "add --approve", 0},
		{"an empty plan is not applied", []string{"apply", "{}", "--approve"}, answers(plans, emptyPlan), process.ExitDone, "1 unchanged.", "", 1},
		{
			"apply",
			[]string{"apply", "{}", "--approve"},
			answers(plans, changePlan, apply, `200 {"id":"P1","appliedAt":"2026-11-22T07:00:00Z","assets":[`+
				`{"kind":"report","ref":"OrdersReport","action":"update","id":1,"version":2}]}`),
			process.ExitDone, "at 2026-11-22T07:00:00Z.", "", 2,
		},
		{
			"a stale plan",
			[]string{"apply", "{}", "--approve"},
			answers(plans, changePlan, apply, `409 {"message":"The plan is stale.","code":"plan_stale","details":[`+
				`{"message":"report:OrdersReport was changed"}]}`),
			process.ExitConflict, "", "report:OrdersReport was changed", 2,
		},
		{"a conflict is not applied", []string{"apply", "{}", "--approve"}, answers(plans, foreignPlan), process.ExitConflict, "", "is managed by", 1},
		{"an error is not applied", []string{"apply", "{}", "--approve"}, answers(plans, brokenPlan), process.ExitFailed, "", "no such column", 1},

		{"no drift", []string{"drift", "{}", "--detailed-exitcode"}, answers(plans, changePlan), process.ExitDone, "No drift.", "", 1},
		{"drift", []string{"drift", "{}"}, answers(plans, driftPlan), process.ExitDone, "changed on the server by bob@example.com", "", 1},
		{"drift in detail", []string{"drift", "{}", "--detailed-exitcode"}, answers(plans, driftPlan), process.ExitChanges, "/name", "", 1},

		{
			"a plan of old",
			[]string{"show", "P1", "{}"},
			answers("GET /plans/P1", `404 {"message":"It has expired.","code":"plan_expired"}`),
			process.ExitConflict, "", "It has expired.", 1,
		},
		{"a plan again", []string{"show", "P1", "{}"}, answers("GET /plans/P1", changePlan), process.ExitDone, "in reports/orders.yaml", "", 1},
		{"publish what", []string{"publish", "--dir", "{}"}, nil, process.ExitUsage, "", "slugs or --all", 0},
		{
			"publish",
			[]string{"publish", "--all", "--dir", "{}"},
			answers("GET /by-slug/board", `200 {"id":3}`, "POST /workbooks/3/publish", `200 {"id":3}`),
			process.ExitDone, "workbook:board published", "", 2,
		},
		{
			"pull",
			[]string{"pull", "{}"},
			answers("GET /managed", pulledOrders("Orders")),
			process.ExitDone, "~ reports/orders.yaml", "1 asset pulled", 1,
		},
		{
			"both changed the same",
			[]string{"pull", "{}"},
			answers("GET /managed", pulledOrders("Order")),
			process.ExitConflict, `"Orders" → "All orders"`, "", 1,
		},
		{"pull all or what", []string{"pull", "{}", "--adopt", "everything"}, nil, process.ExitUsage, "", "names no asset", 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := writeProject(t, sampleProject())
			f := &failing{answers: tt.answers}
			server := httptest.NewServer(f)
			defer server.Close()
			status, stdout, stderr := mooringAs(t, server.URL, "token", inFolder(tt.args, dir)...)
			if status != tt.status || !strings.Contains(stdout, tt.stdout) || !strings.Contains(stderr, tt.stderr) || len(f.asked) != tt.asked {
				t.Errorf("status %d, asked %q\nstdout %s\nstderr %s", status, f.asked, stdout, stderr)
			}
		})
	}
}

// inFolder returns arguments with a folder for {}.
func inFolder(args []string, dir string) []string {
	args = slices.Clone(args)
	for i, arg := range args {
		args[i] = strings.ReplaceAll(arg, "{}", dir)
	}
	return args
}

// mooringAs runs the program in this process, for a server.
func mooringAs(t testing.TB, server, token string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, err bytes.Buffer
	env := environment("MOORING_SERVER", server, "MOORING_TOKEN", token)
	code = run(t.Context(), args, strings.NewReader(""), &out, &err, env)
	return code, out.String(), err.String()
}

// Every fault of a folder is told at once, with its place, and nothing is sent.
func TestFaultsAreToldAtOnceAndNothingIsSent(t *testing.T) {
	t.Parallel()
	dir := writeProject(t, sampleProject(), map[string]string{
		"reports/broken.yaml":  "publicId: [\n",
		"reports/twice.yaml":   "publicId: OrdersReport\n",
		"reports/key.yaml":     "publicId: KeysReport00\ntitel: x\n",
		"reports/role.yaml":    "publicId: RoleReport00\naccess: {viewer: [ReportRead]}\n",
		"workbooks/board.yaml": "slug: board\ndashboard: {widgets: [{type: CHART, config: {report: NowhereToSee}}]}\n",
		"workbooks/ids.yaml":   "slug: ids\ndashboard: {widgets: [{type: CHART, config: {report: OrdersReport, reportId: 3}}]}\n",
		"schedules/zone.yaml":  "key: zone\ncron: '@daily'\ntimezone: Mars/Base\ntarget: {report: OrdersReport}\n",
	})
	want := []string{
		"reports/broken.yaml:1:11", "reports/key.yaml:2:1", "reports/role.yaml:2:10", "reports/twice.yaml:1:11", "schedules/zone.yaml:3:11",
		"workbooks/board.yaml:2:54", "workbooks/ids.yaml:2:68",
	}
	f := &failing{}
	server := httptest.NewServer(f)
	defer server.Close()
	for _, command := range []string{"validate", "plan", "apply", "pull", "drift"} {
		args := []string{command, dir}
		if command == "apply" {
			args = append(args, "--approve")
		}
		status, stdout, stderr := mooringAs(t, server.URL, "token", args...)
		var got []string
		if command != "validate" { // whose result the faults are
			stdout = stderr
		}
		for line := range strings.Lines(stdout) {
			place, _, _ := strings.Cut(line, ": ")
			got = append(got, strings.TrimPrefix(place, dir+"/"))
		}
		slices.Sort(got)
		if d := cmp.Diff(want, got); status != process.ExitFailed || d != "" {
			t.Errorf("%s: status %d (-want +got):\n%s", command, status, d)
		}
	}
	if len(f.asked) > 0 {
		t.Errorf("sent %q", f.asked)
	}
}

func TestPlansOverTheLimitsAreNotSent(t *testing.T) {
	t.Parallel()
	f := &failing{}
	server := httptest.NewServer(f)
	defer server.Close()
	for name, tt := range map[string]struct {
		files map[string]string
		args  []string
		want  string
	}{
		"bytes":             {bigReports(9, "x"), nil, "the files up to here have more than 8388608 bytes"},
		"bytes as are sent": {bigReports(5, `"`), nil, "project.yaml: the folder has 10"},
		"assets": {
			map[string]string{"placements/many.yaml": "document: d\nhost: SHEETS_B\nitems:\n" + manyItems(2_000)},
			nil,
			"project.yaml: the folder has 2004 assets",
		},
		"an empty folder prunes nothing": {
			map[string]string{
				"reports/orders.yaml": "", "reports/orders.sql": "", "workbooks/board.yaml": "", "placements/sales.yaml": "",
				"schedules/daily.yaml": "",
			},
			[]string{"--prune"},
			"nothing is pruned from an empty folder",
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := writeProject(t, sampleProject(), tt.files)
			status, _, stderr := mooringAs(t, server.URL, "token", append([]string{"plan", dir}, tt.args...)...)
			if status != process.ExitFailed || !strings.Contains(stderr, tt.want) || len(f.asked) > 0 {
				t.Errorf("status %d, asked %q\n%.2000s", status, f.asked, stderr)
			}
		})
	}
}

// bigReports are reports of a megabyte of SQL each.
func bigReports(n int, letter string) map[string]string {
	files := map[string]string{}
	for i := range n {
		files[fmt.Sprintf("reports/big%d.yaml", i)] = fmt.Sprintf("publicId: BigReport%03d\n", i)
		files[fmt.Sprintf("reports/big%d.sql", i)] = "SELECT 1 -- " + strings.Repeat(letter, 1_000_000)
	}
	return files
}

func manyItems(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString("  - {report: OrdersReport, sheet: S, at: A" + strconv.Itoa(i+1) + "}\n")
	}
	return b.String()
}
