package checksum

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The vectors pin the format for Go and for the add-in's JavaScript alike; web/addin's test reads the same file.
const vectorsFile = "testdata/vectors.json"

var update = flag.Bool("update", false, "write "+vectorsFile+" anew")

type vectors struct {
	Rows   []rowVector   `json:"rows"`
	Tables []tableVector `json:"tables"`
	Since  []sinceVector `json:"since"`
}

type rowVector struct {
	Cells []vectorCell `json:"cells"`
	Bytes string       `json:"bytes"` // hex
}

// A tableVector is a table of Cells, or of Counted rows: row i is its number, the text "row i" and whether i is even.
type tableVector struct {
	Name     string         `json:"name"`
	Cells    [][]vectorCell `json:"cells,omitempty"`
	Counted  int            `json:"counted,omitempty"`
	Checksum ResultChecksum `json:"checksum"`
}

type sinceVector struct {
	Name  string         `json:"name"`
	Now   ResultChecksum `json:"now"`
	Have  ResultChecksum `json:"have"`
	Spans [][2]int       `json:"spans"`
}

// A vectorCell is null, a number, a text, a truth value, {"error": code}, {"number": "NaN"} for numbers that JSON has not, or
// {"text": t, "times": n} for a long text.
type vectorCell struct{ Cell }

type cellObject struct {
	Error  *string `json:"error,omitempty"`
	Number string  `json:"number,omitempty"`
	Text   string  `json:"text,omitempty"`
	Times  int     `json:"times,omitempty"`
}

func (c vectorCell) MarshalJSON() ([]byte, error) {
	switch c.Kind {
	case Number:
		if c.Number == 0 && math.Signbit(c.Number) || c.Number-c.Number != 0 {
			return json.Marshal(cellObject{Number: fmt.Sprint(c.Number)})
		}
		return json.Marshal(c.Number)
	case Text:
		if n := len(c.Text); n > 100 && c.Text == strings.Repeat(c.Text[:1], n) {
			return json.Marshal(cellObject{Text: c.Text[:1], Times: n})
		}
		return json.Marshal(c.Text)
	case True, False:
		return json.Marshal(c.Kind == True)
	case Error:
		return json.Marshal(cellObject{Error: &c.Text})
	}
	return []byte("null"), nil
}

func (c *vectorCell) UnmarshalJSON(data []byte) error {
	var value any
	if err := json.Unmarshal(data, &value); err != nil {
		return err
	}
	switch v := value.(type) {
	case nil:
		c.Cell = Cell{}
	case float64:
		c.Cell = Num(v)
	case string:
		c.Cell = Str(v)
	case bool:
		c.Cell = Bool(v)
	default:
		return c.object(data)
	}
	return nil
}

func (c *vectorCell) object(data []byte) error {
	var o cellObject
	if err := json.Unmarshal(data, &o); err != nil {
		return err
	}
	switch {
	case o.Error != nil:
		c.Cell = Err(*o.Error)
	case o.Times > 0:
		c.Cell = Str(strings.Repeat(o.Text, o.Times))
	default:
		c.Cell = Num(map[string]float64{"NaN": math.NaN(), "+Inf": math.Inf(1), "-Inf": math.Inf(-1), "-0": math.Copysign(0, -1)}[o.Number])
	}
	return nil
}

func (t tableVector) grid() *Grid {
	var b Builder
	for i := range t.Counted {
		b.Append(Num(float64(i)), Str(fmt.Sprintf("row %d", i)), Bool(i%2 == 0))
	}
	for _, cells := range t.Cells {
		b.Append(plainCells(cells)...)
	}
	return b.Grid()
}

func plainCells(cells []vectorCell) []Cell {
	out := make([]Cell, len(cells))
	for i, c := range cells {
		out[i] = c.Cell
	}
	return out
}

func TestVectors(t *testing.T) {
	if *update {
		writeVectors(t)
	}
	data, err := os.ReadFile(vectorsFile)
	if err != nil {
		t.Fatal(err)
	}
	var v vectors
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatal(err)
	}
	if len(v.Rows) < 300 || len(v.Tables) < 10 || len(v.Since) < 5 {
		t.Fatalf("only %d rows, %d tables, %d comparisons", len(v.Rows), len(v.Tables), len(v.Since))
	}
	for i, row := range v.Rows {
		if got := hex.EncodeToString(appended(plainCells(row.Cells)).Row(0)); got != row.Bytes {
			t.Errorf("row %d is encoded as %s, want %s", i, got, row.Bytes)
		}
	}
	for _, table := range v.Tables {
		if diff := cmp.Diff(table.Checksum, table.grid().Checksum()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", table.Name, diff)
		}
	}
	for _, since := range v.Since {
		if diff := cmp.Diff(since.Spans, pairs(since.Now.Since(since.Have))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", since.Name, diff)
		}
	}
}

func pairs(spans []Span) [][2]int {
	out := [][2]int{}
	for _, span := range spans {
		out = append(out, [2]int{span.From, span.To})
	}
	return out
}

