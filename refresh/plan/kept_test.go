package plan

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"mooring/checksum"
	"mooring/placements"
)

// kept is what the last run of a desk kept, as the storage has it.
func (d *blockDesk) kept() *Kept {
	d.Helper()
	text, err := json.Marshal(d.plan.Difference.Rows)
	if err != nil {
		d.Fatal(err)
	}
	k := &Kept{Columns: d.plan.Difference.Columns, Over: d.plan.Over, Top: d.plan.Difference.Top}
	if err := json.Unmarshal(text, &k.Rows); err != nil {
		d.Fatal(err)
	}
	return k
}

// putBack refreshes the block and puts back what a run kept, and wants these counts and the sheet to be so afterwards.
func (d *blockDesk) putBack(k *Kept, ours []string, want PutBack, sheet ...string) {
	d.Helper()
	d.restore = k
	d.refreshed(placements.Keep, ours, sheet...)
	d.restore = nil
	if d.plan.PutBack != want {
		d.Errorf("put back %+v, want %+v", d.plan.PutBack, want)
	}
}

func TestPutBack(t *testing.T) {
	base := []string{"name|n|city", "a|1|Bonn", "b|2|Kiel", "c|3|Ulm"}
	for _, tt := range []struct {
		name   string
		typed  []string // before the run that overwrites
		key    []string
		source []string // of that run; nil: base
		sheet  []string // before the one that puts back; nil: as it was left
		ours   []string // of that; nil: source
		counts PutBack
		want   []string
		edits  string
		next   []string // of the source of a refresh afterwards
		then   []string
	}{
		{
			name: "what was overwritten, as edits that the next refresh keeps", typed: []string{"name|n|city", "a|mine|Bonn", "b|2|Kiel", "c|3|here"},
			counts: PutBack{Cells: 2}, want: []string{"name|n|city", "a|mine|Bonn", "b|2|Kiel", "c|3|here"}, edits: "C3 n=mine<1, D5 city=here<Ulm",
			next: []string{"name|n|city", "a|8|Rom", "b|7|Kiel", "c|9|Ulm"}, then: []string{"name|n|city", "a|mine|Rom", "b|7|Kiel", "c|9|here"},
		},
		{
			name: "only where what was written still stands", typed: []string{"name|n|city", "a|mine|Bonn", "b|yours|Kiel", "c|3|Ulm"},
			sheet:  []string{"name|n|city", "a|again|Bonn", "b|2|Kiel", "c|3|Ulm"},
			counts: PutBack{Cells: 1, Left: 1}, want: []string{"name|n|city", "a|again|Bonn", "b|yours|Kiel", "c|3|Ulm"},
			edits: "C3 n=again<1, C4 n=yours<2",
		},
		{
			name: "a cell that is so already", typed: []string{"name|n|city", "a|mine|Bonn", "b|yours|Kiel", "c|3|Ulm"},
			sheet:  []string{"name|n|city", "a|mine|Bonn", "b|2|Kiel", "c|3|Ulm"},
			counts: PutBack{Cells: 1, Stood: 1}, want: []string{"name|n|city", "a|mine|Bonn", "b|yours|Kiel", "c|3|Ulm"},
			edits: "C3 n=mine<1, C4 n=yours<2",
		},
		{
			name: "a formula as a formula", typed: []string{"name|n|city", "a|=two|Bonn", "b|2|Kiel", "c|3|Ulm"},
			counts: PutBack{Cells: 1}, want: []string{"name|n|city", "a|=two|Bonn", "b|2|Kiel", "c|3|Ulm"},
			edits: "C3 n={=TWO() two}<1",
			next:  []string{"name|n|city", "b|2|Kiel", "a|1|Bonn", "c|3|Ulm"}, then: []string{"name|n|city", "b|2|Kiel", "a|=two|Bonn", "c|3|Ulm"},
		},
		{
			name: "an emptied cell", typed: []string{"name|n|city", "a||Bonn", "b|2|Kiel", "c|3|Ulm"},
			counts: PutBack{Cells: 1}, want: []string{"name|n|city", "a||Bonn", "b|2|Kiel", "c|3|Ulm"}, edits: "C3 n=<nil><1",
		},
		{
			name: "rows that a person sorted meanwhile", typed: []string{"name|n|city", "a|mine|Bonn", "b|2|Kiel", "c|3|Ulm"},
			sheet:  []string{"name|n|city", "c|3|Ulm", "b|2|Kiel", "a|1|Bonn"},
			counts: PutBack{Cells: 1}, want: []string{"name|n|city", "a|mine|Bonn", "b|2|Kiel", "c|3|Ulm"}, edits: "C3 n=mine<1",
		},
		{
			name: "beside what the source changes now", typed: []string{"name|n|city", "a|mine|Bonn", "b|2|Kiel", "c|3|Ulm"},
			ours:   []string{"name|n|city", "a|8|Rom", "b|7|Kiel", "c|3|Ulm"},
			counts: PutBack{Cells: 1}, want: []string{"name|n|city", "a|mine|Rom", "b|7|Kiel", "c|3|Ulm"}, edits: "C3 n=mine<8",
		},
		{
			name: "in another row by its key, and in other columns", typed: []string{"name|n|city", "a|mine|Bonn", "b|2|Kiel", "c|3|Ulm"}, key: []string{"name"},
			ours:   []string{"city|name|n", "Rom|x|0", "Bonn|a|1", "Kiel|b|2", "Ulm|c|3"},
			counts: PutBack{Cells: 1}, want: []string{"city|name|n", "Rom|x|0", "Bonn|a|mine", "Kiel|b|2", "Ulm|c|3"}, edits: "D4 n=mine<1",
		},
		{
			name: "not in the row of another record that looks alike", typed: []string{"name|n|city", "a|mine|Bonn", "b|2|Kiel", "c|3|Ulm"},
			sheet:  []string{"name|n|city", "b|2|Kiel", "z|1|Bonn", "c|3|Ulm"},
			counts: PutBack{Left: 1}, want: []string{"name|n|city", "z|1|Bonn", "b|2|Kiel", "c|3|Ulm"}, edits: "B3 name=z<a",
		},
		{
			name: "a heading", typed: []string{"who|n|city", "a|1|Bonn", "b|2|Kiel", "c|3|Ulm"},
			counts: PutBack{Cells: 1}, want: []string{"who|n|city", "a|1|Bonn", "b|2|Kiel", "c|3|Ulm"}, edits: "B2 name=who<name",
			next: []string{"name|n|city", "a|8|Bonn"}, then: []string{"who|n|city", "a|8|Bonn"},
		},
		{
			name: "a row that a person had inserted comes behind the others", typed: []string{"name|n|city", "a|1|Bonn", "x|9|Rom", "b|2|Kiel", "c|3|Ulm"},
			counts: PutBack{Cells: 3}, want: []string{"name|n|city", "a|1|Bonn", "b|2|Kiel", "c|3|Ulm", "x|9|Rom"},
			edits: "B6 name=x<<nil>, C6 n=9<<nil>, D6 city=Rom<<nil>",
			next:  []string{"name|n|city", "a|1|Bonn", "b|2|Kiel", "c|3|Ulm", "d|4|Jena"}, then: []string{"name|n|city", "a|1|Bonn", "b|2|Kiel", "c|3|Ulm", "x|9|Rom", "d|4|Jena"},
		},
		{
			name: "what the source had changed", source: []string{"name|n|city", "a|1|Bonn", "b|7|Kiel"},
			counts: PutBack{Cells: 4}, want: []string{"name|n|city", "a|1|Bonn", "b|2|Kiel", "c|3|Ulm"},
			edits: "C4 n=2<7, B5 name=c<<nil>, C5 n=3<<nil>, D5 city=Ulm<<nil>",
		},
		{
			name: "a removed row that is back", source: []string{"name|n|city", "a|1|Bonn", "b|2|Kiel"}, ours: base, sheet: base,
			counts: PutBack{Stood: 3}, want: base,
		},
		{
			name: "all cells and the headings", typed: []string{"A|B|C", "p|q|r", "s|t|u", "v|w|x"},
			counts: PutBack{Cells: 12}, want: []string{"A|B|C", "p|q|r", "s|t|u", "v|w|x"},
			edits: "B2 name=A<name, C2 n=B<n, D2 city=C<city, B3 name=p<a, C3 n=q<1, D3 city=r<Bonn, B4 name=s<b, C4 n=t<2, D4 city=u<Kiel, B5 name=v<c, C5 n=w<3, D5 city=x<Ulm",
			next:  []string{"name|n|city", "a|8|Bonn", "b|2|Kiel", "c|3|Ulm"}, then: []string{"A|B|C", "p|q|r", "s|t|u", "v|w|x"},
		},
	} {
		for _, means := range []checksum.Means{{}, {Shifts: 256}, {Shifts: 256, Move: true}} {
			if means.Move {
				continue // applied does not move
			}
			t.Run(fmt.Sprintf("%s, shifts %d", tt.name, means.Shifts), func(t *testing.T) {
				d := newBlockDesk(t, base...)
				d.rowKey, d.means = tt.key, means
				if tt.typed != nil {
					d.sheet = tt.typed
					d.extent.Rows = len(tt.typed)
				}
				source := tt.source
				if source == nil {
					source = base
				}
				d.refreshed(placements.Overwrite, source, source...)
				k := d.kept()
				if got, want := d.plan.Difference.Restorable, tt.counts.Cells+tt.counts.Left+tt.counts.Stood; got != want {
					t.Errorf("%d cells can be put back, want %d", got, want)
				}
				ours := tt.ours
				if ours == nil {
					ours = source
				}
				if tt.sheet != nil {
					d.sheet = tt.sheet
					d.extent.Rows = len(tt.sheet)
				}
				d.putBack(k, ours, tt.counts, tt.want...)
				d.wantEdits(tt.edits)
				again := tt.counts
				again.Stood, again.Cells = again.Stood+again.Cells, 0
				d.putBack(k, ours, again, tt.want...)
				if d.wantEdits(tt.edits); !d.plan.Empty() {
					t.Error("a second time it is written again")
				}
				if tt.next != nil {
					d.refreshed(placements.Keep, tt.next, tt.then...)
				}
			})
		}
	}
}

