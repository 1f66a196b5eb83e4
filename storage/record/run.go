package record

import (
	"encoding/json"
	"fmt"
	"time"

	"mooring/placements"
)

// Trigger is why a run was made.
type Trigger string

// The triggers of decisions.md §7, and word that the data has changed.
const (
	TriggerSchedule Trigger = "schedule"
	TriggerManual   Trigger = "manual"
	TriggerCatchUp  Trigger = "catchUp"
	TriggerHook     Trigger = "hook"   // told by a request to a hook
	TriggerChange   Trigger = "change" // seen at the source
)

// Executor is who works on a run.
type Executor string

// The executors. A run that names none is an agent's.
const (
	ExecutorAgent  Executor = "agent"
	ExecutorClient Executor = "client" // the add-in of the user who asked for it
)

// Run is one refresh of a report's placements (decisions.md §7). Times are RFC 3339, UTC, with milliseconds.
type Run struct {
	ID                 string              `json:"id"`
	ReportID           int64               `json:"reportId"`
	PlacementID        string              `json:"placementId,omitempty"`        // the one asked for
	ExternalWorkbookID string              `json:"externalWorkbookId,omitempty"` // or those of one spreadsheet; neither: all
	ScheduleID         int64               `json:"scheduleId,omitempty"`
	RequestedBy        Actor               `json:"requestedBy"`
	Executor           Executor            `json:"executor,omitempty"`
	Trigger            Trigger             `json:"trigger"`
	State              placements.RunState `json:"state"`
	FireTime           string              `json:"fireTime"`
	Due                time.Time           `json:"-"`                     // FireTime with the schedule's jitter; zero for a run that no tick made
	Document           string              `json:"-"`                     // the name of the document's lock, of a client run; empty: ExternalWorkbookID
	Home               string              `json:"-"`                     // of its Target; an attempt knows it
	Trace              string              `json:"-"`                     // the traceparent of the request that asked for it; empty: none
	MissedFires        int                 `json:"missedFires,omitempty"` // earlier ticks that this run stands for
	StartedAt          string              `json:"startedAt,omitempty"`
	EndedAt            string              `json:"endedAt,omitempty"`
	Attempt            int                 `json:"attempt"`
	NextAttemptAt      string              `json:"nextAttemptAt,omitempty"`
	ErrorClass         placements.Class    `json:"errorClass,omitempty"`
	Error              string              `json:"error,omitempty"`     // a sentence for the user
	WriteOver          bool                `json:"writeOver,omitempty"` // what is filled where its block goes, if that was never written
	Restores           string              `json:"restores,omitempty"`  // the run whose change it puts back; empty: none
	Tally
	placements.Options                // said by who asked for the run, or by its schedule
	Placements         []RunPlacement `json:"placements"`
	// Carried has, by placement, what was said by who asked for an older run that waited for it. Never shown.
	Carried map[string]Carried `json:"-"`
	// Faults has, by placement, since when a fault keeps it from being refreshed that is waited for briefly; that of the run has no placement.
	// Never shown.
	Faults map[string]string `json:"-"`
}

// Apart reports whether the run does for who asked for it what no other run does.
func (r *Run) Apart() bool { return r.WriteOver || r.Restores != "" }

// Carried is what a user requested of a placement with a run that a newer run took over before it was carried out.
type Carried struct {
	placements.Options
	By Actor
}

// Tally counts what a run did.
type Tally struct {
	Rows         int   `json:"rows"`
	Columns      int   `json:"columns"`
	RowsWritten  int   `json:"rowsWritten"`
	CellsWritten int   `json:"cellsWritten"`
	HostCalls    int   `json:"hostCalls"`
	QueryMs      int64 `json:"queryMs"`
	WriteMs      int64 `json:"writeMs"`
	MovedRows    int   `json:"movedRows"`    // that a person had sorted, cut or dragged elsewhere and that are in their place again
	ReturnedRows int   `json:"returnedRows"` // that a person had deleted and that are back
}

// RunPlacement is what a run did to one placement.
type RunPlacement struct {
	PlacementID string                       `json:"placementId"`
	RunAsUserID int64                        `json:"runAsUserId,omitempty"` // on whose behalf it was queried then: they may see the values, unless OthersValues
	Parameters  placements.ParameterSettings `json:"parameters,omitempty"`  // the values that it was queried with, or refused, and the cells of those that were read
	State       placements.RunState          `json:"state"`
	ErrorClass  placements.Class             `json:"errorClass,omitempty"`
	Error       string                       `json:"error,omitempty"`
	Clash       *placements.Clash            `json:"conflict,omitempty"`
	// Reason, Since and NextAttemptAt are those of a LastRun; SupersededBy is the newer run that refreshes a SUPERSEDED placement.
	Reason        placements.Reason `json:"reason,omitempty"`
	Since         string            `json:"since,omitempty"`
	NextAttemptAt string            `json:"nextAttemptAt,omitempty"`
	SupersededBy  string            `json:"supersededBy,omitempty"`
	Note          string            `json:"note,omitempty"` // what was left alone without hindering the run
	Tally
	ChangedRows int              `json:"changedRows,omitempty"` // of the block that hold something else than before, not those that only moved
	EditedRows  []int            `json:"editedRows,omitempty"`  // by the sheet's row numbers, from 1; the first 1,000
	Overwritten []OverwrittenRow `json:"overwritten,omitempty"`
	// OthersValues: Overwritten may have what other persons than RunAsUserID were shown, or typed outside the block.
	OthersValues bool `json:"othersValues,omitempty"`
	// PutBack counts the cells that the run was to put back; nil where it was to put back none.
	PutBack *PutBack `json:"putBack,omitempty"`
}

