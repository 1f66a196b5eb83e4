package xlsx_test

import (
	"archive/zip"
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"unsafe"

	"github.com/google/go-cmp/cmp"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/host"
	"mooring/refresh/host/hosttest"
	"mooring/refresh/host/hosttest/workbook"
	"mooring/refresh/host/xlsx"
)

// segmentedRows is how many rows a block has at first: enough for some twenty segments.
const segmentedRows = 2_500

// segmentedGrid is a table of texts and numbers, other ones in each edition of a row.
func segmentedGrid(editions []int) *checksum.Grid {
	var b checksum.Builder
	for i, edition := range editions {
		b.Append(checksum.Str(fmt.Sprintf("a text of row %d of edition %d", i, edition)), checksum.Num(float64(i)+0.5), checksum.Bool(edition%2 == 0), checksum.Num(float64(edition)))
	}
	return b.Grid()
}

func likely(g *checksum.Grid) host.Likely { return host.Likely{Cells: g, Rows: g.Block()} }

// withoutIndexes rewrites a file so that no part of it has an index of segments, and is packed as it was.
func withoutIndexes(t testing.TB, from, to string) {
	t.Helper()
	r, err := zip.OpenReader(from)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var out bytes.Buffer
	zw := zip.NewWriter(&out)
	for _, f := range r.File {
		f.Extra = nil
		if err := zw.Copy(f); err != nil {
			t.Fatal(err)
		}
	}
	if err := zw.Close(); err != nil {
		t.Fatal(err)
	}
	writeFile(t, to, out.Bytes())
}

