package link

import (
	"errors"
	"testing"

	"mooring/placements"
	"mooring/refresh/host"
	"mooring/refresh/site"
	"mooring/storage/record"
)

func TestErrorsOfAProofAreTold(t *testing.T) {
	f := finding{state: record.LinkNotFound, message: "x."}
	at := &site.Provider{Name: "share"}
	f.blame(at, errors.Join(host.ErrSpent, host.ErrOutside))
	if !f.more || f.unsure || f.state != record.LinkNotFound {
		t.Errorf("%+v", f)
	}
	f.blame(at, &placements.Fault{Class: placements.Transient, Message: "later."})
	if !f.unsure || f.state != record.LinkNotFound {
		t.Errorf("%+v", f)
	}
	f.blame(at, &placements.Fault{Class: placements.Auth, Message: "no."})
	if f.state != record.LinkRefused {
		t.Errorf("%+v", f)
	}
}
