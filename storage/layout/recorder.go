package layout

import (
	"time"

	"mooring/placements"
	"mooring/storage/engine"
	"mooring/storage/journal"
	"mooring/storage/keys"
	"mooring/storage/record"
	"mooring/storage/tenants"
)

// Recorder records in one step what is decided on the assets of a deployment: with each record the indexes and lists that have it, the
// entry of the audit and the event.
type Recorder struct {
	Tx   *engine.Transaction
	Keys keys.DeploymentKeys
	Who  record.Actor // does it; zero: the service
	Now  time.Time
}

// NewRecorder returns the recorder of what who does in a deployment now. tx is the step.
func NewRecorder(db *engine.DB, tx *engine.Transaction, k keys.DeploymentKeys, who record.Actor) *Recorder {
	return &Recorder{tx, k, who, db.Now()}
}

// Timestamp is the time of the step as the wire shows it.
func (to *Recorder) Timestamp() string { return placements.Time(to.Now) }

// Note adds an entry to the audit: what was done to an asset, its version since, and pointers to what changed.
func (to *Recorder) Note(verb string, asset journal.Asset, version int64, changed ...string) {
	to.Tx.Note(to.Keys, journal.Of(to.Who, verb, asset).Made(version, changed...))
}

// NoteMade notes what a request under an Idempotency-Key creates, on condition that the request still holds the key.
func (to *Recorder) NoteMade(id int64) {
	if once := to.Who.Via.Once; once.Record != "" {
		tenants.NoteMade(&to.Tx.Txn, once, id)
	}
}

// Publish adds an event about a placement of a report.
func (to *Recorder) Publish(kind record.EventType, report int64, p *placements.Placement) {
	to.Tx.Publish(to.Keys, kind, report, p)
}
