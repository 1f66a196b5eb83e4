package record

import (
	"cmp"
	"slices"
	"time"

	"mooring/placements"
)

// RunTarget says what a run refreshes: all placements of a report, or one of them, or those in one spreadsheet.
type RunTarget struct {
	ReportID           int64  `json:"reportId"`
	PlacementID        string `json:"placementId,omitempty"`
	ExternalWorkbookID string `json:"externalWorkbookId,omitempty"`
}

// ScheduleSpec is what a client says of a schedule (decisions.md §7).
type ScheduleSpec struct {
	Name          string    `json:"name"`
	Target        RunTarget `json:"target"`
	Cron          []string  `json:"cron"`
	Timezone      string    `json:"timezone"`
	CatchUp       string    `json:"catchUp"` // latest, skip, all
	Overlap       string    `json:"overlap"` // skip, queue
	ShiftRows     bool      `json:"shiftRows"`
	JitterSeconds int       `json:"jitterSeconds"`
	Paused        bool      `json:"paused"`
	placements.Options

	PerHour int `json:"-"` // how often its cron fires in an hour, at most; for who stores the schedule to say
}

// What a schedule does with ticks that it missed, and with one whose predecessor still runs (decisions.md §7). The first of each is the
// default.
const (
	CatchUpLatest = "latest"
	CatchUpSkip   = "skip"
	CatchUpAll    = "all"

	OverlapSkip  = "skip"
	OverlapQueue = "queue"
)

// Complete fills in the defaults of what s leaves out; timezone is the deployment's, and empty for UTC.
func (s *ScheduleSpec) Complete(timezone string) {
	s.Timezone = cmp.Or(s.Timezone, timezone, "UTC")
	s.CatchUp = cmp.Or(s.CatchUp, CatchUpLatest)
	s.Overlap = cmp.Or(s.Overlap, OverlapSkip)
}

// Schedule is a stored schedule. Owner is who wrote its target or resumed it last, as their token last said: its runs may do what they may.
type Schedule struct {
	ID           int64  `json:"id"`
	DeploymentID int64  `json:"deploymentId"`
	Key          string `json:"key,omitempty"` // names it portably within its deployment; empty: none assigned yet
	ScheduleSpec
	PausedReason string     `json:"pausedReason,omitempty"` // why the service itself paused it
	CreatedAt    string     `json:"createdAt"`
	UpdatedAt    string     `json:"updatedAt"`
	CreatedBy    int64      `json:"createdBy"`
	Version      int64      `json:"version"`
	ManagedBy    *ManagedBy `json:"managedBy,omitempty"`
	Owner        Actor      `json:"-"`
	Next         time.Time  `json:"-"` // the tick that comes next; zero when there is none
	Effect       Effect     `json:"-"` // of the write that returned it
	LastRunID    string     `json:"-"`
	Active       string     `json:"-"` // the run of this schedule that has not ended
	Failures     int        `json:"-"` // runs in a row that failed permanently
}

// Tick is a fire time, and when it is due after its jitter.
type Tick struct{ At, Due time.Time }

// Target is what the run refreshes.
func (r *Run) Target() RunTarget {
	return RunTarget{ReportID: r.ReportID, PlacementID: r.PlacementID, ExternalWorkbookID: r.ExternalWorkbookID}
}

// Has reports whether p, a placement of the target's report, is one of those to refresh.
func (t RunTarget) Has(p placements.Placement) bool {
	return (t.PlacementID == "" || p.ID == t.PlacementID) && (t.ExternalWorkbookID == "" || p.WorkbookID == t.ExternalWorkbookID)
}

// NamesOthers reports whether t names one of list, the placements of its report, that is queried on behalf of another user than uid.
func (t RunTarget) NamesOthers(list []placements.Placement, uid int64) bool {
	return slices.ContainsFunc(list, func(p placements.Placement) bool { return t.Has(p) && !p.PlacedFor(uid) })
}

// field names the target among those of its report.
func (t RunTarget) Field() string {
	switch {
	case t.PlacementID != "":
		return "p:" + t.PlacementID
	case t.ExternalWorkbookID != "":
		return "d:" + t.ExternalWorkbookID
	}
	return "all"
}
