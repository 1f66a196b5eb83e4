// Package lifecycle has the rules by which a run goes from state to state, in one table: from which states each leads, what must hold, to which
// states, and what else it does to the run, its lease and its placements. The program asks the table, its scripts in Redis by predicates that
// are made from it, and package lifecycletest searches all that it allows.
package lifecycle
