// Package record is what is stored, without where: reports with their definitions, workbooks, schedules, runs, events, edits and settings,
// who may do what with them, and the rules that need nothing but them: identity, the merge of metadata, canonical JSON. It knows no Redis
// and does no I/O.
//
// Words: a definition is what an effective change of which makes a new version of a report. An actor is who asks for something, or on whose
// behalf it is done. An Optional is a value that a request leaves out, clears with null, or sets.
//
// A project manages assets (reports, workbooks, placements, schedules) as code: its bundle declares what they are to be. Bundle.Check finds
// what is wrong with it by itself; Planning.Make compares it with the Holdings, what the server has, and with what the project Applied last,
// and returns a Plan to show and the Writes that do it. Drift is what was changed on the server since; what the project applied and no
// longer declares is pruned. Definitions are compared in portable form: with publicIds, slugs, keys and addresses in place of ids.
package record
