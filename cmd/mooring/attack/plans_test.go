//go:build unix

package attack

import (
	"fmt"
	"strings"

	"mooring/storage/record"
	"mooring/storage/record/recordtest"
)

// bossProject are assets of the boss that a project of theirs has applied, protected, and a report that everybody reads.
type bossProject struct {
	secret           string // in what the hidden ones are called and ask for
	hidden, readable string // publicIds
	key, document    string
}

const plansPath = "/api/v1/deployments/1/plans"

// apply plans a bundle and applies it, and returns the last answer.
func (a *attacker) apply(as, bundle string) answer {
	a.t.Helper()
	plan := a.send(as, "POST", plansPath, bundle)
	if !plan.ok() {
		return plan
	}
	a.send(as, "GET", plansPath+"/"+plan.get("id"), "")
	return a.send(as, "POST", plansPath+"/"+plan.get("id")+"/apply", "")
}

func (a *attacker) newManaged() bossProject {
	a.t.Helper()
	m := bossProject{hidden: "PlanHidden01", readable: "PlanReadable", key: "plan-hidden", document: "plan-hidden.xlsx"}
	m.secret = a.newSecret("what the boss's project says", func(person string) bool {
		for _, p := range append(recordtest.People(), recordtest.Makers()...) {
			if p.Name == person {
				return p.Level(recordtest.Hidden) >= record.MayRead
			}
		}
		return false
	})
	a.workbook(m.document, nil)
	bundle := `{"project":"boss","assets":[` + strings.Join(m.assets(), ",") + `]}`
	if got := a.apply(recordtest.Boss+" at work", bundle); !got.ok() {
		a.t.Fatalf("the boss's project: %d %s", got.status, got.text)
	}
	a.must(recordtest.Owner+" at work", "PUT", "/api/v1/deployments/1/reports/by-public-id/"+m.readable, `{"name":"Readable","sqlQuery":"SELECT 1 AS n"}`)
	id := a.must(recordtest.Owner+" at work", "GET", "/api/v1/deployments/1/reports/by-public-id/"+m.readable, "").get("id")
	a.must(recordtest.Owner+" at work", "PUT", "/api/v1/deployments/1/reports/"+id+"/access", `{"rolesWithAccess":[{"id":7,"name":"R","actions":["ReportEdit"]}]}`)
	return m
}

// assets are those of the boss's bundle: report, placement and schedule.
func (m bossProject) assets() []string {
	return []string{
		fmt.Sprintf(`{"kind":"report","ref":%q,"protect":true,"definition":{"name":"%s","title":"%s","sqlQuery":"SELECT '%s' AS text"}}`, m.hidden, m.secret, m.secret, m.secret),
		m.placement("B2"),
		fmt.Sprintf(`{"kind":"schedule","ref":%q,"protect":true,"definition":{"name":"%s","cron":["17 3 * * *"],"target":{"publicId":%q}}}`, m.key, m.secret, m.hidden),
	}
}

func (m bossProject) placement(cell string) string {
	return fmt.Sprintf(`{"kind":"placement","ref":"%s/Sheet1!%s","definition":{"report":%q,"host":"SHEETS_B","document":%q,"sheet":"Sheet1","anchor":%q}}`,
		m.document, cell, m.hidden, m.document, cell)
}

// bundles are what others want of the boss's assets, by the project in whose name they want it.
func (m bossProject) bundles() map[string]string {
	schedule := func(definition string) string {
		return fmt.Sprintf(`{"kind":"schedule","ref":%q,"definition":{%s}}`, m.key, definition)
	}
	reaimed := schedule(fmt.Sprintf(`"cron":["@hourly"],"target":{"publicId":%q}`, m.readable))
	report := func(definition string) string {
		return fmt.Sprintf(`{"kind":"report","ref":%q,"definition":{%s}}`, m.hidden, definition)
	}
	own := fmt.Sprintf(`{"kind":"report","ref":%q,"definition":{"name":"Readable","sqlQuery":"SELECT 1 AS n"}}`, m.readable)
	names := fmt.Sprintf(`["report:%s","schedule:%s","placement:%s/Sheet1!B2"]`, m.hidden, m.key, m.document)
	list := map[string]string{}
	for project, more := range map[string]string{"boss": "", "theirs": `,"takeOver":` + names, "others": `,"adopt":` + names} {
		for what, assets := range map[string]string{
			"a schedule aimed elsewhere":  reaimed,
			"a schedule paused":           schedule(fmt.Sprintf(`"cron":["17 3 * * *"],"paused":true,"target":{"publicId":%q}`, m.hidden)),
			"a schedule at another time":  schedule(fmt.Sprintf(`"cron":["@hourly"],"target":{"publicId":%q}`, m.hidden)),
			"a report renamed":            report(`"name":"Mine"`),
			"a report of the same query":  report(`"title":"Mine"`),
			"protection taken off":        strings.ReplaceAll(strings.Join(m.assets(), ","), `"protect":true,`, ""),
			"a placement moved":           m.placement("H2"),
			"a placement of their report": strings.Replace(m.placement("B2"), m.hidden, m.readable, 1),
			"nothing of it":               own,
		} {
			list[what+" by project "+project] = fmt.Sprintf(`{"project":%q,"assets":[%s]%s}`, project, assets, more)
			list[what+" and the rest pruned, by project "+project] = fmt.Sprintf(`{"project":%q,"assets":[%s],"prune":{"limit":50},"detach":true%s}`, project, assets, more)
		}
	}
	return list
}

// planChanges has those who may not edit the boss's assets plan and apply changes of them.
func (a *attacker) planChanges() {
	m := a.newManaged()
	n := 0
	for _, p := range recordtest.People() {
		if p.Level(recordtest.Hidden) >= record.MayEdit {
			continue
		}
		for what, bundle := range m.bundles() {
			if n++; !a.whole && n%19 != 0 {
				continue
			}
			before := a.bossAssets(m)
			a.apply(p.Name, bundle)
			a.send(p.Name, "GET", "/api/v1/deployments/1/managed?project=boss&adopt=all", "")
			faults := a.takeLeaks()
			if now := a.bossAssets(m); now != before {
				faults = append(faults, fmt.Sprintf("%s: %s: %s", p.Name, what, firstDifference(before, now)))
				a.apply(recordtest.Boss+" at work", strings.Replace(`{"project":"boss","assets":[`+strings.Join(m.assets(), ",")+`],TAKE}`, "TAKE",
					fmt.Sprintf(`"takeOver":["report:%s","schedule:%s","placement:%s/Sheet1!B2"]`, m.hidden, m.key, m.document), 1))
			}
			a.tries(4, "plans of what the planner may not edit", faults)
		}
	}
}

// bossAssets is what the boss's assets are.
func (a *attacker) bossAssets(m bossProject) string {
	a.t.Helper()
	const at, boss = "/api/v1/deployments/1/", recordtest.Boss
	var all strings.Builder
	for _, path := range []string{"reports/by-public-id/" + m.hidden, "refresh-schedules/by-key/" + m.key} {
		all.WriteString(stable(`{"items":[` + a.send(boss, "GET", at+path, "").text + `]}`))
	}
	return all.String() + stable(a.send(boss, "GET", at+"managed?project=boss", "").text) +
		stable(a.send(boss, "GET", "/api/v1/external-documents/"+m.document+"/placements", "").text)
}
