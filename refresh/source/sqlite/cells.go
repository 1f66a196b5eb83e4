package sqlite

import (
	"math"
	"time"

	"mooring/checksum"
	"mooring/refresh/source"
)

// Numbers in a column of dates are read as SQLite's own date functions read them with the modifier auto.
const (
	firstJulianDay = 0.0
	lastJulianDay  = 5373484.499999
	unixEpoch      = 2440587.5 // as a Julian day
	// millisFrom is the size from which on an integer is taken for milliseconds: as seconds it would lie beyond the year 5138.
	millisFrom = 100_000_000_000
)

func (r *rowReader) appendInt(b *checksum.Builder, declared declaredType, v int64) {
	switch {
	case declared == declaredBool && (v == 0 || v == 1):
		b.Bool(v == 1)
	case declared == declaredDateTime && (v >= millisFrom || v <= -millisFrom):
		b.Timestamp(time.UnixMilli(v), r.location)
	case declared == declaredDateTime:
		b.Timestamp(time.Unix(v, 0), r.location)
	default: // an integer in a DATE column may as well be 20240506
		b.Int(v)
	}
}

func (r *rowReader) appendFloat(b *checksum.Builder, declared declaredType, v float64) {
	switch {
	case declared != declaredDate && declared != declaredDateTime:
		b.Number(v)
	case v >= firstJulianDay && v <= lastJulianDay:
		// A Julian day is no instant of a zone more than text without one is.
		b.WallTime(unixSeconds((v - unixEpoch) * 86400))
	default:
		b.Timestamp(unixSeconds(v), r.location)
	}
}

// unixSeconds is a moment to the millisecond, which is what SQLite keeps.
func unixSeconds(v float64) time.Time {
	return time.UnixMilli(int64(math.Round(v * 1000))).UTC()
}

func (r *rowReader) appendText(b *checksum.Builder, declared declaredType, text []byte) {
	switch declared {
	case declaredDate, declaredDateTime:
		source.AppendMomentText(b, text, r.location)
	case declaredTime:
		source.AppendClockText(b, text)
	case declaredDecimal:
		b.Decimal(string(text))
	case declaredJSON:
		b.JSON(text)
	default:
		b.TextBytes(text)
	}
}

func (r *rowReader) appendBlob(b *checksum.Builder, declared declaredType, blob []byte) {
	if declared == declaredUUID && len(blob) == 16 {
		b.UUID([16]byte(blob))
		return
	}
	b.Binary(blob)
}
