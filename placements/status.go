package placements

import (
	"time"
)

// Status is the syncStatus of a placement.
type Status string

// The states of decisions.md §6.
const (
	UpToDate   Status = "UP_TO_DATE" // the last write used the report's current query
	Changed    Status = "CHANGED"    // the query was edited since
	Unknown    Status = "UNKNOWN"    // nothing written yet that the service knows of
	Refreshing Status = "REFRESHING" // a run holds the placement now
	Failed     Status = "FAILED"     // the last run failed permanently, or waits for its next attempt
	Conflicted Status = "CONFLICT"   // the last run met cells edited by hand or not ours
)

// RunState is the state of a refresh run (decisions.md §7).
type RunState string

// The states of a run.
const (
	RunQueued     RunState = "QUEUED"
	RunRunning    RunState = "RUNNING"
	RunSucceeded  RunState = "SUCCEEDED"
	RunFailed     RunState = "FAILED"
	RunSkipped    RunState = "SKIPPED"
	RunStopped    RunState = "STOPPED"
	RunSuperseded RunState = "SUPERSEDED" // a newer run refreshes what this one waited for
)

// Ended reports whether a run in that state has ended.
func (s RunState) Ended() bool { return s != RunQueued && s != RunRunning }

// Reason says what a placement waits for while it is QUEUED in a run that tried it, or why it was left out (decisions.md §7b).
type Reason string

// The reasons.
const (
	ReasonLocked    Reason = "locked"     // the document is open elsewhere
	ReasonMissing   Reason = "missing"    // the document, or what it is on, cannot be reached
	ReasonQuota     Reason = "quota"      // the other side asked to wait
	ReasonHeld      Reason = "held"       // another run writes to the document
	ReasonSource    Reason = "source"     // the source does not answer
	ReasonAddinOnly Reason = "addin_only" // only an add-in reaches the document: the placement is SKIPPED
)

// Waits lists the reasons for which placements wait.
func Waits() []Reason {
	return []Reason{ReasonLocked, ReasonMissing, ReasonQuota, ReasonHeld, ReasonSource}
}

// LastRun is the outcome of the latest run on a placement, shown as its lastRun. Times are RFC 3339, UTC, with milliseconds.
type LastRun struct {
	RunID         string   `json:"runId"`
	State         RunState `json:"state"`
	Attempt       int      `json:"attempt,omitempty"`
	ErrorClass    Class    `json:"errorClass,omitempty"`
	Error         string   `json:"error,omitempty"` // a sentence for the user
	Clash         *Clash   `json:"conflict,omitempty"`
	Reason        Reason   `json:"reason,omitempty"`
	Since         string   `json:"since,omitempty"` // when the first try found that it had to wait, perhaps one of an older run
	StartedAt     string   `json:"startedAt,omitempty"`
	EndedAt       string   `json:"endedAt,omitempty"`
	NextAttemptAt string   `json:"nextAttemptAt,omitempty"` // of this placement
}

// SyncStatus computes the state of p on read, from the report's current query checksum and the last run on it, nil when there was none.
// A definition edit therefore writes nothing to any placement.
func SyncStatus(p Placement, currentQueryChecksum string, run *LastRun) Status {
	if run != nil && !overtaken(p, run) {
		switch {
		case run.State == RunRunning:
			return Refreshing
		case run.State == RunFailed && run.ErrorClass == Conflict:
			return Conflicted
		case run.State == RunFailed, run.State == RunQueued && run.ErrorClass != "":
			return Failed
		}
	}
	switch p.QueryChecksum {
	case "":
		return Unknown
	case currentQueryChecksum:
		return UpToDate
	}
	return Changed
}

// overtaken reports whether an add-in wrote the cells after the run had ended, so that its outcome no longer speaks of them.
func overtaken(p Placement, run *LastRun) bool {
	return run.EndedAt != "" && p.RefreshedAt > run.EndedAt
}

// Class says what kind of trouble ended a run's attempt. It is decided once, by the source or host that knows.
type Class string

// The classes of decisions.md §7. Only Transient and Quota are worth another attempt.
const (
	Transient Class = "transient" // passes by itself: a network fault, a file open elsewhere
	Quota     Class = "quota"     // the other side asked to wait
	Auth      Class = "auth"      // credentials or permissions
	Structure Class = "structure" // a missing document, sheet, column or member
	Conflict  Class = "conflict"  // cells that are not ours, or were edited by hand
	Permanent Class = "permanent" // everything else that will fail again
)

// Fault is why a run failed. Message is a sentence for the user: it names the thing (a file, a sheet, a statement's
// fault), says what to do, and holds no path, address or credential of the machine. Err is the cause, for the log only.
type Fault struct {
	Class      Class
	Reason     Reason // what a retryable one makes wait, if the driver knows
	Message    string
	Clash      *Clash        // of class Conflict: what ends it, nil where only a change of the sheet or the report does
	RetryAfter time.Duration // zero: the caller chooses
	Err        error
}

func (f *Fault) Error() string { return f.Message }

func (f *Fault) Unwrap() error { return f.Err }

// ValueConflict returns the fault of a placement without values to query with: they have to be set, or the cells that they come from.
func ValueConflict(message string, cause error) *Fault {
	return &Fault{Class: Conflict, Message: message, Clash: &Clash{Values: true}, Err: cause}
}

// Clash says, of a conflict, which runs end it, or that it is one of values. Without one, no option of a run does: the sheet or the report has to
// be changed first.
type Clash struct {
	Values    bool         `json:"values,omitempty"`    // no run ends it: the values of the placement, or the cells that they come from, have to be changed
	Overwrite bool         `json:"overwrite,omitempty"` // one with onEdit "overwrite" writes the block
	Room      *MissingRoom `json:"room,omitempty"`      // nil: the block has room
}

// MissingRoom is what a block lacks that would grow into cells which are not its own.
type MissingRoom struct {
	Cells      string `json:"cells"`  // the rectangle in the way, as Data!B10:C12
	Filled     int    `json:"filled"` // cells of it that hold something
	Rows       int    `json:"rows"`   // by which the block is to grow
	Columns    int    `json:"columns"`
	InsertRows int    `json:"insertRows,omitempty"` // that a person inserts above the rectangle to make room; 0: that does not
	ShiftRows  bool   `json:"shiftRows,omitempty"`  // a run with shiftRows moves the rectangle out of the way
}
