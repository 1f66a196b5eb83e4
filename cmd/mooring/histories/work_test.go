//go:build unix

package histories

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"time"

	"mooring/cmd/mooring/programtest"
)

// subject is one part of a history: clients make requests about it.
type subject struct {
	part string // of its entries, but for creating
	work worker

	mu      sync.Mutex
	entries []*entry
	ids     []string       // told by answers, the latest last
	serial  int            // of values, no two of which are equal
	lost    map[string]int // entries without an answer, by their part
}

// mostLost is how many entries of a part may have no answer. Each may have been carried out at any time, or never: of many no order can be found.
const mostLost = 5

// worker makes one random request about a subject.
type worker interface {
	request(c *client, s *subject)
}

// note adds an entry.
func (s *subject) note(e *entry) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.entries = append(s.entries, e)
	if e.lost() {
		s.lost[e.Part]++
	}
}

// isRetired reports whether no more requests are made about a part of the subject, as too little is known of it.
func (s *subject) isRetired(part string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.lost[part] >= mostLost
}

// told notes an id that an answer told.
func (s *subject) told(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if id != "" && (len(s.ids) == 0 || s.ids[len(s.ids)-1] != id) {
		s.ids = append(s.ids, id)
	}
}

// id is one of those that answers told, mostly the latest; empty when there is none.
func (s *subject) id(r *rand.Rand) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.ids) == 0 {
		return ""
	}
	return s.ids[len(s.ids)-1-min(r.IntN(len(s.ids)), r.IntN(4)*r.IntN(2))]
}

// value makes a text that the subject has not had.
func (s *subject) value() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.serial++
	return fmt.Sprintf("v%d", s.serial)
}

// assets makes requests about one report, workbook or schedule. Each kind says its paths and members.
type assets struct {
	byName string // path by the portable id
	byID   string // path before the id
	verbs  []verb // chosen from evenly
	sends  func(*subject, *rand.Rand) (set map[string]string, body any)
	shows  func(*answer) map[string]string
}

func (w *assets) request(c *client, s *subject) {
	e := &entry{Part: s.part, Do: w.verbs[c.rand.IntN(len(w.verbs))]}
	method, path, body := http.MethodGet, w.byName, any(nil)
	switch e.Do {
	case get:
	case put:
		method = http.MethodPut
		e.Set, body = w.sends(s, c.rand)
	default:
		if e.ID = s.id(c.rand); e.ID == "" {
			return
		}
		body = map[string]any{}
		if method, path = http.MethodPost, w.byID+e.ID+"/"+string(e.Do); e.Do == remove {
			method, path = http.MethodDelete, w.byID+e.ID
		}
	}
	a, noted := c.ask(e, method, deployment+path, body)
	if a != nil && a.status == statusOK && e.Do != remove {
		e.Got = w.shows(a)
		s.told(e.Got["id"])
	}
	if noted {
		s.note(e)
	}
}

// newReport is a report upserted by its publicId.
func newReport(publicID string) *assets {
	return &assets{
		byName: "/reports/by-public-id/" + publicID, byID: "/reports/", verbs: []verb{put, put, put, get, get, get, remove},
		sends: func(s *subject, r *rand.Rand) (map[string]string, any) {
			set := map[string]string{}
			for _, member := range []string{"name", "title", "description"} {
				if r.IntN(2) == 0 {
					set[member] = s.value()
				}
			}
			return set, set
		},
		shows: func(a *answer) map[string]string { return members(a, "id", "version", "name", "title", "description") },
	}
}

// members are those of the answer that have a value.
func members(a *answer, names ...string) map[string]string {
	got := map[string]string{}
	for _, name := range names {
		if v := a.is(name); v != "" {
			got[name] = v
		}
	}
	return got
}

// newWorkbook is a workbook upserted by its slug, whose meta is merged, with a dashboard that is published.
func newWorkbook(slug string) *assets {
	return &assets{
		byName: "/workbooks/by-slug/" + slug, byID: "/workbooks/", verbs: []verb{put, put, put, put, get, get, get, publish, publish, remove},
		sends: func(s *subject, r *rand.Rand) (map[string]string, any) {
			v, meta := s.value(), map[string]any{}
			member := []string{"a", "b", "c", "draft"}[r.IntN(4)]
			if meta[member] = v; member == "draft" {
				meta = map[string]any{"dashboardDraft": map[string]any{"title": v}}
			}
			return map[string]string{member: v}, map[string]any{"meta": meta}
		},
		shows: showWorkbook,
	}
}