// What a block was written over comes back where its rows have nothing by which they are told but what was written.
func TestWhatWasWrittenOverIsPutBack(t *testing.T) {
	for _, tt := range []struct {
		name        string
		sheet, ours []string
		counts      PutBack
		want        []string
		edits       string
	}{
		{name: "a cell", sheet: []string{"", "typed"}, ours: []string{"1", "1"}, counts: PutBack{Cells: 1}, want: []string{"1", "typed"}, edits: "B3 1=typed<1"},
		{name: "the heading", sheet: []string{"typed", ""}, ours: []string{"1", "1"}, counts: PutBack{Cells: 1}, want: []string{"typed", "1"}, edits: "B2 1=typed<1"},
		{name: "both", sheet: []string{"a", "typed"}, ours: []string{"1", "1"}, counts: PutBack{Cells: 2}, want: []string{"a", "typed"}, edits: "B2 1=a<1, B3 1=typed<1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := &blockDesk{T: t, sheet: tt.sheet, over: true}
			d.refreshed(placements.Keep, tt.ours, tt.ours...)
			if d.over = false; d.plan.Difference.Restorable != tt.counts.Cells {
				t.Errorf("%d cells can be put back", d.plan.Difference.Restorable)
			}
			d.putBack(d.kept(), tt.ours, tt.counts, tt.want...)
			d.wantEdits(tt.edits)
		})
	}
}

