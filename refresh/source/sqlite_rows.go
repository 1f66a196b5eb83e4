package source

import (
	"math"
	"strings"
	"time"

	sqlite3 "modernc.org/sqlite/lib"

	"mooring/checksum"
)

// sqliteRows is the result of a statement, as a child writes it.
type sqliteRows struct {
	from     *resultReader
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

func newSQLiteRows(r *resultReader, location *time.Location) (*sqliteRows, error) {
	rows := &sqliteRows{from: r, location: orDefault(location, time.UTC)}
	columns, err := r.columns()
	for _, c := range columns {
		declared := declaredAs(c.Declared)
		rows.columns = append(rows.columns, Column{Name: c.Name, Format: declared.format()})
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
func (r *sqliteRows) appendTo(b *checksum.Builder, l limit) error {
	if len(r.columns) == 0 {
		_, err := r.from.next() // why there are none
		return err
	}
	if err := l.check(0, len(r.columns)); err != nil {
		return err
	}
	appendHeader(b, r.columns)
	for n := 1; ; n++ {
		more, err := r.from.next()
		if err != nil || !more {
			return err
		}
		if err := l.check(n, len(r.columns)); err != nil {
			return err
		}
		for _, declared := range r.declared {
			if err := r.appendCell(b, declared); err != nil {
				return err
			}
		}
		b.EndRow()
	}
}

// appendCell appends the next value of the current row.
func (r *sqliteRows) appendCell(b *checksum.Builder, declared declaredType) error {
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
			r.appendInt(b, declared, int64(bits))
		} else {
			r.appendFloat(b, declared, math.Float64frombits(bits))
		}
	case sqlite3.SQLITE_TEXT, sqlite3.SQLITE_BLOB:
		value, err := r.from.bytes()
		if err != nil {
			return err
		}
		if datatype == sqlite3.SQLITE_TEXT {
			r.appendText(b, declared, value)
		} else {
			r.appendBlob(b, declared, value)
		}
	default:
		b.Empty()
	}
	return nil
}
