package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"mooring/cmd/mooring/process"

	"pgregory.net/rapid"
)

// stateCount is how many states of a server the property is tried on; -rapid.checks asks for more.
const stateCount = 30

// What is pulled, whatever the server has, plans nothing but who manages it; once that is applied, plans and pulls find nothing to do.
func TestPullThenPlanIsEmptyForStatesOfTheServer(t *testing.T) {
	t.Parallel()
	checks := flag.Lookup("rapid.checks")
	if checks.Value.String() == checks.DefValue {
		if err := checks.Value.Set(fmt.Sprint(stateCount)); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = checks.Value.Set(checks.DefValue) })
	}
	s := newCodeSite(t, "embedded", 400)
	deployment, seen := 0, map[string]int{}
	rapid.Check(t, func(rt *rapid.T) {
		if deployment++; deployment > 400 {
			rt.Skip("no deployment is left")
		}
		state := &serverState{T: rt, site: s, deployment: deployment}
		state.make()
		p := &quickProject{site: s, dir: writeProject(t, map[string]string{
			"project.yaml": fmt.Sprintf("project: p%d\nenvironments: {dev: {deployment: %d, roles: {viewers: 12}}}\n", deployment, deployment),
		})}
		defer os.RemoveAll(p.dir)
		p.run(rt, process.ExitDone, "pull", p.dir, "--adopt", "all")
		p.run(rt, process.ExitDone, "validate", p.dir)
		if out := p.run(rt, process.ExitDone, "plan", p.dir, "--format", "json"); !onlyAdopts(rt, out, seen) {
			rt.Fatalf("after pull, plan says\n%s", out)
		}
		p.run(rt, process.ExitDone, "apply", p.dir, "--approve")
		p.run(rt, process.ExitDone, "plan", p.dir, "--detailed-exitcode")
		if out := p.run(rt, process.ExitDone, "pull", p.dir); strings.Contains(out, ".yaml") {
			rt.Fatalf("a second pull says\n%s", out)
		}
		p.run(rt, process.ExitDone, "drift", p.dir, "--detailed-exitcode")
		state.editByHand()
		p.run(rt, process.ExitDone, "pull", p.dir)
		p.run(rt, process.ExitDone, "validate", p.dir)
		p.run(rt, process.ExitDone, "plan", p.dir, "--detailed-exitcode")
		p.run(rt, process.ExitDone, "drift", p.dir, "--detailed-exitcode")
	})
	if len(seen) != 4 {
		t.Errorf("assets seen: %v, want all kinds", seen)
	}
}

// quickProject runs commands on a folder in this process.
type quickProject struct {
	site *codeSite
	dir  string
}

func (p *quickProject) run(t *rapid.T, want int, args ...string) string {
	status, stdout, stderr := mooringAs(p.site.t, p.site.base, p.site.token, args...)
	if status != want {
		t.Fatalf("%q: status %d\n%s%s", args, status, stdout, stderr)
	}
	return stdout
}

// onlyAdopts reports whether a plan changes nothing but who manages assets, and counts these by kind.
func onlyAdopts(t *rapid.T, plan string, seen map[string]int) bool {
	var p struct {
		Assets []struct{ Kind, Action string }
	}
	if err := json.Unmarshal([]byte(plan), &p); err != nil {
		t.Fatal(err)
	}
	for _, a := range p.Assets {
		if a.Action != "adopt" {
			return false
		}
		seen[a.Kind]++
	}
	return true
}

// serverState makes assets in a deployment that has none.
type serverState struct {
	*rapid.T
	site       *codeSite
	deployment int
	reports    []savedReport
}

type savedReport struct {
	ID       int64
	PublicID string
	asks     bool // it has parameters
}

// make sends requests as people and programs do: with publicIds and without, with what is optional and without.
func (s *serverState) make() {
	for i := range rapid.IntRange(0, 3).Draw(s.T, "reports") {
		s.report(i)
	}
	if len(s.reports) == 0 {
		return
	}
	for i := range rapid.IntRange(0, 3).Draw(s.T, "placements") {
		s.placement(i)
	}
	for i := range rapid.IntRange(0, 2).Draw(s.T, "workbooks") {
		s.workbook(i)
	}
	for i := range rapid.IntRange(0, 2).Draw(s.T, "schedules") {
		s.schedule(i)
	}
}

