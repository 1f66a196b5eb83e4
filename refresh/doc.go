// Package refresh is the agent: it re-runs reports, finds what changed in their cells and writes only that.
//
// A schedule has ticks; a due tick fires, which makes a run. A run has attempts. An attempt begins with a claim on the run, works, and
// completes: claim → load → query → join the batch of its document → complete. What it asks of the source is package result's; what all runs
// that wait for a document write together, document's; where documents are, site's and link's.
//
// An attempt that dies is followed by another one.
package refresh

import _ "embed"

//go:embed README.md
var readme string

// Readme returns the page on refreshing, in Markdown.
func Readme() string { return readme }
