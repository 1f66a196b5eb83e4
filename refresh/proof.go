package refresh

import (
	"slices"
	"strings"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/host"
	"mooring/refresh/plan"
	"mooring/storage/record"
)

// origin is where a write that is remembered went, by whom it was made, and on whose word.
type origin struct {
	Sheet string `json:"sheet,omitempty"` // the sheet's id, as the host says it
	// Pane: add-ins alone have written the block there, so that no agent has seen its document.
	Pane bool `json:"pane,omitempty"`
	// Claimed: a client that has no edit access to the report said that it made the write, and what stood there before.
	Claimed bool `json:"claimed,omitempty"`
}

// proof is what the document has to show before what is remembered of a block is believed.
type proof struct {
	sheet       string  // where the last of the writes went
	claimed     bool    // see origin
	renamed     bool    // the sheet has another name than when the block was written, as the placement has it
	generations []int64 // of the writes that are remembered
}

// cellKey is how the address of p's cell begins, whatever its sheet is called.
func cellKey(p placements.Placement) (key string, ok bool) {
	a, ok := p.Address()
	return placements.Address{Document: a.Document, Anchor: a.Anchor}.Key(), ok
}

// renamed reports whether s is of p's cell on a sheet of another name.
func (s stored) renamed(p placements.Placement) bool {
	key, ok := cellKey(p)
	return ok && s.Address != p.AddressKey() && strings.HasPrefix(s.Address, key)
}

// opened reports whether the write that left s shows that an agent has had p's document open, wherever in it.
func (s stored) opened(p placements.Placement) bool {
	return !s.Pane && strings.HasPrefix(s.Address, placements.SheetKey(p.WorkbookID, ""))
}

// proofOf is what has to be shown for the writes that are remembered of p.
func proofOf(p placements.Placement, completed, begun stored) (need proof) {
	for _, s := range []stored{begun, completed} {
		if s.Address == p.AddressKey() || s.renamed(p) {
			need.sheet, need.claimed, need.renamed = s.Sheet, need.claimed || s.Claimed, need.renamed || s.renamed(p)
			need.generations = append(append(need.generations, s.Generation), s.Earlier...)
		}
	}
	need.generations = slices.DeleteFunc(need.generations, func(g int64) bool { return g == 0 })
	return need
}

// doubted reports whether what is remembered of the block is believed only once the document shows that it is there.
func (b *block) doubted() bool {
	return b.proof.renamed || b.proof.claimed && !b.job.attempt.client()
}

// provenBy reports whether v shows that the block which is remembered stands there: by a marker with the stamp of a write that is; of one whose
// sheet was renamed, by its marker in that sheet or the id that the host knows the sheet by.
func (b *block) provenBy(v host.View) bool {
	switch {
	case !b.doubted():
		return true
	case b.proof.claimed && !b.job.attempt.client():
		return v.Marked && slices.Contains(b.proof.generations, plan.Generation(v.Stamp))
	case v.Marked:
		return v.Anchor == b.where.Anchor && strings.EqualFold(v.Sheet, b.where.Sheet)
	}
	return v.SheetID != "" && v.SheetID == b.proof.sheet
}

// distrust forgets what is remembered of the block, since nothing shows that it stands there. Rows that stand as the digest of the last
// write says are the block's, as where a client told of them.
func (b *block) distrust() {
	last := plan.Last{}
	if write := b.now.LastWrite(); write.Query != "" {
		last = reported(b.now.Placement, write, b.table.grid.Columns())
	}
	if last.Extent = (checksum.Extent{}); last.Report != nil {
		last.Extent = checksum.Extent{Rows: 1, Columns: 1}
	}
	last.Generations = b.last.Generations
	b.last, b.foreign, b.unwritten, b.change = last, true, remembered{Last: last}.unwritten(), nil
}

// standing is the generation of the write that left the block as it was found. Where a client that may claim it says so, it counts only if it
// is remembered: else the client would choose what proves its word.
func (b *block) standing() int64 {
	g := plan.Generation(b.view.Stamp)
	if b.origin().Claimed && !slices.Contains(b.proof.generations, g) {
		return 0
	}
	return g
}

// origin is that of the write which is planned.
func (b *block) origin() origin {
	a := b.job.attempt
	return origin{
		Sheet: b.view.SheetID, Pane: a.client() && !b.opened, Claimed: a.client() && a.level(a.run.RequestedBy) < record.MayEdit,
	}
}
