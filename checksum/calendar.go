package checksum

import (
	"strconv"
	"time"
)

// Serial day numbers count from the epoch of both spreadsheet hosts, 1899-12-30; the time of day is the fraction.
const epochToUnix = 25569 // days from 1899-12-30 to 1970-01-01

// firstSerial is 1900-03-01. Excel counts a 1900-02-29 that never was and knows no day before 1900, so below it the hosts disagree on
// what a number shows.
const firstSerial = 61

// Date adds a calendar date as its serial day number, to be shown in DateFormat; one before 1900-03-01 as ISO 8601 text.
func (b *Builder) Date(year int, month time.Month, day int) {
	days := serialDay(year, month, day)
	if days < firstSerial {
		b.moment(time.Date(year, month, day, 0, 0, 0, 0, time.UTC), time.DateOnly)
		return
	}
	b.Number(float64(days))
}

// moment adds t as text.
func (b *Builder) moment(t time.Time, layout string) {
	b.scratch = t.AppendFormat(b.scratch[:0], layout)
	b.text(Text, b.scratched())
}

// Timestamp adds an instant as WallTime does, by its wall time in loc (nil: UTC).
func (b *Builder) Timestamp(t time.Time, loc *time.Location) {
	if loc == nil {
		loc = time.UTC
	}
	b.WallTime(t.In(loc))
}

// WallTime adds a timestamp without time zone: the serial day number of what t's own clock shows, in DateTimeFormat; one before
// 1900-03-01 as ISO 8601 text without a zone.
func (b *Builder) WallTime(t time.Time) {
	days := serialDay(t.Date())
	if days < firstSerial {
		b.moment(t, "2006-01-02T15:04:05.999999999")
		return
	}
	hour, minute, second := t.Clock()
	ofDay := time.Duration(hour*3600+minute*60+second)*time.Second + time.Duration(t.Nanosecond())
	b.Number(serial(int64(days), ofDay))
}

// TimeOfDay adds the time since midnight as a fraction of a day, to be shown in TimeFormat.
func (b *Builder) TimeOfDay(d time.Duration) { b.Number(serial(0, d)) }

// Interval adds a span of time. Without months it is a number of days, to be shown in DurationFormat; a month has no fixed
// length, so with months it is text in the form of ISO 8601, such as P1Y2M3DT4H5M6.5S.
func (b *Builder) Interval(months, days int32, rest time.Duration) {
	if months == 0 {
		b.Number(serial(int64(days), rest))
		return
	}
	b.scratch = appendPeriod(b.scratch[:0], months, days, rest)
	b.text(Text, b.scratched())
}

func serialDay(year int, month time.Month, day int) int {
	const secondsADay = 24 * 60 * 60
	return int(time.Date(year, month, day, 0, 0, 0, 0, time.UTC).Unix()/secondsADay) + epochToUnix
}

// serial is the double nearest to days plus rest. Whole days of rest are added exactly, since a double holds fewer digits of a
// long duration than of a day's fraction.
func serial(days int64, rest time.Duration) float64 {
	const day = 24 * time.Hour
	return float64(days+int64(rest/day)) + float64(rest%day)/float64(day)
}

func appendPeriod(dst []byte, months, days int32, rest time.Duration) []byte {
	dst = append(dst, 'P')
	dst = appendPart(dst, int64(months/12), 'Y')
	dst = appendPart(dst, int64(months%12), 'M')
	dst = appendPart(dst, int64(days), 'D')
	if rest == 0 {
		return dst
	}
	dst = append(dst, 'T')
	dst = appendPart(dst, int64(rest/time.Hour), 'H')
	dst = appendPart(dst, int64(rest%time.Hour/time.Minute), 'M')
	if seconds := rest % time.Minute; seconds != 0 {
		dst = strconv.AppendFloat(dst, seconds.Seconds(), 'f', -1, 64)
		dst = append(dst, 'S')
	}
	return dst
}

func appendPart(dst []byte, n int64, unit byte) []byte {
	if n == 0 {
		return dst
	}
	return append(strconv.AppendInt(dst, n, 10), unit)
}

// Number formats of cells that hold serial day numbers, valid in Excel and Google Sheets alike.
const (
	DateFormat     = "yyyy-mm-dd"
	DateTimeFormat = "yyyy-mm-dd hh:mm:ss"
	TimeFormat     = "hh:mm:ss"
	DurationFormat = "[h]:mm:ss" // hours beyond 24 are not folded into days
)
