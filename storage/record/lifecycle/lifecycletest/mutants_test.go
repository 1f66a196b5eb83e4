package lifecycletest

import (
	"runtime"
	"sync"
	"testing"

	"mooring/storage/record/lifecycle"
)

// mutant is a table of rules with one fault.
type mutant struct {
	name  string
	table lifecycle.Steps
}

// mutants are the tables that lack one condition of a rule, or one effect.
func mutants() (list []mutant) {
	for r := range lifecycle.Rules() {
		mutate := func(what string, change func(*lifecycle.Step)) {
			m := mutant{lifecycle.Rule(r).String() + what, lifecycle.Rules()}
			change(&m.table[r])
			list = append(list, m)
		}
		step := lifecycle.Rule(r).Step()
		for bit := uint16(1); bit > 0; bit <<= 1 {
			if c := lifecycle.Condition(bit); step.Needs&c != 0 {
				mutate(" without "+c.String(), func(s *lifecycle.Step) { s.Needs &^= c })
			}
			if e := lifecycle.Effect(bit); step.Does&e != 0 {
				mutate(" without "+e.String(), func(s *lifecycle.Step) { s.Does &^= e })
			}
		}
	}
	return list
}

// rounds bound the searches of a mutant: most faults are found near the beginning of some world, however large another one is.
var rounds = []int{300, 3_000, 30_000, most}

// refuted searches the worlds that a mutant allows for one that must not be.
func (m *mutant) refuted() (found Found, scenario string) {
	for _, most := range rounds {
		for _, s := range Scenarios() {
			if found = (&Model{&s, m.table}).Search(most); found.Wrong != "" && found.Wrong != tooMany {
				return found, s.Name
			}
		}
	}
	return Found{}, ""
}

// No condition and no effect in the table is there for nothing: without it something goes wrong, and the search finds it.
func TestEveryFaultOfTheTableIsFound(t *testing.T) {
	turns := make(chan struct{}, runtime.GOMAXPROCS(0))
	var all sync.WaitGroup
	for _, m := range mutants() {
		all.Go(func() {
			turns <- struct{}{}
			defer func() { <-turns }()
			found, scenario := m.refuted()
			if found.Wrong == "" {
				t.Errorf("%s: nothing goes wrong", m.name)
				return
			}
			t.Logf("%s: %s, in %q after %d steps", m.name, found.Wrong, scenario, len(found.Trail))
		})
	}
	all.Wait()
}
