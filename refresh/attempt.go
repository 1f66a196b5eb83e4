package refresh

import (
	"time"

	"mooring/refresh/document"
	"mooring/refresh/site"
)

// attempt is the work of one attempt of a run.
type attempt struct {
	ledger *ledger
	claims *takeover
	cells  *cellReader
	asker  *asker
	gate   *gate
	ending *ending

	sites     *site.Locator
	documents *document.Editor
	gathering *document.Gathering
	runLimit  time.Duration
	location  *time.Location // of the deployment
	member    *document.Peer
	held      *document.Job // in the document that is locked until the attempt is completed, nil without one
}
