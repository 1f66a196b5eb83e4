package hook

import (
	"errors"
	"fmt"
	"time"

	"mooring/placements"
	"mooring/web/bind"
)

// Payload is what is read of the body of a request: a member that its sender does not have stays empty.
type Payload struct {
	DBT, Fivetran string // what has happened
	At            string // when, in RFC 3339
	RunStatus     string // of dbt's run
	SyncStatus    string // of Fivetran's synchronization
}

// longest is the most characters of a text in an event; deepest is how far its objects may nest.
const (
	longest = 255
	deepest = 64
)

// Members names what an event may hold.
func (e *Payload) Members(o *bind.Object) {
	bind.Text(o, "eventType", &e.DBT, longest)
	bind.Text(o, "timestamp", &e.At, longest)
	bind.Text(o, "event", &e.Fivetran, longest)
	bind.Text(o, "created", &e.At, longest)
	o.Object("data", func(o *bind.Object) {
		bind.Text(o, "runStatus", &e.RunStatus, longest)
		bind.Text(o, "status", &e.SyncStatus, longest)
	})
}

// Ignored returns a sentence that says why a delivery asks for no run; empty when it does. The error is a *placements.Error about a body
// that is no JSON object. What an object holds beside that cannot be wrong: a sender would send it again, and it would be wrong again.
func (d Delivery) Ignored() (reason string, err error) {
	var e Payload
	faults, err := bind.Read(d.body, bind.BodyOptions{Depth: deepest}, e.Members)
	if errors.Is(err, bind.ErrTooDeep) {
		return "", placements.Errorf(placements.CodeTooDeep, "The body nests deeper than %d levels.", deepest)
	}
	if err != nil {
		return "", err
	}
	for _, f := range faults {
		if f.Pointer == "" {
			return "", placements.Faulty(f)
		}
	}
	switch at, unknown := time.Parse(time.RFC3339, e.At); {
	case d.Kind == Standard:
		return "", nil
	case d.Kind == DBT && (e.DBT != "job.run.completed" || e.RunStatus != "Success"):
		return fmt.Sprintf("Only job.run.completed with the runStatus Success starts a run, not %.80q with %.80q.", e.DBT, e.RunStatus), nil
	case d.Kind == Fivetran && (e.Fivetran != "sync_end" || e.SyncStatus != "SUCCESSFUL"):
		return fmt.Sprintf("Only sync_end with the status SUCCESSFUL starts a run, not %.80q with %.80q.", e.Fivetran, e.SyncStatus), nil
	case unknown == nil && d.at.Sub(at) > Keep:
		return fmt.Sprintf("The event is of %s: what is older than %.0f hours is not taken any more.", placements.Time(at), Keep.Hours()), nil
	}
	return "", nil
}
