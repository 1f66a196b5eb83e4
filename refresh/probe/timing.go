package probe

import (
	"cmp"
	"time"
)

// Timing is when a source is looked at, and its changes are told. A zero Debounce or Every is its default.
type Timing struct {
	Every    time.Duration // from one look to the next
	Debounce time.Duration // how long no change must be seen before one is told
}

// The timing of a probe that sets none; the most that a change waits for others, since a table that never rests is told of, too; and the
// most looks in a debounce, however much is announced.
const (
	DefaultEvery    = 10 * time.Second
	DefaultDebounce = time.Second
	mostDebounces   = 10
	mostLooks       = 10
)

// WithDefaults returns t with what is zero set.
func (t Timing) WithDefaults() Timing {
	return Timing{Every: cmp.Or(t.Every, DefaultEvery), Debounce: cmp.Or(t.Debounce, DefaultDebounce)}
}

// changes are those that were seen and are not told yet.
type changes struct{ first, last time.Time }

// seen returns c with a change that was seen at a time.
func (c changes) seen(at time.Time) changes {
	if c.none() {
		c.first = at
	}
	c.last = at
	return c
}

func (c changes) none() bool { return c.first.IsZero() }

// due is when the changes are to be told.
func (c changes) due(debounce time.Duration) time.Time {
	quiet, most := c.last.Add(debounce), c.first.Add(mostDebounces*debounce)
	if quiet.After(most) {
		return most
	}
	return quiet
}

// watch is what a watcher knows at a time; what happens next follows from it and the time alone.
type watch struct {
	Timing
	asked   bool   // the source has a value that can be asked for
	known   bool   // of some value the runs were made, or it was the first
	value   string // the latest that was seen
	waiting changes
	last    time.Time // when it looked last
	look    time.Time // when to look next
}

// begin is a watch that begins with what is kept.
func begin(t Timing, asked bool, kept Seen, now time.Time) watch {
	return watch{Timing: t.WithDefaults(), asked: asked, known: kept.Changes > 0, value: kept.Value, look: now}
}

// looked is w after a look that saw value; first reports whether it is the first value ever, which is kept and not told.
func (w watch) looked(value string, now time.Time) (after watch, first bool) {
	first = !w.known
	if w.known && value != w.value {
		w.waiting = w.waiting.seen(now)
	}
	w.known, w.value, w.last, w.look = true, value, now, now.Add(w.Every)
	return w, first
}

// failed is w after a look that saw nothing.
func (w watch) failed(now time.Time) watch {
	w.last, w.look = now, now.Add(w.Every)
	return w
}

// announced is w after the source announced something: the occasion to look soon, or else a change.
func (w watch) announced(now time.Time) (after watch, first bool) {
	switch {
	case w.asked:
		soon := w.last.Add(w.Debounce / mostLooks)
		if soon.Before(now) {
			soon = now
		}
		if soon.Before(w.look) {
			w.look = soon
		}
	case w.known:
		w.waiting = w.waiting.seen(now)
	default:
		w.known, first = true, true
	}
	return w, first
}

// told is w after its changes were told.
func (w watch) told() watch {
	w.waiting = changes{}
	return w
}

// act is what is to be done next.
type act int

const (
	rest act = iota // nothing until something is announced
	look
	tell
)

// next returns what is to be done next, and when.
func (w watch) next() (what act, at time.Time) {
	if w.asked {
		what, at = look, w.look
	}
	if due := w.waiting.due(w.Debounce); !w.waiting.none() && (what == rest || !due.After(at)) {
		return tell, due
	}
	return what, at
}
