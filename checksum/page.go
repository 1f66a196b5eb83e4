package checksum

import (
	"sort"
	"strings"
	"unsafe"
)

// A page is a run of encoded rows in one allocation. Pages, unlike one growing slab, never copy what is already encoded:
// a table's memory peaks at its own size.
type page struct {
	bytes []byte
	ends  []int // where each row ends in bytes
	start int   // where the first row begins in bytes
	first int   // number of the first row in the table
	long  bool  // it may hold numbers that are not short15
}

// Pages begin small, for small tables, and double up to the largest. A longer row gets a page of its own.
const (
	smallestPage = 4 << 10
	largestPage  = 256 << 10
)

// row is the encoding of the page's i-th row.
func (p *page) row(i int) []byte {
	return p.bytes[p.begin(i):p.ends[i]:p.ends[i]]
}

func (p *page) begin(i int) int {
	if i == 0 {
		return p.start
	}
	return p.ends[i-1]
}

// slice is the page's rows [from,to) as a page that shares its memory, its first row being row first of a table.
func (p *page) slice(from, to, first int) page {
	return page{bytes: p.bytes, ends: p.ends[from:to], start: p.begin(from), first: first, long: p.long}
}

// span is the encoding of the page's rows [from,to).
func (p *page) span(from, to int) []byte {
	return p.bytes[p.begin(from):p.begin(to)]
}

// locate returns the page that holds row i and the row's number there.
func locate(pages []page, i int) (at, row int) {
	at = sort.Search(len(pages), func(k int) bool { return pages[k].first > i }) - 1
	return at, i - pages[at].first
}

// uncleared is an empty slice with room for that many bytes, which hold anything: whoever fills a page writes each byte before it is
// read. Clearing pages first took a twentieth of a digest. Of the standard library only strings.Builder gives such memory.
func uncleared(size int) []byte {
	var b strings.Builder
	b.Grow(size)
	b.WriteByte(0)
	return unsafe.Slice(unsafe.StringData(b.String()), size)[:0]
}
