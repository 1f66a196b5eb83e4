package source

import "mooring/checksum"

// limit is how large a result may become.
type limit struct{ rows, cells int }

// limitOf is the smaller of what the query and its source allow.
func limitOf(q Query, c Config) limit {
	return limit{
		rows:  min(orDefault(q.MaxRows, c.MaxRows), c.MaxRows),
		cells: min(orDefault(q.MaxCells, c.MaxCells), c.MaxCells),
	}
}

// check faults a result of that many rows below the header.
func (l limit) check(rows, columns int) error {
	switch {
	case rows > l.rows:
		return structure(nil, "the result has more than %d rows; narrow the query, or raise maxRows", l.rows)
	case (rows+1)*columns > l.cells:
		return structure(nil, "the result has more than %d cells; narrow the query, or raise maxCells", l.cells)
	}
	return nil
}

// appendHeader makes row 0 of a result of its columns' names.
func appendHeader(b *checksum.Builder, columns []Column) {
	for _, c := range columns {
		b.Text(c.Name)
	}
	b.EndRow()
}
