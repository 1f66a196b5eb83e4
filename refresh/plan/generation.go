package plan

import (
	"slices"
	"time"
)

// Generations are those of the writes to a block that are remembered.
type Generations struct {
	Completed int64   // of the last completed write; whatever is older is known
	Begun     []int64 // of writes since then that were not completed
}

// Lacks reports whether a document's stamp is that of a write which is not remembered, and is later than the last completed one.
func (g Generations) Lacks(stamp string) bool {
	s, ok := parseStamp(stamp)
	return ok && !g.knows(s.generation)
}

// knows reports whether a write is remembered, or is older than one that is.
func (g Generations) knows(generation int64) bool {
	return generation <= g.Completed || slices.Contains(g.Begun, generation)
}

// next is the generation of a write at a time to a block that has that stamp.
func (g Generations) next(at string, stands int64) int64 {
	next := max(g.Completed, stands, slices.Max(append(g.Begun, 0))) + 1
	if now, err := time.Parse(time.RFC3339, at); err == nil {
		next = max(next, now.UnixMicro())
	}
	return next
}
