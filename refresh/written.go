package refresh

import (
	"encoding/json"
	"fmt"

	"mooring/checksum"
	"mooring/placements"
)

// written is what is known of the last write to a placement's block: the fingerprints that the agent stored, or else
// what an add-in reported, or nothing.
type written struct {
	block  checksum.Block // zero unless the agent wrote last
	extent checksum.Extent
	report *checksum.ResultChecksum // of an add-in, version 2
}

// stored is what the agent keeps beside a placement after a write. It holds only while the placement stands where that write left
// it; the fingerprints hold only until somebody else writes the block.
type stored struct {
	Address     string `json:"address"`     // placements.Placement.AddressKey at that time
	RefreshedAt string `json:"refreshedAt"` // of that write
	Rows        []byte `json:"rows"`        // checksum.Block
}

// lastWritten reads what is kept for p. marked tells whether the marker in the document may be trusted: an add-in that
// moved the placement leaves the old marker behind. columns is the width of the new result, for an add-in that reported none.
func lastWritten(p placements.Placement, blob []byte, columns int) (w written, marked bool, err error) {
	var s stored
	if len(blob) > 0 {
		if err := json.Unmarshal(blob, &s); err != nil {
			return written{}, false, fmt.Errorf("rows of placement %s: %w", p.ID, err)
		}
	}
	marked = s.Address != "" && s.Address == p.AddressKey()
	if marked && s.RefreshedAt == p.RefreshedAt {
		if err := w.block.UnmarshalBinary(s.Rows); err != nil {
			return written{}, false, fmt.Errorf("rows of placement %s: %w", p.ID, err)
		}
		w.extent = w.block.Extent()
		return w, marked, nil
	}
	if p.QueryChecksum == "" {
		return written{}, marked, nil
	}
	if r, ok := p.Rect(); ok {
		w.extent = checksum.Extent{Rows: r.Bottom - r.Top + 1, Columns: r.Right - r.Left + 1}
	}
	if c := p.ResultChecksum; c != nil && c.V == checksum.Version && len(c.Chunks) > 0 {
		w.report = c
		if w.extent == (checksum.Extent{Rows: 1, Columns: 1}) {
			w.extent = checksum.Extent{Rows: c.Rows(), Columns: columns} // no end was reported: the digest knows the height
		}
	}
	return w, marked, nil
}

// encodeStored is what to keep once p was written.
func encodeStored(p placements.Placement, b checksum.Block) ([]byte, error) {
	rows, err := b.MarshalBinary()
	if err != nil {
		return nil, err
	}
	return json.Marshal(stored{Address: p.AddressKey(), RefreshedAt: p.RefreshedAt, Rows: rows})
}

// base is the block as it was last written, for comparison with theirs, the same cells as they stand. An add-in's digest tells
// only which chunks are untouched: the rows of the others count as edited. Without a digest its cells are taken as it left them.
func (w written) base(theirs *checksum.Grid) checksum.Block {
	if len(w.block.Fingerprints) > 0 {
		return w.block
	}
	base := theirs.Block()
	if w.report == nil {
		return base
	}
	for _, s := range theirs.Checksum().Since(*w.report) {
		for i := s.From; i < min(s.To, len(base.Fingerprints)); i++ {
			base.Fingerprints[i] = ^base.Fingerprints[i]
		}
	}
	return base
}
