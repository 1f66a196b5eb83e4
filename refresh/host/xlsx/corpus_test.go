package xlsx

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/xuri/excelize/v2"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/host"
)

// TestCorpus refreshes a block into every .xlsx file under the folder that MOORING_XLSX_CORPUS names: beside what the first sheet has, and over
// it. Files written beside stay in the folder that MOORING_XLSX_CORPUS_OUT names, if any. scripts/corpus-xlsx runs it.
func TestCorpus(t *testing.T) {
	folder := os.Getenv("MOORING_XLSX_CORPUS")
	if folder == "" {
		t.Skip("MOORING_XLSX_CORPUS names no folder")
	}
	files := corpusFiles(t, folder)
	tally := map[string]int{}
	for _, name := range files {
		for _, place := range []string{"beside", "over"} {
			outcome, err := refreshCorpusFile(t.TempDir(), name, place)
			if err != nil {
				t.Errorf("WRONG %s %s: %v", place, name, err)
				outcome = "WRONG"
			}
			tally[place+": "+outcome]++
			if strings.Contains(outcome, ", structure:") {
				t.Logf("%s: %s", name, outcome)
			}
		}
	}
	t.Logf("%d different files", len(files))
	for _, outcome := range slices.Sorted(maps.Keys(tally)) {
		t.Logf("%6d %s", tally[outcome], outcome)
	}
}

