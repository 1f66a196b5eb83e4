package web

import (
	"net/http"
	"testing"

	"mooring/storage/record"
	"mooring/web/auth"
	"mooring/web/overview"
)

func TestStatsCountTheLists(t *testing.T) {
	withEngine(t, func(t *testing.T, a *api) {
		a.run(t, []step{
			report("Sales"),
			{name: "placed", method: "PUT", path: "/reports/{{id}}/connect-workbook", body: `{"externalWorkbookId":"one","resultLocation":"S!A1"}`, status: 200},
			{name: "a schedule", method: "POST", path: "/refresh-schedules", body: `{"target":{"reportId":{{id}}},"cron":"@yearly"}`, status: 200, keep: map[string]string{"schedule": "id"}},
			{name: "one that is paused", method: "POST", path: "/refresh-schedules", body: `{"target":{"reportId":{{id}}},"cron":"@yearly","paused":true}`, status: 200},
		})
		for _, placement := range []string{"p1", "p2", "p3"} {
			a.runOn(t, placement)
		}
		for _, window := range []string{"24h", "7d", "30d"} {
			var stats overview.StatsAnswer
			decodeInto(t, a.send(step{method: "GET", path: "/stats?window=" + window}), &stats)
			if runs := a.runsOn(t, "/refreshes?since="+stats.Since).ids; stats.Runs.Total != 3 || len(runs) != 3 || stats.Window != window {
				t.Errorf("window %s: %+v, the list has %v", window, stats.Runs, runs)
			}
			if stats.Schedules.Total != 2 || stats.Schedules.Paused != 1 || stats.Placements.Total != 1 || stats.Documents.Total != 1 {
				t.Errorf("window %s: %+v, %+v, %+v", window, stats.Schedules, stats.Placements, stats.Documents)
			}
			if last := stats.Hours[len(stats.Hours)-1]; stats.Since != stats.Hours[0].From || last.From > stats.Until || last.LatenessP50Ms != nil {
				t.Errorf("window %s: since %s, hours from %s to %+v", window, stats.Since, stats.Hours[0].From, last)
			}
		}
		a.run(t, []step{
			{name: "the window is a day unless it is said", method: "GET", path: "/stats", status: 200, holds: `{"window":"24h"}`},
			{name: "another one is told", method: "GET", path: "/stats?window=1y", status: 400, holds: `{"code":"invalid_parameter"}`},
			{name: "another deployment has its own", method: "GET", path: "/api/v1/deployments/2/stats", status: 200, holds: `{"runs":{"total":0},"placements":{"total":0},"schedules":{"total":0}}`},
		})
		a.tokens["other deployment"] = a.token(t, auth.Caller{
			Tenant: "acme", Deployments: []int64{2}, Actor: record.Actor{ID: 5, Actions: []string{record.ActionAll}},
		})
		for as, status := range map[string]int{
			"admin": 200, "viewer": 200, "editor2": 200, "stranger": http.StatusForbidden, "role7": http.StatusForbidden,
			"other deployment": http.StatusForbidden,
		} {
			if w := a.send(step{method: "GET", path: "/stats", as: as}); w.Code != status {
				t.Errorf("as %s: %d %s", as, w.Code, w.Body)
			}
		}
	})
}