// text draws a text that YAML has to be careful with.
func (s *serverState) text(name string) string {
	return rapid.OneOf(
		rapid.StringMatching(`[a-zA-Z ]{1,12}`),
		rapid.SampledFrom([]string{"a: b", "${x}", "$${x}", "# no", "yes", "1", "a\nb\n", "ü😀", "'\"\\", "- a", "a\n\nb", " a"}),
	).Draw(s.T, name)
}

// some adds members to a body, or leaves them out.
func (s *serverState) some(body map[string]any, members map[string]func() any) {
	for name, draw := range members {
		if rapid.Bool().Draw(s.T, name+"?") {
			body[name] = draw()
		}
	}
}

func (s *serverState) send(method, path string, body any) []byte {
	text, err := json.Marshal(body)
	if err != nil {
		s.Fatal(err)
	}
	return s.site.send(method, fmt.Sprintf("%d/%s", s.deployment, path), string(text))
}

func (s *serverState) report(i int) {
	body := map[string]any{"name": fmt.Sprintf("r%d.%d %s", s.deployment, i, s.text("name")), "sqlQuery": "SELECT 1 -- " + s.text("sql")}
	if rapid.Bool().Draw(s.T, "clash?") { // with what other reports show, here and in other deployments
		body["name"], body["sqlQuery"] = "clash", "SELECT 1"
	}
	asks := rapid.Bool().Draw(s.T, "parameters?")
	if asks {
		body["sqlQuery"], body["parameters"] = "SELECT @region WHERE 1 IN (@ids)", s.parameters()
	}
	s.some(body, map[string]func() any{
		"publicId":    func() any { return fmt.Sprintf("State%03dRep%d", s.deployment, i) },
		"title":       func() any { return s.text("title") },
		"description": func() any { return s.text("description") },
		"meta":        func() any { return map[string]any{"a": s.text("meta"), "n": s.number(), "of": []any{nil, true}} },
		"folderId":    func() any { return 7 },
		"source":      func() any { return "SHEETS_B" },
		"rowKey":      func() any { return []string{"a"} },
		"pivotItems": func() any {
			pivot := map[string]any{"rows": []string{s.text("row")}, "columns": []string{}, "measures": []string{}, "filters": []string{}}
			s.some(pivot, map[string]func() any{
				"displayScale":     func() any { return rapid.SampledFrom([]string{"model", "millions"}).Draw(s.T, "scale") },
				"measuresAxis":     func() any { return rapid.SampledFrom([]string{"columns", "rows"}).Draw(s.T, "axis") },
				"measuresPosition": func() any { return "before" },
			})
			return pivot
		},
	})
	var made savedReport
	if err := json.Unmarshal(s.send("POST", "reports", body), &made); err != nil {
		s.Fatal(err)
	}
	if rapid.Bool().Draw(s.T, "access?") {
		s.send("PUT", fmt.Sprintf("reports/%d/access", made.ID), map[string]any{
			"rolesWithAccess": []any{map[string]any{"id": 12, "name": "viewers", "actions": []string{"ReportRead"}}},
		})
	}
	made.asks = asks
	s.reports = append(s.reports, made)
}

// parameters are those of a report.
func (s *serverState) parameters() []any {
	region := map[string]any{"name": "region", "type": "text", "fromCells": true}
	ids := map[string]any{"name": "ids", "type": "number", "list": true}
	s.some(region, map[string]func() any{
		"title": func() any { return s.text("title") }, "default": func() any { return s.text("default") },
	})
	s.some(ids, map[string]func() any{
		"default": func() any { return []any{1, 2.5} }, "allowed": func() any { return []any{1, 2.5, 1e-7, -3} }, "fromCells": func() any { return false },
	})
	return []any{region, ids}
}

// number draws a number that programs write in several ways.
func (s *serverState) number() json.Number {
	return json.Number(rapid.SampledFrom([]string{"1.5", "1e-7", "-0.0", "123456789012345680.0", "1E+3", "0.10", "12345678901234567890123"}).Draw(s.T, "number"))
}

