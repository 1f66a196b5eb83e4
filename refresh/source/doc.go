// Package source is where results come from: one contract, one implementation a kind of database.
//
// A Source runs a Query, SQL or JSON, in a read-only transaction on behalf of a User, and returns a Result: a checksum.Grid whose first
// row is the header, with the formats of its columns. Limits bound what a query may take: time, rows, bytes. A Preparer says what columns
// a query has without running it, or where its text is wrong.
//
// Errors that a user can act on are *placements.Fault. A new kind of database is a package with a Config and a row in the table of
// cmd/mooring; sourcetest is the suite that it has to pass.
package source
