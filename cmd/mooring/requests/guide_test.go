//go:build unix

package requests

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"mooring/refresh/signing"
)

// guide makes the requests of steps. It knows from the answers to earlier ones what a later one has to say.
type guide struct {
	by           person
	name         string            // which no other guide has
	parameters   map[string]string // of paths
	fence        any
	checksum     any
	cookie, csrf string
	device       any // its code
	deliveries   int
}

func newGuide(by person, name string) *guide {
	return &guide{by: by, name: name, parameters: map[string]string{
		"publicId": "Orders000001", "slug": "sales", "key": "weekdays", "hookId": "loaded", "placementId": "orders", "externalWorkbookId": "orders.xlsx", "version": "1",
		"page": "console", "file": "docs.css",
	}}
}

// request makes the one of a step, of a deployment.
func (g *guide) request(m maker, o *operation, s step, deployment int64) *request {
	m.calm, m.exact = true, g.parameters
	q := m.compose(o, g.by, deployment)
	if o.body == nil {
		g.sign(q)
		return q
	}
	body := s.body
	if body == nil {
		body, _ = clone(o.example).(map[string]any)
	}
	if _, has := body["fence"]; has {
		body["fence"] = g.fence
	}
	switch s.id {
	case "signIn":
		body["token"] = g.by.token
	case "createDeviceTokens":
		body["device_code"] = g.device
	case "completeRun":
		body["resultChecksum"] = g.checksum
	}
	q.setBody(body)
	g.sign(q)
	return q
}

// sign lets a request say who sends it where that is no token.
func (g *guide) sign(q *request) {
	switch q.operation.id {
	case "signOut":
		q.headers = slices.DeleteFunc(q.headers, func(h header) bool { return h.name == "Authorization" })
		q.setHeader("Cookie", g.cookie)
		q.setHeader("X-Mooring-CSRF", g.csrf)
	case "receiveHook":
		g.deliveries++
		id, now := fmt.Sprintf("%s-%d", g.name, g.deliveries), strconv.FormatInt(time.Now().Unix(), 10)
		q.setHeader(signing.HeaderID, id)
		q.setHeader(signing.HeaderTimestamp, now)
		q.setHeader(signing.HeaderSignature, signing.Signature([]byte(hookSecret), id, now, q.body))
	}
}

// spoil makes something of the body of a request other than what is accepted. A hook believes it as one that its sender has written.
func (g *guide) spoil(m maker, q *request) {
	if q.operation.body == nil {
		return
	}
	var body any
	_ = json.Unmarshal(q.body, &body) // it was written as JSON
	q.setBody(m.mutated(body))
	if m.chance(20) {
		q.body = m.damaged(q.body)
		q.sent = len(q.body)
	}
	g.sign(q)
}

func (q *request) setBody(value any) {
	q.body, _ = json.Marshal(value) // it was read from JSON, or is written so
	q.sent = len(q.body)
}

// made is what the id in the answer to an operation is the id of.
var made = map[string]string{
	"createReport": "reportId", "upsertReport": "reportId", "createWorkbook": "workbookId", "upsertWorkbook": "workbookId",
	"createSchedule": "scheduleId", "upsertSchedule": "scheduleId", "createPlan": "planId",
}

// learn keeps what an answer says for the requests that follow.
func (g *guide) learn(o *operation, a answer) {
	var told map[string]any
	if json.Unmarshal(a.body, &told) != nil {
		return
	}
	if name := made[o.id]; name != "" {
		g.parameters[name] = text(told["id"])
	}
	switch o.id {
	case "signIn":
		g.cookie, _, _ = strings.Cut(a.header.Get("Set-Cookie"), ";")
		g.csrf = text(told["csrf"])
	case "createDeviceCode":
		g.device, g.parameters["userCode"] = told["device_code"], text(told["user_code"])
	case "createKey":
		g.parameters["keyId"] = text(told["id"])
	case "listDevices":
		g.parameters["deviceId"] = text(first(told["items"])["id"])
	case "planRun":
		g.checksum = told["resultChecksum"]
	case "startRun", "runSchedule":
		g.parameters["runId"], g.fence = text(told["runId"]), told["fence"]
	case "startDocumentRuns":
		g.parameters["runId"] = text(first(told["runs"])["runId"])
	}
}

// first is the first object of a list, or nil.
func first(list any) map[string]any {
	if items, ok := list.([]any); ok && len(items) > 0 {
		object, _ := items[0].(map[string]any)
		return object
	}
	return nil
}

// ended reports whether an answer shows a run that has ended.
func ended(a answer) bool {
	var run struct{ EndedAt string }
	return json.Unmarshal(a.body, &run) == nil && run.EndedAt != ""
}
