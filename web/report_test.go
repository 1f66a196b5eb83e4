package web

import (
	"net/http"
	"regexp"
	"strings"
	"testing"
)

func TestReportStates(t *testing.T) {
	each(t, func(t *testing.T, a *api) {
		a.run(t, []step{
			{
				name:   "nonexistent, upsert by publicId: exists with that publicId, created from the body",
				method: "PUT", path: "/reports/by-public-id/Sales0000001", body: `{"name":"Sales","title":"Sales by month","sqlQuery":"SELECT 1","source":"D3"}`, status: 200,
				holds: `{"publicId":"Sales0000001","name":"Sales","title":"Sales by month","sqlQuery":"SELECT 1","source":"D3","version":1,"type":"REPORT",
					"deploymentId":1,"createdBy":1,"userId":1,"user":{"id":1,"email":"ed@acme.example","firstName":"Ed"},"canEdit":true,"canManage":true,
					"externalWorkbookPlacements":[],"rolesWithAccess":[],"folderPath":[],"meta":{}}`,
				keep: map[string]string{"id": "id", "created": "createdAt"},
			},
			{
				name:   "exists, upsert by publicId: updated with the fields sent",
				method: "PUT", path: "/reports/by-public-id/Sales0000001", body: `{"title":"New title"}`, status: 200,
				holds: `{"id":{{id}},"name":"Sales","title":"New title","version":2,"createdAt":"{{created}}"}`,
			},
			{
				name:   "exists with a stored publicId, a request that changes it: refused and unchanged",
				method: "PUT", path: "/reports/{{id}}", body: `{"publicId":"Other0000001","title":"X"}`, status: 400,
				holds: `{"details":[{"pointer":"/publicId"}]}`,
			},
			{
				name: "… unchanged", method: "GET", path: "/reports/{{id}}", status: 200,
				holds: `{"publicId":"Sales0000001","title":"New title","version":2}`,
			},
			{
				name: "the stored publicId sent again is no change", method: "PUT", path: "/reports/{{id}}", body: `{"publicId":"Sales0000001"}`, status: 200,
				holds: `{"version":2}`,
			},
			{
				name: "no stable id: the wire shows a synthesized one", method: "POST", path: "/reports", body: `{"name":"Old","sqlQuery":"SELECT 2"}`, status: 200,
				keep: map[string]string{"old": "id", "synthesized": "publicId"},
			},
			{
				name: "the synthesized id stays as first created", method: "PUT", path: "/reports/{{old}}", body: `{"name":"Older"}`, status: 200,
				holds: `{"publicId":"{{synthesized}}"}`,
			},
			{
				name: "a body read back does not store the synthesized one", method: "PUT", path: "/reports/{{old}}", body: `{"id":{{old}},"publicId":"{{synthesized}}"}`, status: 200,
				holds: `{"publicId":"{{synthesized}}","version":2}`, result: "unchanged",
			},
			{
				name: "no stable id, update carrying publicId: write-once assignment", method: "PUT", path: "/reports/{{old}}", body: `{"publicId":"Given0000001"}`, status: 200,
				holds: `{"publicId":"Given0000001","id":{{old}}}`,
			},
			{name: "… and then never changed", method: "PUT", path: "/reports/{{old}}", body: `{"publicId":"Given0000002"}`, status: 400},
			{
				name: "a second report like the first shows the same synthesized id", method: "POST", path: "/reports", body: `{"name":"Twin","sqlQuery":"SELECT 3"}`, status: 200,
				keep: map[string]string{"twin": "id", "shared": "publicId"},
			},
			{
				name:   "synthesized id given to the upsert and matched once: adopted as the real publicId",
				method: "PUT", path: "/reports/by-public-id/{{shared}}", body: `{"title":"Adopted"}`, status: 200,
				holds: `{"id":{{twin}},"publicId":"{{shared}}","title":"Adopted"}`,
			},
			{name: "… and so write-once", method: "PUT", path: "/reports/{{twin}}", body: `{"publicId":"Given0000003"}`, status: 400},
			{name: "one of two identical creations", method: "POST", path: "/reports", body: `{"name":"Pair"}`, status: 200, keep: map[string]string{"pair": "publicId", "pair1": "id"}},
			{
				name: "one more", method: "POST", path: "/reports", body: `{"name":"Shown"}`, status: 200,
				keep: map[string]string{"shown": "id", "itsOwn": "publicId"},
			},
			{
				name: "no stable id, update carrying the synthesized one: it is stored", method: "PUT", path: "/reports/{{shown}}", body: `{"publicId":"{{itsOwn}}"}`, status: 200,
				holds: `{"publicId":"{{itsOwn}}","version":1}`, result: "updated",
			},
			{name: "… once", method: "PUT", path: "/reports/{{shown}}", body: `{"publicId":"{{itsOwn}}"}`, status: 200, result: "unchanged"},
			{name: "a twin shows it too", method: "POST", path: "/reports", body: `{"name":"Shown"}`, status: 200, holds: `{"publicId":"{{itsOwn}}"}`, keep: map[string]string{"its twin": "id"}},
			{name: "and makes nothing ambiguous", method: "PUT", path: "/reports/by-public-id/{{itsOwn}}", body: `{"title":"Same"}`, status: 200, holds: `{"id":{{shown}}}`},
			{name: "nor can it store it", method: "PUT", path: "/reports/{{its twin}}", body: `{"publicId":"{{itsOwn}}"}`, status: 409, holds: `{"code":"public_id_taken"}`},
			{name: "or another deployment", method: "PUT", path: "/api/v1/deployments/2/reports/by-public-id/{{itsOwn}}", body: `{}`, status: 409, lacks: []string{"code"}},
			{name: "the other one shares the synthesized id", method: "POST", path: "/reports", body: `{"name":"Pair"}`, status: 200, holds: `{"publicId":"{{pair}}"}`},
			{
				name: "synthesized id shared by several reports: ambiguous_legacy_id", method: "PUT", path: "/reports/by-public-id/{{pair}}", body: `{"title":"Which"}`, status: 409,
				holds: `{"code":"ambiguous_legacy_id","retryable":false,"error":"Conflict"}`,
			},
			{name: "… nothing changed", method: "GET", path: "/reports/{{pair1}}", status: 200, holds: `{"title":"","version":1}`},
			{name: "after one got a chosen publicId the id is no longer ambiguous", method: "PUT", path: "/reports/{{pair1}}", body: `{"publicId":"Pair00000001"}`, status: 200},
			{name: "… and the other adopts it", method: "PUT", path: "/reports/by-public-id/{{pair}}", body: `{}`, status: 200, holds: `{"publicId":"{{pair}}"}`},
		})
	})
}

