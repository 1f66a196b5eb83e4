package mysql

import (
	"bytes"
	"database/sql/driver"
	"strconv"
	"strings"
	"time"

	"mooring/checksum"
	"mooring/refresh/source"
)

// cellsOf makes cells of values, those of timestamps in a location.
type cellsOf struct {
	location *time.Location
	offset   string // of timestamps as they come; empty for the location's own wall time
}

// append appends a value of a column as a cell. The driver has integers and floating-point numbers as such, all else as its text or bytes.
func (f cellsOf) append(b *source.Result, c column, value driver.Value) error {
	switch v := value.(type) {
	case int64:
		if c.isTruth() && (v == 0 || v == 1) {
			b.Bool(v == 1)
		} else {
			b.Int(v)
		}
	case float32:
		b.Float32(v)
	case float64:
		b.Number(v)
	case []byte:
		size := len(v)
		if c.isBinary() {
			size *= 2 // its text is hex
		}
		if err := b.Room(size); err != nil {
			return err
		}
		f.appendBytes(b.Builder, c, v)
	default:
		b.Empty()
	}
	return nil
}

func (f cellsOf) appendBytes(b *checksum.Builder, c column, value []byte) {
	switch {
	case c.kind == kindBit:
		appendBits(b, c, value)
	case c.isBinary():
		b.Binary(value)
	case c.kind == kindDecimal, c.kind == kindNewDecimal, c.kind == kindLongLong: // unsigned, beyond the greatest of signed ones
		b.Decimal(string(value))
	case c.kind == kindDate, c.kind == kindNewDate, c.kind == kindDateTime:
		source.AppendMomentText(b, value, f.location)
	case c.kind == kindTimestamp:
		f.appendTimestamp(b, value)
	case c.kind == kindTime:
		appendTime(b, value)
	case c.kind == kindJSON:
		b.JSON(value)
	default:
		b.TextBytes(value)
	}
}

// appendTimestamp appends a moment, which the session's zone shows. One of zeros is none, and stays text.
func (f cellsOf) appendTimestamp(b *checksum.Builder, value []byte) {
	if f.offset != "" && !bytes.HasPrefix(value, []byte("0000-")) {
		value = append(bytes.Clone(value), f.offset...)
	}
	source.AppendMomentText(b, value, f.location)
}

// appendBits appends the number that bits are, or a truth value for one of them.
func appendBits(b *checksum.Builder, c column, value []byte) {
	var n uint64
	for _, one := range value {
		n = n<<8 | uint64(one)
	}
	if c.isTruth() {
		b.Bool(n == 1)
		return
	}
	b.Uint(n)
}

// appendTime appends a TIME, which is a span of up to 838 hours either way more than the time of a day.
func appendTime(b *checksum.Builder, value []byte) {
	text, negative := strings.CutPrefix(string(value), "-")
	hours, rest, ok := strings.Cut(text, ":")
	h, err := strconv.Atoi(hours)
	at, err2 := time.Parse("04:05", rest)
	if !ok || err != nil || err2 != nil {
		b.TextBytes(value)
		return
	}
	span := time.Duration(h)*time.Hour + time.Duration(at.Minute())*time.Minute +
		time.Duration(at.Second())*time.Second + time.Duration(at.Nanosecond())
	if negative {
		span = -span
	}
	b.Interval(0, 0, span)
}