// What was put back can be taken back in the same way: the run that did it kept what the source had.
func TestPutBackCanBePutBack(t *testing.T) {
	base := []string{"name|n|city", "a|1|Bonn", "b|2|Kiel"}
	d := newBlockDesk(t, base...)
	d.sheet = []string{"name|n|city", "a|=two|Bonn", "b|mine|Kiel"}
	d.refreshed(placements.Overwrite, base, base...)
	d.putBack(d.kept(), base, PutBack{Cells: 2}, "name|n|city", "a|=two|Bonn", "b|mine|Kiel")
	d.putBack(d.kept(), base, PutBack{Cells: 2}, base...)
	d.wantEdits("")
}

// A run that died behind its write left what it was to put back: the next attempt finds it so.
func TestPutBackByAnAttemptThatDied(t *testing.T) {
	base := []string{"name|n|city", "a|1|Bonn", "b|2|Kiel"}
	for _, written := range []bool{false, true} {
		d := newBlockDesk(t, base...)
		d.sheet = []string{"name|n|city", "a|mine|Bonn", "b|2|Kiel", "x|9|Rom"}
		d.extent.Rows = 4
		d.refreshed(placements.Overwrite, base, base...)
		k, before, left := d.kept(), After(*d.memory), slices.Clone(d.sheet)
		want := []string{"name|n|city", "a|mine|Bonn", "b|2|Kiel", "x|9|Rom"}
		d.putBack(k, base, PutBack{Cells: 4}, want...)
		d.died = &before
		d.died.Begun = []checksum.Baseline{*d.memory.Last()}
		counts := PutBack{Stood: 4}
		if !written {
			d.sheet, counts = left, PutBack{Cells: 4}
			d.extent.Rows = 3
		}
		d.putBack(k, base, counts, want...)
		d.died = nil
		d.wantEdits("C3 n=mine<1, B5 name=x<<nil>, C5 n=9<<nil>, D5 city=Rom<<nil>")
		d.refreshed(placements.Keep, base, want...)
	}
}

