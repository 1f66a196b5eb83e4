package web

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mooring/placements"
	"mooring/placements/placementstest"
	"mooring/storage"
	"mooring/storage/record"
	"mooring/storage/storagetest"
	"mooring/web/auth"
	"mooring/web/bind"
	"mooring/web/members"
)

// shownPlacement is a placement as the wire shows it.
type shownPlacement struct {
	placements.Placement
	SyncStatus placements.Status   `json:"syncStatus"`
	LastRun    *placements.LastRun `json:"lastRun"`
}

// answer is what a request about a report's placements came back with.
type answer struct {
	text       string
	status     int
	version    string                    // the part of the ETag that counts versions
	placements map[string]shownPlacement // by address
	marks      record.LastRefresh
	definition map[string]any // everything else but removedPlacement and overlaps
	removed    string         // removedPlacement as sent
	overlaps   string         // overlaps as sent
	start, end time.Time      // the request was under way
}

// moored is a report on which rows of placementstest are played, by a caller who may only read it and is the user of their Stamp.
type moored struct {
	*api
	bare    *api // for what a row is not about: its answers are not held to the OpenAPI document
	id      int64
	path    string
	queries map[string]string // names of query checksums in the rows -> the real ones
}

// The names of that caller among the tokens, and of one who is the same user and may edit it.
const (
	reader = "reader of the rows"
	editor = "editor of the rows"
)

// moor makes a report that is gone after the test, and records existing as its placements, each after a run that has succeeded.
func (a *api) moor(t *testing.T, source placements.Host, existing []placements.Placement) *moored {
	t.Helper()
	a.tokens[reader] = a.token(t, auth.Caller{Tenant: "acme", Actor: record.Actor{ID: placementstest.Stamp().By.UID, Actions: []string{"ReportRead"}}})
	a.tokens[editor] = a.token(t, auth.Caller{Tenant: "acme", Actor: record.Actor{ID: placementstest.Stamp().By.UID, Actions: []string{"ReportEdit"}}})
	body := map[string]any{"name": "Rows <&>", "sqlQuery": "SELECT 'q2'"}
	if source != "" {
		body["source"] = source
	}
	text, _ := json.Marshal(body)
	bare := *a
	bare.sut = a.sut
	made := bare.send(step{method: "POST", path: "/reports", body: string(text)})
	var r struct {
		ID                   int64
		CurrentQueryChecksum string
	}
	decodeInto(t, made, &r)
	m := &moored{a, &bare, r.ID, fmt.Sprintf("/reports/%d", r.ID), map[string]string{"q2": r.CurrentQueryChecksum}}
	t.Cleanup(func() {
		if w := bare.send(step{method: "DELETE", path: m.path, as: "admin"}); w.Code != 200 {
			t.Errorf("delete: %d %s", w.Code, w.Body)
		}
	})
	m.record(t, m.seeds(existing)...)
	return m
}

// seeds are placements that a run has refreshed.
func (m *moored) seeds(existing []placements.Placement) []shownPlacement {
	list := make([]shownPlacement, len(existing))
	for i, p := range existing {
		run := &placements.LastRun{
			RunID: fmt.Sprint("run", i), State: placements.RunSucceeded, Attempt: 1,
			StartedAt: "2026-02-28T08:00:00.000Z", EndedAt: "2026-02-28T08:00:01.000Z",
		}
		list[i] = shown(p, run)
	}
	return list
}

// shown is p with what the wire adds, in the words of the rows.
func shown(p placements.Placement, run *placements.LastRun) shownPlacement {
	p.Facts = placements.Facts{} // are never shown
	return shownPlacement{p, placements.SyncStatus(p, placementstest.Stamp().QueryChecksum, run), run}
}

// record imports placements whose query checksums are names of the rows.
func (m *moored) record(t *testing.T, list ...shownPlacement) {
	t.Helper()
	placed := make([]storage.Placed, len(list))
	for i, p := range list {
		if real, named := m.queries[p.QueryChecksum]; named {
			p.QueryChecksum = real
		}
		placed[i] = storage.Placed{Placement: p.Placement, LastRun: p.LastRun}
	}
	if err := storagetest.Import(t.Context(), m.store, record.Deployment{Tenant: "acme", ID: 1}, m.id, placed); err != nil {
		t.Fatal(err)
	}
}

// read gets the report.
func (m *moored) read(t *testing.T) answer {
	t.Helper()
	return m.parse(t, m.bare.send(step{method: "GET", path: m.path, as: reader}))
}

