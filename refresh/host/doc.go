// Package host is where results go: one contract, one implementation a kind of spreadsheet.
//
// A Driver opens documents. A Session is one open document: Read finds blocks and returns what stands there, a View each; Write applies a
// Patch to each in one step, as far as the kind of spreadsheet can. A block is the rectangle of cells that belongs to a placement; its
// marker is a name defined in the document that moves with the cells, so that a block is found where a person has moved it. A Limiter
// shares the quota of an account among all processes.
//
// A ParameterReader reads single cells as well, of which a query takes values: they have names of their own, which move along as markers do.
//
// A document says of itself which one it is: its Identity, which an Identified session reads and writes. A Finder looks for documents by
// the hints of a client that has one open, which are not to be trusted, and proves by the identity which one it has found.
//
// Errors that a user can act on are *placements.Fault: the host decides their class, and callers retry by it. A new kind of spreadsheet
// is a package with a Config and a row in the table of cmd/mooring; hosttest is the suite that it has to pass.
package host
