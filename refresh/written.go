package refresh

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"mooring/checksum"
	"mooring/placements"
	"mooring/storage"
)

// written is what is known of the last write to a placement's block: the fingerprints that the agent stored, or else
// what an add-in reported, or nothing.
type written struct {
	block  checksum.Block // zero unless the agent wrote last
	extent checksum.Extent
	report *checksum.ResultChecksum // of an add-in, version 2
	// intended is what an attempt was about to write that did not live to say so; zero without any.
	intended checksum.Block
}

// stored is what the agent keeps beside a placement after a write. It holds only while the placement stands where that write left
// it; the fingerprints hold only until somebody else writes the block.
type stored struct {
	Address     string `json:"address"`     // placements.Placement.AddressKey at that time
	RefreshedAt string `json:"refreshedAt"` // of that write
	Rows        []byte `json:"rows"`        // checksum.Block
	// Before is, in an intent that follows one that was not settled, the checksum.Block of what stood there: that of neither the settled write
	// nor, perhaps, the intended one.
	Before []byte `json:"before,omitempty"`
}

// lastWritten reads what is kept for p. marked tells whether the marker in the document may be trusted: an add-in that
// moved the placement leaves the old marker behind. columns is the width of the new result, for an add-in that reported none.
func lastWritten(p placements.Placement, kept storage.Rows, columns int) (w written, marked bool, err error) {
	s, here, err := readStored(p, kept.Settled)
	if err != nil {
		return written{}, false, err
	}
	intent, intendedHere, err := readStored(p, kept.Intended)
	if err != nil {
		return written{}, false, err
	}
	marked = here || intendedHere
	if intendedHere {
		err = w.intended.UnmarshalBinary(intent.Rows)
	}
	before := s.Rows
	if intendedHere && intent.RefreshedAt == p.RefreshedAt && len(intent.Before) > 0 {
		before = intent.Before
	} else if !here || s.RefreshedAt != p.RefreshedAt {
		before = nil
	}
	if before != nil {
		err = errors.Join(err, w.block.UnmarshalBinary(before))
		w.extent = w.block.Extent()
	}
	if err != nil {
		return written{}, false, fmt.Errorf("rows of placement %s: %w", p.ID, err)
	}
	if len(w.block.Fingerprints) > 0 {
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

// readStored reads what is kept for p. here tells whether the placement still stands where it was then.
func readStored(p placements.Placement, blob []byte) (s stored, here bool, err error) {
	if len(blob) == 0 {
		return stored{}, false, nil
	}
	if err := json.Unmarshal(blob, &s); err != nil {
		return stored{}, false, fmt.Errorf("rows of placement %s: %w", p.ID, err)
	}
	return s, s.Address != "" && s.Address == p.AddressKey(), nil
}

// encodeIntent is what to note before p is written: that b will stand there, and before, unless empty, what does now.
func encodeIntent(p placements.Placement, b, before checksum.Block) ([]byte, error) {
	s := stored{Address: p.AddressKey(), RefreshedAt: p.RefreshedAt}
	var err, err2 error
	s.Rows, err = b.MarshalBinary()
	if len(before.Fingerprints) > 0 {
		s.Before, err2 = before.MarshalBinary()
	}
	if err = errors.Join(err, err2); err != nil {
		return nil, err
	}
	return json.Marshal(s)
}

// encodeStored is what to keep once p was written.
func encodeStored(p placements.Placement, b checksum.Block) ([]byte, error) {
	rows, err := b.MarshalBinary()
	if err != nil {
		return nil, err
	}
	return json.Marshal(stored{Address: p.AddressKey(), RefreshedAt: p.RefreshedAt, Rows: rows})
}

// base is the block as Mooring or an add-in left it, for comparison with theirs, the cells of extent as they stand. An attempt that died between
// its write and its settle may have left what it intended: a row that stands as either write would have left it was not edited.
func (w written) base(theirs *checksum.Grid, extent checksum.Extent) checksum.Block {
	if len(w.intended.Fingerprints) == 0 {
		return w.settled(theirs)
	}
	var before checksum.Block
	if len(w.block.Fingerprints) > 0 || w.extent != (checksum.Extent{}) {
		before = w.settled(theirs)
	}
	likely, other := before, w.intended
	if extent == w.intended.Extent() {
		likely, other = other, before
	}
	base := checksum.Block{Columns: likely.Columns, Fingerprints: slices.Clone(likely.Fingerprints)}
	for i, now := range theirs.Block().Fingerprints {
		if i >= len(other.Fingerprints) || now != other.Fingerprints[i] {
			continue
		}
		base.Fingerprints = padded(base.Fingerprints, i+1)
		base.Fingerprints[i] = now
	}
	return base
}

// settled is the block as the last settled write left it. An add-in's digest tells only which chunks are untouched: the rows of the others count
// as edited. Without a digest its cells are taken as it left them.
func (w written) settled(theirs *checksum.Grid) checksum.Block {
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
