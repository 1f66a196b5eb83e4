// Package ascode keeps reports, workbooks, placements and schedules as the files of a folder: Read checks the folder and makes the Bundle
// that a plan is asked for with; Pull brings what the server has into the files; a Plan is shown as text, Markdown or annotations.
//
// A folder has a project.yaml, which names the environments, and the directories reports, workbooks, placements and schedules. An asset is
// one report, workbook, placement or schedule. Its ref names it among those of its kind: the publicId of a report, the slug of a workbook,
// the key of a schedule, and DOCUMENT/Sheet!A1 of a placement. Its definition is what the interface knows of it, in the words of the wire;
// the files say the same in theirs.
//
// The package reads and writes the folder and nothing else. Nothing is read or written outside it, links are refused, and a write of a
// file is whole or did not happen.
package ascode
