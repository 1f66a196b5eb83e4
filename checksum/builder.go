package checksum

import (
	"encoding/binary"
	"math"
	"unsafe"
)

// Builder encodes rows into a Grid as they arrive. Cells become canonical on the way in (decisions.md §8). The zero value
// is ready; a Builder is not safe for concurrent use. In the steady state no row costs an allocation.
type Builder struct {
	pages []page
	full  int  // bytes of pages
	open  page // being filled; its bytes may end in a row not yet ended

	limit   int // bytes of the open page that the current row may use; 0 before its first non-empty cell
	start   int // where the current row begins in the open page
	used    int // cells of the current row up to its last non-empty one
	gap     int // empty cells after that
	rows    int
	cells   int
	columns int
	scratch []byte // a converted value
	clean   []byte // a text made canonical
}

// Append adds a whole row. Cells added to the current row one by one before come first.
func (b *Builder) Append(cells ...Cell) {
	if b.used+b.gap == 0 && b.plain(cells) {
		return
	}
	for i := range cells {
		b.cell(&cells[i])
	}
	b.EndRow()
}

// plain adds a row in one go, if plainRow can.
func (b *Builder) plain(cells []Cell) bool {
	at := len(b.open.bytes)
	n, long := plainRow(b.open.bytes[at:cap(b.open.bytes)], cells)
	if n == 0 {
		return false
	}
	b.open.long = b.open.long || long
	b.open.bytes = b.open.bytes[:at+n]
	b.used = int(b.open.bytes[at])
	b.gap = len(cells) - b.used
	b.ended()
	return true
}

func (b *Builder) cell(c *Cell) {
	switch c.Kind {
	case Number:
		b.Number(c.Number)
	case Text:
		b.Text(c.Text)
	case True, False:
		b.Bool(c.Kind == True)
	case Error:
		b.Error(c.Text)
	default:
		b.Empty()
	}
}

// Empty adds an empty cell to the current row.
func (b *Builder) Empty() { b.gap++ }

// Number adds a number to the current row; −0 is 0, NaN and the infinities become NotANumber errors.
func (b *Builder) Number(v float64) {
	bits := math.Float64bits(v)
	if bits&exponent == exponent {
		b.Error(NotANumber)
		return
	}
	if bits == minusZero {
		bits = 0
	}
	room := b.room(9)
	room[0] = byte(Number)
	binary.BigEndian.PutUint64(room[1:], bits)
	b.open.long = b.open.long || !short15(v)
}

// Text adds text to the current row; empty text is an empty cell.
func (b *Builder) Text(s string) {
	if s == "" {
		b.gap++
		return
	}
	b.text(Text, s)
}

// TextBytes is Text for bytes, which are copied.
func (b *Builder) TextBytes(p []byte) {
	b.Text(unsafe.String(unsafe.SliceData(p), len(p))) // read only until Text returns
}

// Bool adds a truth value to the current row.
func (b *Builder) Bool(v bool) {
	kind := False
	if v {
		kind = True
	}
	b.room(1)[0] = byte(kind)
}

// Error adds an error to the current row, such as #N/A.
func (b *Builder) Error(code string) { b.text(Error, code) }

func (b *Builder) text(kind CellKind, s string) {
	if !canonical(s) {
		b.clean = appendCanonical(b.clean[:0], s)
		s = unsafe.String(unsafe.SliceData(b.clean), len(b.clean))
	}
	if len(s) < short {
		room := b.room(2 + len(s))
		room[0], room[1] = byte(kind), byte(len(s))
		copy(room[2:], s)
		return
	}
	var head [1 + binary.MaxVarintLen64]byte
	head[0] = byte(kind)
	n := 1 + binary.PutUvarint(head[1:], uint64(len(s)))
	room := b.room(n + len(s))
	copy(room, head[:n])
	copy(room[n:], s)
}

