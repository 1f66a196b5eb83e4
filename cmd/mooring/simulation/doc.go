// Package simulation runs the real engine, agents, storage and HTTP handlers of several processes, for hours of simulated time, in a bubble
// of testing/synctest. Their Redis is in the same process, and everything between a process and Redis, the source of data, the spreadsheets
// and its clients fails at random: connections break, answers are lost, processes crash at each step of an attempt, or stand still beyond
// their leases, the clock of Redis jumps, documents are locked, moved away or changed by people meanwhile. A seed decides all of it: the same
// seed leads to the same trace. An auditor that knows nothing of the engine checks what decisions.md §3, §7a and §7b promise, after every
// event, and that everything is true soon after the faults have ended.
//
// scripts/simulate runs many seeds.
package simulation
