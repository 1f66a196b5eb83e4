package web

import "testing"

func TestReadingByPortableIds(t *testing.T) {
	each(t, func(t *testing.T, a *api) {
		a.run(t, []step{
			{name: "a report", method: "PUT", path: "/reports/by-public-id/Portable0001", body: `{"name":"Sales","sqlQuery":"SELECT 1"}`, status: 200, keep: map[string]string{"id": "id"}},
			{name: "is read by its publicId", method: "GET", path: "/reports/by-public-id/Portable0001", status: 200, holds: `{"id":{{id}},"name":"Sales"}`, keep: map[string]string{"tag": "ETag"}},
			{name: "with its ETag", method: "GET", path: "/reports/by-public-id/Portable0001", header: map[string]string{"If-None-Match": "{{tag}}"}, status: 304},
			{name: "by who may read it", method: "GET", path: "/reports/by-public-id/Portable0001", as: "stranger", status: 404},
			{name: "in its deployment", method: "GET", path: "/api/v1/deployments/2/reports/by-public-id/Portable0001", status: 404},
			{name: "an unknown publicId is 404", method: "GET", path: "/reports/by-public-id/Portable0009", status: 404, holds: `{"code":"not_found"}`},
			{name: "so is what is none", method: "GET", path: "/reports/by-public-id/short", status: 404},
			{name: "a list has the one", method: "GET", path: "/reports?publicId=Portable0001", status: 200, holds: `{"items":[{"id":{{id}}}]}`},
			{name: "a list has none", method: "GET", path: "/reports?publicId=Portable0009", status: 200, holds: `{"items":[]}`},
			{name: "a filter that is no publicId is told", method: "GET", path: "/reports?publicId=x", status: 400, holds: `{"code":"invalid_parameter"}`},

			{name: "a report without a publicId", method: "POST", path: "/reports", body: `{"name":"Old"}`, status: 200, keep: map[string]string{"old": "id", "shown": "publicId"}},
			{name: "is read by the id that it shows", method: "GET", path: "/reports/by-public-id/{{shown}}", status: 200, holds: `{"id":{{old}}}`},
			{name: "in its deployment only", method: "GET", path: "/api/v1/deployments/2/reports/by-public-id/{{shown}}", status: 404},
			{name: "its twin", method: "POST", path: "/reports", body: `{"name":"Old"}`, status: 200, holds: `{"publicId":"{{shown}}"}`},
			{name: "makes the id ambiguous", method: "GET", path: "/reports/by-public-id/{{shown}}", status: 409, holds: `{"code":"ambiguous_legacy_id","retryable":false}`},
			{name: "which who may read neither does not learn", method: "GET", path: "/reports/by-public-id/{{shown}}", as: "stranger", status: 404},
			{name: "a list has both", method: "GET", path: "/reports?publicId={{shown}}", status: 200, holds: `{"items":[{},{}]}`},

			{name: "a workbook", method: "PUT", path: "/workbooks/by-slug/Sales-2026", body: `{"name":"W"}`, status: 200, keep: map[string]string{"book": "id"}},
			{name: "is read by its slug, in whatever case", method: "GET", path: "/workbooks/by-slug/SALES-2026", status: 200, holds: `{"id":{{book}},"slug":"sales-2026"}`},
			{name: "by who may read it", method: "GET", path: "/workbooks/by-slug/sales-2026", as: "stranger", status: 404},
			{name: "an unknown slug is 404", method: "GET", path: "/workbooks/by-slug/none", status: 404},
			{name: "so is what is none", method: "GET", path: "/workbooks/by-slug/-", status: 404},
			{name: "a list has the one", method: "GET", path: "/workbooks?slug=Sales-2026", status: 200, holds: `{"items":[{"id":{{book}}}]}`},
			{name: "a list has none", method: "GET", path: "/workbooks?slug=none", status: 200, holds: `{"items":[]}`},
			{name: "a filter that is no slug is told", method: "GET", path: "/workbooks?slug=-", status: 400, holds: `{"code":"invalid_parameter"}`},
		})
	})
}