// room makes place for a non-empty cell of n bytes, after the empty ones before it.
func (b *Builder) room(n int) []byte {
	if len(b.open.bytes)+b.gap+n > b.limit {
		b.grow(b.gap + n)
	}
	for ; b.gap > 0; b.gap-- {
		b.open.bytes = append(b.open.bytes, byte(Empty))
		b.used++
	}
	b.used++
	at := len(b.open.bytes)
	b.open.bytes = b.open.bytes[:at+n]
	return b.open.bytes[at:]
}

// grow lets the current row grow by n bytes: it begins the row if need be, and takes it to a fresh page when this one is full.
func (b *Builder) grow(n int) {
	fresh := b.limit == 0
	if fresh {
		b.start = len(b.open.bytes)
		n++ // the count of cells; EndRow widens it beyond 127
	}
	if len(b.open.bytes)+n > cap(b.open.bytes) {
		b.turn(n)
	}
	if fresh {
		b.open.bytes = append(b.open.bytes, 0)
	}
	b.limit = cap(b.open.bytes)
}

// turn begins a page with room for the current row and n bytes more, and takes the row there.
func (b *Builder) turn(n int) {
	row := b.open.bytes[b.start:]
	size := min(max(2*cap(b.open.bytes), smallestPage), largestPage)
	if need := len(row) + n; need > size {
		size = need + need/4
	}
	bytes := append(uncleared(size), row...)
	b.open.bytes = b.open.bytes[:b.start]
	b.keep()
	b.open = page{bytes: bytes, first: b.rows, ends: make([]int, 0, len(b.open.ends)), long: b.open.long && len(row) > 0}
	b.start = 0
}

// keep puts the open page among the full ones, unless it holds no row.
func (b *Builder) keep() {
	if len(b.open.ends) > 0 {
		b.pages = append(b.pages, b.open)
		b.full += len(b.open.bytes)
	}
}

// EndRow ends the current row, which may be empty.
func (b *Builder) EndRow() {
	if b.limit == 0 { // no cell but empty ones
		b.grow(0)
	}
	if b.used < short {
		b.open.bytes[b.start] = byte(b.used)
	} else {
		b.widen()
	}
	b.ended()
}

// ended counts the row that now lies whole in the open page.
func (b *Builder) ended() {
	b.open.ends = append(b.open.ends, len(b.open.bytes))
	b.rows++
	b.cells += b.used + b.gap
	b.columns = max(b.columns, b.used)
	b.used, b.gap, b.limit = 0, 0, 0
}

// widen writes a count of cells that takes more than the byte kept for it.
func (b *Builder) widen() {
	var count [binary.MaxVarintLen64]byte
	n := binary.PutUvarint(count[:], uint64(b.used))
	if len(b.open.bytes)+n-1 > b.limit {
		b.grow(n - 1)
	}
	end := len(b.open.bytes)
	b.open.bytes = b.open.bytes[:end+n-1]
	row := b.open.bytes[b.start:]
	copy(row[n:], row[1:end-b.start])
	copy(row, count[:n])
}

// Join adds rows [from,to) of another table, whose memory it shares. The current row must have been ended.
func (b *Builder) Join(g *Grid, from, to int) {
	b.keep()
	b.open = page{}
	g.spans(from, to, func(p *page, from, to int) {
		shared := p.slice(from, to, b.rows)
		for i := range shared.ends {
			b.columns = max(b.columns, width(shared.row(i)))
		}
		b.full += len(p.span(from, to))
		b.rows += to - from
		b.pages = append(b.pages, shared)
	})
	b.cells += (to - from) * g.columns
}

// Rows is how many rows were ended so far.
func (b *Builder) Rows() int { return b.rows }

// Cells is how many cells were added so far, empty ones included: what limits count.
func (b *Builder) Cells() int { return b.cells + b.used + b.gap }

// Size is the length of the encoding so far, in bytes: what Grid.Size will be, if nothing is added.
func (b *Builder) Size() int { return b.full + len(b.open.bytes) }

// Grid ends the current row, if it has any cell, and returns the table. The Builder is empty afterwards.
func (b *Builder) Grid() *Grid {
	if b.used+b.gap > 0 {
		b.EndRow()
	}
	b.keep()
	g := &Grid{pages: b.pages, rows: b.rows, columns: b.columns}
	*b = Builder{}
	return g
}
