package main

import (
	"fmt"
	"strings"
	"testing"

	"mooring/placements"
)

// hostileNames are names that try to be more than text, or to be wider or of another direction than what stands around.
func hostileNames() []string {
	return []string{
		`<img src=x onerror="window.owned = true">`, strings.Repeat("W", 255), "Umsatz \u202e evil \u202c תקציב שנתי",
		"مبيعات " + strings.Repeat("الربع ", 30), "</title><script>window.owned = true</script>", "javascript:window.owned=true",
	}
}

// Whatever people call things, every screen shows it as it is, is not widened by it and runs none of it; looked at in both themes, on a
// phone and on a desk.
func TestConsoleHostileNames(t *testing.T) {
	t.Parallel()
	s := smallSite(t)
	runs, long := s.runs(), strings.Repeat("x\u202e<b>", 2000)
	for i, name := range hostileNames() {
		report := s.filled.Reports[i]
		s.send("PUT", fmt.Sprintf("1/reports/%d", report), jsonOf(t, map[string]any{
			"name": name, "description": long, "sqlQuery": "SELECT '" + long + "' -- " + name, "rowKey": []string{name},
		}))
		s.send("PUT", fmt.Sprintf("1/reports/%d/connect-workbook", report), jsonOf(t, map[string]any{
			"externalWorkbookId": name, "workbookName": name, "resultLocation": "'<b>'!B2", "host": "SHEETS_A", "addressOnly": true,
		}))
		s.send("POST", "1/refresh-schedules", jsonOf(t, map[string]any{
			"name": name, "cron": []string{"0 7 * * *"}, "timezone": "Europe/Berlin", "target": map[string]any{"reportId": report},
		}))
		s.send("POST", "1/workbooks", jsonOf(t, map[string]any{"name": name}))
		runs.ended(report, placements.RunFailed, name+long)
	}
	token := s.key("7", "--action", "All", "--name", hostileNames()[0], "--email", strings.Repeat("w", 200)+"@example.com")
	c := s.open(token, "overview")
	report := s.filled.Reports[0]
	var placed struct {
		Placements []placements.Placement `json:"externalWorkbookPlacements"`
	}
	if err := s.api.do(t.Context(), "GET", fmt.Sprintf("/api/v1/deployments/1/reports/%d", report), nil, &placed); err != nil {
		t.Fatal(err)
	}
	block := placed.Placements[len(placed.Placements)-1].ID
	screens := append(append([]string{}, consoleScreens...), s.details()...)
	for _, screen := range append(screens, fmt.Sprintf("placements/%d/%s", report, block), "runs/"+runs.ended(report, placements.RunFailed, long), "nothing") {
		c.goTo(screen)
		c.looksRight(strings.NewReplacer("/", "-", ":", "-").Replace(screen))
		if evalAs[bool](c.page, `!!window.owned || !!document.querySelector("#main img, #main script, #main b b")`) {
			t.Errorf("%s: a name became an element", screen)
		}
		c.size(1280, 800)
	}
	c.goTo("reports?search=" + "onerror")
	c.shows(hostileNames()[0])
}
