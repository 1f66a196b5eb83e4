package source

import (
	"strings"
	"time"
	"unsafe"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"

	"mooring/checksum"
)

// sqliteRows is the result of a compiled statement.
type sqliteRows struct {
	conn     *sqliteConn
	stmt     uintptr
	location *time.Location
	columns  []Column
	declared []declaredType // one a column
}

// declaredType is what a column's declared type says of its values. SQLite itself enforces nothing of it.
type declaredType int

const (
	asStored declaredType = iota
	declaredBool
	declaredDate
	declaredDateTime
	declaredTime
	declaredDecimal
	declaredJSON
	declaredUUID
)

func newSQLiteRows(c *sqliteConn, stmt uintptr, location *time.Location) *sqliteRows {
	r := &sqliteRows{conn: c, stmt: stmt, location: orDefault(location, time.UTC)}
	for i := range sqlite3.Xsqlite3_column_count(c.tls, stmt) {
		name := libc.GoString(sqlite3.Xsqlite3_column_name(c.tls, stmt, i))
		declared := declaredAs(libc.GoString(sqlite3.Xsqlite3_column_decltype(c.tls, stmt, i)))
		r.columns = append(r.columns, Column{Name: name, Format: declared.format()})
		r.declared = append(r.declared, declared)
	}
	return r
}

// declaredAs reads a type as CREATE TABLE has it, such as "DECIMAL(10,2)" or "timestamp with time zone".
func declaredAs(sqlType string) declaredType {
	name, _, _ := strings.Cut(strings.ToUpper(strings.TrimSpace(sqlType)), "(")
	switch word, _, _ := strings.Cut(name, " "); word {
	case "BOOL", "BOOLEAN":
		return declaredBool
	case "DATE":
		return declaredDate
	case "DATETIME", "TIMESTAMP", "TIMESTAMPTZ":
		return declaredDateTime
	case "TIME":
		return declaredTime
	case "DECIMAL", "NUMERIC":
		return declaredDecimal
	case "UUID", "GUID":
		return declaredUUID
	case "JSON", "JSONB":
		return declaredJSON
	}
	return asStored
}

func (d declaredType) format() string {
	switch d {
	case declaredDate:
		return checksum.DateFormat
	case declaredDateTime:
		return checksum.DateTimeFormat
	case declaredTime:
		return checksum.TimeFormat
	}
	return ""
}

// appendTo appends the header and every row to b.
func (r *sqliteRows) appendTo(b *result) error {
	if err := b.header(r.columns); err != nil {
		return err
	}
	r.conn.bound(len(r.columns), b.driverBytes())
	for n := 1; ; n++ {
		more, err := r.conn.step(r.stmt)
		if err != nil || !more {
			return err
		}
		if err := b.check(n, len(r.columns)); err != nil {
			return err
		}
		for i := range r.columns {
			if err := r.appendCell(b, int32(i)); err != nil {
				return err
			}
		}
		if err := b.end(); err != nil {
			return err
		}
	}
}

// appendCell appends column i of the current row.
func (r *sqliteRows) appendCell(b *result, i int32) error {
	tls := r.conn.tls
	switch sqlite3.Xsqlite3_column_type(tls, r.stmt, i) {
	case sqlite3.SQLITE_INTEGER:
		r.appendInt(b.Builder, r.declared[i], sqlite3.Xsqlite3_column_int64(tls, r.stmt, i))
	case sqlite3.SQLITE_FLOAT:
		r.appendFloat(b.Builder, r.declared[i], sqlite3.Xsqlite3_column_double(tls, r.stmt, i))
	case sqlite3.SQLITE_TEXT:
		p := sqlite3.Xsqlite3_column_text(tls, r.stmt, i)
		text := view(p, sqlite3.Xsqlite3_column_bytes(tls, r.stmt, i))
		if err := b.room(len(text)); err != nil {
			return err
		}
		r.appendText(b.Builder, r.declared[i], text)
	case sqlite3.SQLITE_BLOB:
		p := sqlite3.Xsqlite3_column_blob(tls, r.stmt, i)
		blob := view(p, sqlite3.Xsqlite3_column_bytes(tls, r.stmt, i))
		if err := b.room(2 * len(blob)); err != nil { // its text is hex
			return err
		}
		r.appendBlob(b.Builder, r.declared[i], blob)
	default:
		b.Empty()
	}
	return nil
}

// view is SQLite's own memory as a slice, good until the next step. The pointer is none of Go's, therefore the detour.
func view(p uintptr, n int32) []byte {
	if n == 0 {
		return nil // SQLite gives no pointer then
	}
	return unsafe.Slice((*byte)(*(*unsafe.Pointer)(unsafe.Pointer(&p))), n)
}