func showWorkbook(a *answer) map[string]string {
	got := members(a, "id", "version")
	meta, _ := a.body["meta"].(map[string]any)
	for _, member := range []string{"a", "b", "c"} {
		if v, ok := meta[member]; ok {
			got[member] = text(v)
		}
	}
	for member, shown := range map[string]string{"draft": "dashboardDraft", "published": "dashboardPublished"} {
		if board, ok := a.body[shown].(map[string]any); ok && board["title"] != nil {
			got[member] = text(board["title"])
		}
	}
	return got
}

// newSchedule is a schedule of a report, upserted by its key.
func newSchedule(key, report string) *assets {
	return &assets{
		byName: "/refresh-schedules/by-key/" + key, byID: "/refresh-schedules/", verbs: []verb{put, put, get, get, pause, resume, remove},
		sends: func(s *subject, _ *rand.Rand) (map[string]string, any) {
			name := s.value()
			return map[string]string{"name": name}, map[string]any{"name": name, "cron": []string{"@yearly"}, "target": map[string]any{"publicId": report}}
		},
		shows: func(a *answer) map[string]string { return members(a, "id", "version", "name", "paused") },
	}
}

// standing makes requests about the placements of a report in one document.
type standing struct{ report, document string }

// cells are where it is placed.
var cells = []string{"B2", "F2", "J2", "N2"}

func (w *standing) request(c *client, s *subject) {
	e := &entry{Part: s.part, Do: []verb{connect, connect, leave, leave, list}[c.rand.IntN(5)]}
	body := map[string]any{"externalWorkbookId": w.document, "host": "SHEETS_A"}
	method, path := http.MethodPut, "/reports/"+w.report+"/connect-workbook"
	known := s.id(c.rand)
	switch {
	case e.Do == list:
		method, path = http.MethodGet, "/reports/"+w.report
	case e.Do == connect:
		if e.ID, e.Cell = known, cells[c.rand.IntN(len(cells))]; known == "" || c.rand.IntN(2) == 0 {
			e.ID = "p" + s.value()
		}
		body["placementId"], body["resultLocation"], body["addressOnly"] = e.ID, "Sheet1!"+e.Cell, true
	case c.rand.IntN(2) == 0 && known != "":
		method, e.ID = http.MethodDelete, known
		body = map[string]any{"placementId": known, "externalWorkbookId": w.document}
	default:
		method, e.Cell = http.MethodDelete, cells[c.rand.IntN(len(cells))]
		body = map[string]any{"resultLocation": "Sheet1!" + e.Cell} // in whatever document: there is but one
		if c.rand.IntN(2) == 0 {
			body["externalWorkbookId"] = w.document
		}
	}
	a, noted := c.ask(e, method, deployment+path, body)
	if a != nil && a.status == statusOK {
		e.Got = showPlacements(a)
		for _, id := range e.Got {
			s.told(id)
		}
	}
	if noted {
		s.note(e)
	}
}

// showPlacements are the ids of the placements by their cells.
func showPlacements(a *answer) map[string]string {
	got := map[string]string{}
	list, _ := a.body["externalWorkbookPlacements"].([]any)
	for _, one := range list {
		p, _ := one.(map[string]any)
		got[text(p["anchorCell"])] = text(p["id"])
	}
	return got
}

// creating sends creations, each again and again under one Idempotency-Key, which is a part of its own.
type creating struct{ path, name string }

func (w *creating) request(c *client, s *subject) {
	key := s.id(c.rand)
	if key == "" || c.rand.IntN(4) == 0 || s.isRetired("key "+key) {
		key = w.name + s.value()
		s.told(key)
	}
	e := &entry{Part: "key " + key, Do: create}
	body := map[string]any{"name": key}
	if strings.HasPrefix(w.path, "/refresh-schedules") {
		body["cron"], body["target"] = "@yearly", map[string]any{"publicId": schedulesReport}
	}
	a, noted := c.ask(e, http.MethodPost, deployment+w.path, body, "Idempotency-Key", key)
	if a != nil && a.status == statusOK {
		e.Got = members(a, "id")
	}
	if noted {
		s.note(e)
	}
}

// planning makes and applies plans of a project with one report.
type planning struct{ project, publicID string }

