package checksum

import (
	"encoding/binary"

	"github.com/zeebo/xxh3"
)

// BlockRows is what a rectangle of cells held, as far as comparing needs it: a fingerprint of every row (XXH3 over its
// encoding, numbers rounded) and the number of columns. Fingerprints tell apart what changes by itself or by hand; they are no defence
// against someone who makes rows collide.
type BlockRows struct {
	Fingerprints []uint64
	Columns      int
}

// Extent is the rectangle that the block covers.
func (b BlockRows) Extent() Extent { return Extent{Rows: len(b.Fingerprints), Columns: b.Columns} }

// RowsDigest is one fingerprint of rows with those of their own. It is never 0.
func RowsDigest(fingerprints []uint64) uint64 {
	h := xxh3.New()
	var b [8]byte
	for _, row := range fingerprints {
		binary.LittleEndian.PutUint64(b[:], row)
		_, _ = h.Write(b[:])
	}
	return max(h.Sum64(), 1)
}

// Set returns the fingerprints of b, each once.
func (b BlockRows) Set() map[uint64]bool {
	set := make(map[uint64]bool, len(b.Fingerprints))
	for _, row := range b.Fingerprints {
		set[row] = true
	}
	return set
}

// Block is what the table holds. It hashes on all processors.
func (g *Grid) Block() BlockRows {
	fingerprints := make([]uint64, g.rows)
	parallel(len(g.pages), func(from, to int) {
		for at := from; at < to; at++ {
			g.pages[at].fingerprints(fingerprints)
		}
	})
	return BlockRows{Fingerprints: fingerprints, Columns: g.columns}
}

// Fingerprint is that of one row.
func (g *Grid) Fingerprint(row int) uint64 {
	at, i := locate(g.pages, row)
	encoded := g.pages[at].row(i)
	if g.pages[at].long {
		encoded, _ = roundRow(nil, encoded)
	}
	return xxh3.Hash(encoded)
}

// EmptyRow is the fingerprint of a row without cells.
const EmptyRow uint64 = 0xc44bdff4074eecdb

// fingerprints sets those of the page's rows, in a table's list.
func (p *page) fingerprints(list []uint64) {
	var row, scratch []byte
	for i := range p.ends {
		row = p.row(i)
		if p.long {
			row, scratch = roundRow(scratch, row)
		}
		list[p.first+i] = xxh3.Hash(row)
	}
}

// RowFingerprint is the fingerprint of a row of those cells.
func RowFingerprint(cells []Cell) uint64 {
	row, _ := roundRow(nil, EncodeRow(cells))
	return xxh3.Hash(row)
}

// filled is the number of rows up to the last non-empty one.
func filled(rows []uint64) int {
	n := len(rows)
	for n > 0 && rows[n-1] == EmptyRow {
		n--
	}
	return n
}

// header is the fingerprint of a block's first row.
func (b BlockRows) header() uint64 {
	if len(b.Fingerprints) == 0 {
		return EmptyRow
	}
	return b.Fingerprints[0]
}
