package probe

import (
	"strings"
	"testing"
	"time"
)

// at is a time on the tests' clock, in seconds.
func at(seconds float64) time.Time {
	return time.Unix(1_000_000, 0).Add(time.Duration(seconds * float64(time.Second)))
}

func TestWhenChangesAreTold(t *testing.T) {
	for _, row := range []struct {
		fact string
		seen []float64
		due  float64
	}{
		{"a change is told when it has been quiet for the debounce", []float64{0}, 1},
		{"each further change puts that off", []float64{0, .5, 1.2}, 2.2},
		{"a change right at the end does, too", []float64{0, 1}, 2},
		{"but not beyond ten debounces after the first", []float64{0, .9, 1.8, 2.7, 3.6, 4.5, 5.4, 6.3, 7.2, 8.1, 9.5}, 10},
	} {
		var c changes
		for _, s := range row.seen {
			c = c.seen(at(s))
		}
		if got := c.due(time.Second); !got.Equal(at(row.due)) {
			t.Errorf("%s: due at %s, want %s", row.fact, got.Sub(at(0)), at(row.due).Sub(at(0)))
		}
	}
}

func TestWhatAWatcherDoes(t *testing.T) {
	timing := Timing{Every: 10 * time.Second}
	kept, none := Seen{Value: "a", Changes: 3}, Seen{}
	type step = func(watch) (watch, bool)
	looked := func(value string, s float64) step {
		return func(w watch) (watch, bool) { return w.looked(value, at(s)) }
	}
	failed := func(s float64) step { return func(w watch) (watch, bool) { return w.failed(at(s)), false } }
	announced := func(s float64) step { return func(w watch) (watch, bool) { return w.announced(at(s)) } }
	told := func(w watch) (watch, bool) { return w.told(), false }
	for _, row := range []struct {
		fact  string
		asked bool
		kept  Seen
		steps []step
		act   act
		at    float64
		first string // 1 for each step after which the value is kept untold, 0 for each other
	}{
		{"it looks at once", true, kept, nil, look, 0, ""},
		{"and again after a while", true, kept, []step{looked("a", 1)}, look, 11, "0"},
		{"also when that failed", true, kept, []step{failed(1)}, look, 11, "0"},
		{"a first value is kept, not told", true, none, []step{looked("a", 1)}, look, 11, "1"},
		{"after it the next is a change", true, none, []step{looked("a", 1), looked("b", 11)}, tell, 12, "10"},
		{"a value other than the one that is kept is a change, whichever watcher kept that", true, kept, []step{looked("b", 1)}, tell, 2, "0"},
		{"a value that is back is told as well: the one between may have been", true, kept, []step{looked("b", 1), looked("a", 1.5)}, tell, 2.5, "00"},
		{"the same change is not seen twice", true, kept, []step{looked("b", 1), looked("b", 1.5)}, tell, 2, "00"},
		{"what was told is done", true, kept, []step{looked("b", 1), told}, look, 11, "00"},
		{"an announcement is the occasion to look", true, kept, []step{looked("a", 1), announced(3)}, look, 3, "00"},
		{"which may find nothing", true, kept, []step{looked("a", 1), announced(3), looked("a", 3)}, look, 13, "000"},
		{"of many there are ten looks in a debounce at most", true, kept, []step{looked("a", 1), announced(1.01), announced(1.02)}, look, 1.1, "000"},
		{"also while looks fail", true, kept, []step{failed(1), announced(1.01)}, look, 1.1, "00"},
		{"and never later than without any", true, kept, []step{looked("a", 1), announced(1.01), announced(10.95)}, look, 1.1, "000"},
		{"without a value nothing is looked at", false, kept, nil, rest, 0, ""},
		{"and an announcement is a change", false, kept, []step{announced(3)}, tell, 4, "0"},
		{"but the first of all is none: it says that the source is listened to", false, none, []step{announced(3)}, rest, 0, "1"},
		{"the next one is", false, none, []step{announced(3), announced(5)}, tell, 6, "10"},
	} {
		w, first := begin(timing, row.asked, row.kept, at(0)), strings.Builder{}
		for _, s := range row.steps {
			after, kept := s(w)
			w = after
			first.WriteString(map[bool]string{true: "1", false: "0"}[kept])
		}
		what, when := w.next()
		if what != row.act || what != rest && !when.Equal(at(row.at)) || first.String() != row.first {
			t.Errorf("%s: %d at %s, kept %s, want %d at %vs, %s", row.fact, what, when.Sub(at(0)), first.String(), row.act, row.at, row.first)
		}
	}
}
