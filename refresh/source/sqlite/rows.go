package sqlite

import (
	"cmp"
	"math"
	"strings"
	"time"

	sqlite3 "modernc.org/sqlite/lib"

	"mooring/checksum"
	"mooring/refresh/source"
)

// rowReader is the result of a statement, as a child writes it.
type rowReader struct {
	from     *resultReader
	location *time.Location
	columns  []source.Column
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

func newRowReader(r *resultReader, location *time.Location) (*rowReader, error) {
	rows := &rowReader{from: r, location: cmp.Or(location, time.UTC)}
	columns, err := r.columns()
	for _, c := range columns {
		declared := declaredAs(c.Declared)
		rows.columns = append(rows.columns, source.Column{Name: c.Name, Format: declared.format()})
		rows.declared = append(rows.declared, declared)
	}
	return rows, err
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
func (r *rowReader) appendTo(b *source.Result) error {
	if len(r.columns) == 0 {
		_, err := r.from.next() // why there are none
		return err
	}
	if err := b.Header(r.columns); err != nil {
		return err
	}
	for n := 1; ; n++ {
		more, err := r.from.next()
		if err != nil || !more {
			return err
		}
		if err := b.Check(n, len(r.columns)); err != nil {
			return err
		}
		for _, declared := range r.declared {
			if err := r.appendCell(b, declared); err != nil {
				return err
			}
		}
		if err := b.End(); err != nil {
			return err
		}
	}
}

// appendCell appends the next value of the current row.
func (r *rowReader) appendCell(b *source.Result, declared declaredType) error {
	datatype, err := r.from.r.ReadByte()
	if err != nil {
		return cutOff(err)
	}
	switch datatype {
	case sqlite3.SQLITE_INTEGER, sqlite3.SQLITE_FLOAT:
		bits, err := r.from.bits()
		if err != nil {
			return err
		}
		if datatype == sqlite3.SQLITE_INTEGER {
			r.appendInt(b.Builder, declared, int64(bits))
		} else {
			r.appendFloat(b.Builder, declared, math.Float64frombits(bits))
		}
	case sqlite3.SQLITE_TEXT:
		text, err := r.from.bytes(b.Room)
		if err != nil {
			return err
		}
		r.appendText(b.Builder, declared, text)
	case sqlite3.SQLITE_BLOB:
		blob, err := r.from.bytes(func(n int) error { return b.Room(2 * n) }) // its text is hex
		if err != nil {
			return err
		}
		r.appendBlob(b.Builder, declared, blob)
	default:
		b.Empty()
	}
	return nil
}