// corpusFiles lists the .xlsx files under a folder, equal ones once.
func corpusFiles(t *testing.T, folder string) (files []string) {
	t.Helper()
	seen := map[[sha256.Size]byte]bool{}
	err := filepath.WalkDir(folder, func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() || !strings.EqualFold(filepath.Ext(path), ".xlsx") {
			return err
		}
		b, err := os.ReadFile(path)
		if sum := sha256.Sum256(b); !seen[sum] {
			seen[sum], files = true, append(files, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// refreshCorpusFile refreshes a block into a copy of a file twice, the second time with fewer cells. The outcome is "written", or why the
// host refused the file. An error is a fault of ours.
func refreshCorpusFile(dir, name, place string) (outcome string, err error) {
	defer os.RemoveAll(dir)
	content, err := os.ReadFile(name)
	if err != nil {
		return "", err
	}
	path, old := filepath.Join(dir, "book.xlsx"), time.Now().Add(-time.Hour)
	if err := errors.Join(os.WriteFile(path, content, 0o600), os.Chtimes(path, old, old)); err != nil {
		return "", err
	}
	before, err := openCorpusBook(content)
	if err != nil {
		return refusedCorpusFile(dir, content)
	}
	b, err := before.block(dir, place)
	if err != nil {
		return corpusRefusal(path, content, err)
	}
	for _, rows := range []int{12, 5} {
		if err := b.refresh(corpusGrid(rows)); err != nil {
			return corpusRefusal(path, content, err)
		}
		content, err = os.ReadFile(path)
		if err != nil {
			return "", err
		}
		after, err := openCorpusBook(content)
		if err != nil {
			return "", fmt.Errorf("what was written cannot be read: %w", err)
		}
		err = errors.Join(before.differs(after, b.sheet, b.rect()), b.shows(path, before))
		if errors.Is(err, errCorpusXML) {
			return "written, though nobody else reads the file", nil
		}
		if err != nil {
			return "", err
		}
	}
	return "written", keepCorpusFile(name, place, content)
}

// refusedCorpusFile has the host refuse a file that is no zip of XML.
func refusedCorpusFile(dir string, content []byte) (string, error) {
	_, err := (&Folder{dir: dir}).Open(context.Background(), "book.xlsx")
	if err == nil {
		return "", errors.New("the host opens what is no workbook")
	}
	return corpusRefusal(filepath.Join(dir, "book.xlsx"), content, err)
}

// corpusRefusal says why the host refused a file, which must be as it was.
func corpusRefusal(path string, content []byte, err error) (string, error) {
	var fault *placements.Fault
	now, readErr := os.ReadFile(path)
	switch {
	case readErr != nil || !bytes.Equal(now, content):
		return "", errors.Join(errors.New("the file changed although it was refused"), readErr)
	case !errors.As(err, &fault):
		return "", err
	}
	if strings.Contains(fault.Message, "damaged") && corpusOpens(path) {
		return "", fmt.Errorf("refused: %w (%w), though another library opens it", fault, fault.Err)
	}
	message := strings.TrimPrefix(fault.Message, `The spreadsheet "book.xlsx" `)
	return "refused, " + string(fault.Class) + ": " + regexp.MustCompile(`"[^"]*"|[A-Z]+[0-9]+(:[A-Z]+[0-9]+)?,? ?`).ReplaceAllString(message, "… "), nil
}

// corpusOpens reports whether excelize, which shares no code with the host, opens a file and reads its first sheet.
func corpusOpens(path string) bool {
	f, err := excelize.OpenFile(path)
	if err != nil {
		return false
	}
	defer f.Close()
	sheets := f.GetSheetList()
	if len(sheets) == 0 {
		return false
	}
	rows, err := f.GetRows(sheets[0])
	return err == nil && len(rows) > 0
}

// corpusGrid is a block of a header and n rows, some cells of which are empty.
func corpusGrid(n int) *checksum.Grid {
	var b checksum.Builder
	b.Append(checksum.Str("name"), checksum.Str("number"), checksum.Str("day"), checksum.Str("true"))
	b.EndRow()
	for i := range n {
		cells := []checksum.Cell{
			checksum.Str(fmt.Sprintf(" <row & %d>\n_x0041_", i)), checksum.Num(float64(i) / 3),
			checksum.Num(float64(45000 + i)), checksum.Bool(i%2 == 0),
		}
		b.Append(cells[:1+i%len(cells)]...)
		b.EndRow()
	}
	return b.Grid()
}

// corpusBlock is the block that is refreshed in one file.
type corpusBlock struct {
	host  *Folder
	block host.Block
	sheet string          // part
	wide  checksum.Extent // what all refreshes wrote
	grid  *checksum.Grid  // what the last one wrote
}

// block is a block in the first worksheet that has a part, beside or over what is there.
func (b *corpusBook) block(dir, place string) (*corpusBlock, error) {
	x, err := New(dir)
	if err != nil {
		return nil, err
	}
	opened, err := x.Open(context.Background(), "book.xlsx")
	if err != nil {
		return nil, err
	}
	defer opened.Close()
	s := opened.(*session)
	for _, sheet := range s.wb.sheets {
		f := s.p.part(sheet.part)
		if sheet.part == "" || f == nil {
			continue
		}
		c := &corpusBlock{host: x, sheet: f.Name, block: host.Block{Document: "book.xlsx", PlacementID: "corpus", Sheet: sheet.name}}
		facts, err := factsOf(b.parts[f.Name])
		if err != nil {
			return nil, broken("book.xlsx", err)
		}
		if place == "beside" {
			for at := range facts.cells {
				c.block.Anchor.Column = max(c.block.Anchor.Column, at.Column+2)
			}
		}
		return c, nil
	}
	return nil, noWorksheet(host.Block{Document: "book.xlsx"})
}

func (c *corpusBlock) rect() placements.Rect { return covering(c.block.Anchor, c.wide, c.wide) }

// refresh writes a grid and clears what the one before left, as an agent does, and reads it back.
func (c *corpusBlock) refresh(g *checksum.Grid) error {
	s, err := c.host.Open(context.Background(), "book.xlsx")
	if err != nil {
		return err
	}
	defer s.Close()
	wanted := []host.Wanted{{Block: c.block, Extent: g.Extent()}}
	found, err := s.Read(context.Background(), wanted)
	if err := cmp.Or(err, found[0].Err); err != nil {
		return err
	}
	p := host.Patch{
		Block: c.block, Grid: g, Rows: []checksum.Span{{To: g.Rows()}}, Extent: g.Extent(),
		Formats: []string{"", "", checksum.DateFormat},
	}
	if rest := c.wide.Rows - g.Rows(); rest > 0 {
		p.Clear = []checksum.CellRect{{Row: g.Rows(), Rows: rest, Columns: g.Columns()}}
	}
	if _, err := s.Write(context.Background(), []host.Patch{p}); err != nil {
		return err
	}
	c.grid, c.wide = g, checksum.Extent{Rows: max(c.wide.Rows, g.Rows()), Columns: max(c.wide.Columns, g.Columns())}
	if found, err = s.Read(context.Background(), wanted); cmp.Or(err, found[0].Err) != nil {
		return fmt.Errorf("reading what was written: %v", cmp.Or(err, found[0].Err))
	}
	return c.isRead(found[0].View)
}

// isRead compares what the host reads with what it wrote.
func (c *corpusBlock) isRead(v host.View) error {
	if !v.Marked || v.Extent != c.grid.Extent() || len(v.Formulas) > 0 {
		return fmt.Errorf("read back: marked %t, %+v, formulas %v", v.Marked, v.Extent, v.Formulas)
	}
	for i := range c.grid.Rows() {
		if !bytes.Equal(v.Cells.Row(i), c.grid.Row(i)) {
			return fmt.Errorf("row %d was read back as %v, want %v", i, v.Cells.Cells(i, nil), c.grid.Cells(i, nil))
		}
	}
	return nil
}

// shows has another library, if it read the sheet before, read the block's texts and numbers.
func (c *corpusBlock) shows(path string, before *corpusBook) error {
	old, err := excelize.OpenReader(bytes.NewReader(before.content))
	if err != nil {
		return nil
	}
	defer old.Close()
	facts, err := factsOf(before.parts[c.sheet])
	if err != nil {
		return err
	}
	for at := range facts.cells {
		if _, err := old.GetCellValue(c.block.Sheet, at.String()); err != nil {
			return nil
		}
	}
	f, err := excelize.OpenFile(path)
	if err != nil {
		return fmt.Errorf("another library no longer opens it: %w", err)
	}
	defer f.Close()
	for i := range c.grid.Rows() {
		for k, want := range c.grid.Cells(i, nil) {
			cell := placements.Anchor{Row: c.block.Anchor.Row + i, Column: c.block.Anchor.Column + k}.String()
			got, err := f.GetCellValue(c.block.Sheet, cell, excelize.Options{RawCellValue: true})
			if err != nil || want.Kind == checksum.Text && got != want.Text || want.Kind == checksum.Number && got != string(appendXLSXNumber(nil, want.Number)) {
				return fmt.Errorf("another library reads %q in %s, %w; want %+v", got, cell, err, want)
			}
		}
	}
	return nil
}

// keepCorpusFile keeps what was written for other programs to open, under a name that says where it comes from.
func keepCorpusFile(name, place string, content []byte) error {
	out := os.Getenv("MOORING_XLSX_CORPUS_OUT")
	if out == "" || place != "beside" {
		return nil
	}
	name, err := filepath.Rel(os.Getenv("MOORING_XLSX_CORPUS"), name)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(out, strings.ReplaceAll(name, "/", "__")), content, 0o600)
}
