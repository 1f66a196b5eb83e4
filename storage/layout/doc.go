// Package layout is how records lie in Redis: which hash and which index has what of a report, a workbook, a schedule, a placement or the
// site of a document. It makes records of hashes. A Recorder adds to a step what storing, changing or removing a record changes in all of them,
// with the entry in the audit and the event.
//
// It decides nothing: who may do what, and what a write is, is decided by its callers, the rooms of the storage.
package layout
