package pivot

import (
	"math"
	"time"

	"mooring/checksum"
)

// scaleFormats are the number formats of displayScale. They scale what is shown, not what the cell holds. "model" is the source's own.
var scaleFormats = map[string]string{
	"absolute":  "#,##0.00",
	"thousands": `#,##0.0,"K"`,
	"millions":  `#,##0.0,,"M"`,
	"billions":  `#,##0.0,,,"B"`,
}

// formats are the number formats of the table's columns.
func (l *layout) formats() []string {
	var formats []string
	for _, m := range l.rows.members {
		formats = append(formats, l.source[m].Format)
	}
	if l.onRows && len(l.measures) > 0 {
		at := len(formats)
		if l.measuresFirst() {
			at = 0
		}
		formats = append(formats[:at:at], append([]string{""}, formats[at:]...)...)
	}
	for _, column := range l.across {
		formats = append(formats, l.format(column.measure))
	}
	return formats
}

// format is that of a measure, or, for none, that of all measures if they share one.
func (l *layout) format(measure int) string {
	if measure != none {
		return l.measureFormat(measure)
	}
	shared := ""
	for m := range l.measures {
		format := l.measureFormat(m)
		if m > 0 && format != shared {
			return ""
		}
		shared = format
	}
	return shared
}

func (l *layout) measureFormat(measure int) string {
	format := l.source[l.measures[measure]].Format
	scaled, ok := scaleFormats[l.items.DisplayScale]
	if !ok || isDate(format) || format == checksum.DurationFormat {
		return format
	}
	return scaled
}

// isDate reports whether a format shows a point in time, which no sum makes sense of.
func isDate(format string) bool {
	return format == checksum.DateFormat || format == checksum.DateTimeFormat || format == checksum.TimeFormat
}

// dateText is a serial day number as the text that its format shows; a number of another format stays as it is.
func dateText(c checksum.Cell, format string) checksum.Cell {
	layout, ok := map[string]string{
		checksum.DateFormat:     time.DateOnly,
		checksum.DateTimeFormat: time.DateTime,
		checksum.TimeFormat:     time.TimeOnly,
	}[format]
	if !ok {
		return c
	}
	days, ofDay := math.Modf(c.Number)
	epoch := time.Date(1899, time.December, 30, 0, 0, 0, 0, time.UTC)
	t := epoch.AddDate(0, 0, int(days)).Add(time.Duration(ofDay * float64(24*time.Hour))).Round(time.Second)
	return checksum.Str(t.Format(layout))
}
