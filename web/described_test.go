package web

import (
	"cmp"
	"encoding/json"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"

	"mooring/placements"
	"mooring/refresh"
	"mooring/storage"
	"mooring/storage/queue"
	"mooring/storage/record"
	"mooring/storage/storagetest"
	"mooring/storage/work"
)

// runsRig is a report that stands in two documents, with a schedule, whose runs are made without an agent.
type runsRig struct {
	*api
	*testing.T
	address  string
	schedule int64
	readings []string // the operations that show runs, as paths
}

func newRunsRig(t *testing.T) *runsRig {
	t.Helper()
	r := &runsRig{T: t, address: storagetest.Redis(t)}
	s := storagetest.Open(t, r.address)
	if err := s.Work().Queue.Prepare(t.Context()); err != nil {
		t.Fatal(err)
	}
	r.api = newAPI(t, s, func(c *Config) {
		c.Engine = refresh.New(refresh.Config{Store: s, Log: slog.New(slog.DiscardHandler)})
	})
	r.run(t, []step{
		{name: "a report", method: "POST", path: "/reports", body: `{"name":"R","publicId":"Described001","sqlQuery":"SELECT 1","externalWorkbookId":"one","resultLocation":"S!A1"}`, status: 200, keep: map[string]string{"reportId": "id"}},
		{name: "which stands twice", method: "PUT", path: "/reports/{{reportId}}/connect-workbook", body: `{"externalWorkbookId":"two","resultLocation":"S!A1","placementId":"p2"}`, status: 200},
		{name: "a schedule", method: "POST", path: "/refresh-schedules", body: `{"key":"described","target":{"reportId":{{reportId}}},"cron":"@yearly"}`, status: 200, keep: map[string]string{"scheduleId": "id"}},
	})
	var err error
	if r.schedule, err = strconv.ParseInt(r.vars["scheduleId"], 10, 64); err != nil {
		t.Fatal(err)
	}
	r.readings = r.showing("Run", "LastRun", "StatusCounts")
	return r
}

// showing are the paths of the operations that read and whose answers have one of these schemas.
func (r *runsRig) showing(schemas ...string) (paths []string) {
	r.Helper()
	doc, err := contract()
	r.fine(err)
	for path, item := range doc.Paths.Map() {
		if item.Get == nil || strings.HasSuffix(path, "/events") {
			continue
		}
		for _, media := range item.Get.Responses.Status(200).Value.Content {
			if refersTo(media.Schema, schemas, map[*openapi3.Schema]bool{}) {
				paths = append(paths, path)
			}
		}
	}
	if len(paths) < 10 {
		r.Fatalf("only %v show runs", paths)
	}
	return paths
}

// refersTo reports whether a schema has one of these somewhere.
func refersTo(s *openapi3.SchemaRef, names []string, seen map[*openapi3.Schema]bool) bool {
	if s == nil || s.Value == nil || seen[s.Value] {
		return false
	}
	seen[s.Value] = true
	if slices.Contains(names, s.Ref[strings.LastIndexByte(s.Ref, '/')+1:]) || refersTo(s.Value.Items, names, seen) {
		return true
	}
	for _, p := range s.Value.Properties {
		if refersTo(p, names, seen) {
			return true
		}
	}
	return slices.ContainsFunc(slices.Concat(s.Value.AnyOf, s.Value.OneOf), func(p *openapi3.SchemaRef) bool { return refersTo(p, names, seen) })
}

func (r *runsRig) fine(err error) {
	r.Helper()
	if err != nil {
		r.Fatal(err)
	}
}