func TestReportUpsertRules(t *testing.T) {
	each(t, func(t *testing.T, a *api) {
		a.run(t, []step{
			{
				name: "rule 1: an unknown publicId creates", method: "PUT", path: "/reports/by-public-id/Rules0000001", body: `{"name":"R","sqlQuery":"SELECT 1","source":"SHEETS_B"}`, status: 200,
				holds: `{"version":1}`, keep: map[string]string{"id": "id", "updated": "updatedAt", "tag": "ETag"},
			},
			{
				name: "rule 2: repeating the same request is a no-op", method: "PUT", path: "/reports/by-public-id/Rules0000001", body: `{"name":"R","sqlQuery":"SELECT 1","source":"SHEETS_B"}`, status: 200,
				holds: `{"id":{{id}},"version":1,"updatedAt":"{{updated}}"}`, keep: map[string]string{"tag2": "ETag"},
			},
			{
				name: "rule 3: source is ignored on updates", method: "PUT", path: "/reports/by-public-id/Rules0000001", body: `{"source":"PLAYGROUND"}`, status: 200,
				holds: `{"source":"SHEETS_B","version":1}`,
			},
			{name: "rule 4: updating needs edit access", method: "PUT", path: "/reports/by-public-id/Rules0000001", as: "viewer", body: `{"name":"X"}`, status: 403, holds: `{"code":"forbidden"}`},
			{name: "rule 4: creating needs the access of the create-report operation", method: "PUT", path: "/reports/by-public-id/Rules0000002", as: "viewer", body: `{}`, status: 403},
			{name: "rule 4: an existing report that may not be read is not found", method: "PUT", path: "/reports/by-public-id/Rules0000001", as: "stranger", body: `{}`, status: 404},
			{name: "rule 5: a placeholder-shaped id is rejected", method: "PUT", path: "/reports/by-public-id/000000abcXYZ", body: `{}`, status: 400, holds: `{"error":"Bad Request"}`},
			{name: "rule 5: … in a body too", method: "POST", path: "/reports", body: `{"publicId":"000000abcXYZ"}`, status: 400, holds: `{"details":[{"pointer":"/publicId"}]}`},
			{
				name: "rule 6: a publicId of another deployment is 409 without code", method: "PUT", path: "/api/v1/deployments/2/reports/by-public-id/Rules0000001", body: `{}`, status: 409,
				holds: `{"statusCode":409,"retryable":false}`, lacks: []string{"code"},
			},
			{name: "rule 6: … whoever asks", method: "PUT", path: "/api/v1/deployments/2/reports/by-public-id/Rules0000001", as: "stranger", body: `{}`, status: 409, lacks: []string{"code"}},
			{name: "rule 6: … by create too", method: "POST", path: "/api/v1/deployments/2/reports", body: `{"publicId":"Rules0000001"}`, status: 409, lacks: []string{"code"}},
			{
				name: "a publicId taken in the same deployment is public_id_taken", method: "POST", path: "/reports", body: `{"publicId":"Rules0000001"}`, status: 409,
				holds: `{"code":"public_id_taken","retryable":false}`,
			},
			{name: "another tenant may use the same publicId", method: "PUT", path: "/reports/by-public-id/Rules0000001", as: "foreign", body: `{}`, status: 200},
			{name: "11 characters are refused", method: "PUT", path: "/reports/by-public-id/Rules000001", body: `{}`, status: 400},
			{name: "a dash is refused", method: "PUT", path: "/reports/by-public-id/Rules-000001", body: `{}`, status: 400},
			{name: "a body that names another publicId than the path is refused", method: "PUT", path: "/reports/by-public-id/Rules0000001", body: `{"publicId":"Rules0000009"}`, status: 400},
		})
		if a.vars["tag"] != a.vars["tag2"] || a.vars["tag"] == "" {
			t.Errorf("a no-op changed the ETag from %s to %s", a.vars["tag"], a.vars["tag2"])
		}
	})
}

