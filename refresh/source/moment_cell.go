package source

import (
	"time"

	"mooring/checksum"
)

// appendMoment appends m as a day or a wall time of location.
func appendMoment(b *checksum.Builder, m moment, location *time.Location) {
	switch m.form {
	case dateOnly:
		b.Date(m.at.Date())
	case wallTime:
		b.WallTime(m.at)
	default:
		b.Timestamp(m.at, location)
	}
}

// MomentType says what a text is that AppendMomentText takes for a moment: TypeDate or TypeDateTime, in a zone or not. It is empty for other
// text.
func MomentType(text string) (is FieldType, zoned bool) {
	m, ok := parseMoment(text)
	switch {
	case !ok:
		return "", false
	case m.form == dateOnly:
		return TypeDate, false
	}
	return TypeDateTime, m.form == instant
}

// AppendMomentText appends text that should be a moment; other text, such as infinity, stays text.
func AppendMomentText(b *checksum.Builder, text []byte, location *time.Location) {
	if m, ok := parseMoment(string(text)); ok {
		appendMoment(b, m, location)
		return
	}
	b.TextBytes(text)
}

// AppendClockText appends 07:08, 07:08:09 or 07:08:09.123 as a fraction of a day. Other text stays text, so do the clocks of
// databases that give one a zone: without a day it is not known what it shows elsewhere.
func AppendClockText(b *checksum.Builder, text []byte) {
	if d, ok := parseClock(string(text)); ok {
		b.TimeOfDay(d)
		return
	}
	b.TextBytes(text)
}

func parseClock(s string) (time.Duration, bool) {
	if s == "24:00:00" { // the end of a day, which PostgreSQL knows
		return 24 * time.Hour, true
	}
	layout := "15:04"
	if len(s) > len(layout) {
		layout = "15:04:05"
	}
	t, err := time.Parse(layout, s)
	midnight := time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, time.UTC)
	return t.Sub(midnight), err == nil && len(s) >= len(layout)
}
