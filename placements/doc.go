// Package placements holds the rules that tie a report to a spot of a spreadsheet: addresses, identity, connecting,
// disconnecting and the state a placement shows. Its functions are pure: from what is stored and what is asked they compute what changes.
package placements
