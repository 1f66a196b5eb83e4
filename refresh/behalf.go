package refresh

import (
	"cmp"
	"fmt"

	"mooring/placements"
	"mooring/refresh/fault"
	"mooring/storage/record"
)

// mayGoOn is a fault when the run belongs to a schedule whose owner may no longer read the report.
func (a *ledger) mayGoOn() *placements.Fault {
	owner := a.run.RequestedBy
	if a.run.ScheduleID == 0 || a.level(owner) >= record.MayRead {
		return nil
	}
	return fault.Auth("%s, who owns the schedule, may not read the report any more: "+
		"give them access again, or pause the schedule and have another person resume it", name(owner))
}

// name names a person for people.
func name(who record.Actor) string { return cmp.Or(who.Email, fmt.Sprintf("user %d", who.ID)) }