// PutBack counts cells that an earlier run had changed, and that a run was to put back.
type PutBack struct {
	Cells int `json:"cells"` // that hold again what they held before, by this run
	Stood int `json:"stood"` // that did so already
	Left  int `json:"left"`  // that stay as they are: they hold something else than was written, or their row or column is gone
}

// OverwrittenRow keeps what a person had typed where a run then wrote. A value is what JSON has for the cell: a number, a text,
// true or false, null for an empty one. A formula is an object: {"formula":"=SUM(A1:A3)","value":6}, value being what it showed.
type OverwrittenRow struct {
	Row    int   `json:"row"`    // the sheet's row number, from 1
	Values []any `json:"values"` // nil for who may not see them
}

// Order asks for a manual run in a deployment of a tenant.
type Order struct {
	DeploymentID int64
	Run          *Run // gets its id and fire time when it is made
}

// storedRun is the JSON of a run as it is stored: beside what is shown, it has the rights of who asked for it, when it was due, and the
// trace that it is part of.
type storedRun struct {
	*Run
	RequestedBy KeptActor                `json:"requestedBy"`
	Due         int64                    `json:"due,omitempty"` // in ms
	Document    string                   `json:"document,omitempty"`
	Trace       string                   `json:"trace,omitempty"`
	Carried     map[string]storedCarried `json:"carried,omitempty"`
	Faults      map[string]string        `json:"faults,omitempty"`
	Form        int                      `json:"form"`
}

// formWaits is the form of stored runs in which the placements that wait are QUEUED.
const formWaits = 1

// storedCarried is the JSON of what is Carried.
type storedCarried struct {
	placements.Options
	By KeptActor `json:"by"`
}

// EncodeRun returns the JSON of a run as ReadRun reads it.
func EncodeRun(run *Run) (string, error) {
	stored := storedRun{Run: run, RequestedBy: Keep(run.RequestedBy), Document: run.Document, Trace: run.Trace, Faults: run.Faults, Form: formWaits}
	if !run.Due.IsZero() {
		stored.Due = run.Due.UnixMilli()
	}
	for id, c := range run.Carried {
		if stored.Carried == nil {
			stored.Carried = map[string]storedCarried{}
		}
		stored.Carried[id] = storedCarried{c.Options, Keep(c.By)}
	}
	return Encode(stored)
}

// ReadRun reads the JSON of a run as it is stored.
func ReadRun(id, text string) (*Run, error) {
	stored := storedRun{Run: new(Run)}
	if err := json.Unmarshal([]byte(text), &stored); err != nil {
		return nil, fmt.Errorf("run %s: %w", id, err)
	}
	if stored.Placements == nil { // the skipped runs of earlier versions have null
		stored.Placements = []RunPlacement{}
	}
	if stored.Form < formWaits {
		stored.Run.awaitAgain()
	}
	stored.Run.RequestedBy, stored.Run.Trace, stored.Run.Faults = stored.RequestedBy.Restored(), stored.Trace, stored.Faults
	stored.Run.Document = stored.Document
	for id, c := range stored.Carried {
		if stored.Run.Carried == nil {
			stored.Run.Carried = map[string]Carried{}
		}
		stored.Run.Carried[id] = Carried{c.Options, c.By.Restored()}
	}
	if stored.Due != 0 {
		stored.Run.Due = time.UnixMilli(stored.Due).UTC()
	}
	return stored.Run, nil
}

// awaitAgain shows what the run waits for as it is shown now: of a run that waited, earlier versions had the placements as FAILED, and tried
// those again whose fault may pass by itself.
func (r *Run) awaitAgain() {
	if r.State != placements.RunQueued || r.Attempt == 0 {
		return
	}
	for i := range r.Placements {
		p := &r.Placements[i]
		if p.State == placements.RunFailed && (p.ErrorClass == placements.Transient || p.ErrorClass == placements.Quota) {
			p.State, p.NextAttemptAt = placements.RunQueued, r.NextAttemptAt
		}
	}
}
