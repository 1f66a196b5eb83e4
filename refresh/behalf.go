package refresh

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"mooring/placements"
	"mooring/refresh/fault"
	"mooring/refresh/result"
	"mooring/refresh/source"
	"mooring/storage"
	"mooring/storage/record"
)

// behalf names on whose behalf a placement is queried: it is equal for two if they are shown the same rows.
func (a *attempt) behalf(p storage.Placed) string { return result.Behalf(a.personal(), p.Behalf()) }

// personal reports whether the rows depend on who is shown them.
func (a *attempt) personal() bool { return a.Engine.personal(a.d) }

// personal reports whether the rows of a deployment's reports depend on who is shown them.
func (e *Engine) personal(d record.Deployment) bool {
	from, none := e.origin(d)
	return none == nil && source.Personal(from.Source)
}

// asking returns the attempt's query for a placement, nil if there is none yet.
func (a *attempt) asking(p storage.Placed) *asking {
	behalf := a.behalf(p)
	i := slices.IndexFunc(a.askings, func(q *asking) bool { return q.behalf == behalf })
	if i < 0 {
		return nil
	}
	return a.askings[i]
}

// drop says that the attempt needs its tables no more.
func (a *attempt) drop() {
	for _, q := range a.askings {
		if q.table != nil {
			q.table.Release()
		}
	}
	a.askings = nil
}

// dataOf is the time whose data the run must find: a query that began before may not serve it.
func (a *attempt) dataOf() (time.Time, error) {
	asked, err := time.Parse(time.RFC3339, a.run.FireTime)
	if err != nil {
		return asked, fmt.Errorf("fire time %q: %w", a.run.FireTime, err)
	}
	if later := a.claim.Asked; later.After(asked) {
		return later, nil
	}
	return asked, nil
}

// mayGoOn is a fault when the run belongs to a schedule whose owner may no longer read the report.
func (a *attempt) mayGoOn() *placements.Fault {
	owner := a.run.RequestedBy
	if a.run.ScheduleID == 0 || a.level(owner) >= record.MayRead {
		return nil
	}
	return fault.Auth("%s, who owns the schedule, may not read the report any more: "+
		"give them access again, or pause the schedule and have another person resume it", name(owner))
}

// name names a person for people.
func name(who record.Actor) string { return cmp.Or(who.Email, fmt.Sprintf("user %d", who.ID)) }
