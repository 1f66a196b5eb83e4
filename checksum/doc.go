// Package checksum is the arithmetic of results: cells, tables in their canonical encoding, their digests, and what differs between two of
// them. Everything here is pure: no I/O, no clock.
//
// A Cell is one of five kinds that every spreadsheet can hold (decisions.md §8). A Grid is a table: the canonical encoding of its rows and
// where each ends, made row by row by a Builder. Its size in memory is about that of its encoding, so a hash of some rows is the hash of a
// slice, and cells are decoded only where they are written.
//
// A chunk is a range of rows with the hash that goes over the wire; a digest, ResultChecksum, is the chunks of a table. A fingerprint is a
// short hash of one row, which matches rows of two tables wherever they stand. Diff says which rows to write and which rectangles to clear
// to turn one table into another; Merge does so with a third, what stood there last, and keeps what a person changed (decisions.md §7a).
//
// Rows and columns count from zero, and row 0 is the header. The bytes of a table and its digest are pinned by testdata/vectors.json, for
// other languages to agree with.
package checksum
