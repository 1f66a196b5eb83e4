package hosttest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mooring/checksum"
	"mooring/refresh/host"
)

// keeping is a patch that keeps a formula of a person. The formula stands beside the blocks, too, so that the host says how it is to read.
type keeping struct {
	host.Patch
	cell        host.Position // of the formula
	before, own string        // how it read, and how it does once this patch alone was written
	reads       string        // and with the others
}

// keepsTogether are patches of C4:D8 and C12:D16 on the sheet Data, where a total stands in D18 and a note in H13, and of C4:D8 on the
// sheet Other.
func keepsTogether() []keeping {
	return []keeping{
		{
			host.Patch{
				Shifts: []checksum.Shift{{At: 2, Rows: 2}}, Grid: some(names(6), 0, 1, 5, 6, 2, 3, 4),
				Rows: []checksum.Span{{From: 2, To: 4}, {From: 5, To: 6}},
			},
			host.Position{Row: 5, Column: 1},
			"D7&D14&D18&H13&Other!D7", "D9&D16&D20&H13&Other!D7", "D9&D19&D22&H13&Other!D6",
		},
		{
			host.Patch{
				Shifts: []checksum.Shift{{At: 2, Rows: 3}, {At: 6, Rows: -1}}, Grid: some(names(7), 0, 1, 5, 6, 7, 2, 4),
				Rows: []checksum.Span{{From: 2, To: 5}, {From: 6, To: 7}},
			},
			host.Position{Row: 6, Column: 1},
			"D13&D16&D6&$D$18&Data!D7&H13&Other!D8&COUNTA(D5:D7)&COUNTA(D14:D16)",
			"D13&D18&D6&$D$20&Data!D7&H13&Other!D8&COUNTA(D5:D7)&COUNTA(D17:D18)",
			"D15&D20&D8&$D$22&Data!D9&H13&Other!D7&COUNTA(D5:D9)&COUNTA(D19:D20)",
		},
		{
			host.Patch{
				Shifts: []checksum.Shift{{At: 2, Rows: -1}}, Grid: some(names(4), 0, 1, 3, 4),
				Rows: []checksum.Span{{From: 2, To: 3}},
			},
			host.Position{Row: 2, Column: 1},
			"D7&Data!D7&Data!D14&Data!D18&COUNTA(Data!D5:D16)", "D6&Data!D7&Data!D14&Data!D18&COUNTA(Data!D5:D16)",
			"D6&Data!D9&Data!D19&Data!D22&COUNTA(Data!D5:D20)",
		},
	}
}

// movesTogether has the lower block move rows by cut and paste, and lose one.
func movesTogether() []keeping {
	list := keepsTogether()
	list[1] = keeping{
		host.Patch{
			Moves: []checksum.RowMove{{From: 1, Rows: 1, To: 4}}, Shifts: []checksum.Shift{{At: 1, Rows: -1}}, Grid: some(names(4), 0, 3, 1, 4),
			Rows: []checksum.Span{{From: 3, To: 4}},
		},
		host.Position{Row: 3, Column: 1},
		"D13&D15&D6&D18", "D14&D13&D6&D17", "D16&D15&D8&D19",
	}
	list[0].before, list[0].own, list[0].reads = "D13&D15&D16&Other!D7", "D15&D17&D18&Other!D7", "D16&D15&D17&Other!D6"
	list[2].before, list[2].own, list[2].reads = "Data!D13&Data!D7", "Data!D13&Data!D7", "Data!D16&Data!D9"
	return list
}

// keepCases write blocks that let cells move, each with a formula that names cells of the others, in several orders, together and one by one.
func keepCases() (list []testCase) {
	for _, order := range [][]int{{0, 1, 2}, {2, 1, 0}} {
		for _, together := range []bool{true, false} {
			how := fmt.Sprintf("in the order %v, together %t", order, together)
			list = append(list, testCase{"formulas follow what blocks shift that are written " + how, func(t *testing.T, b Spreadsheet) {
				keep(t, b, keepsTogether(), order, together)
			}})
			list = append(list, testCase{"formulas follow what blocks move that are written " + how, func(t *testing.T, b Spreadsheet) {
				if !b.Host.CanMove() {
					t.Skip("the host moves no cells")
				}
				keep(t, b, movesTogether(), order, together)
			}})
		}
	}
	return list
}

func keep(t *testing.T, b Spreadsheet, list []keeping, order []int, together bool) {
	if b.Host.MaxShifts() == 0 {
		t.Skip("the host shifts no cells")
	}
	named := strings.NewReplacer("Data!", b.Sheet+"!", "Other!", b.Other+"!").Replace
	blocks := placeAll(t, b, []host.Block{
		b.blockAt("top", b.Sheet, 3, 2), b.blockAt("low", b.Sheet, 11, 2), b.blockAt("other", b.Other, 3, 2),
	}, names(4))
	b.Editor.SetFormula(t, b.Sheet, "D18", "COUNTA(D13:D16)", checksum.Num(4))
	b.Editor.Set(t, b.Sheet, "H13", checksum.Str("note"))
	for i, k := range list {
		b.Editor.SetFormula(t, blocks[i].Sheet, fmt.Sprint("H", 20+i), named(k.before), checksum.Num(0))
	}
	s := open(t, b)
	views := s.readAll(wants(blocks)...)
	var patches []host.Patch
	for _, i := range order {
		p := list[i].Patch
		p.Block, p.Extent = at(blocks[i], views[i]), p.Grid.Extent()
		p.Formulas = []host.Formula{{Position: list[i].cell, Text: "=" + named(list[i].own)}}
		patches = append(patches, p)
	}
	if together {
		s.writeAll(patches...)
	} else {
		for _, p := range patches {
			s.write(p)
		}
	}
	for i, k := range list {
		_, beside := b.Editor.Get(t, blocks[i].Sheet, fmt.Sprint("H", 20+i))
		if beside != named(k.reads) {
			t.Errorf("the formula beside block %d reads %s, want %s", i, beside, named(k.reads))
		}
		want := []host.Formula{{Position: k.cell, Text: "=" + beside}}
		if diff := cmp.Diff(want, read(t, b, blocks[i], checksum.Extent{}).Formulas); diff != "" {
			t.Errorf("formulas of block %d (-want +got):\n%s", i, diff)
		}
	}
}
