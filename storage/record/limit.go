package record

import (
	"time"

	"mooring/placements"
)

// ScheduleLimits bounds the schedules of a tenant. A zero field is no limit.
type ScheduleLimits struct {
	PerUser   int // that a user may have made, and ticksPerSchedule as many ticks an hour of all of them
	PerTenant int
}

// ScheduleUse is how many schedules there are against the limits.
type ScheduleUse struct {
	OfUser, OfTenant int
	Limits           ScheduleLimits
}

// ticksPerSchedule is how often an hour the schedules of a user may fire on average when the user has as many as allowed: fewer may fire
// more often.
const ticksPerSchedule = 12

// admit reports whether c, new or changed, is within the limits, in a tenant with so many schedules. before is how often an hour c fired
// until now, and others how often each other schedule of its maker does. A schedule that neither is new nor fires more often than before is
// admitted even if a limit was lowered since.
func (l ScheduleLimits) admit(c *Schedule, before int, others []int, tenant int) error {
	created, most, ticks := c.Version == 1, l.PerUser*ticksPerSchedule, c.PerHour
	for _, perHour := range others {
		ticks += perHour
	}
	switch {
	case created && l.PerUser > 0 && len(others) >= l.PerUser:
		return placements.Errorf(placements.CodeScheduleLimit,
			"you have made %d schedules, which is all that a user may have here: delete one that is not needed, "+
				"or have limits.schedulesPerUser raised", len(others))
	case created && l.PerTenant > 0 && tenant >= l.PerTenant:
		return placements.Errorf(placements.CodeScheduleLimit,
			"the tenant has %d schedules, which is all that it may have here: delete one that is not needed, "+
				"or have limits.schedulesPerTenant raised", tenant)
	case l.PerUser > 0 && ticks > most && (created || c.PerHour > before):
		return placements.Errorf(placements.CodeScheduleLimit,
			"with this one the schedules of their maker would fire up to %d times an hour, and %d are allowed: "+
				"give some of them longer intervals, or have limits.schedulesPerUser raised", ticks, most)
	}
	return nil
}

// ScheduleCount counts the schedules of a tenant against its limits.
type ScheduleCount struct {
	Tenant int
	Ticks  map[int64]map[string]int // how often each fires in an hour at most, by maker and schedule
}

// Admit counts c, new or changed, under its name if it is within the limits, see admit. The error is a *placements.Error,
// CodeScheduleLimit.
func (n *ScheduleCount) Admit(limits ScheduleLimits, name string, c *Schedule) error {
	mine := n.Ticks[c.CreatedBy]
	before, listed := mine[name]
	if !listed { // it was stored when there were no limits, or is new
		before = c.PerHour
	}
	var others []int
	for other, ticks := range mine {
		if other != name {
			others = append(others, ticks)
		}
	}
	if err := limits.admit(c, before, others, n.Tenant); err != nil {
		return err
	}
	if !listed {
		n.Tenant++
	}
	mine[name] = c.PerHour
	return nil
}

// Rate is how many requests a bearer token may make.
type Rate struct {
	PerSecond float64 // on average; above 0
	Burst     int     // at once; at least 1
}

// Taken says how a request stands to its rate.
type Taken struct {
	Wait time.Duration // until it would be let through; 0 when it is
	Left int           // how many more would be let through now
	Full time.Duration // until a whole burst would be
}