// hasIndex reports whether the sheet of a file has an index of segments.
func hasIndex(t testing.TB, path string) bool {
	t.Helper()
	r, err := zip.OpenReader(path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for _, f := range r.File {
		if f.Name == "xl/worksheets/sheet1.xml" {
			return len(f.Extra) > 100
		}
	}
	return false
}

// twins are a file with segments, and one of the same parts without.
type twins struct {
	t       *testing.T
	dirs    [2]string
	hosts   [2]*xlsx.Folder
	rand    *rand.Rand
	blocks  []twinBlock
	known   int // rows that were read without looking
	written int // sessions that wrote a file with segments
}

// twinBlock is a block and the editions of its rows.
type twinBlock struct {
	host.Block
	editions []int
	extent   checksum.Extent // as the marker has it
}

func newTwins(t *testing.T, seed uint64) *twins {
	w := &twins{t: t, rand: rand.New(rand.NewPCG(seed, 1))}
	for i := range w.dirs {
		w.dirs[i] = t.TempDir()
		x, err := xlsx.New(w.dirs[i])
		if err != nil {
			t.Fatal(err)
		}
		w.hosts[i] = x
	}
	var rows strings.Builder
	for i := 1; i <= segmentedRows; i += 1 + w.rand.IntN(40) {
		switch w.rand.IntN(30) {
		case 0:
			fmt.Fprintf(&rows, `<row r="%d" hidden="1"><c r="J%d"><f>SUM(A%d:A3)</f><v>1</v></c></row>`, i, i, i)
		case 1, 2, 3, 4, 5, 6, 7:
			fmt.Fprintf(&rows, `<row r="%d" spans="1:9" x14ac:dyDescent="0.25"><c r="A%d" s="0"><v>%d</v></c></row>`, i, i, i)
		case 8, 9, 10, 11, 12, 13:
			fmt.Fprintf(&rows, `<row r="%d"><c r="A%d" t="inlineStr"><is><t>beside &lt;f&gt;</t></is></c></row>`, i, i)
		default:
			fmt.Fprintf(&rows, `<row r="%d"/>`, i)
		}
	}
	handmade(t, w.dirs[0], zipPart{"xl/worksheets/sheet1.xml", strings.Replace(
		sheetXML(`<dimension ref="A1:J9"/><sheetData>`+rows.String()+`</sheetData><mergeCells count="1"><mergeCell ref="L1:M2"/></mergeCells>`),
		"<worksheet ", `<worksheet xmlns:x14ac="http://schemas.microsoft.com/office/spreadsheetml/2009/9/ac" `, 1)})
	for i, column := range []int{1, 5} {
		w.blocks = append(w.blocks, twinBlock{
			Block:    host.Block{Document: "book.xlsx", PlacementID: fmt.Sprintf("p%d", i), Sheet: "Sheet1", Anchor: placements.Anchor{Row: 1 + i, Column: column}},
			editions: make([]int, segmentedRows),
		})
	}
	return w
}

func (w *twins) path(i int) string { return filepath.Join(w.dirs[i], "book.xlsx") }

// edition is the table with some of its rows changed, and those that are to be written.
func (w *twins) edition(b *twinBlock) (rows []checksum.Span) {
	for range w.rand.IntN(6) {
		from := w.rand.IntN(len(b.editions))
		to := min(from+1+w.rand.IntN(1+w.rand.IntN(200)), len(b.editions))
		for i := from; i < to; i++ {
			b.editions[i] += w.rand.IntN(3)
		}
		rows = append(rows, checksum.Span{From: from, To: to})
	}
	return host.MergeSpans(rows)
}

// refresh changes blocks as refreshes do, and says what a patch of one is.
func (w *twins) refresh(b *twinBlock) host.Patch {
	before, p := len(b.editions), host.Patch{Block: b.Block}
	switch w.rand.IntN(5) {
	case 0: // it grows
		b.editions = append(b.editions, make([]int, w.rand.IntN(300))...)
	case 1: // it shrinks
		b.editions = b.editions[:len(b.editions)-w.rand.IntN(300)]
	case 2: // rows are inserted
		at, n := w.rand.IntN(len(b.editions)), 1+w.rand.IntN(50)
		p.Shifts = []checksum.Shift{{At: at, Rows: n}}
		b.editions = append(b.editions[:at:at], append(make([]int, n), b.editions[at:]...)...)
		p.Rows = append(p.Rows, checksum.Span{From: at, To: at + n})
	}
	p.Rows = append(p.Rows, w.edition(b)...)
	if after := len(b.editions); b.extent.Rows == 0 {
		p.Rows = []checksum.Span{{From: 0, To: after}}
	} else if grown := after - before; grown > 0 && len(p.Shifts) == 0 {
		p.Rows = append(p.Rows, checksum.Span{From: before, To: after})
	} else if grown < 0 {
		p.Clear = []checksum.Area{{Row: after, Rows: -grown, Columns: 4}}
	}
	p.Rows = host.MergeSpans(p.Rows)
	p.Grid = segmentedGrid(b.editions)
	p.Extent = p.Grid.Extent()
	b.extent = p.Extent
	return p
}

// edit changes the file as another program does.
func (w *twins) edit() {
	workbook.Rewrite(w.t, w.path(0), "xl/worksheets/sheet1.xml", func(doc string) string {
		switch w.rand.IntN(7) {
		case 0, 1, 2:
			return strings.Replace(doc, "edition 0", "edition 0, edited", 1+w.rand.IntN(5))
		case 3:
			return strings.Replace(doc, "<v>1.5</v>", `<f t="shared" ref="C3:C2000" si="0">A3+1</f><v>1.5</v>`, 1)
		case 5:
			return strings.Replace(doc, "<v>2.5</v>", `<f t="array" ref="C4:C1500">A3:A2000</f><v>2.5</v>`, 1)
		case 4:
			return strings.Replace(doc, fmt.Sprintf("<v>%d.5</v>", 900+w.rand.IntN(900)), `<f t="shared" si="0"/><v>7</v>`, 1)
		}
		row := fmt.Sprintf(`<row r="%d"`, 100+w.rand.IntN(2000))
		return strings.Replace(doc, row, "<!-- a comment -->"+row, 1)
	})
}

// twinAnswer is what a session said.
type twinAnswer struct {
	Views   []host.View
	Written []host.Written
	Err     string
}

// session reads blocks, of which something is expected, and writes patches.
func (w *twins) session(i int, wanted []host.Wanted, patches []host.Patch) (a twinAnswer) {
	s := hosttest.Open(w.t, w.hosts[i], "book.xlsx")
	defer s.Close()
	found, err := s.Read(context.Background(), wanted)
	for k := range found {
		if found[k].Err != nil {
			err = found[k].Err
		}
		a.Views = append(a.Views, found[k].View)
	}
	if err == nil && len(patches) > 0 {
		for k := range patches {
			patches[k].Block.Anchor = found[k].View.Anchor
		}
		a.Written, err = s.Write(context.Background(), patches)
	}
	if err != nil {
		a.Err = err.Error()
	}
	return a
}

// step refreshes some blocks of both files and compares what is read, what is said and what is left.
func (w *twins) step() {
	w.t.Helper()
	withoutIndexes(w.t, w.path(0), w.path(1))
	indexed := hasIndex(w.t, w.path(0))
	var wanted []host.Wanted
	var patches []host.Patch
	reads := w.rand.IntN(4) == 0
	for i := range w.blocks {
		if w.rand.IntN(3) == 0 {
			continue
		}
		b := &w.blocks[i]
		want := host.Wanted{Block: b.Block, Extent: b.extent.Union(checksum.Extent{Rows: len(b.editions) + 16, Columns: 4 + w.rand.IntN(5)/4*4})}
		if want.Likely = likely(segmentedGrid(b.editions)); !reads {
			p := w.refresh(b)
			want.Likely, patches = likely(p.Grid), append(patches, p)
		}
		wanted = append(wanted, want)
	}
	segmented := w.session(0, wanted, patches)
	for i, v := range segmented.Views {
		w.known += knownRows(v.Cells, wanted[i].Likely.Cells)
	}
	if indexed && len(segmented.Written) > 0 {
		w.written++
	}
	for i := range wanted {
		wanted[i].Likely = host.Likely{}
	}
	plain := w.session(1, wanted, patches)
	if diff := cmp.Diff(plain, segmented, cmp.Comparer(sameGrid)); diff != "" {
		w.t.Errorf("read through segments (-whole +segments):\n%s", diff)
	}
	if diff := cmp.Diff(readParts(w.t, w.path(1)), readParts(w.t, w.path(0)), cmp.AllowUnexported(zipPart{})); diff != "" {
		w.t.Errorf("written through segments (-whole +segments):\n%.2000s", diff)
	}
}

// knownRows is how many rows of a table were taken from the one that was likely: they lie where that one's do.
func knownRows(read, likely *checksum.Grid) (n int) {
	for i := range min(read.Rows(), likely.Rows()) {
		if unsafe.SliceData(read.Row(i)) == unsafe.SliceData(likely.Row(i)) {
			n++
		}
	}
	return n
}

func sameGrid(a, b *checksum.Grid) bool {
	if a == nil || b == nil {
		return a == b
	}
	if a.Rows() != b.Rows() || a.Columns() != b.Columns() {
		return false
	}
	for i := range a.Rows() {
		if !bytes.Equal(a.Row(i), b.Row(i)) {
			return false
		}
	}
	return true
}

// TestSegmentsAreTheWholePart refreshes and edits files at random, and with each a twin without an index: both are read and left the same.
func TestSegmentsAreTheWholePart(t *testing.T) {
	seeds := uint64(6)
	if n, err := strconv.ParseUint(os.Getenv("MOORING_SEGMENTS"), 10, 64); err == nil {
		seeds = n
	}
	known, written := 0, 0
	for seed := range seeds {
		w := newTwins(t, seed)
		for range 8 {
			if w.rand.IntN(6) == 0 {
				w.edit()
			}
			if w.step(); t.Failed() {
				t.Fatalf("seed %d", seed)
			}
		}
		known, written = known+w.known, written+w.written
	}
	t.Logf("%d rows were not read, %d files with segments written", known, written)
	if known == 0 || written == 0 {
		t.Errorf("%d rows were not read, %d files with segments written", known, written)
	}
}
