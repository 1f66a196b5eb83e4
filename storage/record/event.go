package record

import (
	"encoding/json"
	"fmt"

	"mooring/placements"
)

// EventType says what happened.
type EventType string

// Event is something that happened to a report of a deployment. ID orders the events of the deployment and resumes after one.
type Event struct {
	ID       string    `json:"id"`
	Type     EventType `json:"type"`
	ReportID int64     `json:"reportId"`
	At       string    `json:"at"` // RFC 3339, UTC, with milliseconds
	// Data of a run is a RunEvent; of a placement it has placementId, externalWorkbookId, resultLocation, and what keptEvent says; of a
	// report its version; of a schedule scheduleId, paused and version.
	Data json.RawMessage `json:"data"`
}

// RunEvent is the data of an event about a run.
type RunEvent struct {
	RunID         string `json:"runId"`
	ScheduleID    int64  `json:"scheduleId,omitempty"`
	State         string `json:"state"`
	Attempt       int    `json:"attempt,omitempty"`
	FireTime      string `json:"fireTime"`
	ErrorClass    string `json:"errorClass,omitempty"`
	Error         string `json:"error,omitempty"`
	NextAttemptAt string `json:"nextAttemptAt,omitempty"`
	RowsWritten   int    `json:"rowsWritten"`
}

// The events of a deployment. A run that succeeds after one on the same target failed permanently has recovered as well.
const (
	EventRunQueued             EventType = "run.queued"
	EventRunStarted            EventType = "run.started"
	EventRunWaiting            EventType = "run.waiting" // for its next attempt
	EventRunSucceeded          EventType = "run.succeeded"
	EventRunFailed             EventType = "run.failed"
	EventRunStopped            EventType = "run.stopped"
	EventRunSkipped            EventType = "run.skipped"
	EventRunSuperseded         EventType = "run.superseded" // nothing of it is left: a newer run refreshes what it waited for
	EventRunRecovered          EventType = "run.recovered"
	EventPlacementConnected    EventType = "placement.connected"
	EventPlacementDisconnected EventType = "placement.disconnected"
	EventPlacementRefreshed    EventType = "placement.refreshed"  // by an add-in
	EventEditsKept             EventType = "placement.edits_kept" // a run kept cells that a person changed since the run before
	EventEditsGone             EventType = "placement.edits_gone" // no such cell is left
	EventReportChanged         EventType = "report.changed"       // made, or its definition or who may read it changed
	EventScheduleChanged       EventType = "schedule.changed"     // made, changed, paused or resumed
	EventScheduleDeleted       EventType = "schedule.deleted"
)

// ValidEventID reports whether id can be the id of an event.
func ValidEventID(id string) bool {
	var ms, n uint64
	read, err := fmt.Sscanf(id, "%d-%d", &ms, &n)
	return err == nil && read == 2 && fmt.Sprintf("%d-%d", ms, n) == id
}

// Subscription is a consumer of a deployment's events that remembers what it has had. Several agents share one: each event is one agent's
// to deliver, and becomes another's when it was not confirmed in time.
type Subscription struct {
	Deployment Deployment
	Name       string // unique within the deployment
}

// ReportEvent is the data of an event about a report.
func ReportEvent(h *ReportHead) string { return fmt.Sprintf(`{"version":%d}`, h.Version) }

// ScheduleEvent is the data of an event about a schedule.
func ScheduleEvent(c *Schedule) string {
	return fmt.Sprintf(`{"scheduleId":%d,"paused":%t,"version":%d}`, c.ID, c.Paused, c.Version)
}

// PlacementEvent is the data of an event about a placement.
func PlacementEvent(p *placements.Placement) string {
	return Object(appendPlace(make([]byte, 0, 256), p))
}

// appendPlace appends the members that the data of every event about a placement has.
func appendPlace(data []byte, p *placements.Placement) []byte {
	data = AppendMember(data, `,"placementId":`, p.ID)
	data = AppendText(append(data, `,"externalWorkbookId":`...), p.WorkbookID)
	return AppendText(append(data, `,"resultLocation":`...), p.ResultLocation)
}

// eventCells is how many cells an event names.
const eventCells = 10

// keptEvent is the data of a placement.edits_kept event beside that of every event about a placement. It never holds values.
type keptEvent struct {
	Rows     int      `json:"rows"`     // of the block, that a person edited
	Cells    int      `json:"cells"`    // in them
	NewCells []string `json:"newCells"` // the first few that were not there before the run, such as Data!C7
}

// KeptEvent is the data of the event that edits of p were kept; added are those that were not there before.
func KeptEvent(p *placements.Placement, added []Edit) string {
	kept := keptEvent{Rows: p.Edits.Rows, Cells: p.Edits.Cells, NewCells: []string{}}
	for _, e := range added[:min(len(added), eventCells)] {
		kept.NewCells = append(kept.NewCells, e.At(*p).String())
	}
	counts, _ := Encode(kept) // numbers and texts always encode
	data := append(appendPlace(make([]byte, 0, 512), p), ',')
	return Object(append(data, counts[1:len(counts)-1]...))
}
