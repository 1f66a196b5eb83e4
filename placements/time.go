package placements

import "time"

// Time is the wire form of an instant: RFC 3339, UTC, milliseconds (decisions.md §1).
func Time(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z07:00") }
