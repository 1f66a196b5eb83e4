package checksum

import "slices"

// Equal tells whether both say the same, chunk by chunk.
func (r ResultChecksum) Equal(other ResultChecksum) bool {
	return r.V == other.V && slices.Equal(r.Chunks, other.Chunks)
}

// Rows is the number of rows that the checksum covers.
func (r ResultChecksum) Rows() int {
	if len(r.Chunks) == 0 {
		return 0
	}
	return r.Chunks[len(r.Chunks)-1].To
}

// Since is which rows of r, a checksum of this package, may differ from a table of which have is known. Only chunks that have
// names alike, range and hash, are known to be the same; with a have of another version that is none.
func (r ResultChecksum) Since(have ResultChecksum) []Span {
	var changed Plan
	known := have.Chunks
	if have.V != r.V {
		known = nil
	}
	for _, chunk := range r.Chunks {
		for len(known) > 0 && known[0].To < chunk.To {
			known = known[1:]
		}
		if len(known) == 0 || known[0] != chunk {
			changed.rows(chunk.From, chunk.To)
		}
	}
	return changed.Rows
}
