package checksum

import (
	"sort"
	"strings"
	"unsafe"
)

// Grid is a table of cells in canonical encoding (decisions.md §8), row 0 being the header. It never changes once built and
// is safe for concurrent use. Rows know no trailing empty cells; the number of rows is exactly the number appended.
type Grid struct {
	pages   []page
	rows    int
	columns int
}

// Rows is the number of rows, the header included.
func (g *Grid) Rows() int { return g.rows }

// Columns is the number of cells of the longest row, its trailing empty cells not counted.
func (g *Grid) Columns() int { return g.columns }

// Extent is the rectangle that the table covers.
func (g *Grid) Extent() Extent { return Extent{Rows: g.rows, Columns: g.columns} }

// Size is the length of the encoding, in bytes.
func (g *Grid) Size() int {
	size := 0
	g.spans(0, g.rows, func(p *page, from, to int) { size += len(p.span(from, to)) })
	return size
}

// Row is the encoding of row i. It must not be changed.
func (g *Grid) Row(i int) []byte {
	at, row := locate(g.pages, i)
	return g.pages[at].row(row)
}

// Cells appends the cells of row i to dst, without the row's trailing empty ones. Their texts share g's memory, so that decoding
// a table, row by row into the same dst, costs no allocation; clone a text that is to outlive g.
func (g *Grid) Cells(i int, dst []Cell) []Cell {
	r := readRow(g.Row(i))
	for r.left > 0 {
		dst = append(dst, r.next())
	}
	return dst
}

// Slice is the table of rows [from,to), which shares g's memory.
func (g *Grid) Slice(from, to int) *Grid {
	s := new(Grid)
	s.join(g, from, to)
	for row := range s.each {
		s.columns = max(s.columns, width(row))
	}
	return s
}

// held is how many rows the pages hold so far.
func (g *Grid) held() int {
	if len(g.pages) == 0 {
		return 0
	}
	last := &g.pages[len(g.pages)-1]
	return last.first + len(last.ends)
}

// spans calls visit for each page that holds rows of [from,to), with the page's own numbers of them.
func (g *Grid) spans(from, to int, visit func(p *page, from, to int)) {
	if from >= to {
		return
	}
	at, row := locate(g.pages, from)
	for left := to - from; left > 0; at++ {
		p := &g.pages[at]
		end := min(row+left, len(p.ends))
		visit(p, row, end)
		left -= end - row
		row = 0
	}
}

// each yields the encoding of every row in order.
func (g *Grid) each(yield func([]byte) bool) {
	for at := range g.pages {
		p := &g.pages[at]
		for i := range p.ends {
			if !yield(p.row(i)) {
				return
			}
		}
	}
}

// join adds rows [from,to) of other, whose memory it shares. It leaves the number of columns to the caller.
func (g *Grid) join(other *Grid, from, to int) {
	other.spans(from, to, func(p *page, from, to int) {
		g.pages = append(g.pages, p.slice(from, to, g.held()))
	})
	g.rows += to - from
}

// Replace is the table with other rows in the place of those, ascending; with has one for each. It shares the memory of both.
func (g *Grid) Replace(rows []int, with *Grid) *Grid {
	if len(rows) == 0 {
		return g
	}
	out := &Grid{columns: max(g.columns, with.columns)}
	from := 0
	for i, row := range rows {
		out.join(g, from, row)
		out.join(with, i, i+1)
		from = row + 1
	}
	out.join(g, from, g.rows)
	return out
}

// Padded is the table with empty rows at its end, up to so many rows.
func (g *Grid) Padded(rows int) *Grid {
	if g.rows >= rows {
		return g
	}
	var b Builder
	for range rows - g.rows {
		b.EndRow()
	}
	empty := b.Grid()
	out := &Grid{columns: g.columns}
	out.join(g, 0, g.rows)
	out.join(empty, 0, empty.rows)
	return out
}

// Pick is the table of those rows, which shares g's memory.
func (g *Grid) Pick(rows []int) *Grid {
	out := &Grid{columns: g.columns}
	for _, row := range rows {
		out.join(g, row, row+1)
	}
	return out
}

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

// uncleared is an empty slice with room for that many bytes, which hold anything: filling a page writes each byte before it is
// read. Clearing pages first took a twentieth of a digest. Of the standard library only strings.Builder allocates such memory.
func uncleared(size int) []byte {
	var b strings.Builder
	b.Grow(size)
	b.WriteByte(0)
	return unsafe.Slice(unsafe.StringData(b.String()), size)[:0]
}
