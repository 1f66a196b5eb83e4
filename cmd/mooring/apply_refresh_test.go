package main

import (
	"encoding/json"
	"strings"
	"testing"

	"mooring/cmd/mooring/process"
	"mooring/storage/storagetest"
)

// An apply ends with what is not refreshed yet; with --refresh it refreshes what it made and changed, and no more.
func TestApplyRefreshes(t *testing.T) {
	t.Parallel()
	p := &project{newCodeSite(t, storagetest.Redis(t), 2), writeProject(t, sampleProject(), map[string]string{
		"reports/other.yaml":    "publicId: OtherReport1\nname: Other\nsource: SHEETS_B\n",
		"reports/other.sql":     "SELECT 1 AS one",
		"placements/other.yaml": "document: orders.xlsx\nhost: SHEETS_B\nitems:\n  - {report: OtherReport1, sheet: Sheet1, at: H2}\n",
	})}
	p.shows(process.ExitDone, "Not refreshed yet: 2 blocks: Sheet1!B2 in orders.xlsx, Sheet1!H2 in orders.xlsx.", "apply", "{}", "--approve")
	p.edit("reports/orders.sql", "ORDER BY id", "WHERE id < 3 ORDER BY id")
	out := p.run(process.ExitDone, "apply", "{}", "--approve", "--refresh")
	if !strings.Contains(out, "Sheet1!B2 in orders.xlsx: refreshed, 3 rows written") || strings.Contains(out, "Sheet1!H2") {
		t.Errorf("it shows\n%s", out)
	}
	if out := p.run(process.ExitDone, "apply", "{}", "--approve", "--refresh"); strings.Contains(out, "Sheet1!") {
		t.Errorf("an apply without a change shows\n%s", out)
	}
	p.edit("reports/orders.sql", "WHERE id < 3", "WHERE abs(id) < 3 AND abs(-9223372036854775807 - id) > 0") // an overflow once it runs
	p.shows(process.ExitFailed, "1 block not refreshed; what was applied stays", "apply", "{}", "--approve", "--refresh")
	p.applied("dev")
}

// A block that cannot be written where it is to go is a conflict, which has a status of its own.
func TestApplyRefreshEndsWithAConflict(t *testing.T) {
	t.Parallel()
	p := &project{newCodeSite(t, storagetest.Redis(t), 2), writeProject(t, sampleProject())}
	p.run(process.ExitDone, "apply", "{}", "--approve", "--refresh")
	p.edit("placements/sales.yaml", "at: B2}", "at: B2}\n  - {report: OrdersReport, sheet: Sheet1, at: C4}")
	p.shows(process.ExitConflict, "conflict", "apply", "{}", "--approve", "--refresh")
}

// Without an agent the wait ends, and what was applied stays.
func TestApplyRefreshWaitsNoLongerThanItIsTold(t *testing.T) {
	t.Parallel()
	p := &project{newCodeSite(t, storagetest.Redis(t), 2, "--agent=false"), writeProject(t, sampleProject())}
	p.shows(process.ExitFailed, "was not refreshed in time", "apply", "{}", "--approve", "--refresh", "--timeout", "1s")
	p.applied("dev")
}

// A schedule without a key is pulled under one made of its name; the next plan adopts it, and the apply stores the key in the same schedule.
func TestScheduleWithoutAKey(t *testing.T) {
	t.Parallel()
	p := &project{newCodeSite(t, storagetest.Redis(t), 2), writeProject(t, sampleProject())}
	p.run(process.ExitDone, "apply", "{}", "--approve")
	var made [3]struct{ ID int64 }
	for i, name := range []string{"Daily", "Every Night!", "Every night"} {
		text := p.send("POST", "1/refresh-schedules", `{"name":"`+name+`","cron":["0 3 * * *"],"target":{"publicId":"OrdersReport"}}`)
		if err := json.Unmarshal(text, &made[i]); err != nil {
			t.Fatal(err)
		}
	}
	p.shows(process.ExitDone, "+ schedules/every-night.yaml", "pull", "{}", "--adopt", "schedule:#3")
	p.run(process.ExitDone, "pull", "{}", "--adopt", "all")
	for file, key := range map[string]string{"daily-2": "daily-2", "every-night": "every-night", "every-night-2": "every-night-2"} {
		text := p.file("schedules/" + file + ".yaml")
		if !strings.HasPrefix(text, "# yaml-language-server: $schema=../.mooring/schedule.schema.json\n") || !strings.Contains(text, "\nkey: "+key+"\n") {
			t.Errorf("%s:\n%s", file, text)
		}
	}
	p.shows(process.ExitDone, "3 to adopt", "plan", "{}")
	p.run(process.ExitDone, "plan", "{}", "--adopt", "schedule:#3")
	p.run(process.ExitFailed, "plan", "{}", "--adopt", "schedule:#99")
	p.run(process.ExitDone, "apply", "{}", "--approve")
	p.applied("dev")
	var kept struct {
		Items []struct {
			ID      int64
			Key     string
			Version int64
		}
	}
	if err := json.Unmarshal(p.send("GET", "1/refresh-schedules", ""), &kept); err != nil {
		t.Fatal(err)
	}
	keys := map[int64]string{}
	for _, c := range kept.Items {
		keys[c.ID] = c.Key
	}
	if len(keys) != 4 || keys[made[0].ID] != "daily-2" || keys[made[1].ID] != "every-night" || keys[made[2].ID] != "every-night-2" {
		t.Errorf("schedules %v", keys)
	}
	p.send("GET", "1/refresh-schedules/by-key/every-night", "")
}

// A workbook without a slug has no name in files: a pull that adopts all says which one it leaves out.
func TestPullSaysWhichWorkbookItLeavesOut(t *testing.T) {
	t.Parallel()
	p := &project{newCodeSite(t, "embedded", 2), writeProject(t, sampleProject())}
	p.run(process.ExitDone, "apply", "{}", "--approve")
	p.send("POST", "1/workbooks", `{"name":"Nameless"}`)
	p.shows(process.ExitDone, `workbook #2 "Nameless" is left out: it has no slug`, "pull", "{}", "--adopt", "all")
	if out := p.run(process.ExitDone, "pull", "{}"); strings.Contains(out, "left out") {
		t.Errorf("nothing is adopted, and it says %s", out)
	}
}

// A new file is a new schedule, unless one of that name refreshes the same report.
func TestScheduleWithoutAKeyOfAnotherReport(t *testing.T) {
	t.Parallel()
	p := &project{newCodeSite(t, storagetest.Redis(t), 2), writeProject(t, sampleProject())}
	p.send("POST", "1/reports", `{"name":"Bobs","publicId":"BobsReport01","sqlQuery":"SELECT 1"}`)
	p.send("POST", "1/refresh-schedules", `{"name":"Daily","cron":["0 3 * * *"],"target":{"publicId":"BobsReport01"}}`)
	p.shows(process.ExitDone, "+ create schedule:daily", "plan", "{}")
	p.shows(process.ExitDone, "~ update schedule:daily", "plan", "{}", "--adopt", "schedule:#1")
}
