// Package changes keeps what the last runs changed in the block of each placement: of each run the counts and, unless they are too many, the
// rows before and after. It is written in the transaction that completes a run, and goes with the placement.
package changes
