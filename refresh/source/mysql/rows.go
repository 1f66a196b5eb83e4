package mysql

import (
	"cmp"
	"database/sql/driver"
	"errors"
	"io"
	"time"

	"mooring/checksum"
	"mooring/refresh/source"
)

// appendRows appends the header and every row to b.
func (own *session) appendRows(b *source.Result, rows driver.Rows, location *time.Location) ([]source.Column, error) {
	described, err := describedIn(rows, "rs", "columns")
	switch {
	case err != nil:
		return nil, err
	case len(described) == 0:
		own.running = false
		return nil, source.NoResult()
	}
	cells := cellsOf{location: cmp.Or(location, time.UTC), offset: own.zone.offset}
	columns := make([]source.Column, len(described))
	for i, c := range described {
		columns[i] = source.Column{Name: c.name, Format: c.format()}
	}
	if err := b.Header(columns); err != nil {
		return nil, err
	}
	values := make([]driver.Value, len(described))
	for n := 1; ; n++ {
		own.meter.allow(b.DriverBytes())
		switch err := rows.Next(values); {
		case errors.Is(err, io.EOF):
			own.running = false
			return columns, rows.Close()
		case own.meter.over:
			return columns, b.RowTooLarge(err)
		case err != nil:
			return columns, err
		}
		if err := b.Check(n, len(columns)); err != nil {
			return columns, err
		}
		for i, c := range described {
			if err := cells.append(b, c, values[i]); err != nil {
				return columns, err
			}
		}
		if err := b.End(); err != nil {
			return columns, err
		}
	}
}

func (c column) format() string {
	switch c.fieldType() {
	case source.TypeDate:
		return checksum.DateFormat
	case source.TypeDateTime:
		return checksum.DateTimeFormat
	case source.TypeDuration:
		return checksum.DurationFormat
	}
	return ""
}
