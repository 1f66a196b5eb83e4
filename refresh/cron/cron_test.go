package cron

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestNext(t *testing.T) {
	for _, tt := range []struct {
		name  string
		specs []string
		zone  string
		from  string
		want  []string
	}{
		{
			"every day at seven in Berlin follows daylight saving",
			[]string{"0 7 * * *"},
			"Europe/Berlin", "2026-03-27T12:00:00Z",
			[]string{"2026-03-28T06:00:00Z", "2026-03-29T05:00:00Z", "2026-03-30T05:00:00Z"},
		},
		{
			"a time that does not exist fires at the end of the gap",
			[]string{"30 2 * * *"},
			"Europe/Berlin", "2026-03-28T12:00:00Z",
			[]string{"2026-03-29T01:00:00Z", "2026-03-30T00:30:00Z"},
		},
		{
			"many times inside the gap fire once",
			[]string{"*/10 2 * * *"},
			"Europe/Berlin", "2026-03-29T00:55:00Z",
			[]string{"2026-03-29T01:00:00Z", "2026-03-30T00:00:00Z"},
		},
		{
			"a time that exists twice fires at its first occurrence",
			[]string{"30 2 * * *"},
			"Europe/Berlin", "2026-10-24T12:00:00Z",
			[]string{"2026-10-25T00:30:00Z", "2026-10-26T01:30:00Z"},
		},
		{
			"the second pass of the hour is silent",
			[]string{"*/20 * * * *"},
			"Europe/Berlin", "2026-10-25T00:30:00Z",
			[]string{"2026-10-25T00:40:00Z", "2026-10-25T02:00:00Z"},
		},
		{
			"asked within the second pass",
			[]string{"*/20 * * * *"},
			"Europe/Berlin", "2026-10-25T01:30:00Z",
			[]string{"2026-10-25T02:00:00Z"},
		},
		{
			"a gap of half an hour",
			[]string{"15 2 * * *"},
			"Australia/Lord_Howe", "2026-10-03T12:00:00Z",
			[]string{"2026-10-03T15:30:00Z", "2026-10-04T15:15:00Z"},
		},
		{
			"a gap at midnight",
			[]string{"0 0 * * *"},
			"Africa/Cairo", "2026-04-23T12:00:00Z",
			[]string{"2026-04-23T22:00:00Z", "2026-04-24T21:00:00Z"},
		},
		{
			"the day that Samoa skipped",
			[]string{"0 12 30 12 *"},
			"Pacific/Apia", "2011-12-29T23:00:00Z",
			[]string{"2011-12-30T10:00:00Z", "2012-12-29T22:00:00Z"},
		},
		{
			"several expressions merge and share instants",
			[]string{"0 * * * *", "*/30 * * * *"},
			"", "2026-01-01T00:10:00Z",
			[]string{"2026-01-01T00:30:00Z", "2026-01-01T01:00:00Z", "2026-01-01T01:30:00Z"},
		},
		{
			"an interval does not depend on when it is asked",
			[]string{"@every 90m"},
			"", "2026-01-01T00:10:00Z",
			[]string{"2026-01-01T01:30:00Z", "2026-01-01T03:00:00Z"},
		},
		{
			"a descriptor",
			[]string{"@monthly"},
			"America/New_York", "2026-01-15T00:00:00Z",
			[]string{"2026-02-01T05:00:00Z", "2026-03-01T05:00:00Z", "2026-04-01T04:00:00Z"},
		},
		{"29 February", []string{"0 0 29 2 *"}, "", "2026-01-01T00:00:00Z", []string{"2028-02-29T00:00:00Z"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c, err := Parse(tt.specs, tt.zone)
			if err != nil {
				t.Fatal(err)
			}
			at := mustTime(t, tt.from)
			for _, want := range tt.want {
				at = c.Next(at)
				if got := at.Format(time.RFC3339); got != want {
					t.Fatalf("Next = %s, want %s", got, want)
				}
			}
		})
	}
}

func TestParseRefuses(t *testing.T) {
	for _, tt := range []struct{ name, spec, zone, want string }{
		{"a zone without fields", "TZ=UTC", "", "zone does not belong here"},
		{"a cron zone without fields", "CRON_TZ=Europe/Berlin", "", "zone does not belong here"},
		{"TZ=0", "TZ=0", "", "zone does not belong here"},
		{"a date that never comes", "0 0 30 2 *", "", "no such date"},
		{"an interval below a minute", "@every 59s", "", "smallest interval"},
		{"a zero interval", "@every 0s", "", "smallest interval"},
		{"a negative interval", "@every -5s", "", "smallest interval"},
		{"an interval of fractions", "@every 90.5s", "", "whole number of seconds"},
		{"an interval that is none", "@every soon", "", "not a duration"},
		{"six fields", "0 0 7 * * *", "", "has 6 fields"},
		{"nothing", "", "", "has 0 fields"},
		{"a minute out of range", "60 * * * *", "", "above maximum"},
		{"a day that is no number", "30 6 29 2 *]", "", "parse int from *]"},
		{"an unknown descriptor", "@nightly", "", "unrecognized descriptor"},
		{"an unknown zone", "@daily", "Mars/Olympus", "not known"},
		{"the machine's zone", "@daily", "Local", "depends on the machine"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Parse([]string{tt.spec}, tt.zone)
			if err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "strconv") {
				t.Errorf("Parse(%q) = %v, want an error with %q, and without the name of a function", tt.spec, err, tt.want)
			}
		})
	}
	if _, err := Parse(make([]string, MaxSpecs+1), ""); err == nil {
		t.Error("more expressions than allowed were taken")
	}
	if _, err := Parse(nil, ""); err == nil {
		t.Error("an empty list was taken")
	}
}