func TestReportFields(t *testing.T) {
	a := onEmbedded(t)
	longest := regexp.MustCompile(`.`).ReplaceAllString("x", "ä")
	for len([]rune(longest)) < 255 {
		longest += "ä"
	}
	a.run(t, []step{
		{name: "a workbook", method: "POST", path: "/workbooks", body: `{}`, status: 200, keep: map[string]string{"book": "id"}},
		{
			name: "every field is kept", method: "POST", path: "/reports", status: 200,
			body: `{"name":"N","title":"T","description":"D","sqlQuery":"S","jsonQuery":"{}","meta":{"b":{"x":[1,2.50]},"a":null},"folderId":3,"workbookId":{{book}},"source":"SHEETS_A",
				"pivotItems":{"columns":["c"],"filters":[],"measures":["m"],"rows":["r"],"showColumnTotals":true,"showRowTotals":true,"showAppliedFilters":true,"displayScale":"millions","measuresAxis":"rows","measuresPosition":"after"}}`,
			holds: `{"name":"N","title":"T","description":"D","sqlQuery":"S","jsonQuery":"{}","meta":{"b":{"x":[1,2.5]},"a":null},"folderId":3,"workbookId":{{book}},"source":"SHEETS_A",
				"pivotItems":{"columns":["c"],"filters":[],"measures":["m"],"rows":["r"],"showColumnTotals":true,"showRowTotals":true,"showAppliedFilters":true,"displayScale":"millions","measuresAxis":"rows","measuresPosition":"after"}}`,
			keep: map[string]string{"id": "id", "sum": "currentQueryChecksum"},
		},
		{name: "an absent key changes nothing", method: "PUT", path: "/reports/{{id}}", body: `{}`, status: 200, holds: `{"folderId":3,"version":1}`},
		{
			name: "null clears", method: "PUT", path: "/reports/{{id}}", body: `{"folderId":null,"workbookId":null,"pivotItems":null,"title":null,"meta":null}`, status: 200,
			holds: `{"folderId":null,"workbookId":null,"pivotItems":null,"title":"","meta":{},"version":2}`,
		},
		{name: "clearing what is clear is a no-op", method: "PUT", path: "/reports/{{id}}", body: `{"folderId":null,"pivotItems":null}`, status: 200, holds: `{"version":2}`},
		{name: "meta with its keys in another order is a no-op", method: "PUT", path: "/reports/{{id}}", body: `{"meta":{"z":1,"a":{"y":2,"b":3}}}`, status: 200, holds: `{"version":3}`},
		{name: "… indeed", method: "PUT", path: "/reports/{{id}}", body: `{"meta":{"a":{"b":3,"y":2},"z":1}}`, status: 200, holds: `{"version":3}`},
		{name: "255 characters of a name pass, counted as characters", method: "PUT", path: "/reports/{{id}}", body: `{"name":"` + longest + `","title":"` + longest + `"}`, status: 200},
		{
			name: "256 are refused", method: "PUT", path: "/reports/{{id}}", body: `{"name":"` + longest + `x","title":"` + longest + `x"}`, status: 400,
			holds: `{"details":[{"pointer":"/name"},{"pointer":"/title"}]}`,
		},
		{
			name: "pivotItems needs its four lists", method: "PUT", path: "/reports/{{id}}", body: `{"pivotItems":{"columns":[]}}`, status: 400,
			holds: `{"details":[{"pointer":"/pivotItems/filters"},{"pointer":"/pivotItems/measures"},{"pointer":"/pivotItems/rows"}]}`,
		},
		{
			name: "the values of the pivot's three options are checked", method: "PUT", path: "/reports/{{id}}", status: 400,
			body:  `{"pivotItems":{"columns":[],"filters":[],"measures":[],"rows":[1],"displayScale":"big","measuresAxis":"x","measuresPosition":"y"}}`,
			holds: `{"details":[{"pointer":"/pivotItems/displayScale"},{"pointer":"/pivotItems/measuresAxis"},{"pointer":"/pivotItems/measuresPosition"},{"pointer":"/pivotItems/rows/0"}]}`,
		},
		{
			name: "an unknown source or host is refused", method: "PUT", path: "/reports/{{id}}", body: `{"source":"EXCEL","host":"D3"}`, status: 400,
			holds: `{"details":[{"pointer":"/host"},{"pointer":"/source"}]}`,
		},
		{name: "unknown keys are ignored", method: "PUT", path: "/reports/{{id}}", body: `{"colour":"red"}`, status: 200},
		{
			name: "… unless the request is strict", method: "PUT", path: "/reports/{{id}}", header: map[string]string{"Prefer": "handling=strict"}, body: `{"colour":"red"}`, status: 400,
			holds: `{"details":[{"pointer":"/colour"}]}`,
		},
		{
			name: "keys that only responses have are ignored in both modes", method: "PUT", path: "/reports/{{id}}", header: map[string]string{"Prefer": "handling=strict"},
			body: `{"id":99,"version":99,"createdBy":99,"type":"FOLDER","canEdit":false,"currentQueryChecksum":"x","rolesWithAccess":[{"id":1,"name":"x","actions":["All"]}],"updatedAt":"x","description":"x","externalWorkbookPlacements":[{"id":"x"}]}`, status: 200,
			holds: `{"id":{{id}},"type":"REPORT","canEdit":true,"createdBy":1,"rolesWithAccess":[],"externalWorkbookPlacements":[]}`,
		},
		{name: "a title does not change the query's checksum", method: "PUT", path: "/reports/{{id}}", body: `{"name":"Z"}`, status: 200, keep: map[string]string{"before": "currentQueryChecksum"}},
		{name: "… the query does", method: "PUT", path: "/reports/{{id}}", body: `{"sqlQuery":"S2"}`, status: 200, keep: map[string]string{"after": "currentQueryChecksum"}},
		{name: "… and reverting it gives the old one", method: "PUT", path: "/reports/{{id}}", body: `{"sqlQuery":"S"}`, status: 200, holds: `{"currentQueryChecksum":"{{before}}"}`},
	})
	if !regexp.MustCompile(`^[0-9a-f]{64}$`).MatchString(a.vars["sum"]) || a.vars["before"] == a.vars["after"] {
		t.Errorf("checksums %s, %s, %s", a.vars["sum"], a.vars["before"], a.vars["after"])
	}
}

