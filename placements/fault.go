package placements

import "time"

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
	Message    string
	RetryAfter time.Duration // zero: the caller chooses
	Err        error
}

func (f *Fault) Error() string { return f.Message }

func (f *Fault) Unwrap() error { return f.Err }
