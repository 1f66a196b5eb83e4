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

// ticksPerSchedule is how often an hour the schedules of a user may fire on average when the user has as many as allowed: fewer may fire
// more often.
const ticksPerSchedule = 12

// Admit reports whether c, new or changed, is within the limits, in a tenant with so many schedules. before is how often an hour c fired
// until now, and others how often each other schedule of its maker does. A schedule that neither is new nor fires more often than before is
// admitted even if a limit was lowered since. The error is a *placements.Error, CodeScheduleLimit.
func (l ScheduleLimits) Admit(c *Schedule, before int, others []int, tenant int) error {
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
