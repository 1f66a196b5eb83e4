package document

import (
	"cmp"
	"slices"
	"strings"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/host"
	"mooring/refresh/plan"
	"mooring/storage/record"
)

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
	return !s.Pane && strings.HasPrefix(s.Address, placements.SheetKey(p.AddressDocument(), ""))
}

// proofOf is what has to be shown for the writes that are remembered of p.
func proofOf(p placements.Placement, completed, begun stored) (need proof) {
	for _, s := range []stored{completed, begun} {
		renamed := s.renamed(p)
		if s.Address != p.AddressKey() && !renamed {
			continue
		}
		if renamed {
			need.renamed = s.Address
		}
		need.sheet, need.claimed = cmp.Or(s.Sheet, need.sheet), need.claimed || s.Claimed
		need.generations = append(need.generations, s.generations()...)
	}
	if begun.Claimed {
		need.begun = begun.generations()
	}
	return need
}

// generations are those of the write and of the earlier ones that it knew of. Zero, for one that is not known, is none.
func (s stored) generations() []int64 {
	return slices.DeleteFunc(append([]int64{s.Generation}, s.Earlier...), func(g int64) bool { return g == 0 })
}

// claimed reports whether anything that is remembered of the block is a reader's word, which the run of an agent has to see proved.
func (b *target) claimed() bool { return b.proof.claimed && !b.task.addin() }

// provenBy reports whether v shows that the block which is remembered stands there: if a client says so, by a marker with the stamp of a write
// that is remembered; if its sheet was renamed, by its marker in that sheet or the id that the host knows the sheet by.
func (b *target) provenBy(v host.View) bool {
	switch {
	case b.claimed():
		return v.Marked && slices.Contains(b.proof.generations, plan.Generation(v.Stamp))
	case b.proof.renamed == "":
		return true
	case v.Marked:
		return strings.EqualFold(v.Sheet, b.where.Sheet) || b.renamedSince(v)
	}
	return v.SheetID != "" && v.SheetID == b.proof.sheet
}

// renamedSince reports whether v is in the block's sheet under a third name: that of the last write is not there any more, nor that of the
// placement. An add-in does not say the sheet's id: of its own run it is believed.
func (b *target) renamedSince(v host.View) bool {
	then := placements.Address{Document: b.now.AddressDocument(), Sheet: v.Sheet, Anchor: b.where.Anchor}
	return then.Key() != b.proof.renamed && (b.task.addin() || v.SheetID != "" && v.SheetID == b.proof.sheet)
}

// trust forgets what nothing in the document shows: all that is remembered of the block, or a claimed write that was begun and did not come
// there.
func (b *target) trust(v host.View) {
	switch {
	case !b.provenBy(v):
		b.distrust()
	case b.claimed() && b.proof.begun != nil && !slices.Contains(b.proof.begun, plan.Generation(v.Stamp)):
		b.last.Begun, b.last.Overwritten = nil, nil
	}
}

// distrust forgets what is remembered of the block, since nothing shows that it stands there. Rows that stand as the digest of the last
// write says are the block's, as where a client told of them.
func (b *target) distrust() {
	last := plan.Last{}
	if write := b.now.LastWrite(); write.Query != "" {
		last = reported(b.now.Placement, write, b.task.Table.Grid.Columns())
	}
	if last.Extent = (checksum.Extent{}); last.Report != nil {
		last.Extent = checksum.Extent{Rows: 1, Columns: 1}
	}
	last.Generations = b.last.Generations
	b.last, b.foreign, b.unwritten, b.change = last, true, remembered{Last: last}.unwritten(), nil
}

// standing is the generation of the write that left the block as it was found. Where a client that may claim it says so, it counts only if it
// is remembered: else the client would choose what proves its word.
func (b *draft) standing() int64 {
	g := plan.Generation(b.view.Stamp)
	if b.origin().Claimed && !slices.Contains(b.proof.generations, g) {
		return 0
	}
	return g
}

// origin is that of the write which is planned.
func (b *draft) origin() origin {
	return origin{
		Sheet: b.view.SheetID, Pane: b.task.addin() && !b.opened, Claimed: b.task.addin() && b.task.level(b.task.Claim.Run.RequestedBy) < record.MayEdit,
	}
}

// reported is what an add-in reported of its write. The block is as large as Mooring's own last write; further rows are the block's only
// where they stand as the digest says, and the end that the add-in said proves nothing by itself.
func reported(p placements.Placement, w placements.Write, columns int) (last plan.Last) {
	if _, own, ok := p.Owned(); ok {
		last.Extent = own.Extent()
	}
	c := w.Checksum
	if c == nil || c.V != checksum.Version || len(c.Chunks) == 0 {
		return last
	}
	last.Report, last.Said = c, w.Extent
	if last.Said == (checksum.Extent{Rows: 1, Columns: 1}) {
		last.Said = checksum.Extent{Rows: c.Rows(), Columns: columns} // no end was reported: the digest knows the height
	}
	last.Said.Rows = min(last.Said.Rows, c.Rows())
	return last
}
