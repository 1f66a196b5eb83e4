package checksum

import (
	"crypto/sha256"
	"encoding/hex"
	"hash"
)

// Version is the version of the checksums that this package makes.
const Version = 2

// A result has at most maxChunks chunks, of at least smallestChunk rows.
const (
	maxChunks     = 512
	smallestChunk = 16
)

// chunkRows is how many rows a chunk of a table of that many rows has: the smallest power of two >= 16 that gives at
// most 512 chunks.
func chunkRows(rows int) int {
	size := smallestChunk
	for (rows+size-1)/size > maxChunks {
		size *= 2
	}
	return size
}

// Checksum is the digest of the table in version 2 (decisions.md §8). It hashes on all processors.
func (g *Grid) Checksum() ResultChecksum {
	size := chunkRows(g.rows)
	chunks := make([]Chunk, (g.rows+size-1)/size)
	parallel(len(chunks), func(from, to int) {
		h := sha256.New()
		for i := from; i < to; i++ {
			chunks[i] = g.chunk(h, i*size, min((i+1)*size, g.rows))
		}
	})
	return ResultChecksum{V: Version, Chunks: chunks}
}

func (g *Grid) chunk(h hash.Hash, from, to int) Chunk {
	h.Reset()
	g.spans(from, to, func(p *page, from, to int) { h.Write(p.span(from, to)) })
	var sum [sha256.Size]byte
	return Chunk{From: from, To: to, Hash: hex.EncodeToString(h.Sum(sum[:0])[:16])}
}
