package web

import (
	"strings"
	"testing"
)

func TestSchedulesByKey(t *testing.T) {
	withEngine(t, func(t *testing.T, a *api) {
		const path = "/refresh-schedules/by-key/daily"
		a.run(t, []step{
			{name: "a report", method: "PUT", path: "/reports/by-public-id/Keyed0000001", body: `{"name":"R","sqlQuery":"SELECT 1"}`, status: 200, keep: map[string]string{"report": "id"}},
			{name: "placed", method: "PUT", path: "/reports/{{report}}/connect-workbook", body: `{"externalWorkbookId":"book","resultLocation":"Data!B2","placementId":"p1"}`, status: 200},
			{name: "an unknown key is 404", method: "GET", path: path, status: 404, holds: `{"code":"not_found"}`},
			{name: "creating needs a target and a time", method: "PUT", path: path, body: `{}`, status: 400, holds: `{"details":[{"pointer":"/cron"},{"pointer":"/target/reportId"}]}`},
			{
				name: "the first upsert creates", method: "PUT", path: path, status: 200, keep: map[string]string{"schedule": "id", "tag": "ETag"},
				body:  `{"cron":"@daily","target":{"publicId":"Keyed0000001","document":"book","address":"Data!B2"}}`,
				holds: `{"key":"daily","version":1,"target":{"reportId":{{report}},"placementId":"p1","publicId":"Keyed0000001","document":"book","address":"Data!B2"}}`,
			},
			{name: "it is read by its key", method: "GET", path: path, status: 200, holds: `{"id":{{schedule}}}`},
			{name: "with its ETag", method: "GET", path: path, header: map[string]string{"If-None-Match": "{{tag}}"}, status: 304},
			{name: "by who may read it", method: "GET", path: path, as: "stranger", status: 404},
			{name: "the next one updates", method: "PUT", path: path, body: `{"name":"N"}`, status: 200, holds: `{"id":{{schedule}},"name":"N","version":2}`},
			{name: "a stale If-Match is 412", method: "PUT", path: path, header: map[string]string{"If-Match": "{{tag}}"}, body: `{"name":"M"}`, status: 412},
			{name: "another key in the body is refused", method: "PUT", path: path, body: `{"key":"weekly"}`, status: 400, holds: `{"code":"schedule_key_fixed","details":[{"pointer":"/key"}]}`},
			{name: "a key that is none too", method: "PUT", path: "/refresh-schedules/by-key/No", body: `{}`, status: 400, holds: `{"code":"invalid_request"}`},
			{name: "a list has the one", method: "GET", path: "/refresh-schedules?key=daily", status: 200, holds: `{"items":[{"id":{{schedule}}}]}`},
			{name: "or none", method: "GET", path: "/refresh-schedules?key=weekly", status: 200, holds: `{"items":[]}`},
			{name: "a key is taken once", method: "POST", path: "/refresh-schedules", body: `{"key":"daily","cron":"@daily","target":{"reportId":{{report}}}}`, status: 409, holds: `{"code":"schedule_key_taken"}`},
			{name: "one without a key", method: "POST", path: "/refresh-schedules", body: `{"cron":"@daily","target":{"publicId":"Keyed0000001"}}`, status: 200, holds: `{"target":{"reportId":{{report}},"publicId":"Keyed0000001"}}`, keep: map[string]string{"other": "id"}},
			{name: "gets one", method: "PUT", path: "/refresh-schedules/{{other}}", body: `{"key":"weekly"}`, status: 200, holds: `{"key":"weekly","version":2}`},
			{name: "and keeps it", method: "PUT", path: "/refresh-schedules/{{other}}", body: `{"key":"monthly"}`, status: 400, holds: `{"code":"schedule_key_fixed"}`},
			{name: "who cannot see it cannot take its key", method: "PUT", path: path, as: "stranger", body: `{"cron":"@daily","target":{"publicId":"Keyed0000001"}}`, status: 400, holds: `{"code":"unknown_report"}`},
			{name: "deleted", method: "DELETE", path: "/refresh-schedules/{{other}}", status: 200},
			{name: "it leaves its key", method: "PUT", path: "/refresh-schedules/by-key/weekly", body: `{"cron":"@weekly","target":{"reportId":{{report}}}}`, status: 200, holds: `{"version":1}`},
		})
	})
}