func writeVectors(t *testing.T) {
	var v vectors
	for _, cells := range rowsToPin() {
		v.Rows = append(v.Rows, rowVector{cells, hex.EncodeToString(appended(plainCells(cells)).Row(0))})
	}
	v.Tables = tablesToPin(v.Rows)
	for i := range v.Tables {
		v.Tables[i].Checksum = v.Tables[i].grid().Checksum()
	}
	v.Since = comparisonsToPin()
	for i, since := range v.Since {
		v.Since[i].Spans = pairs(since.Now.Since(since.Have))
	}
	if err := os.WriteFile(vectorsFile, v.lines(t), 0o644); err != nil {
		t.Fatal(err)
	}
}

// lines is the vectors as JSON, one a line.
func (v vectors) lines(t *testing.T) []byte {
	var out bytes.Buffer
	line := func(last bool, vector any) {
		data, err := json.Marshal(vector)
		if err != nil {
			t.Fatal(err)
		}
		out.Write(data)
		if !last {
			out.WriteByte(',')
		}
		out.WriteByte('\n')
	}
	out.WriteString("{\"rows\":[\n")
	for i, row := range v.Rows {
		line(i == len(v.Rows)-1, row)
	}
	out.WriteString("],\"tables\":[\n")
	for i, table := range v.Tables {
		line(i == len(v.Tables)-1, table)
	}
	out.WriteString("],\"since\":[\n")
	for i, since := range v.Since {
		line(i == len(v.Since)-1, since)
	}
	out.WriteString("]}\n")
	return out.Bytes()
}

// pinned are cells at every border of the format.
func pinned() []Cell {
	cells := []Cell{{}, Bool(true), Bool(false), Str("")}
	for _, v := range []float64{
		0, math.Copysign(0, -1), 1, -1, 0.1, 1.0 / 3, 1e21, 1e-7, 45474.520833333336, 1 << 53, -1 << 53,
		math.MaxFloat64, math.SmallestNonzeroFloat64, math.NaN(), math.Inf(1), math.Inf(-1),
	} {
		cells = append(cells, Num(v))
	}
	for _, s := range []string{
		"a", "=1+1", "'quoted", " blank ", "\t", "\x00", "a\rb", "a\r\nb", "\r\r\n\n", "é", "Ünïcödé", "日本語", "🦭", "a🦭b", "e\u0301",
		"\uFEFFbom",
		"\uFFFD", "\u2028", "123", "TRUE", "#N/A", strings.Repeat("x", 127), strings.Repeat("x", 128), strings.Repeat("y", 16384),
		"1234567\r8", "1234567é",
	} {
		cells = append(cells, Str(s))
	}
	for _, code := range []string{"#N/A", "#DIV/0!", "#NUM!", "#Überlauf!", ""} {
		cells = append(cells, Err(code))
	}
	return cells
}

func rowsToPin() [][]vectorCell {
	cells := pinned()
	rows := [][]vectorCell{{}}
	for _, c := range cells {
		rows = append(rows, []vectorCell{{c}}, []vectorCell{{Cell{}}, {c}, {Cell{}}})
	}
	random := rand.New(rand.NewPCG(2, 2))
	for range 220 {
		row := make([]vectorCell, random.IntN(12))
		for i := range row {
			if row[i] = (vectorCell{cells[random.IntN(len(cells))]}); len(row[i].Text) > 1000 {
				row[i] = vectorCell{Num(random.NormFloat64())}
			}
		}
		rows = append(rows, row)
	}
	for _, wide := range []int{127, 128, 300} {
		row := make([]vectorCell, wide)
		for i := range row {
			row[i] = vectorCell{Bool(i%3 == 0)}
		}
		rows = append(rows, row)
	}
	return rows
}

// tablesToPin are tables at the borders of chunks.
func tablesToPin(rows []rowVector) []tableVector {
	cells := make([][]vectorCell, len(rows))
	for i, row := range rows {
		cells[i] = row.Cells
	}
	tables := []tableVector{
		{Name: "nothing"},
		{Name: "one empty row", Cells: [][]vectorCell{{}}},
		{Name: "rows of every kind", Cells: cells[:60]},
		{Name: "random rows", Cells: cells[len(cells)-80:]},
	}
	for _, n := range []int{1, 15, 16, 17, 31, 32, 33, 1000, 16*512 - 1, 16 * 512, 16*512 + 1, 32*512 + 1} {
		tables = append(tables, tableVector{Name: fmt.Sprintf("%d rows", n), Counted: n})
	}
	return tables
}

func comparisonsToPin() []sinceVector {
	counted := func(n int) ResultChecksum { return tableVector{Counted: n}.grid().Checksum() }
	changed := func(sum ResultChecksum, chunks ...int) ResultChecksum {
		sum.Chunks = append([]Chunk{}, sum.Chunks...)
		for _, i := range chunks {
			sum.Chunks[i].Hash = "00000000000000000000000000000000"
		}
		return sum
	}
	now := counted(100)
	older := now
	older.V = 1
	return []sinceVector{
		{Name: "the same", Now: now, Have: now},
		{Name: "nothing known", Now: now, Have: ResultChecksum{V: 2, Chunks: []Chunk{}}},
		{Name: "one chunk", Now: now, Have: changed(now, 2)},
		{Name: "neighbours", Now: now, Have: changed(now, 2, 3, 6)},
		{Name: "grown", Now: now, Have: counted(40)},
		{Name: "shrunk", Now: counted(40), Have: now},
		{Name: "another version", Now: now, Have: older},
		{Name: "another chunk size", Now: counted(16*512 + 1), Have: counted(16 * 512)},
		{Name: "an empty table", Now: counted(0), Have: now},
	}
}