func TestReportAccessThroughHTTP(t *testing.T) {
	each(t, func(t *testing.T, a *api) {
		a.run(t, []step{
			{name: "an editor creates", method: "POST", path: "/reports", body: `{"name":"A"}`, status: 200, holds: `{"canEdit":true,"canManage":true}`, keep: map[string]string{"id": "id"}},
			{name: "another editor edits but does not manage", method: "GET", path: "/reports/{{id}}", as: "editor2", status: 200, holds: `{"canEdit":true,"canManage":false}`},
			{name: "a viewer reads only", method: "GET", path: "/reports/{{id}}", as: "viewer", status: 200, holds: `{"canEdit":false,"canManage":false}`},
			{name: "a viewer may not update", method: "PUT", path: "/reports/{{id}}", as: "viewer", body: `{"name":"B"}`, status: 403},
			{name: "a viewer may not create", method: "POST", path: "/reports", as: "viewer", body: `{}`, status: 403},
			{name: "a stranger does not find it", method: "GET", path: "/reports/{{id}}", as: "stranger", status: 404},
			{name: "another tenant does not find it", method: "GET", path: "/reports/{{id}}", as: "foreign", status: 404},
			{name: "an editor may not set access", method: "PUT", path: "/reports/{{id}}/access", as: "editor2", body: `{"rolesWithAccess":[]}`, status: 403},
			{
				name: "access entries are checked", method: "PUT", path: "/reports/{{id}}/access", body: `{"rolesWithAccess":[{"id":"7"},{"id":8,"actions":"All"}]}`, status: 400,
				holds: `{"details":[{"pointer":"/rolesWithAccess/0/actions"},{"pointer":"/rolesWithAccess/0/id"},{"pointer":"/rolesWithAccess/1/actions"}]}`,
			},
			{name: "a role does not read before it is listed", method: "GET", path: "/reports/{{id}}", as: "role7", status: 404},
			{
				name: "the creator lists a role", method: "PUT", path: "/reports/{{id}}/access", body: `{"rolesWithAccess":[{"id":7,"name":"Sales","actions":["ReportRead","Fly"]}]}`, status: 200,
				holds: `{"rolesWithAccess":[{"id":7,"name":"Sales","actions":["ReportRead","Fly"]}],"version":2}`,
			},
			{name: "… then it reads", method: "GET", path: "/reports/{{id}}", as: "role7", status: 200, holds: `{"canEdit":false}`},
			{name: "… and does not edit", method: "PUT", path: "/reports/{{id}}", as: "role7", body: `{}`, status: 403},
			{name: "the same list again is a no-op", method: "PUT", path: "/reports/{{id}}/access", body: `{"rolesWithAccess":[{"id":7,"name":"Sales","actions":["ReportRead","Fly"]}]}`, status: 200, holds: `{"version":2}`},
			{name: "a manager who did not create it sets access", method: "PUT", path: "/reports/{{id}}/access", as: "manager", body: `{"rolesWithAccess":[{"id":7,"name":"Sales","actions":["ReportEdit"]}]}`, status: 200},
			{name: "a role with edit updates", method: "PUT", path: "/reports/{{id}}", as: "role7", body: `{"name":"C"}`, status: 200},
			{name: "a role with edit does not delete", method: "DELETE", path: "/reports/{{id}}", as: "role7", status: 403},
			{name: "a viewer does not delete", method: "DELETE", path: "/reports/{{id}}", as: "viewer", status: 403},
			{name: "a manager deletes", method: "DELETE", path: "/reports/{{id}}", as: "manager", status: 200, holds: `{"id":{{id}}}`},
			{name: "what is deleted is not found", method: "GET", path: "/reports/{{id}}", status: 404},
			{name: "… nor deleted again", method: "DELETE", path: "/reports/{{id}}", status: 404},
			{name: "a token of the second deployment works there", method: "POST", path: "/api/v1/deployments/2/reports", as: "only2", body: `{}`, status: 200},
		})
	})
}