func (w *planning) request(c *client, s *subject) {
	e := &entry{Part: s.part, Do: []verb{makePlan, applyPlan}[c.rand.IntN(2)]}
	known := s.id(c.rand)
	if e.Do == applyPlan && known == "" {
		return
	}
	if e.Do == makePlan {
		name := s.value()
		e.Set = map[string]string{"name": name}
		asset := map[string]any{"kind": "report", "ref": w.publicID, "definition": map[string]any{"name": name}}
		a, noted := c.ask(e, http.MethodPost, deployment+"/plans", map[string]any{"project": w.project, "assets": []any{asset}})
		if a != nil && a.status == statusOK {
			list, _ := a.body["assets"].([]any)
			planned, _ := list[0].(map[string]any)
			e.Got = map[string]string{"plan": a.is("id"), "action": text(planned["action"])}
			s.told(a.is("id") + " " + name)
		}
		if noted {
			s.note(e)
		}
		return
	}
	id, name, _ := strings.Cut(known, " ")
	e.ID, e.Set = id, map[string]string{"name": name}
	if _, noted := c.ask(e, http.MethodPost, deployment+"/plans/"+id+"/apply", map[string]any{}); noted {
		s.note(e)
	}
}

// schedulesReport is the publicId of the report that schedules are of.
const schedulesReport = "Scheduled000"

// subjects makes new ones of every kind; round and the rig's name make them differ from others.
func (c *client) subjects(round int) (all []*subject) {
	add := func(part string, w worker) { all = append(all, &subject{part: part, work: w, lost: map[string]int{}}) }
	for i := range subjectsOfKind {
		name := fmt.Sprintf("%05d%03d", round, i)
		add("report "+name, newReport("Hist"+name))
		add("workbook "+name, newWorkbook("hist-"+name))
		add("schedule "+name, newSchedule("hist-"+name, schedulesReport))
		add("placements "+name, &standing{report: c.placedReport(name), document: "document " + name})
		add("run "+name, &holding{report: c.heldReport("Held"+name, name), sums: map[string][]any{}})
		add("project "+name, &planning{project: "hist-" + name, publicID: "Plan" + name})
		add("key "+name, &starting{name: name, runs: map[string]string{}})
		path := []string{"/reports", "/workbooks", "/refresh-schedules"}[i%3]
		add("key "+name, &creating{path: path, name: name})
	}
	return all
}

// placedReport makes the report of which placements are recorded, and returns its id.
func (c *client) placedReport(name string) string {
	return c.insist(http.MethodPut, "/reports/by-public-id/Placed"+name[2:], map[string]any{"name": "Placed"}).is("id")
}

// insist sends a request until it is answered well; it is no part of a history.
func (c *client) insist(method, path string, body any) *answer {
	for deadline := time.Now().Add(programtest.Patience); ; {
		a, err := c.send(method, deployment+path, body)
		if err == nil && a.status == statusOK {
			return a
		}
		if time.Now().After(deadline) {
			panic(fmt.Sprintf("%s %s: %v, %+v", method, path, err, a))
		}
	}
}

// countMade notes how many records were made under each key.
func (c *client) countMade(all []*subject) {
	made, at := map[string]int{}, int64(time.Since(c.began)) // a count is at some time after that
	for _, path := range []string{"/reports", "/workbooks", "/refresh-schedules"} {
		for after := ""; ; {
			page := c.insist(http.MethodGet, path+"?first=200&after="+after, nil)
			items, _ := page.body["items"].([]any)
			for _, one := range items {
				item, _ := one.(map[string]any)
				made[text(item["name"])]++
			}
			info, _ := page.body["pageInfo"].(map[string]any)
			if more, _ := info["hasNextPage"].(bool); !more {
				break
			}
			after = text(info["endCursor"])
		}
	}
	for _, s := range all {
		for _, key := range s.ids {
			e := &entry{Client: c.number, Call: at, Do: count}
			switch s.work.(type) {
			case *creating:
				e.Part, e.Got = "key "+key, map[string]string{"count": fmt.Sprint(made[key])}
			case *starting:
				name, report, _ := strings.Cut(key, " ")
				runs, _ := c.insist(http.MethodGet, "/reports/"+report+"/refreshes", nil).body["items"].([]any)
				e.Part, e.Got = "key "+name, map[string]string{"count": fmt.Sprint(len(runs))}
			default:
				continue
			}
			e.Return = int64(time.Since(c.began))
			s.note(e)
		}
	}
}
