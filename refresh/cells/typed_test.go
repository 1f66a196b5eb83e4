package cells

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/source"
)

// typed are values of all types, as they are typed into cells and as SQL has them.
type typed struct {
	text   string
	number float64
	day    time.Time
	is     bool
	list   []float64
}

func random(of *rand.Rand) typed {
	texts := []string{"plain", "it's", "07", "1e3", "TRUE", "2026-01-31", "@t", "=1+1", `"`, "", " blanks ", "ü€😀"}
	numbers := []float64{0, -7, 0.1, 1e21, 123456789.25, 1.5e-7, float64(of.IntN(1e6)) / 8}
	v := typed{
		text: texts[of.IntN(len(texts))], number: numbers[of.IntN(len(numbers))], is: of.IntN(2) == 1,
		day: time.Date(1901+of.IntN(200), time.Month(1+of.IntN(12)), 1+of.IntN(28), 0, 0, 0, 0, time.UTC),
	}
	for range 1 + of.IntN(4) {
		v.list = append(v.list, float64(1+of.IntN(12)))
	}
	return v
}

// enter types the values into the sheet Other: B1 to B4, and a list with blanks in row 5.
func (v typed) enter(r *rig) {
	r.Helper()
	set := func(cell string, c checksum.Cell) { r.Editor.Set(r.T, r.Other, cell, c) }
	set("B1", checksum.Str(v.text))
	if v.text == "" { // as a formula shows it: it is not blank
		r.Editor.SetFormula(r.T, r.Other, "B1", "LEFT(A9,0)", checksum.Str(""))
	}
	set("B2", checksum.Num(v.number))
	set("B3", checksum.Num(float64(v.day.Unix()/86_400+25_569)))
	r.Editor.SetNumberFormat(r.T, r.Other, "B3", "yyyy-mm-dd")
	set("B4", checksum.Bool(v.is))
	for i := range 8 {
		cell := placements.Anchor{Row: 4, Column: 1 + i}.String()
		if set(cell, checksum.Cell{}); i%2 == 0 && i/2 < len(v.list) {
			set(cell, checksum.Num(v.list[i/2]))
		}
	}
}

// literal is the query with the values written into it.
func (v typed) literal() string {
	list := make([]string, len(v.list))
	for i, n := range v.list {
		list[i] = fmt.Sprint(n)
	}
	text := "'" + strings.ReplaceAll(v.text, "'", "''") + "'"
	return fmt.Sprintf(typedQuery, text, text, strconv.FormatFloat(v.number, 'f', -1, 64), "'"+v.day.Format(time.DateOnly)+"'",
		map[bool]string{true: "1", false: "0"}[v.is], strings.Join(list, ", "))
}

const typedQuery = "SELECT %s AS t, typeof(%s) AS k, %s AS n, %s AS d, %s AS b, (SELECT group_concat(t, '') FROM texts WHERE n IN (%s)) AS l"

// TestTypedCellsAreTheLiteralQuery: whatever is typed, the block is that of the query with the values written into it.
func TestTypedCellsAreTheLiteralQuery(t *testing.T) {
	t.Parallel()
	eachHost(t, func(r *rig) {
		list := fromCell("l", placements.ParameterNumber)
		list.List = true
		r.asksSQL(fmt.Sprintf(typedQuery, "@t", "@t", "@n", "@d", "@b", "@l"), fromCell("t", placements.ParameterText),
			fromCell("n", placements.ParameterNumber), fromCell("d", placements.ParameterDate), fromCell("b", placements.ParameterBoolean), list)
		said := placements.ParameterSettings{"l": {Cell: "Other!B5:I5"}}
		for i, name := range []string{"t", "n", "d", "b"} {
			said[name] = placements.ParameterSetting{Cell: fmt.Sprint("Other!B", i+1)}
		}
		random := random
		of := rand.New(rand.NewPCG(3, 5))
		for i := range 25 {
			v := random(of)
			v.enter(r)
			if i == 0 {
				r.place(r.Document, "C4", said)
			}
			r.succeeds()
			var b checksum.Builder
			if _, err := r.source.Source.Query(r.Context(), source.Query{SQL: v.literal()}, &b); err != nil {
				r.Fatal(err)
			}
			want, got := b.Grid().Cells(1, nil), []checksum.Cell{}
			for column := range want {
				c, _ := r.Editor.Get(r.T, r.Sheet, placements.Anchor{Row: 4, Column: 2 + column}.String())
				got = append(got, c)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				r.Errorf("%+v: the literal query and the block (-want +got):\n%s", v, diff)
			}
		}
	})
}
