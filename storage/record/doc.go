// Package record is what is stored, without where: reports with their definitions, workbooks, schedules, runs, events, edits and settings,
// who may do what with them, and the rules that need nothing but them: identity, the merge of metadata, canonical JSON. It knows no Redis
// and does no I/O.
//
// Words: a definition is what an effective change of which makes a new version of a report. An actor is who asks for something, or on whose
// behalf it is done. A view is what an answer shows of a record.
package record