// read asks every operation that shows runs, of the run too, whose state must be want. The rig's handler holds the answers to the document.
func (r *runsRig) read(run string, want placements.RunState) {
	r.Helper()
	fill := strings.NewReplacer("{deploymentId}", "1", "{reportId}", r.vars["reportId"], "{publicId}", "Described001", "{runId}", run,
		"{scheduleId}", r.vars["scheduleId"], "{key}", "described", "{externalWorkbookId}", "two", "{placementId}", "p2")
	for _, path := range r.readings {
		if w := r.send(step{method: "GET", path: fill.Replace(path)}); w.Code != 200 {
			r.Errorf("%s: %d %s", path, w.Code, w.Body)
		}
	}
	var got struct {
		State      placements.RunState
		Placements json.RawMessage
	}
	decodeInto(r.T, r.send(step{method: "GET", path: "/refreshes/" + run}), &got)
	if got.State != want || !strings.HasPrefix(string(got.Placements), "[") {
		r.Errorf("run %s is %s with %s, want %s with a list", run, got.State, got.Placements, want)
	}
}

var described1 = record.Deployment{Tenant: "acme", ID: 1}

// fire fires the schedule's next tick, as change makes it, and returns its run.
func (r *runsRig) fire(change func(*record.Firing)) string {
	r.Helper()
	c, err := r.store.Schedules().Get(r.Context(), described1, r.schedule)
	r.fine(err)
	next := c.Next.AddDate(1, 0, 0)
	f := record.Firing{Deployment: described1, Schedule: c, Next: record.Tick{At: next, Due: next}, Run: &record.Run{
		ID: record.RunID(c.ID, c.Next), ScheduleID: c.ID, ReportID: c.Target.ReportID, Trigger: record.TriggerSchedule,
		State: placements.RunQueued, FireTime: placements.Time(c.Next), RequestedBy: c.Owner,
	}}
	change(&f)
	made, err := r.store.Work().Queue.Ticks.Fire(r.Context(), []record.Firing{f})
	if err != nil || !made[0] {
		r.Fatalf("%v, %v", made, err)
	}
	return f.Run.ID
}

func onTime(*record.Firing) {}

// begin begins the attempt of a run that is in the queues.
func (r *runsRig) begin(run string) *queue.Attempt {
	r.Helper()
	list, err := r.store.Work().Queue.Take(r.Context(), "agent", 16*storage.DefaultPartitions, -1)
	r.fine(err)
	at := slices.IndexFunc(list, func(e queue.Entry) bool { return e.RunID == run })
	if at < 0 {
		r.Fatalf("the queues have no run %s", run)
	}
	a, err := r.store.Work().Queue.Begin(r.Context(), "agent", list[at])
	r.fine(err)
	return a
}

// end leaves a run, and with it the placement p2, as that one is in it.
func (r *runsRig) end(a *queue.Attempt, state placements.RunState, p2 record.RunPlacement) {
	r.Helper()
	p2.PlacementID = "p2"
	run := a.Run
	run.State, run.Placements, run.ErrorClass, run.Error, run.NextAttemptAt = state, []record.RunPlacement{p2}, p2.ErrorClass, p2.Error, p2.NextAttemptAt
	var o work.Outcome
	if state == placements.RunFailed {
		o.Failure = p2.Error
	}
	if p2.NextAttemptAt != "" {
		var err error
		o.Again, err = time.Parse(time.RFC3339, p2.NextAttemptAt)
		r.fine(err)
	} else {
		run.EndedAt = placements.Time(time.Now())
	}
	loaded, err := r.store.Work().Load(r.Context(), a)
	r.fine(err)
	for _, p := range loaded.Placements {
		if p.ID == "p2" {
			o.Placements = []work.PlacementOutcome{{Placement: p.Placement, Before: p, LastRun: placements.LastRun{
				RunID: run.ID, State: p2.State, Attempt: run.Attempt, ErrorClass: p2.ErrorClass, Error: p2.Error, Reason: p2.Reason, Since: p2.Since,
				StartedAt: run.StartedAt, EndedAt: run.EndedAt, NextAttemptAt: p2.NextAttemptAt,
			}}}
		}
	}
	r.fine(r.store.Work().Complete(r.Context(), a, o))
}

