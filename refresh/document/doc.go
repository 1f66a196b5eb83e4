// Package document writes to spreadsheets what reports show. A write is: lock → load what is recorded of the blocks → read them → plan each →
// note what will be written → write once. All runs that wait for a document write to it together.
//
// Everything before the write is read-only and the write is idempotent. One that dies is followed by another; the write-ahead record says
// what may stand in the document.
package document
