// Package dashboard holds the rules of a dashboard's draft beyond the types of its members: what the server fills in, and which reports its
// charts show. A widget is a box of the draft; a chart is a widget that names a report. The package does no I/O: who calls it looks up the
// reports.
package dashboard
