package checksum

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// book is records of a report whose first column of texts names them, as they stood and as they come.
type book struct{ before, after table }

// drawBook draws records of which some leave, some come, and some have other values then; none changes its place among the others.
func drawBook(t *rapid.T) (b book) {
	header := []Cell{Str("key"), Str("n"), Str("state")}
	b.before, b.after = table{header}, table{header}
	value := func(i int) []Cell {
		n := rapid.IntRange(0, 3).Draw(t, "n")
		return []Cell{Str(fmt.Sprintf("k%03d", i)), Num(float64(n)), Str([]string{"open", "paid"}[n%2])}
	}
	for i := range rapid.IntRange(0, 60).Draw(t, "records") {
		row := value(i)
		switch rapid.SampledFrom([]string{"stays", "stays", "stays", "changes", "leaves", "comes"}).Draw(t, "how") {
		case "stays":
			b.before, b.after = append(b.before, row), append(b.after, row)
		case "changes":
			b.before, b.after = append(b.before, row), append(b.after, value(i))
		case "leaves":
			b.before = append(b.before, row)
		default:
			b.after = append(b.after, row)
		}
	}
	return b
}

// cellsAfter are the names of the records that the cells of each row had, "" for those inserted.
func cellsAfter(before table, p RowPlan) []string {
	rows := make([]string, len(before))
	for i, row := range before {
		rows[i] = CellAt(row, 0).Text
	}
	for _, m := range p.Moves {
		rows = carried(rows, m)
	}
	for _, s := range p.Shifts {
		if s.Rows > 0 {
			rows = slices.Insert(rows, s.At, make([]string, s.Rows)...)
			continue
		}
		rows = slices.Delete(rows, s.At, s.At-s.Rows)
	}
	return rows
}

// names is the place of each record by its name.
func names(rows table) map[string]int {
	places := map[string]int{}
	for i, row := range rows {
		places[CellAt(row, 0).Text] = i
	}
	return places
}

func TestEachRecordKeepsItsCells(t *testing.T) {
	for name, rowKey := range map[string][]string{"by a column of texts": nil, "by the row key": {"key"}} {
		t.Run(name, func(tb *testing.T) {
			rapid.Check(tb, func(t *rapid.T) {
				b := drawBook(t)
				m := merged(tb, written(b.before), b.before, b.after, rowKey...)
				p := m.Keep(Means{Shifts: someShifts})
				stayed := checkCells(t, b, p)
				if data := min(len(b.before), len(b.after)) > 1; len(p.Strays) > 0 && (stayed > 0 || !data) && len(b.after) > 1 {
					t.Fatalf("%+v: strays, though %d records stay", p, stayed)
				}
				if len(p.Anew) > 0 {
					t.Fatalf("%+v: records in new cells", p)
				}
			})
		})
	}
}

// checkCells fails for cells that are another record's than the plan says, and returns how many records stay.
func checkCells(t *rapid.T, b book, p RowPlan) (stayed int) {
	rows, before, after := cellsAfter(b.before, p), names(b.before), names(b.after)
	gone := map[int]bool{}
	for _, row := range p.Gone {
		gone[row] = true
	}
	for key, row := range before {
		place, stays := after[key]
		switch {
		case !stays && !gone[row]:
			t.Fatalf("%+v: %s left, and its row %d is not gone", p, key, row)
		case !stays || row == 0:
		case slices.Contains(p.Anew, place) && !gone[row], gone[row] && !slices.Contains(p.Anew, place) && !slices.Contains(p.Strays, place):
			t.Fatalf("%+v: %s stays, and its row %d is gone: %t", p, key, row, gone[row])
		case gone[row]:
		default:
			stayed++
		}
	}
	for row, key := range rows {
		if row == 0 || key == "" || row >= len(b.after) || slices.Contains(p.Strays, row) {
			continue
		}
		if is := CellAt(b.after[row], 0).Text; is != key {
			t.Fatalf("%+v: row %d has the cells of %s and is %s", p, row, key, is)
		}
	}
	return stayed
}

func TestRecordsInAnotherOrderKeepTheirCellsOrThePlanSaysWhichDoNot(t *testing.T) {
	for name, by := range map[string]Means{
		"shifts": {Shifts: someShifts}, "few shifts": {Shifts: 3}, "moves": {Shifts: someShifts, Move: true},
	} {
		t.Run(name, func(tb *testing.T) {
			rapid.Check(tb, func(t *rapid.T) {
				b := drawBook(t)
				for range rapid.IntRange(0, 4).Draw(t, "moved") {
					if n := len(b.after); n > 2 {
						from, to := rapid.IntRange(1, n-1).Draw(t, "from"), rapid.IntRange(1, n-1).Draw(t, "to")
						row := b.after[from]
						b.after = slices.Insert(slices.Delete(slices.Clone(b.after), from, from+1), to, row)
					}
				}
				m := merged(tb, written(b.before), b.before, b.after)
				p := m.Keep(by)
				checkCells(t, b, p)
				kept := m.Kept.Padded(by.Takes(len(b.before), m.Kept.Rows()))
				if got, want := filledRows(apply(b.before, p, kept, kept.Columns())), filledRows(b.after); fmt.Sprint(got) != fmt.Sprint(want) {
					t.Fatalf("%+v: %v, want %v", p, got, want)
				}
				if name == "moves" && !p.Joined && len(p.Anew) > 0 {
					t.Fatalf("%+v: not every record keeps its cells", p)
				}
			})
		})
	}
}
