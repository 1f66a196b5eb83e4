// Package portable is assets as code: what a project's files declare, compared with what a deployment has. It is pure; the caller has
// loaded the records and writes what is decided.
//
// A project manages assets (reports, workbooks, placements, schedules) as code: its bundle declares what they are to be. Bundle.Check
// finds what is wrong with it by itself; Planning.Make compares it with the Holdings, what the server has, and with what the project
// Applied last, and returns a Plan to show and the Writes that do it. Drift is what was changed on the server since; what the project
// applied and no longer declares is pruned. Definitions are compared in portable form: with publicIds, slugs, keys and addresses in place
// of ids.
package portable