func TestReportVersions(t *testing.T) {
	a := onEmbedded(t)
	a.run(t, []step{
		{
			name: "a creation is version 1", method: "PUT", path: "/reports/by-public-id/Versn0000001", body: `{"name":"A"}`, status: 200, holds: `{"version":1}`,
			keep: map[string]string{"id": "id", "v1": "ETag"},
		},
		{name: "If-None-Match of what one has is 304", method: "GET", path: "/reports/{{id}}", header: map[string]string{"If-None-Match": "{{v1}}"}, status: http.StatusNotModified},
		{name: "… also in a list and weak", method: "GET", path: "/reports/{{id}}", header: map[string]string{"If-None-Match": `"x", W/{{v1}}`}, status: http.StatusNotModified},
		{name: "another ETag gives the report", method: "GET", path: "/reports/{{id}}", header: map[string]string{"If-None-Match": `"v1-0"`}, status: 200},
		{
			name: "If-Match of the present version writes", method: "PUT", path: "/reports/{{id}}", header: map[string]string{"If-Match": "{{v1}}"}, body: `{"name":"B"}`, status: 200, holds: `{"version":2}`,
			keep: map[string]string{"v2": "ETag"},
		},
		{name: "a stale If-Match is 412", method: "PUT", path: "/reports/{{id}}", header: map[string]string{"If-Match": "{{v1}}"}, body: `{"name":"C"}`, status: 412, holds: `{"code":"precondition_failed"}`},
		{name: "… on upsert", method: "PUT", path: "/reports/by-public-id/Versn0000001", header: map[string]string{"If-Match": "{{v1}}"}, body: `{"name":"C"}`, status: 412},
		{name: "… on delete", method: "DELETE", path: "/reports/{{id}}", header: map[string]string{"If-Match": "{{v1}}"}, status: 412},
		{name: "… on access lists", method: "PUT", path: "/reports/{{id}}/access", header: map[string]string{"If-Match": "{{v1}}"}, body: `{"rolesWithAccess":[]}`, status: 412},
		{name: "If-Match * is any version", method: "PUT", path: "/reports/{{id}}", header: map[string]string{"If-Match": "*"}, body: `{}`, status: 200},
		{name: "a stale expectedVersion is 409 version_mismatch", method: "PUT", path: "/reports/{{id}}", body: `{"name":"C","expectedVersion":1}`, status: 409, holds: `{"code":"version_mismatch","retryable":false}`},
		{name: "the present expectedVersion writes", method: "PUT", path: "/reports/{{id}}", body: `{"name":"C","expectedVersion":2}`, status: 200, holds: `{"version":3}`},
		{name: "If-Match for what does not exist is 412", method: "PUT", path: "/reports/by-public-id/Versn0000002", header: map[string]string{"If-Match": "*"}, body: `{}`, status: 412},
		{name: "expectedVersion for what does not exist is 409", method: "PUT", path: "/reports/by-public-id/Versn0000002", body: `{"expectedVersion":1}`, status: 409, holds: `{"code":"version_mismatch"}`},
		{
			name: "a placement changes neither version nor updatedAt", method: "PUT", path: "/reports/{{id}}/connect-workbook",
			body: `{"externalWorkbookId":"book","resultLocation":"Sheet1!B2"}`, status: 200, holds: `{"version":3}`, keep: map[string]string{"placed": "ETag"},
		},
		{name: "… but what a GET answers", method: "GET", path: "/reports/{{id}}", header: map[string]string{"If-None-Match": "{{v2}}"}, status: 200},
		{name: "an If-Match from before the placement still writes", method: "PUT", path: "/reports/{{id}}", header: map[string]string{"If-Match": "{{placed}}"}, body: `{"name":"D"}`, status: 200, holds: `{"version":4}`},
	})
}