// Whatever people type, sort, and have put back, no cell that a person typed is lost: it stands, or the run that replaced it kept it.
func TestPutBackLosesNothing(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 7))
		source := []string{"name|n|city"}
		for i := range 3 + r.IntN(5) {
			source = append(source, fmt.Sprintf("r%d|%d|c%d", i, r.IntN(3), r.IntN(3)))
		}
		d := newBlockDesk(t, source...)
		if seed%2 == 0 {
			d.rowKey = []string{"name"}
		}
		typed := map[string]bool{}
		var kept []*Kept
		for step := range 12 {
			switch r.IntN(5) {
			case 0, 1: // a person types
				row := 1 + r.IntN(len(d.sheet)-1)
				cells := append(strings.Split(d.sheet[row], "|"), "", "")[:3]
				text := fmt.Sprintf("t%d-%d", seed, step)
				cells[1+r.IntN(2)] = text
				d.sheet[row] = strings.TrimRight(strings.Join(cells, "|"), "|")
				typed[text] = true
			case 2: // the source changes
				row := 1 + r.IntN(len(source)-1)
				cells := strings.Split(source[row], "|")
				cells[1] = fmt.Sprint(r.IntN(100))
				source = slices.Clone(source)
				source[row] = strings.Join(cells, "|")
			case 3: // a person sorts
				rows := d.sheet[1:]
				r.Shuffle(len(rows), func(i, k int) { rows[i], rows[k] = rows[k], rows[i] })
			case 4:
				if len(kept) > 0 {
					d.restore = kept[r.IntN(len(kept))]
				}
			}
			before := slices.Clone(d.sheet)
			onEdit := placements.Keep
			if r.IntN(3) == 0 && d.restore == nil {
				onEdit = placements.Overwrite
			}
			if conflict := d.run(onEdit, source...); conflict != "" {
				t.Fatalf("seed %d, step %d: %s", seed, step, conflict)
			}
			d.restore = nil
			if len(d.plan.Difference.Rows) > 0 {
				kept = append(kept, d.kept())
			}
			replaced := fmt.Sprint(d.plan.Replaced())
			for text := range typed {
				stood := strings.Contains(strings.Join(before, "|"), text)
				if stood && !strings.Contains(strings.Join(d.sheet, "|"), text) && !strings.Contains(replaced, text) {
					t.Fatalf("seed %d, step %d: %s is lost\nbefore %q\nafter %q\nreplaced %s\nput back %+v", seed, step, text, before, d.sheet, replaced, d.plan.PutBack)
				}
			}
		}
	}
}
