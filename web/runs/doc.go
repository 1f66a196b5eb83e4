// Package runs is the room of runs: asking for them, of a report, of a spreadsheet or of those that a filter matches, what became of them,
// stopping them, and the steps of an add-in that works on one itself.
package runs