// What is read may be sent back, whatever the target names: nothing changes.
func TestReadingAScheduleAndSendingItBackIsANoOp(t *testing.T) {
	withEngine(t, func(t *testing.T, a *api) {
		a.run(t, []step{
			{name: "a report", method: "PUT", path: "/reports/by-public-id/Keyed0000001", body: `{"name":"R","sqlQuery":"SELECT 1"}`, status: 200, keep: map[string]string{"report": "id"}},
			{name: "placed", method: "PUT", path: "/reports/{{report}}/connect-workbook", body: `{"externalWorkbookId":"book","resultLocation":"'My data'!B2","placementId":"p1"}`, status: 200},
			{name: "a report without a publicId", method: "POST", path: "/reports", body: `{"name":"S"}`, status: 200, keep: map[string]string{"plain": "id"}},
		})
		for fact, target := range map[string]string{
			"all": `{"reportId":{{report}}}`, "a document": `{"reportId":{{report}},"externalWorkbookId":"elsewhere"}`,
			"a placement": `{"reportId":{{report}},"placementId":"p1"}`, "no public id": `{"reportId":{{plain}}}`,
		} {
			key := "/refresh-schedules/by-key/" + strings.ReplaceAll(fact, " ", "-")
			made := step{method: "PUT", path: key, body: `{"cron":"@daily","target":` + target + `}`}
			if w := a.send(made); w.Code != 200 {
				t.Fatalf("%s: %d %s", fact, w.Code, w.Body)
			}
			read := a.send(step{method: "GET", path: key}).Body.String()
			back := step{method: "PUT", path: key, body: read, header: map[string]string{"Prefer": "handling=strict"}}
			if w := a.send(back); w.Header().Get("X-Mooring-Result") != "unchanged" {
				t.Errorf("%s: %d %s of\n%s", fact, w.Code, w.Body, read)
			}
		}
	})
}

func TestTargetsByPortableNames(t *testing.T) {
	withEngine(t, func(t *testing.T, a *api) {
		a.run(t, []step{
			{name: "a report", method: "PUT", path: "/reports/by-public-id/Keyed0000001", body: `{"name":"R","sqlQuery":"SELECT 1"}`, status: 200, keep: map[string]string{"report": "id"}},
			{name: "placed", method: "PUT", path: "/reports/{{report}}/connect-workbook", body: `{"externalWorkbookId":"book","resultLocation":"Data!B2","placementId":"p1"}`, status: 200},
		})
		for fact, tt := range map[string]struct{ target, holds string }{
			"both names":                 {`{"reportId":{{report}},"placementId":"p9","publicId":"Keyed0000001","document":"book","address":"data!$b$2"}`, `{"target":{"reportId":{{report}},"placementId":"p1"}}`},
			"names of two reports":       {`{"reportId":999,"publicId":"Keyed0000001","document":"book"}`, `{"code":"target_reports_differ","details":[{"pointer":"/target/reportId"}]}`},
			"a document":                 {`{"publicId":"Keyed0000001","document":"book"}`, `{"target":{"externalWorkbookId":"book","document":"book"}}`},
			"an address of the id's":     {`{"reportId":{{report}},"document":"book","address":"Data!B2"}`, `{"target":{"placementId":"p1"}}`},
			"a placement of the id's":    {`{"publicId":"Keyed0000001","placementId":"p1"}`, `{"target":{"placementId":"p1"}}`},
			"no report":                  {`{"document":"book"}`, `{"details":[{"pointer":"/target/reportId"}]}`},
			"an unknown report":          {`{"publicId":"Nothing00001"}`, `{"details":[{"pointer":"/target/publicId","code":"unknown_report"}]}`},
			"no document":                {`{"publicId":"Keyed0000001","address":"Data!B2"}`, `{"details":[{"pointer":"/target/document"}]}`},
			"no cell":                    {`{"publicId":"Keyed0000001","document":"book","address":"B2"}`, `{"details":[{"pointer":"/target/address","code":"invalid_address"}]}`},
			"where no placement stands":  {`{"publicId":"Keyed0000001","document":"book","address":"Data!B3"}`, `{"details":[{"pointer":"/target/address","code":"invalid_address"}]}`},
			"an unknown report by id":    {`{"reportId":999,"document":"book"}`, `{"code":"not_found"}`},
			"a document and a placement": {`{"publicId":"Keyed0000001","document":"book","placementId":"p1"}`, `{"target":{"externalWorkbookId":"book"}}`},
		} {
			status := 200
			if strings.Contains(tt.holds, `"details"`) {
				status = 400
			} else if strings.Contains(tt.holds, `not_found`) {
				status = 404
			}
			a.run(t, []step{{name: fact, method: "POST", path: "/refresh-schedules", body: `{"cron":"@daily","target":` + tt.target + `}`, status: status, holds: tt.holds}})
		}
	})
}

