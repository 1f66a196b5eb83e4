package checksum

import (
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
)

// Version is the version of the checksums that this package makes.
const Version = 2

// A result has at most maxChunks chunks, of at least smallestChunk rows.
const (
	maxChunks     = 512
	smallestChunk = 16
)

// chunkRows is how many rows a chunk of a table of that many rows has: the smallest power of two >= 16 that makes at
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

// ResultChecksum is the wire form of a result's digest (interface.md, ResultChecksum). Version 2 is ours; others are a
// client's own and are kept as sent.
type ResultChecksum struct {
	V      int     `json:"v"`
	Chunks []Chunk `json:"chunks"`
}

// Chunk covers rows [From,To) of a result, row 0 being the header. Hash is lower-case hex.
type Chunk struct {
	From int    `json:"from"`
	To   int    `json:"to"`
	Hash string `json:"hash"`
}

// parallel calls work with ranges [from,to) that together are [0,n), on all processors, and returns when all are done.
// Ranges are small against n, so that a processor busy elsewhere does not hold up the rest.
func parallel(n int, work func(from, to int)) {
	workers := min(runtime.GOMAXPROCS(0), n)
	if workers <= 1 {
		if n > 0 {
			work(0, n)
		}
		return
	}
	step := max(n/(16*workers), 1)
	var next atomic.Int64
	drain := func() {
		for {
			to := int(next.Add(int64(step)))
			from := to - step
			if from >= n {
				return
			}
			work(from, min(to, n))
		}
	}
	var others sync.WaitGroup
	for range workers - 1 {
		others.Go(drain)
	}
	drain()
	others.Wait()
}

// Equal reports whether both say the same, chunk by chunk.
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
	var changed RowPlan
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

// Held is which rows of g, a table of this package, are as r says, neighbours in one span: those of the chunks that g has with that hash.
func (r ResultChecksum) Held(g *Grid) []Span {
	if r.V != Version {
		return nil
	}
	var held RowPlan
	h := sha256.New()
	for _, chunk := range r.Chunks {
		if 0 <= chunk.From && chunk.From <= chunk.To && chunk.To <= g.rows && g.chunk(h, chunk.From, chunk.To) == chunk {
			held.rows(chunk.From, chunk.To)
		}
	}
	return held.Rows
}
