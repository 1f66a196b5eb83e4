package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// storedSchedule is what the test reads of a schedule.
type storedSchedule struct {
	ID       int64
	Cron     []string
	Timezone string
	Target   struct {
		ReportID    int64
		PlacementID string
	}
}

// A person makes a schedule for a block by names alone, changes it, and finds it in the day of all schedules; its zone is the deployment's unless
// they say another.
func TestConsoleMakesAndEditsASchedule(t *testing.T) {
	t.Parallel()
	s := smallSite(t)
	at := s.filled.Placements[0]
	c := s.open(s.token, fmt.Sprintf("placements/%d/%s", at.ReportID, at.ID))
	c.click("New schedule")
	c.until(`location.hash.includes("/schedules/new")`)
	c.settled()
	c.until(`document.getElementById("schedule-target").selectedOptions[0]?.textContent.includes("›")`)
	c.fill("At", "0630AM")
	c.shows("weekdays 06:30 Berlin")
	c.looksRight("new")
	c.size(1280, 800)
	c.click("Save")
	c.shows("The schedule is made.")
	c.until(`/schedules\/\d+$/.test(location.hash)`)
	id := evalAs[int64](c.page, `Number(location.hash.split("/").pop())`)
	read := func() (one storedSchedule) {
		t.Helper()
		if err := s.api.do(t.Context(), "GET", fmt.Sprintf("/api/v1/deployments/1/refresh-schedules/%d", id), nil, &one); err != nil {
			t.Fatal(err)
		}
		return one
	}
	made := read()
	if !slices.Equal(made.Cron, []string{"30 6 * * 1-5"}) || made.Timezone != "Europe/Berlin" || made.Target.ReportID != at.ReportID || made.Target.PlacementID != at.ID {
		t.Errorf("made %+v for block %s of report %d", made, at.ID, at.ReportID)
	}
	c.settled()
	c.click("Edit")
	c.until(`location.hash.endsWith("/edit")`)
	c.settled()
	c.choose("schedule-often", "minutes")
	c.choose("schedule-minutes", "2")
	c.shows("It fires every 2 minutes")
	c.click("Save")
	c.shows("Saved.")
	if changed := read(); !slices.Equal(changed.Cron, []string{"*/2 * * * *"}) {
		t.Errorf("changed to %v", changed.Cron)
	}
	c.goTo(fmt.Sprintf("schedules?report=%d", at.ReportID))
	row := fmt.Sprintf(`[...document.querySelectorAll("#main tbody tr")].find((row) => row.querySelector("#edit-%d"))`, id)
	c.until(row)
	if words := evalAs[string](c.page, row+".innerText"); !strings.Contains(words, "every 2 minutes") {
		t.Errorf("the row says\n%s", words)
	}
	const frequent = `?.querySelector(".lane .band") && !!`
	if !evalAs[bool](c.page, "!!("+row+frequent+row+`.querySelector(".lane[aria-label*=' times between']"))`) {
		t.Error("what fires every two minutes is no band of the day")
	}
	c.goTo("schedules")
	c.until(`document.querySelector(".tick.SUCCEEDED[title*=succeeded]") && document.querySelector(".tick.FAILED[title*=failed]")`)
	c.shows("The query names a column that is not there")
	c.looksRight("schedules")
	c.size(1280, 800)
	c.goTo(fmt.Sprintf("schedules/%d/edit", id))
	c.choose("schedule-often", "custom")
	c.fill("Cron expressions, one a line", "61 * * * *")
	c.allow("status of 4")
	c.click("Save")
	c.until(`document.querySelector("[role=alert]").textContent.includes("cron")`)
	c.looksRight("refused")
	c.size(1280, 800)
	c.click("Delete")
	c.until(`location.hash.endsWith("/schedules")`)
}

// Filters choose by name: what is typed is found and suggested, and the address has the id.
func TestConsoleFiltersByName(t *testing.T) {
	t.Parallel()
	s := smallSite(t)
	report := s.filled.Reports[3]
	s.send("PUT", fmt.Sprintf("1/reports/%d", report), `{"name": "Turnover of all stores"}`)
	c := s.open(s.token, "placements")
	all := c.rows()
	c.fill("Report", "turnover of")
	c.until(`[...document.querySelectorAll("#filter-report-list option")].some((o) => o.value === "Turnover of all stores")`)
	c.press("\t")
	c.until(fmt.Sprintf(`location.hash.includes("report=%d")`, report))
	c.until(`document.getElementById("filter-report").value === "Turnover of all stores"`)
	c.settled()
	if n, want := c.rows(), len(s.items(fmt.Sprintf("placements?report=%d", report))); n != want || n == all {
		t.Errorf("%d rows, want %d of %d", n, want, all)
	}
	c.fill("Report", "nothing like that")
	c.press("\t")
	c.until(`document.getElementById("filter-report").validationMessage.includes("nothing like that")`)
	c.goTo("runs")
	c.until(`[...document.querySelectorAll("#main thead th")].some((th) => th.textContent === "Document")`)
	const bare = `[...document.querySelectorAll("#main tbody tr")].filter((row) => [...row.cells].some((cell) => /^Report \d+$/.test(cell.innerText.trim()))).length`
	if n := evalAs[int](c.page, bare); n != 0 {
		t.Errorf("%d runs name their report by its number", n)
	}
	c.goTo("placements?report=1&document=none")
	c.shows("No block matches these filters.")
	c.looksRight("filters")
}