// What was read and had an id rewritten means what that id names; where nothing was rewritten, both names must agree.
func TestRewrittenTargetsCount(t *testing.T) {
	withEngine(t, func(t *testing.T, a *api) {
		const both = `"document":"book","address":"Data!B2"`
		rewrite := func(fact, target string, status int, holds string) step {
			return step{name: fact, method: "PUT", path: "/refresh-schedules/{{schedule}}", body: `{"target":` + target + `}`, status: status, holds: holds}
		}
		a.run(t, []step{
			{name: "a report", method: "PUT", path: "/reports/by-public-id/Target000001", body: `{"sqlQuery":"SELECT 1"}`, status: 200, keep: map[string]string{"one": "id"}},
			{name: "placed", method: "PUT", path: "/reports/{{one}}/connect-workbook", body: `{"externalWorkbookId":"book","resultLocation":"Data!B2","placementId":"p1"}`, status: 200},
			{name: "twice", method: "PUT", path: "/reports/{{one}}/connect-workbook", body: `{"externalWorkbookId":"book","resultLocation":"More!B2","placementId":"p2"}`, status: 200},
			{name: "another", method: "PUT", path: "/reports/by-public-id/Target000002", body: `{"sqlQuery":"SELECT 2"}`, status: 200, keep: map[string]string{"two": "id"}},
			{name: "a schedule", method: "POST", path: "/refresh-schedules", body: `{"cron":"@daily","target":{"publicId":"Target000001",` + both + `}}`, status: 200, keep: map[string]string{"schedule": "id"}},
			rewrite("a placement", `{"reportId":{{one}},"placementId":"p2","publicId":"Target000001",`+both+`}`, 200, `{"target":{"placementId":"p2","address":"More!B2"}}`),
			rewrite("the document", `{"reportId":{{one}},"placementId":"p2","publicId":"Target000001",`+both+`}`, 200, `{"target":{"placementId":"p1"}}`),
			rewrite("a report without such a placement", `{"reportId":{{two}},"placementId":"p1","publicId":"Target000001",`+both+`}`, 400, `{"details":[{"pointer":"/target/address"}]}`),
			{name: "place it there", method: "PUT", path: "/reports/{{two}}/connect-workbook", body: `{"externalWorkbookId":"book","resultLocation":"Data!F2","placementId":"p3"}`, status: 200},
			rewrite("a report", `{"reportId":{{two}},"publicId":"Target000001"}`, 200, `{"target":{"reportId":{{two}},"publicId":"Target000002"}}`),
			rewrite("what is stored, and another publicId", `{"reportId":{{two}},"publicId":"Target000001"}`, 400, `{"code":"target_reports_differ"}`),
		})
	})
}