// TestReadingAReportAndSendingItBackIsANoOp is "GET → PUT of the same body": nothing of the answer may change.
func TestReadingAReportAndSendingItBackIsANoOp(t *testing.T) {
	each(t, func(t *testing.T, a *api) {
		a.run(t, []step{
			{
				name: "a report with everything", method: "PUT", path: "/reports/by-public-id/Round0000001", status: 200,
				body: `{"name":"A <b> & ü","sqlQuery":"SELECT 1","meta":{"big":12345678901234567890,"s":"<&>\u2028"},"folderId":1,
					"pivotItems":{"columns":[],"filters":[],"measures":["m"],"rows":[],"showColumnTotals":false},
					"externalWorkbookId":"book","resultLocation":"Sheet1!B2:C9","resultChecksum":{"v":2,"chunks":[{"from":0,"to":16,"hash":"ab"}]}}`,
				keep: map[string]string{"id": "id"},
			},
			{
				name: "its query edited since the data was written", method: "PUT", path: "/reports/{{id}}", body: `{"sqlQuery":"SELECT 2"}`, status: 200,
				holds: `{"externalWorkbookPlacements":[{"syncStatus":"CHANGED"}]}`,
			},
		})
		get := step{method: "GET", path: "/reports/{{id}}"}
		before := a.send(get)
		for _, path := range []string{"/reports/{{id}}", "/reports/by-public-id/Round0000001"} {
			answer := a.send(step{method: "PUT", path: path, body: before.Body.String(), header: map[string]string{"Prefer": "handling=strict"}})
			if answer.Code != http.StatusOK {
				t.Fatalf("PUT %s: %d %s", path, answer.Code, answer.Body)
			}
			for name, w := range map[string]string{"answer": answer.Body.String(), "GET": a.send(get).Body.String()} {
				if w != before.Body.String() {
					t.Errorf("PUT %s: %s was\n%s\nis\n%s", path, name, before.Body, w)
				}
			}
			if got, want := answer.Header().Get("ETag"), before.Header().Get("ETag"); got != want {
				t.Errorf("PUT %s: ETag %s, was %s", path, got, want)
			}
		}
	})
}

