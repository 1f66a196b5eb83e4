package sqlite

import (
	"math"
	"strings"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"
)

// inserter inserts the rows of a Table.
type inserter struct {
	c      *connection
	stmt   uintptr
	values []rowValue
	text   []byte  // of the row's values
	copied uintptr // that text where SQLite reads it
	size   int     // bytes of copied
}

// rowValue is a value of SQLite's datatype: bits of a number, or the end of a text or blob in the row's text.
type rowValue struct {
	datatype int32
	bits     uint64
}

// rowsOf begins to insert into a table that was made.
func (c *connection) rowsOf(t *Table) (*inserter, error) {
	marks := strings.TrimSuffix(strings.Repeat("?,", len(t.Columns)), ",")
	text, err := libc.CString("INSERT INTO " + quoted(t.Name) + " VALUES (" + marks + ")")
	if err != nil {
		return nil, err
	}
	defer libc.Xfree(c.tls, text)
	stmt, _, err := c.prepare(text)
	return &inserter{c: c, stmt: stmt}, err
}

func (r *inserter) close() {
	r.c.finalize(r.stmt)
	libc.Xfree(r.c.tls, r.copied)
}

func (r *inserter) Null() { r.values = append(r.values, rowValue{datatype: sqlite3.SQLITE_NULL}) }

func (r *inserter) Int(v int64) {
	r.values = append(r.values, rowValue{sqlite3.SQLITE_INTEGER, uint64(v)})
}

func (r *inserter) Real(v float64) {
	r.values = append(r.values, rowValue{sqlite3.SQLITE_FLOAT, math.Float64bits(v)})
}

func (r *inserter) Text(text []byte) { r.bytes(sqlite3.SQLITE_TEXT, text) }

func (r *inserter) Blob(blob []byte) { r.bytes(sqlite3.SQLITE_BLOB, blob) }

func (r *inserter) bytes(datatype int32, p []byte) {
	r.text = append(r.text, p...)
	r.values = append(r.values, rowValue{datatype, uint64(len(r.text))})
}

func (r *inserter) End() error {
	if err := r.c.ctx.Err(); err != nil {
		return err
	}
	if err := r.copy(); err != nil {
		return err
	}
	begin := uint64(0)
	for i, v := range r.values {
		if code := r.bind(int32(i+1), v, begin); code != sqlite3.SQLITE_OK {
			return r.c.fail(code)
		}
		if v.datatype == sqlite3.SQLITE_TEXT || v.datatype == sqlite3.SQLITE_BLOB {
			begin = v.bits
		}
	}
	r.values, r.text = r.values[:0], r.text[:0]
	_, err := r.c.step(r.stmt)
	sqlite3.Xsqlite3_reset(r.c.tls, r.stmt)
	return err
}

// copy brings the row's text to where SQLite reads it: Go may move its own memory.
func (r *inserter) copy() error {
	if len(r.text) >= r.size { // never none: a pointer to an empty text must be one
		size := 2*len(r.text) + wireBuffer
		p := libc.Xrealloc(r.c.tls, r.copied, libc.Tsize_t(size))
		if p == 0 {
			return r.c.fail(sqlite3.SQLITE_NOMEM)
		}
		r.copied, r.size = p, size
	}
	copy(view(r.copied, int32(r.size)), r.text)
	return nil
}

// bind sets a parameter of the statement. Texts stay where they are until the next row.
func (r *inserter) bind(i int32, v rowValue, begin uint64) int32 {
	const unmoved = 0 // SQLITE_STATIC
	tls, n := r.c.tls, int32(v.bits-begin)
	switch v.datatype {
	case sqlite3.SQLITE_INTEGER:
		return sqlite3.Xsqlite3_bind_int64(tls, r.stmt, i, int64(v.bits))
	case sqlite3.SQLITE_FLOAT:
		return sqlite3.Xsqlite3_bind_double(tls, r.stmt, i, math.Float64frombits(v.bits))
	case sqlite3.SQLITE_TEXT:
		return sqlite3.Xsqlite3_bind_text(tls, r.stmt, i, r.copied+uintptr(begin), n, unmoved)
	case sqlite3.SQLITE_BLOB:
		return sqlite3.Xsqlite3_bind_blob(tls, r.stmt, i, r.copied+uintptr(begin), n, unmoved)
	}
	return sqlite3.Xsqlite3_bind_null(tls, r.stmt, i)
}
