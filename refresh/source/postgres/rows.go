package postgres

import (
	"cmp"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"

	"mooring/checksum"
	"mooring/refresh/source"
)

// appendRows appends the header and every row of result to b. A statement that has no result has no columns.
func appendRows(b *source.Result, rows *pgconn.ResultReader, location *time.Location) ([]source.Column, error) {
	location = cmp.Or(location, time.UTC)
	fields := rows.FieldDescriptions()
	if len(fields) == 0 {
		return nil, nil
	}
	columns := make([]source.Column, len(fields))
	cells := make([]textCell, len(fields))
	types := pgtype.NewMap()
	for i, f := range fields {
		var format string
		cells[i], format = textCellOf(types, f.DataTypeOID, location)
		columns[i] = source.Column{Name: f.Name, Format: format}
	}
	if err := b.Header(columns); err != nil {
		return nil, err
	}
	for n := 1; rows.NextRow(); n++ {
		if err := b.Check(n, len(fields)); err != nil {
			return columns, err
		}
		for i, value := range rows.Values() {
			if value == nil {
				b.Empty()
				continue
			}
			cells[i](b.Builder, value)
		}
		if err := b.End(); err != nil {
			return columns, err
		}
	}
	return columns, nil
}

// textCell appends a value, in the text form of its type, as a cell. Text that is not of the form, which only a server other
// than PostgreSQL sends, stays text.
type textCell func(b *checksum.Builder, value []byte)

// textCellOf is how values of a type become cells, and the number format of these. Domains come as the type they are made of,
// arrays as JSON, enumerations and every other type as the text that PostgreSQL writes.
func textCellOf(types *pgtype.Map, oid uint32, location *time.Location) (textCell, string) {
	switch oid {
	case pgtype.BoolOID:
		return appendBool, ""
	case pgtype.Int2OID, pgtype.Int4OID, pgtype.Int8OID, pgtype.OIDOID:
		return appendInt, ""
	case pgtype.Float4OID:
		return appendFloat32, ""
	case pgtype.Float8OID:
		return appendFloat64, ""
	case pgtype.NumericOID:
		return appendNumeric, ""
	case pgtype.ByteaOID:
		return appendBytea, ""
	case pgtype.DateOID:
		return momentCell(location), checksum.DateFormat
	case pgtype.TimestampOID, pgtype.TimestamptzOID:
		return momentCell(location), checksum.DateTimeFormat
	case pgtype.TimeOID:
		return source.AppendClockText, checksum.TimeFormat
	case pgtype.IntervalOID:
		return appendPeriod, checksum.DurationFormat
	case pgtype.JSONOID, pgtype.JSONBOID:
		return appendJSON, ""
	}
	if t, ok := types.TypeForOID(oid); ok {
		if array, ok := t.Codec.(*pgtype.ArrayCodec); ok {
			return arrayCell(array.ElementType.OID), ""
		}
	}
	return (*checksum.Builder).TextBytes, ""
}
