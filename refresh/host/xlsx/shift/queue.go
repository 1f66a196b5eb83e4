package shift

import (
	"bytes"
)

// queue is cells of a band that were read but not written yet, because rows to come may have cells of the same rows in other bands. They
// are in the order of the rows that they go to.
type queue struct {
	entries []entry
	head    int // the first entry that is not written
	data    []byte
	done    int // bytes of data that are written
}

// entry is cells of a row, as written, or of several rows inserted, which have nothing but styles.
type entry struct {
	row, last int
	end       int  // of the cells in data
	shows     bool // some of them hold something, and moved out of a row that was not hidden
	blanks    []blank
}

// blank is a cell without a value.
type blank struct {
	column int
	style  string
}

func (q *queue) put(e entry) { q.entries = append(q.entries, e) }

// waiting reports whether the queue has cells of a row, which is none above the first that it has.
func (q *queue) waiting(row int) bool {
	return q.head < len(q.entries) && q.entries[q.head].row == row
}

// take returns the cells of the first row; for one inserted their styles. The bytes hold until something is added.
func (q *queue) take() (cells []byte, blanks []blank) {
	e := &q.entries[q.head]
	cells, blanks = q.data[q.done:e.end], e.blanks
	q.done = e.end
	if e.row++; e.row > e.last {
		q.head++
	}
	return cells, blanks
}

// tidy frees what was taken once that is most of the queue.
func (q *queue) tidy() {
	if q.head == len(q.entries) {
		q.entries, q.head = q.entries[:0], 0
	}
	if q.head > 1024 && q.head > len(q.entries)/2 {
		q.entries = append(q.entries[:0], q.entries[q.head:]...)
		q.head = 0
	}
	if q.done == 0 || q.done < len(q.data)/2 {
		return
	}
	q.data = append(q.data[:0], q.data[q.done:]...)
	for i := range q.entries[q.head:] {
		q.entries[q.head+i].end -= q.done
	}
	q.done = 0
}

// rowTags are the tags of rows that were read but not written yet. A row's tag does not move with its cells.
type rowTags struct {
	queue
	rests  map[int][]byte // what stands behind the cells of a row, by the row
	behind int            // bytes of that
}

// note adds the attributes of a row's tag.
func (r *rowTags) note(row int, attrs []byte) {
	r.data = append(r.data, bytes.TrimRight(attrs, " \t\r\n")...)
	r.put(entry{row: row, last: row, end: len(r.data)})
}

// rest adds to what stands behind a row's cells.
func (r *rowTags) rest(row int, raw []byte) {
	if r.rests == nil {
		r.rests = map[int][]byte{}
	}
	r.rests[row] = append(r.rests[row], raw...)
	r.behind += len(raw)
}
