// Package placements holds the rules that tie a report to a spot of a spreadsheet. Its functions are pure: from what is stored and what is
// asked they compute what changes.
//
// A Placement records that a report stands in a spreadsheet. Its Address is the spreadsheet, the sheet and the anchor, the top left cell of
// its block. A Connection asks to record one (Connect), a Target names one to remove or to refresh (Match). Options are what a placement
// says of its own refreshes. SyncStatus is the state that it shows, computed from what was written last and what the report is now.
//
// The package also has what all layers above share: Error, a refusal that a client sees, with its Code and the places of its faults; Fault,
// the reason why a run failed, with its Class; and Optional, a value that a request may leave out, clear or set.
//
// Every rule is a row of a table in placementstest, named by its number in interface.md or its section in decisions.md.
package placements
