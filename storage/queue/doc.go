// Package queue keeps the work in Redis: what is due, the runs that wait, the attempts at work on them, and the events that tell of it. It
// knows runs and schedules, and no word of what a placement holds: package storage adds what a run leaves there.
//
// A tick becomes a run exactly once: LeaseDue leases what is due on Redis' own clock, and Fire makes the run and moves the schedule on in
// one step. A run is an entry of a stream; an agent takes entries, begins an attempt of each, renews its claim and ends the attempt. What
// an agent that died has left is taken by another one: every attempt has a higher fence than those before, and what an older one still
// tries to write is refused. So there is no leader and no memory, and an agent may die between any two steps.
//
// Each script of 15 lines and more is a file of the folder lua.
package queue