// ask sends a request about the report with a body of the members of v that are not zero, which count as not sent.
func (m *moored) ask(t *testing.T, method, path string, v any, prefer ...string) answer {
	t.Helper()
	s := step{method: method, path: m.path + path, as: reader, body: sent(t, v)}
	if len(prefer) > 0 {
		s.header = map[string]string{"Prefer": prefer[0]}
	}
	start := time.Now().Truncate(time.Millisecond)
	w := m.send(s)
	out := m.parse(t, w)
	out.start, out.end = start, time.Now()
	return out
}

// sent is the JSON of v without the members that say nothing. Options say something whatever their value.
func sent(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	var object map[string]json.RawMessage
	if err := json.Unmarshal(text, &object); err != nil {
		t.Fatal(err)
	}
	options := append(bind.Names(func(o *bind.Object) { members.Options(o, &placements.Options{}) }), "statusCell", "fillRight")
	maps.DeleteFunc(object, func(name string, value json.RawMessage) bool {
		return !slices.Contains(options, name) && slices.Contains([]string{`""`, "false", "null"}, string(value))
	})
	text, _ = json.Marshal(object)
	return string(text)
}

// placing are the members of a report that placing and refreshing may change.
var placing = []string{"refreshedAt", "refreshedBy", "refreshedByUser", "externalWorkbookId", "resultLocation", "endResultCell", "host"}

// parse takes an answer apart. Query checksums of placements come back by their names.
func (m *moored) parse(t *testing.T, w *httptest.ResponseRecorder) answer {
	t.Helper()
	out := answer{text: w.Body.String(), status: w.Code, placements: map[string]shownPlacement{}}
	if out.status != 200 {
		return out
	}
	out.version, _, _ = strings.Cut(w.Header().Get("ETag"), "-")
	var parts struct {
		ExternalWorkbookPlacements []json.RawMessage
		RemovedPlacement, Overlaps json.RawMessage
	}
	decodeInto(t, w, &parts)
	decodeInto(t, w, &out.marks)
	decodeInto(t, w, &out.definition)
	out.removed, out.overlaps = string(parts.RemovedPlacement), string(parts.Overlaps)
	for _, name := range append([]string{"externalWorkbookPlacements", "removedPlacement", "overlaps"}, placing...) {
		delete(out.definition, name)
	}
	for _, raw := range parts.ExternalWorkbookPlacements {
		var p shownPlacement
		exactly(t, raw, &p)
		m.put(t, out.placements, p)
	}
	return out
}

// put adds a placement under its address, its query checksum by name.
func (m *moored) put(t *testing.T, all map[string]shownPlacement, p shownPlacement) {
	t.Helper()
	for name, real := range m.queries {
		if p.QueryChecksum == real {
			p.QueryChecksum = name
		}
	}
	key := p.AddressKey()
	if _, twice := all[key]; twice || key == "" {
		t.Errorf("placement %+v has no address of its own", p)
	}
	all[key] = p
}

// exactly decodes JSON that must have no other members than v.
func exactly(t *testing.T, raw []byte, v any) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		t.Fatalf("%v: %s", err, raw)
	}
}

// byAddress is a list of placements as answers are taken apart.
func (m *moored) byAddress(t *testing.T, list []shownPlacement) map[string]shownPlacement {
	t.Helper()
	all := map[string]shownPlacement{}
	for _, p := range list {
		m.put(t, all, p)
	}
	return all
}

// stamped puts the words of the rows for what only the service knows: a time for one of the request, a new id for one that nobody knew.
func (a answer) stamped(p shownPlacement, known []string) shownPlacement {
	p.PlacedAt, p.RefreshedAt = a.instant(p.PlacedAt), a.instant(p.RefreshedAt)
	if p.ID != "" && !slices.Contains(known, p.ID) {
		p.ID = placementstest.Stamp().NewID
	}
	return p
}

// instant is the rows' now for a time of the request, else the time itself.
func (a answer) instant(text string) string {
	at, err := time.Parse(time.RFC3339, text)
	if err != nil || at.Before(a.start) || at.After(a.end) {
		return text
	}
	return placements.Time(placementstest.Stamp().Now)
}

// wantShown checks the placements that an answer shows; known are the ids that somebody chose.
func (a answer) wantShown(t *testing.T, want map[string]shownPlacement, known ...string) {
	t.Helper()
	got := map[string]shownPlacement{}
	for key, p := range a.placements {
		got[key] = a.stamped(p, known)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("placements (-want +got):\n%s", diff)
	}
}