// A write says in X-Mooring-Result what it did (decisions.md §1).
func TestWritesTellWhatTheyDid(t *testing.T) {
	each(t, func(t *testing.T, a *api) {
		a.run(t, []step{report("Sales")})
		for _, tc := range []struct{ fact, method, path, body, want string }{
			{"a first upsert creates", "PUT", "/reports/by-public-id/Effects00001", `{"name":"N"}`, "created"},
			{"the same again", "PUT", "/reports/by-public-id/Effects00001", `{"name":"N"}`, "unchanged"},
			{"another name", "PUT", "/reports/by-public-id/Effects00001", `{"name":"M"}`, "updated"},
			{"from what this process remembers", "PUT", "/reports/by-public-id/Effects00001", `{"name":"M"}`, "unchanged"},
			{"an address alone", "PUT", "/reports/by-public-id/Effects00001", `{"externalWorkbookId":"d","resultLocation":"S!A1"}`, "updated"},
			{"the same address", "PUT", "/reports/by-public-id/Effects00001", `{"externalWorkbookId":"d","resultLocation":"S!A1"}`, "unchanged"},
			{"a workbook", "PUT", "/workbooks/by-slug/effects", `{"meta":{"a":1}}`, "created"},
			{"the same workbook", "PUT", "/workbooks/by-slug/effects", `{"meta":{"a":1}}`, "unchanged"},
			{"more meta", "PUT", "/workbooks/by-slug/effects", `{"meta":{"b":1}}`, "updated"},
			{"a connect", "PUT", connectPath, `{"externalWorkbookId":"d","resultLocation":"S!A1","addressOnly":true}`, "created"},
			{"the same address again", "PUT", connectPath, `{"externalWorkbookId":"d","resultLocation":"S!A1","addressOnly":true}`, "unchanged"},
			{"a data write", "PUT", connectPath, `{"externalWorkbookId":"d","resultLocation":"S!A1"}`, "updated"},
			{"a disconnect of nothing", "DELETE", connectPath, `{"placementId":"p9"}`, "unchanged"},
			{"a disconnect", "DELETE", connectPath, `{"resultLocation":"S!A1"}`, "updated"},
		} {
			w := a.send(step{method: tc.method, path: tc.path, body: tc.body})
			if got := w.Header().Get("X-Mooring-Result"); got != tc.want || w.Code != 200 {
				t.Errorf("%s: %d, %q, want %q", tc.fact, w.Code, got, tc.want)
			}
		}
		if got, told := a.send(step{method: "GET", path: "/reports/{{id}}"}).Header()["X-Mooring-Result"]; told {
			t.Errorf("a read says %q", got)
		}
	})
}

func TestUpdatedByNamesWhoMadeTheVersion(t *testing.T) {
	each(t, func(t *testing.T, a *api) {
		a.run(t, []step{
			{name: "a report", method: "PUT", path: "/reports/by-public-id/UpdatedBy001", body: `{"name":"N"}`, status: 200, holds: `{"updatedBy":{"id":1,"email":"ed@acme.example","firstName":"Ed"}}`},
			{name: "an edit by another", method: "PUT", path: "/reports/by-public-id/UpdatedBy001", as: "manager", body: `{"description":"D"}`, status: 200, holds: `{"description":"D","updatedBy":{"id":4},"createdBy":1}`, keep: map[string]string{"id": "id"}},
			{name: "a no-op is nobody's", method: "PUT", path: "/reports/by-public-id/UpdatedBy001", body: `{"description":"D"}`, status: 200, holds: `{"updatedBy":{"id":4}}`},
			{name: "placing makes no version", method: "PUT", path: "/reports/{{id}}/connect-workbook", as: "admin", body: `{"externalWorkbookId":"d","resultLocation":"S!A1"}`, status: 200, holds: `{"updatedBy":{"id":4}}`},
			{name: "an access list does", method: "PUT", path: "/reports/{{id}}/access", as: "admin", body: `{"rolesWithAccess":[{"id":1,"actions":[]}]}`, status: 200, holds: `{"updatedBy":{"id":9}}`},
			{name: "it cannot be sent", method: "PUT", path: "/reports/{{id}}", body: `{"updatedBy":{"id":77}}`, status: 200, holds: `{"updatedBy":{"id":9}}`},
			{name: "a workbook", method: "PUT", path: "/workbooks/by-slug/updated", body: `{"name":"W"}`, status: 200, holds: `{"updatedBy":{"id":1}}`, keep: map[string]string{"book": "id"}},
			{name: "merged by another", method: "PUT", path: "/workbooks/by-slug/updated", as: "manager", body: `{"meta":{"a":1}}`, status: 200, holds: `{"updatedBy":{"id":4}}`},
			{name: "its dashboard", method: "PUT", path: "/workbooks/{{book}}/dashboard", as: "admin", body: `{"dashboardDraft":{}}`, status: 200},
			{name: "counts too", method: "GET", path: "/workbooks/{{book}}", status: 200, holds: `{"updatedBy":{"id":9}}`},
		})
	})
}

