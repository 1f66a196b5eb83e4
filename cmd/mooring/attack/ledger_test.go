//go:build unix

package attack

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
)

// ledger counts what was tried and what fell.
type ledger struct {
	mu   sync.Mutex
	rows []*entry
}

// entry counts one kind of attack.
type entry struct {
	number      int
	what        string
	tries, fell int
	faults      []string // of what fell, the first ones
}

// shown is how many faults of one kind of attack are told.
const shown = 5

// try counts an attempt; fault says how it fell, and is empty when it was held off.
func (l *ledger) try(number int, what, fault string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	i := slices.IndexFunc(l.rows, func(e *entry) bool { return e.number == number && e.what == what })
	if i < 0 {
		i, l.rows = len(l.rows), append(l.rows, &entry{number: number, what: what})
	}
	e := l.rows[i]
	e.tries++
	if fault == "" {
		return
	}
	if e.fell++; len(e.faults) < shown {
		e.faults = append(e.faults, fmt.Sprintf("%.1000s", fault))
	}
}

// tries counts an attempt that may fall in several ways.
func (l *ledger) tries(number int, what string, faults []string) {
	l.try(number, what, strings.Join(faults, "\n\t"))
}

// print prints the table, and after it how what fell has fallen.
func (l *ledger) print(out io.Writer) (tries, fell int) {
	slices.SortStableFunc(l.rows, func(a, b *entry) int { return cmp.Compare(a.number, b.number) })
	fmt.Fprintf(out, "%3s  %-92s %6s %6s\n", "no", "what", "tries", "fell")
	for _, e := range l.rows {
		fmt.Fprintf(out, "%3d  %-92s %6d %6d\n", e.number, e.what, e.tries, e.fell)
		tries, fell = tries+e.tries, fell+e.fell
	}
	fmt.Fprintf(out, "%3s  %-92s %6d %6d\n", "", "all", tries, fell)
	for _, e := range l.rows {
		for _, fault := range e.faults {
			fmt.Fprintf(out, "FELL %d, %s: %s\n", e.number, e.what, fault)
		}
	}
	return tries, fell
}
