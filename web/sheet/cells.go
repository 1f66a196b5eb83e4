package sheet

import (
	"context"
	"io"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"mooring/checksum"
)

// flush is how much of an answer is gathered before it is sent.
const flush = 64 << 10

// AppendSpan appends an object of a span, without its end.
func AppendSpan(out []byte, span checksum.Span) []byte {
	out = strconv.AppendInt(append(out, `{"from":`...), int64(span.From), 10)
	return strconv.AppendInt(append(out, `,"to":`...), int64(span.To), 10)
}

// WriteRows appends the rows of a span, each with what one appends, and the end of their array and object, sending the buffer whenever it
// is full.
func WriteRows(
	ctx context.Context, out io.Writer, buffer []byte, span checksum.Span, one func(buffer []byte, row int) []byte,
) ([]byte, error) {
	for row := span.From; row < span.To; row++ {
		if row > span.From {
			buffer = append(buffer, ',')
		}
		if buffer = one(buffer, row); len(buffer) < flush {
			continue
		}
		if err := ctx.Err(); err != nil {
			return buffer, err
		}
		if _, err := out.Write(buffer); err != nil {
			return buffer, err
		}
		buffer = buffer[:0]
	}
	return append(buffer, "]}"...), nil
}

// AppendCells appends a row as an array of so many cells.
func AppendCells(out []byte, cells []checksum.Cell, columns int) []byte {
	out = append(out, '[')
	for i := range columns {
		if i > 0 {
			out = append(out, ',')
		}
		out = AppendCell(out, checksum.CellAt(cells, i))
	}
	return append(out, ']')
}

// AppendCell appends a cell: a number, a string, true, false, null for an empty one, {"error":"#N/A"} for an error.
func AppendCell(out []byte, c checksum.Cell) []byte {
	switch c.Kind {
	case checksum.Number:
		return strconv.AppendFloat(out, c.Number, 'g', -1, 64) // read back, it is the same double
	case checksum.Text:
		return AppendText(out, c.Text)
	case checksum.True:
		return append(out, "true"...)
	case checksum.False:
		return append(out, "false"...)
	case checksum.Error:
		return append(AppendText(append(out, `{"error":`...), c.Text), '}')
	}
	return append(out, "null"...)
}

// AppendText appends a string of a table, which is always valid UTF-8.
func AppendText(out []byte, s string) []byte {
	out, _ = jsontext.AppendQuote(out, s)
	return out
}
