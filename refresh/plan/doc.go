// Package plan decides what a refresh writes. It is pure: the caller has read what it needs, and passes the time.
//
// A refresh compares three tables. Last is what was written last, the view is what stands in the document, and ours is what the report
// shows now. A cell that differs from last in the view is an edit, by a person; one that differs from last in ours was changed in the
// source. OnEdit says what happens to edits. The decision is a value, Changes: what to write, what to tell the user, and a Memory, which
// is last for the next refresh.
//
// Rows and columns are relative to the block's anchor, from zero, unless they are named rows of the sheet, which count from 1.
package plan