// TestAgainstOracle compares a year of fire times, over every daylight-saving change of several zones, with an oracle that
// knows nothing of cron: it visits every minute of the year and asks whether the wall clock shows a time to fire.
func TestAgainstOracle(t *testing.T) {
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	end := start.AddDate(1, 0, 0)
	for _, zone := range []string{"UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Africa/Cairo", "Asia/Kolkata", "America/St_Johns"} {
		loc, err := time.LoadLocation(zone)
		if err != nil {
			t.Fatal(err)
		}
		walls := wallsBetween(start, end, loc)
		for _, tt := range []struct {
			spec  string
			fires func(wall time.Time) bool
		}{
			{"*/15 * * * *", func(w time.Time) bool { return w.Minute()%15 == 0 }},
			{"30 2 * * *", func(w time.Time) bool { return w.Hour() == 2 && w.Minute() == 30 }},
			{"5 0,1,2,3 * * 0", func(w time.Time) bool { return w.Hour() < 4 && w.Minute() == 5 && w.Weekday() == time.Sunday }},
			{"0 9 1 * *", func(w time.Time) bool { return w.Day() == 1 && w.Hour() == 9 && w.Minute() == 0 }},
		} {
			t.Run(zone+" "+tt.spec, func(t *testing.T) {
				c, err := Parse([]string{tt.spec}, zone)
				if err != nil {
					t.Fatal(err)
				}
				var got []string
				for at := c.Next(start); at.Before(end); at = c.Next(at) {
					got = append(got, at.Format(time.RFC3339))
				}
				want := minuteOracle(start, walls, tt.fires)
				if len(want) == 0 || fmt.Sprint(got) != fmt.Sprint(want) {
					t.Errorf("got %d fires, want %d; first difference %s", len(got), len(want), firstDifference(got, want))
				}
			})
		}
	}
}

// minuteOracle visits every minute after start, by its wall time: it fires when the wall time shown is due and was never shown before, or
// when wall times that the clock jumped over just now were due.
func minuteOracle(start time.Time, walls []time.Time, fires func(time.Time) bool) []string {
	var out []string
	highest := walls[0]
	for i, wall := range walls[1:] {
		due := false
		for w := highest.Add(time.Minute); !w.After(wall); w = w.Add(time.Minute) {
			due = due || fires(w)
			highest = w
		}
		if due {
			out = append(out, start.Add(time.Duration(i+1)*time.Minute).Format(time.RFC3339))
		}
	}
	return out
}

// wallsBetween returns the wall time of every minute from start until before end.
func wallsBetween(start, end time.Time, loc *time.Location) (walls []time.Time) {
	for at := start; at.Before(end); at = at.Add(time.Minute) {
		walls = append(walls, asUTC(at.In(loc)))
	}
	return walls
}

func firstDifference(a, b []string) string {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return a[i] + " against " + b[i]
		}
	}
	return "in length"
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"* * * * *", "TZ=UTC", "@every 1m", "0 0 31 2 *", "@hourly", "1-5/2 * ? * MON", "CRON_TZ= * * * *", "*/0 * * * *", "\x00"} {
		f.Add(s, "Europe/Berlin")
	}
	from := time.Date(2026, 3, 28, 0, 0, 0, 0, time.UTC)
	f.Fuzz(func(t *testing.T, spec, zone string) {
		c, err := Parse([]string{spec}, zone)
		if err != nil {
			return
		}
		first := c.Next(from)
		if !first.After(from) {
			t.Fatalf("Next(%s) = %s: not after it", from, first)
		}
		if second := c.Next(first); !second.After(first) {
			t.Fatalf("Next(%s) = %s: not after it", first, second)
		}
	})
}

func mustTime(t *testing.T, s string) time.Time {
	t.Helper()
	at, err := time.Parse(time.RFC3339, s)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

func TestPerHour(t *testing.T) {
	for name, tt := range map[string]struct {
		specs []string
		want  int
	}{
		"every minute": {[]string{"* * * * *"}, 60},
		"once a day":   {[]string{"0 7 * * *"}, 1},
		"a descriptor": {[]string{"@hourly"}, 1},
		"the same minute of every hour, one expression": {[]string{"0 * * * *"}, 1},
		"the same minute in 24 expressions":             {slices.Repeat([]string{"0 7 * * *", "0 8 * * *"}, 12), 1},
		"different minutes add up":                      {[]string{"0 * * * *", "30 * * * *", "*/15 * * * *"}, 4},
		"an interval":                                   {[]string{"@every 7m"}, 9},
		"an interval of more than an hour":              {[]string{"@every 90m"}, 1},
		"the same interval twice":                       {[]string{"@every 1m", "@every 60s"}, 60},
		"intervals and minutes add up":                  {[]string{"@every 30m", "@every 20m", "5 * * * *"}, 6},
	} {
		t.Run(name, func(t *testing.T) {
			c, err := Parse(tt.specs, "UTC")
			if err != nil {
				t.Fatal(err)
			}
			if got := c.PerHour(); got != tt.want {
				t.Errorf("fires %d times an hour, want %d", got, tt.want)
			}
		})
	}
}
