package source

import (
	"strings"
	"time"
)

// moment is a point in time as a database writes it.
type moment struct {
	at   time.Time // UTC stands for the wall unless zoned
	form momentForm
}

type momentForm int

const (
	dateOnly momentForm = iota // a day
	wallTime                   // day and time of no zone
	instant                    // day and time with a zone
)

// parseMoment reads the ISO 8601 and SQL forms: 2024-05-06, 2024-05-06 07:08[:09[.123]] with a blank or T, and after it Z, ±hh,
// ±hhmm, ±hh:mm or ±hh:mm:ss. Text of another form, years beyond 9999 and before Christ included, is not a moment.
func parseMoment(s string) (moment, bool) {
	if len(s) < 10 || s[4] != '-' || s[7] != '-' {
		return moment{}, false
	}
	if len(s) == 10 {
		at, err := time.Parse(time.DateOnly, s)
		return moment{at, dateOnly}, err == nil
	}
	if s[10] != ' ' && s[10] != 'T' {
		return moment{}, false
	}
	clock, form := s[11:], wallTime
	zone := strings.IndexAny(clock, "Z+-")
	if zone >= 0 {
		form = instant
	} else {
		zone = len(clock)
	}
	offset, ok := zoneLayout(clock[zone:])
	if !ok {
		return moment{}, false
	}
	layout := "15:04:05"
	if strings.Count(clock[:zone], ":") == 1 {
		layout = "15:04"
	}
	at, err := time.Parse(time.DateOnly+s[10:11]+layout+offset, s)
	return moment{at, form}, err == nil
}

func zoneLayout(zone string) (string, bool) {
	if zone == "Z" {
		return "Z07", true
	}
	switch len(zone) {
	case 0:
		return "", true
	case 3:
		return "-07", true
	case 5:
		return "-0700", true
	case 6:
		return "-07:00", true
	case 9:
		return "-07:00:00", true
	}
	return "", false
}
