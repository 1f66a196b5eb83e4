package web

import (
	"fmt"
	"net/http"
	"sync"
	"testing"
)

// A report that is deleted without force leaves no chart and no schedule behind, whatever is written at the same time.
func TestAReportIsNotDeletedFromUnderAChartOrScheduleThatIsBeingWritten(t *testing.T) {
	withEngine(t, func(t *testing.T, a *api) {
		for i := range 20 {
			a.run(t, []step{report(fmt.Sprint("Sales ", i))})
			var deleted, used int
			var wg sync.WaitGroup
			wg.Go(func() { deleted = a.send(step{method: "DELETE", path: "/reports/{{id}}", as: "manager"}).Code })
			if i%2 == 0 {
				body := `{"meta":{"dashboardDraft":{"widgets":[{"type":"CHART","config":{"reportId":{{id}}}},{"type":"CHART","config":{"reportId":{{id}}}}]}}}`
				wg.Go(func() {
					used = a.send(step{method: "PUT", path: fmt.Sprint("/workbooks/by-slug/w", i), body: body}).Code
				})
			} else {
				body := `{"target":{"reportId":{{id}}},"cron":"@daily"}`
				wg.Go(func() { used = a.send(step{method: "POST", path: "/refresh-schedules", body: body}).Code })
			}
			wg.Wait()
			if (deleted == http.StatusOK) == (used == http.StatusOK) {
				t.Errorf("the report's deletion is answered %d, and what uses it %d", deleted, used)
			}
		}
	})
}
