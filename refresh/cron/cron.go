package cron

import (
	"errors"
	"fmt"
	"math/bits"
	"strings"
	"time"

	robfig "github.com/robfig/cron/v3"
)

// The bounds of a schedule (decisions.md §7).
const (
	MaxSpecs    = 24
	minInterval = time.Minute
)

// Schedule is a list of cron expressions in one time zone: it fires when any of them does. A wall time that daylight saving
// skips fires at the first instant after the gap, one that occurs twice fires at its first occurrence only.
type Schedule struct {
	wall     []robfig.Schedule // evaluated on wall time written as if it were UTC
	every    []time.Duration   // @every: multiples since the zero time
	location *time.Location
}

// Fault is one thing that cannot be read. Pointer is its JSON pointer in a schedule: /timezone, /cron, or /cron/ and an index.
type Fault struct{ Pointer, Message string }

// Error is every fault of a schedule, at least one.
type Error []Fault

func (e Error) Error() string { return strings.TrimPrefix(e[0].Pointer, "/") + " " + e[0].Message }

// Parse reads specs of five fields or a descriptor (@hourly, @daily, @every 90m …) in an IANA zone; an empty zone is UTC.
// The error is an Error.
func Parse(specs []string, zone string) (Schedule, error) {
	loc, faults := loadZone(zone)
	fault := func(pointer, format string, args ...any) {
		faults = append(faults, Fault{Pointer: pointer, Message: fmt.Sprintf(format, args...)})
	}
	switch n := len(specs); {
	case n == 0:
		fault("/cron", "is empty: give five fields such as \"0 7 * * *\", or @hourly")
	case n > MaxSpecs:
		fault("/cron", "has %d expressions, at most %d are allowed", n, MaxSpecs)
		specs = nil
	}
	c := Schedule{location: loc}
	for i, spec := range specs {
		if err := c.add(strings.TrimSpace(spec)); err != nil {
			fault(fmt.Sprintf("/cron/%d", i), "is %q: %v", spec, err)
		}
	}
	if len(faults) > 0 {
		return Schedule{}, faults
	}
	return c, nil
}

func loadZone(zone string) (*time.Location, Error) {
	why := "is not known"
	if zone == "Local" {
		why = "depends on the machine"
	} else if loc, err := time.LoadLocation(zone); err == nil {
		return loc, nil
	}
	message := fmt.Sprintf("is %q, which %s: give an IANA name such as Europe/Berlin", zone, why)
	return nil, Error{{Pointer: "/timezone", Message: message}}
}

// add refuses what the parser gets wrong before the parser sees it: a zone prefix without fields panics, an interval below a
// second becomes a second, a date that never comes has the zero time as its next.
func (c *Schedule) add(spec string) error {
	if d, ok := strings.CutPrefix(spec, "@every "); ok {
		interval, err := time.ParseDuration(strings.TrimSpace(d))
		if err != nil {
			return fmt.Errorf("%q is not a duration such as 90m", d)
		}
		if interval < minInterval {
			return errors.New("the smallest interval is 1m, give a longer one")
		}
		if interval != interval.Truncate(time.Second) {
			return errors.New("an interval is a whole number of seconds, such as 90s")
		}
		c.every = append(c.every, interval)
		return nil
	}
	if strings.Contains(spec, "TZ=") {
		return errors.New("a zone does not belong here: use timezone")
	}
	if !strings.HasPrefix(spec, "@") && len(strings.Fields(spec)) != 5 {
		return fmt.Errorf("has %d fields, needs 5: minute hour day month weekday", len(strings.Fields(spec)))
	}
	s, err := robfig.ParseStandard(spec)
	if err != nil {
		text, _, _ := strings.Cut(err.Error(), ": strconv.") // how it was read is nothing that a user wants to know
		return errors.New(text)
	}
	if s.Next(time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)).IsZero() {
		return errors.New("no such date ever comes, choose another")
	}
	if fields, ok := s.(*robfig.SpecSchedule); ok {
		fields.Location = time.UTC
	}
	c.wall = append(c.wall, s)
	return nil
}

// PerHour returns how often c fires in an hour, at most: at so many different minutes, and after so many intervals.
func (c Schedule) PerHour() int {
	const minutes = 1<<60 - 1 // above them stands a mark for the star
	at, n := uint64(0), 0
	for _, s := range c.wall {
		if fields, ok := s.(*robfig.SpecSchedule); ok {
			at |= fields.Minute & minutes
		}
	}
	every := map[time.Duration]bool{}
	for _, d := range c.every {
		if !every[d] {
			every[d] = true
			n += int((time.Hour + d - 1) / d)
		}
	}
	return n + bits.OnesCount64(at)
}

// Next returns the first fire time after t, in UTC; the zero time when there is none.
func (c Schedule) Next(t time.Time) time.Time {
	var first time.Time
	earlier := func(u time.Time) {
		if !u.IsZero() && (first.IsZero() || u.Before(first)) {
			first = u
		}
	}
	for _, d := range c.every {
		earlier(t.Truncate(d).Add(d))
	}
	for _, s := range c.wall {
		earlier(c.nextWall(s, t))
	}
	return first.UTC()
}

// nextWall walks wall times until one's instant lies after t: several wall times inside a gap share one instant, and those that
// come a second time had theirs already.
func (c Schedule) nextWall(s robfig.Schedule, t time.Time) time.Time {
	wall := asUTC(t.In(c.location))
	for {
		wall = s.Next(wall)
		if wall.IsZero() {
			return time.Time{}
		}
		if at := instant(wall, c.location); at.After(t) {
			return at
		}
	}
}

func asUTC(t time.Time) time.Time {
	return time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), time.UTC)
}

// instant is when the wall time written in UTC comes in loc: its first occurrence, or the end of the gap that swallows it.
func instant(wall time.Time, loc *time.Location) time.Time {
	at := time.Date(wall.Year(), wall.Month(), wall.Day(), wall.Hour(), wall.Minute(), wall.Second(), 0, loc)
	if !asUTC(at).Equal(wall) {
		return gapEnd(at, wall, loc)
	}
	// The offset before the zone's last change says whether the same wall time came once already.
	start, _ := at.ZoneBounds()
	if start.IsZero() {
		return at
	}
	_, before := start.Add(-time.Second).Zone()
	_, now := at.Zone()
	if earlier := at.Add(time.Duration(now-before) * time.Second); earlier.Before(start) && asUTC(earlier).Equal(wall) {
		return earlier
	}
	return at
}

// gapEnd is the zone's change nearest to at that skips wall.
func gapEnd(at, wall time.Time, loc *time.Location) time.Time {
	start, end := at.ZoneBounds()
	if asUTC(at).After(wall) {
		return start.In(loc)
	}
	return end.In(loc)
}