// A report that is sent back after its placement was moved, or disconnected, leaves it so.
func TestSendingAnOlderReportBackLeavesItsPlacementsAlone(t *testing.T) {
	each(t, func(t *testing.T, a *api) {
		a.run(t, []step{report("Sales"), {
			name: "connect", method: "PUT", path: connectPath, body: `{"placementId":"p","externalWorkbookId":"book","resultLocation":"Data!B2","addressOnly":true}`, status: 200,
			holds: `{"externalWorkbookId":"book","resultLocation":"Data!B2","host":"SHEETS_A","externalWorkbookPlacements":[{"syncStatus":"UNKNOWN"}]}`,
		}})
		older := a.send(step{method: "GET", path: "/reports/{{id}}"}).Body.String()
		for _, change := range []step{
			{name: "nothing", method: "GET", path: "/reports/{{id}}"},
			{name: "a move", method: "PUT", path: connectPath, body: `{"placementId":"p","externalWorkbookId":"book","resultLocation":"Data!H2","addressOnly":true}`},
			{name: "a disconnect", method: "DELETE", path: connectPath, body: `{"placementId":"p"}`},
		} {
			if w := a.send(change); w.Code != http.StatusOK {
				t.Fatalf("%s: %s", change.name, w.Body)
			}
			before := a.send(step{method: "GET", path: "/reports/{{id}}"}).Body.String()
			if w := a.send(step{method: "PUT", path: "/reports/{{id}}", body: older}); w.Code != http.StatusOK || w.Body.String() != before {
				t.Errorf("after %s: the report was\n%s\nthe older one sent back makes it\n%s", change.name, before, w.Body)
			}
		}
		left := a.send(step{method: "GET", path: "/reports/{{id}}"}).Body.String()
		for _, key := range []string{"externalWorkbookId", "resultLocation", "endResultCell", "host"} {
			if strings.Contains(left, `"`+key+`"`) {
				t.Errorf("a report whose placement is gone repeats its %s: %s", key, left)
			}
		}
	})
}

func TestSpreadsheetKeysOfAReportRecordAPlacement(t *testing.T) {
	each(t, func(t *testing.T, a *api) {
		a.run(t, []step{
			{
				name: "a bad address creates nothing", method: "PUT", path: "/reports/by-public-id/Place0000001", body: `{"externalWorkbookId":"book","resultLocation":"nowhere"}`, status: 400,
				holds: `{"code":"invalid_address"}`,
			},
			{
				name: "… indeed: the upsert still creates", method: "PUT", path: "/reports/by-public-id/Place0000001", status: 200,
				body: `{"name":"P","source":"SHEETS_B","externalWorkbookId":"book","workbookName":"Book","resultLocation":"Sheet1!B2:D9","endResultCell":"D9","sheetId":"s1"}`,
				holds: `{"version":1,"externalWorkbookId":"book","resultLocation":"Sheet1!B2:D9","endResultCell":"D9",
					"externalWorkbookPlacements":[{"workbookId":"book","workbookName":"Book","host":"SHEETS_B","sheetId":"s1","sheetName":"Sheet1","anchorCell":"B2","syncStatus":"UNKNOWN"}]}`,
				keep: map[string]string{"id": "id"},
			},
			{
				name: "an update may place it elsewhere too", method: "PUT", path: "/reports/{{id}}", body: `{"externalWorkbookId":"book2","resultLocation":"T!A1"}`, status: 200,
				holds: `{"version":1,"externalWorkbookId":"book2","resultLocation":"T!A1","externalWorkbookPlacements":[{},{}]}`,
			},
			{
				name: "repeating that is a no-op", method: "PUT", path: "/reports/{{id}}", body: `{"externalWorkbookId":"book2","resultLocation":"T!A1"}`, status: 200,
				holds: `{"version":1,"externalWorkbookPlacements":[{},{}]}`,
			},
		})
	})
}
