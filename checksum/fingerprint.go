package checksum

import "github.com/zeebo/xxh3"

// Block is what a rectangle of cells held, as far as comparing needs it: a fingerprint of every row (XXH3 over its
// encoding) and the number of columns. Fingerprints tell apart what changes by itself or by hand; they are no defence
// against someone who makes rows collide.
type Block struct {
	Fingerprints []uint64
	Columns      int
}

// Extent is the rectangle that the block covers.
func (b Block) Extent() Extent { return Extent{Rows: len(b.Fingerprints), Columns: b.Columns} }

// Block is what the table holds. It hashes on all processors.
func (g *Grid) Block() Block {
	fingerprints := make([]uint64, g.rows)
	parallel(len(g.pages), func(from, to int) {
		for at := from; at < to; at++ {
			p := &g.pages[at]
			for i := range p.ends {
				fingerprints[p.first+i] = xxh3.Hash(p.row(i))
			}
		}
	})
	return Block{Fingerprints: fingerprints, Columns: g.columns}
}

// EmptyRow is the fingerprint of a row without cells.
const EmptyRow uint64 = 0xc44bdff4074eecdb