func TestAReportInUseIsNotDeletedUnasked(t *testing.T) {
	withEngine(t, func(t *testing.T, a *api) {
		a.run(t, []step{
			report("Sales"),
			{name: "on a dashboard of its editor", method: "POST", path: "/workbooks", status: 200, keep: map[string]string{"book": "id"}, body: `{"name":"Board","meta":{"dashboardDraft":{"widgets":[{"config":{"reportId":{{id}}}}]}}}`},
			{name: "and with a schedule", method: "POST", path: "/refresh-schedules", status: 200, keep: map[string]string{"schedule": "id"}, body: `{"name":"nightly","target":{"reportId":{{id}}},"cron":"@daily"}`},
			{name: "which another may not read at all", method: "DELETE", path: "/reports/{{id}}", as: "stranger", status: 404},
			{name: "nor delete", method: "DELETE", path: "/reports/{{id}}", as: "viewer", status: 403},
			{
				name: "a manager of reports is told what he may know", method: "DELETE", path: "/reports/{{id}}", as: "reports", status: 409,
				holds: `{"code":"report_in_use","retryable":false,"message":"Report {{id}} is used by 1 dashboard and 1 schedule: take it out of them first, or send force=true, which deletes its schedules and leaves its charts empty.",
					"details":[{"message":"Schedule {{schedule}}, \"nightly\", refreshes it."},{"message":"1 more that this token may not read."}]}`,
			},
			{
				name: "its maker reads all", method: "DELETE", path: "/reports/{{id}}", status: 409,
				holds: `{"details":[{"message":"The dashboard of workbook {{book}}, \"Board\", has a chart of it."},{"message":"Schedule {{schedule}}, \"nightly\", refreshes it."}]}`,
			},
			{name: "force is true or false", method: "DELETE", path: "/reports/{{id}}?force=yes", status: 400, holds: `{"code":"invalid_parameter"}`},
			{name: "published, it is in use although the draft is empty", method: "POST", path: "/workbooks/{{book}}/publish", status: 200},
			{name: "… emptied", method: "PUT", path: "/workbooks/{{book}}/dashboard", body: `{"dashboardDraft":{}}`, status: 200},
			{name: "… in use", method: "DELETE", path: "/reports/{{id}}?force=false", status: 409, holds: `{"details":[{},{}]}`},
			{name: "by force it goes, and its schedule", method: "DELETE", path: "/reports/{{id}}?force=true", status: 200, holds: `{"id":{{id}},"deletedSchedules":[{{schedule}}]}`},
			{name: "the report is gone", method: "GET", path: "/reports/{{id}}", status: 404},
			{name: "the schedule is gone", method: "GET", path: "/refresh-schedules/{{schedule}}", status: 404},
			{name: "schedules are none", method: "GET", path: "/refresh-schedules", status: 200, holds: `{"items":[]}`},
			report("Unused"),
			{name: "what nothing uses goes unasked", method: "DELETE", path: "/reports/{{id}}", status: 200, holds: `{"deletedSchedules":[]}`},
		})
	})
}

func TestAReportIsInAWorkbookThatExists(t *testing.T) {
	a := onEmbedded(t)
	a.run(t, []step{
		{name: "a workbook", method: "POST", path: "/workbooks", body: `{}`, status: 200, keep: map[string]string{"book": "id"}},
		{name: "a report in another one is refused", method: "POST", path: "/reports", body: `{"workbookId":77}`, status: 400, holds: `{"code":"unknown_workbook","details":[{"pointer":"/workbookId","code":"unknown_workbook"}]}`},
		{name: "by upsert too", method: "PUT", path: "/reports/by-public-id/InBook000001", body: `{"workbookId":77}`, status: 400, holds: `{"code":"unknown_workbook"}`},
		{name: "one of another deployment is none", method: "POST", path: "/api/v1/deployments/2/reports", body: `{"workbookId":{{book}}}`, status: 400},
		{name: "one that may not be read is none", method: "POST", path: "/reports", as: "reports", body: `{"workbookId":{{book}}}`, status: 400, holds: `{"code":"unknown_workbook"}`},
		{name: "in the one it is", method: "PUT", path: "/reports/by-public-id/InBook000001", body: `{"workbookId":{{book}}}`, status: 200, holds: `{"workbookId":{{book}}}`, keep: map[string]string{"id": "id"}},
		{name: "out of it by an update into nothing", method: "PUT", path: "/reports/{{id}}", body: `{"workbookId":77}`, status: 400},
		{name: "who may not edit is told that", method: "PUT", path: "/reports/{{id}}", as: "viewer", body: `{"workbookId":77}`, status: 403},
		{name: "the workbook goes", method: "DELETE", path: "/workbooks/{{book}}", status: 200},
		{name: "what was read may be sent back", method: "PUT", path: "/reports/{{id}}", body: `{"workbookId":{{book}}}`, status: 200, holds: `{"version":1}`},
		{name: "a folder is kept as sent", method: "PUT", path: "/reports/{{id}}", body: `{"folderId":77}`, status: 200, holds: `{"folderId":77}`},
	})
}