// editByHand changes what files may have and what they leave out, and deletes a report that others use.
func (s *serverState) editByHand() {
	for _, r := range s.reports {
		body := map[string]any{}
		s.some(body, map[string]func() any{
			"title":       func() any { return s.text("title") },
			"description": func() any { return s.text("description") },
			"sqlQuery":    func() any { return rapid.SampledFrom([]string{"", "SELECT 2"}).Draw(s.T, "sql") },
			"folderId":    func() any { return rapid.SampledFrom([]any{nil, 8}).Draw(s.T, "folder") },
			"meta":        func() any { return map[string]any{"b": s.number()} },
			"rowKey":      func() any { return rapid.SampledFrom([]any{nil, []string{"b"}}).Draw(s.T, "key") },
		})
		if body["sqlQuery"] != nil {
			body["parameters"] = nil
		}
		s.send("PUT", fmt.Sprintf("reports/%d", r.ID), body)
	}
	if len(s.reports) > 0 && rapid.Bool().Draw(s.T, "force?") {
		s.site.send("DELETE", fmt.Sprintf("%d/reports/%d?force=true", s.deployment, s.one().ID), "")
	}
}

// one draws one of the reports.
func (s *serverState) one() savedReport { return rapid.SampledFrom(s.reports).Draw(s.T, "report") }

func (s *serverState) placement(i int) {
	of := s.one()
	body := map[string]any{
		"externalWorkbookId": rapid.SampledFrom([]string{"orders.xlsx", "b ${x}.xlsx"}).Draw(s.T, "document"),
		"resultLocation":     fmt.Sprintf("%s!B%d", rapid.SampledFrom([]string{"Data", "'It''s'"}).Draw(s.T, "sheet"), 10*i+2),
		"host":               "SHEETS_B", "addressOnly": true,
	}
	if of.asks && rapid.Bool().Draw(s.T, "values?") {
		region := map[string]any{"value": s.text("value")}
		if rapid.Bool().Draw(s.T, "cell?") {
			region = map[string]any{"cell": rapid.SampledFrom([]string{"Setup!B2", "'It''s'!$a$1", "data!a1:A1"}).Draw(s.T, "cell")}
		}
		body["parameters"] = map[string]any{"region": region, "ids": map[string]any{"value": []any{2.5, 1}}}
	}
	s.send("PUT", fmt.Sprintf("reports/%d/connect-workbook", of.ID), body)
}

func (s *serverState) workbook(i int) {
	body := map[string]any{"name": "w" + s.text("name")}
	s.some(body, map[string]func() any{
		"slug": func() any { return fmt.Sprintf("state%d-%d", s.deployment, i) },
		"meta": func() any { return map[string]any{"a": s.text("meta")} },
	})
	var made struct{ ID int64 }
	if err := json.Unmarshal(s.send("POST", "workbooks", body), &made); err != nil {
		s.Fatal(err)
	}
	if !rapid.Bool().Draw(s.T, "dashboard?") {
		return
	}
	draft := map[string]any{"kind": "CLASSIC", "title": s.text("title"), "widgets": []any{
		map[string]any{"id": "a", "type": "CHART", "config": map[string]any{"reportId": s.one().ID, "color": s.text("color")}},
		map[string]any{"id": "b", "type": "TEXT", "config": map[string]any{"text": s.text("text")}},
	}}
	s.send("PUT", fmt.Sprintf("workbooks/%d/dashboard", made.ID), map[string]any{"dashboardDraft": draft})
}

func (s *serverState) schedule(i int) {
	body := map[string]any{
		"cron":   rapid.SampledFrom([][]string{{"@daily"}, {"0 7 * * *", "0 9 * * 1-5"}}).Draw(s.T, "cron"),
		"target": map[string]any{"reportId": s.one().ID},
	}
	s.some(body, map[string]func() any{
		"name":     func() any { return s.text("name") },
		"timezone": func() any { return "Europe/Berlin" },
		"paused":   func() any { return true },
		"catchUp":  func() any { return "skip" },
		"overlap":  func() any { return "queue" },
	})
	if rapid.Bool().Draw(s.T, "key?") {
		s.send("PUT", fmt.Sprintf("refresh-schedules/by-key/key%d", i), body)
		return
	}
	s.send("POST", "refresh-schedules", body)
}