// Runs of every state and trigger are shown as the document says, by every operation that shows them, and so are their events.
func TestRunsOfEveryKindAreAsDescribed(t *testing.T) {
	r := newRunsRig(t)
	events := r.stream(t, "editor", "0-0")
	now := time.Now()
	since, next := placements.Time(now.Add(-time.Minute)), placements.Time(now.Add(time.Hour))

	succeeded := r.fire(onTime)
	r.read(succeeded, placements.RunQueued)
	a := r.begin(succeeded)
	r.fine(r.store.Work().Queue.MarkRunning(t.Context(), described1, a.Run, []string{"p2"}))
	r.read(succeeded, placements.RunRunning)
	skipped := r.fire(onTime)
	r.read(skipped, placements.RunSkipped)
	r.end(a, placements.RunSucceeded, record.RunPlacement{State: placements.RunSucceeded, EditedRows: []int{3}, Overwritten: []record.OverwrittenRow{{Row: 3, Values: []any{nil, "x", 1.5}}}})
	r.read(succeeded, placements.RunSucceeded)

	r.read(r.fire(func(f *record.Firing) { f.Run.State, f.Run.Error = placements.RunSkipped, "missed: no agent was there" }), placements.RunSkipped)
	for _, reason := range placements.Waits() {
		waits := r.fire(func(f *record.Firing) { f.Queue, f.Run.Trigger, f.Run.MissedFires = true, record.TriggerCatchUp, 4 })
		r.read(waits, placements.RunQueued)
		r.end(r.begin(waits), placements.RunQueued, record.RunPlacement{
			State: placements.RunQueued, ErrorClass: placements.Transient, Error: "it is open elsewhere", Reason: reason, Since: since, NextAttemptAt: next,
		})
		r.read(waits, placements.RunQueued)
		r.fine(r.store.Work().Queue.Runs.Stop(t.Context(), described1, waits))
		r.end(r.begin(waits), placements.RunStopped, record.RunPlacement{State: placements.RunStopped})
		r.read(waits, placements.RunStopped)
	}
	superseded := r.fire(onTime)
	r.end(r.begin(superseded), placements.RunSuperseded, record.RunPlacement{State: placements.RunSuperseded, SupersededBy: succeeded})
	r.read(superseded, placements.RunSuperseded)
	left := r.fire(onTime)
	r.end(r.begin(left), placements.RunSkipped, record.RunPlacement{State: placements.RunSkipped, Reason: placements.ReasonAddinOnly})
	r.read(left, placements.RunSkipped)

	for _, class := range []placements.Class{placements.Auth, placements.Conflict, placements.Permanent, placements.Structure} {
		run := &record.Run{ReportID: a.Run.ReportID, RequestedBy: record.Actor{ID: 1, Email: "ed@acme.example", Roles: []int64{7}}}
		r.fine(storagetest.Enqueue(t.Context(), r.store.Work(), described1, run))
		r.read(run.ID, placements.RunQueued)
		r.end(r.begin(run.ID), placements.RunFailed, record.RunPlacement{State: placements.RunFailed, ErrorClass: class, Error: "no"})
		r.read(run.ID, placements.RunFailed)
	}
	for _, trigger := range []record.Trigger{record.TriggerHook, record.TriggerChange} {
		r.read(r.arrived(trigger), placements.RunQueued)
	}

	want := []record.EventType{
		record.EventRunQueued, record.EventRunStarted, record.EventRunWaiting, record.EventRunSucceeded, record.EventRunFailed,
		record.EventRunStopped, record.EventRunSkipped, record.EventRunSuperseded,
	}
	for len(want) > 0 {
		_, kind, _ := events.nextRun()
		want = slices.DeleteFunc(want, func(one record.EventType) bool { return string(one) == kind })
	}
}