// wantSameReport checks that an answer shows the definition and version of before.
func (a answer) wantSameReport(t *testing.T, before answer) {
	t.Helper()
	if a.status != 200 {
		t.Fatalf("status %d: %s", a.status, a.text)
	}
	if diff := cmp.Diff(before.definition, a.definition); diff != "" || a.version != before.version || a.version != `"v1` {
		t.Errorf("the definition changed from version %s to %s (-before +after):\n%s", before.version, a.version, diff)
	}
}

// wantMarks checks the marks of the report; want's refreshedAt is in the words of the rows.
func (a answer) wantMarks(t *testing.T, want record.LastRefresh) {
	t.Helper()
	got := a.marks
	got.RefreshedAt = a.instant(got.RefreshedAt)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("marks (-want +got):\n%s", diff)
	}
}

// refreshedNow puts the stamp of the rows into marks.
func refreshedNow(m record.LastRefresh) record.LastRefresh {
	s := placementstest.Stamp()
	m.RefreshedAt, m.RefreshedBy, m.RefreshedByUser = placements.Time(s.Now), s.By.UID, &record.User{ID: s.By.UID}
	return m
}

// wantRefusal checks an answer that refuses and says exactly these faults (JSON pointer -> part of the message there), and that nothing changed.
func (m *moored) wantRefusal(t *testing.T, a, before answer, status int, code placements.Code, faults map[string]string) {
	t.Helper()
	var body refusal
	exactly(t, []byte(a.text), &body)
	if a.status != status || body.StatusCode != status || body.Code != code || body.Retryable {
		t.Errorf("answer %s, want status %d and code %s", a.text, status, code)
	}
	if diff := placementstest.DiffFaults(faults, body.Details); diff != "" {
		t.Error(diff)
	}
	if after := m.read(t); after.text != before.text {
		t.Errorf("a refused request changed\n%s\nto\n%s", before.text, after.text)
	}
}

// wantKept checks that whoever reads later is shown what was answered to the write, and that each spreadsheet lists exactly that.
func (m *moored) wantKept(t *testing.T, want map[string]shownPlacement, a answer, documents map[string]bool, known ...string) {
	t.Helper()
	after := m.read(t)
	after.start, after.end = a.start, a.end
	after.wantSameReport(t, a)
	after.wantShown(t, want, known...)
	for key, p := range a.placements {
		if diff := cmp.Diff(p, after.placements[key]); diff != "" {
			t.Errorf("%s (-answered +read):\n%s", key, diff)
		}
	}
	if diff := cmp.Diff(a.marks, after.marks); diff != "" {
		t.Errorf("marks (-answered +read):\n%s", diff)
	}
	listed := map[string]shownPlacement{}
	for document := range documents {
		for _, p := range m.list(t, document) {
			m.put(t, listed, p)
		}
	}
	if diff := cmp.Diff(after.placements, listed); diff != "" {
		t.Errorf("what the spreadsheets list (-report +spreadsheets):\n%s", diff)
	}
}

// documents names the spreadsheets of some placements.
func documents(of ...map[string]shownPlacement) map[string]bool {
	names := map[string]bool{}
	for _, all := range of {
		for _, p := range all {
			names[p.WorkbookID] = true
		}
	}
	return names
}

// list is what a spreadsheet lists, all of which must be the report's.
func (m *moored) list(t *testing.T, document string) []shownPlacement {
	t.Helper()
	w := m.bare.send(step{method: "GET", path: "/api/v1/external-documents/" + url.PathEscape(document) + "/placements?include=resultChecksum", as: reader})
	var page struct {
		Items []json.RawMessage
	}
	decodeInto(t, w, &page)
	return m.listed(t, m.id, page.Items)
}

// listed takes apart what a list of placements shows of a report.
func (m *moored) listed(t *testing.T, report int64, items []json.RawMessage) []shownPlacement {
	t.Helper()
	list := make([]shownPlacement, len(items))
	for i, raw := range items {
		var item struct {
			Access       string          `json:"access"`
			DeploymentID int64           `json:"deploymentId"`
			ReportID     int64           `json:"reportId"`
			ReportName   string          `json:"reportName"`
			Placement    json.RawMessage `json:"placement"`
		}
		exactly(t, raw, &item)
		if item.Access != "GRANTED" || item.DeploymentID != 1 || item.ReportID != report || item.ReportName != "Rows <&>" {
			t.Errorf("listed as %s, want one of report %d", raw, report)
		}
		exactly(t, item.Placement, &list[i])
	}
	return list
}
