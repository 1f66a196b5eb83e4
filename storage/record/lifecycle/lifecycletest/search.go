package lifecycletest

import (
	"fmt"
	"strings"
)

// Found is what a search has seen.
type Found struct {
	Worlds int
	Wrong  string  // what must not happen, and does; empty: nothing
	Trail  []Event // the shortest way there
	At     World
}

func (f *Found) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, after:\n", f.Wrong)
	for _, e := range f.Trail {
		fmt.Fprintf(&b, "  %s\n", e)
	}
	fmt.Fprintf(&b, "%+v\n", f.At)
	return b.String()
}

// search is a breadth-first search through the worlds of a model.
type search struct {
	*Model
	index  map[World]int32
	worlds []World
	from   []int32 // the world before, on the shortest way
	by     []Event
	before [][]int32 // the worlds that lead to each by themselves
}

// tooMany is what Found says of a search that saw more worlds than it may.
const tooMany = "more worlds than may be seen"

// Search goes through every world that a model allows, and stops at the first one that must not be. From each there must be a way to one in which
// every run has ended, on which no user asks for anything, and nothing goes wrong: no run may need that to end.
func (m *Model) Search(most int) Found {
	s := &search{Model: m, index: map[World]int32{}}
	s.add(m.Begin(), -1, Event{})
	for at := 0; at < len(s.worlds); at++ {
		if len(s.worlds) > most {
			return s.found(at, tooMany, Event{})
		}
		if wrong, last := s.expand(int32(at)); wrong != "" {
			return s.found(at, wrong, last)
		}
	}
	if stuck := s.stuck(); stuck >= 0 {
		return s.found(stuck, "a run can end no more", Event{})
	}
	return Found{Worlds: len(s.worlds)}
}

func (s *search) expand(at int32) (wrong string, last Event) {
	w := s.worlds[at]
	s.Next(&w, func(e Event, next *World) {
		if wrong != "" {
			return
		}
		if wrong, last = e.Wrong, e; wrong == "" {
			wrong = s.Check(&w, next)
		}
		s.add(*next, at, e)
	})
	return wrong, last
}

func (s *search) add(w World, from int32, by Event) {
	i, known := s.index[w]
	if !known {
		i = int32(len(s.worlds))
		s.index[w] = i
		s.worlds, s.from, s.by, s.before = append(s.worlds, w), append(s.from, from), append(s.by, by), append(s.before, nil)
	}
	if from >= 0 && s.worlds[from].Left == w.Left && !by.asked() {
		s.before[i] = append(s.before[i], from)
	}
}

// stuck is a world from which there is no way to one in which all runs have ended; -1 without any.
func (s *search) stuck() int {
	ends := make([]bool, len(s.worlds))
	var todo []int32
	for i := range s.worlds {
		if s.worlds[i].ended() {
			ends[i], todo = true, append(todo, int32(i))
		}
	}
	for len(todo) > 0 {
		at := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, before := range s.before[at] {
			if !ends[before] {
				ends[before], todo = true, append(todo, before)
			}
		}
	}
	for i, end := range ends {
		if !end {
			return i
		}
	}
	return -1
}

// ended reports whether no run goes on.
func (w *World) ended() bool {
	for r := range w.Runs {
		if w.Runs[r].open() {
			return false
		}
	}
	return true
}

func (s *search) found(at int, wrong string, last Event) Found {
	f := Found{Worlds: len(s.worlds), Wrong: wrong, At: s.worlds[at]}
	for i := int32(at); s.from[i] >= 0; i = s.from[i] {
		f.Trail = append([]Event{s.by[i]}, f.Trail...)
	}
	f.Trail = append(f.Trail, last)
	return f
}
