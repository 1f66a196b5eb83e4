package postgres

import (
	"encoding/hex"
	"strconv"
	"time"

	"mooring/checksum"
	"mooring/refresh/source"
)

func appendBool(b *checksum.Builder, value []byte) {
	switch string(value) {
	case "t", "true":
		b.Bool(true)
	case "f", "false":
		b.Bool(false)
	default:
		b.TextBytes(value)
	}
}

func appendInt(b *checksum.Builder, value []byte) {
	v, err := strconv.ParseInt(string(value), 10, 64)
	if err != nil {
		b.TextBytes(value)
		return
	}
	b.Int(v)
}

func appendFloat32(b *checksum.Builder, value []byte) {
	v, err := strconv.ParseFloat(string(value), 32)
	if err != nil {
		b.TextBytes(value)
		return
	}
	b.Float32(float32(v))
}

func appendFloat64(b *checksum.Builder, value []byte) {
	v, err := strconv.ParseFloat(string(value), 64)
	if err != nil {
		b.TextBytes(value)
		return
	}
	b.Number(v)
}

func appendNumeric(b *checksum.Builder, value []byte) { b.Decimal(string(value)) }

func appendJSON(b *checksum.Builder, value []byte) { b.JSON(value) }

// appendBytea reads the hex form, \x0aff.
func appendBytea(b *checksum.Builder, value []byte) {
	if len(value) < 2 || string(value[:2]) != `\x` {
		b.TextBytes(value)
		return
	}
	raw, err := hex.DecodeString(string(value[2:]))
	if err != nil {
		b.TextBytes(value)
		return
	}
	b.Binary(raw)
}

func momentCell(location *time.Location) textCell {
	return func(b *checksum.Builder, value []byte) { source.AppendMomentText(b, value, location) }
}

func appendPeriod(b *checksum.Builder, value []byte) {
	p, ok := source.ParsePeriod(string(value))
	if !ok {
		b.TextBytes(value)
		return
	}
	b.Interval(p.Months, p.Days, p.Rest)
}