// arrived makes a run by that trigger.
func (r *runsRig) arrived(trigger record.Trigger) string {
	r.Helper()
	c, err := r.store.Schedules().Get(r.Context(), described1, r.schedule)
	r.fine(err)
	run := &record.Run{ReportID: c.Target.ReportID, ScheduleID: c.ID, RequestedBy: c.Owner}
	list, err := r.store.Work().Queue.Arrive(r.Context(), described1, record.Arrival{Trigger: trigger}, []queue.ArrivalRun{{Schedule: c, Run: run}})
	r.fine(err)
	return cmp.Or(list[0].RunID, run.ID)
}

// What earlier versions stored of a run is shown as the document says, too.
func TestAStoredRunWithoutAListOfPlacements(t *testing.T) {
	r := newRunsRig(t)
	r.end(r.begin(r.fire(onTime)), placements.RunSucceeded, record.RunPlacement{State: placements.RunSucceeded})
	run := r.fire(func(f *record.Firing) { f.Run.State, f.Run.Error = placements.RunSkipped, "missed" })
	client := storagetest.Client(t, r.address)
	keys, err := client.Keys(t.Context(), "*:d:1:run:"+run).Result()
	if err != nil || len(keys) != 1 {
		t.Fatalf("%v, %v", keys, err)
	}
	text, err := client.HGet(t.Context(), keys[0], "run").Result()
	r.fine(err)
	stored := map[string]any{}
	r.fine(json.Unmarshal([]byte(text), &stored))
	stored["placements"] = nil
	old, err := json.Marshal(stored)
	r.fine(err)
	r.fine(client.HSet(t.Context(), keys[0], "run", old).Err())
	r.read(run, placements.RunSkipped)
}

// What there is not, and what a client has already, is answered as described wherever it can be asked for: the rig fails at what is not.
func TestNoDeploymentAndNothingNewAreDescribed(t *testing.T) {
	r := newRunsRig(t)
	for _, path := range []string{"causes", "documents", "placements", "reports", "refreshes", "refresh-schedules", "workbooks", "stats", "audit"} {
		r.run(r.T, []step{{name: path, method: "GET", path: "/api/v1/deployments/99/" + path, status: 404}})
	}
	r.run(r.T, []step{
		{name: "a schedule that is known", method: "GET", path: "/refresh-schedules/{{scheduleId}}", header: map[string]string{"If-None-Match": "*"}, status: 304},
		{name: "a style that is known", method: "GET", path: "//docs/assets/docs.css", header: map[string]string{"If-None-Match": "*"}, status: 304},
		{name: "a part of a style", method: "GET", path: "//docs/assets/docs.css", header: map[string]string{"Range": "bytes=0-0"}, status: 200},
		{name: "a style of a version", method: "GET", path: "//docs/assets/docs.css", header: map[string]string{"If-Match": `"x"`}, status: 200},
		{name: "a query that is none", method: "GET", path: "/causes?a;b", status: 400},
	})
}

// A placement that a project manages is shown as such when it is removed.
func TestARemovedPlacementOfAProjectIsDescribed(t *testing.T) {
	r := newRunsRig(t)
	r.run(r.T, []step{
		{name: "a plan", method: "POST", path: "/plans", status: 200, keep: map[string]string{"plan": "id"}, body: `{"project":"p","assets":[
			{"kind":"report","ref":"Managed00001","definition":{"name":"M","sqlQuery":"SELECT 1"}},
			{"kind":"placement","ref":"three/S!A1","definition":{"report":"Managed00001","host":"SHEETS_B","document":"three","sheet":"S","anchor":"A1"}}]}`},
		{name: "its apply", method: "POST", path: "/plans/{{plan}}/apply", status: 200},
		{name: "the report", method: "GET", path: "/reports/by-public-id/Managed00001", status: 200, keep: map[string]string{"managed": "id"}},
		{
			name: "a disconnect", method: "DELETE", path: "/reports/{{managed}}/connect-workbook", status: 200,
			body: `{"externalWorkbookId":"three","resultLocation":"S!A1"}`, holds: `{"removedPlacement":{"managedBy":{"project":"p"}}}`,
		},
	})
}
