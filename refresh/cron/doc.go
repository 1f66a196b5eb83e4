// Package cron evaluates schedules: when does a list of cron expressions fire in a time zone. It is pure: the caller passes the time.
//
// A schedule is a list of expressions, each of five fields (minute hour day month weekday), a descriptor such as @hourly, or an interval
// such as @every 90m. A wall time is what a clock in the schedule's zone shows; an instant is the same moment in every zone. Daylight
// saving makes a gap, wall times that no instant has, and an overlap, wall times that two instants have.
package cron
