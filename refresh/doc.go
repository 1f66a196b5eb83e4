// Package refresh is the agent: it re-runs reports, finds what changed in their cells and writes only that.
//
// A schedule has ticks; a due tick fires, which makes a run. A run has attempts. An attempt begins with a claim on the run, works, and
// completes: claim → load → query → join the batch of its document → complete. A batch is what all runs that wait for a document write
// together: lock → load the blocks → read them → plan each → note what will be written → write once → complete every run → unlock.
//
// Everything before the write is read-only and the write is idempotent. An attempt that dies is followed by another one; the write-ahead
// record says what may stand in the document.
package refresh

import _ "embed"

//go:embed README.md
var readme string

// Readme returns the page on refreshing, in Markdown.
func Readme() string { return readme }
