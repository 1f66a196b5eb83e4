// Package link keeps where the documents are that add-ins have open: it looks for them at spreadsheet hosts, believes what the files say, and
// has the placements in them follow.
package link
