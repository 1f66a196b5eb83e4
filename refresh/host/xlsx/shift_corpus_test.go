package xlsx

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/host"
)

// TestShiftCorpus inserts and deletes rows of cells in every .xlsx file under the folder that MOORING_SHIFT_CORPUS names, and keeps in
// the folder that MOORING_SHIFT_CORPUS_OUT names what was written and, in tries.jsonl, what was tried. scripts/corpus-shift runs it, and
// then has LibreOffice do the same.
func TestShiftCorpus(t *testing.T) {
	folder, out := os.Getenv("MOORING_SHIFT_CORPUS"), os.Getenv("MOORING_SHIFT_CORPUS_OUT")
	if folder == "" || out == "" {
		t.Skip("MOORING_SHIFT_CORPUS and MOORING_SHIFT_CORPUS_OUT name no folders")
	}
	list, err := os.Create(filepath.Join(out, "tries.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer list.Close()
	enc, tries := json.NewEncoder(list), 0
	all := func(name string, content []byte, list []*shiftTry) {
		for _, try := range list {
			tries++
			try.File = name
			if err := try.run(t.TempDir(), content, filepath.Join(out, fmt.Sprintf("%05d.xlsx", tries))); err != nil {
				t.Errorf("WRONG %s %s: %v", name, try, err)
				try.Refused = "WRONG: " + err.Error()
			}
			if err := enc.Encode(try); err != nil {
				t.Fatal(err)
			}
		}
	}
	made := filepath.Join(out, "made.xlsx")
	content := madeBook(t)
	if err := os.WriteFile(made, content, 0o600); err != nil {
		t.Fatal(err)
	}
	all(made, content, madeTries())
	for _, name := range corpusFiles(t, folder) {
		content, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		all(name, content, corpusTries(content))
	}
	t.Logf("%d tries", tries)
}

// shiftTry is one insertion or deletion in one file.
type shiftTry struct {
	File        string `json:"file"`
	Sheet       string `json:"sheet"`
	Left, Right int
	Row, Rows   int
	Top         int    // the first row of the block, whose last one is the row before if rows are inserted behind it
	At          string `json:"at"`                // what the row was chosen for
	Styled      []int  `json:"styled"`            // rows of the sheet that have a format of their own
	Hidden      bool   `json:"hidden"`            // whether the sheet has hidden rows
	Written     string `json:"written,omitempty"` // the file that the host wrote
	Refused     string `json:"refused,omitempty"` // or why it wrote none
}

func (s *shiftTry) String() string {
	return fmt.Sprintf("%s: %+d rows at %s!%s to column %d", s.At, s.Rows, s.Sheet, placements.Anchor{Row: s.Row, Column: s.Left}, s.Right+1)
}

// behind reports whether the rows are inserted behind the last row of the block: ranges that end there grow.
func (s *shiftTry) behind() bool { return s.At == "behind" }

// patch is the shift alone, in a block no cell of which is written, and that ends behind the shift unless it is to grow there.
func (s *shiftTry) patch() host.Patch {
	rows := s.Row - s.Top
	if !s.behind() {
		rows += 5 + max(0, -s.Rows)
	}
	after := checksum.Extent{Rows: rows + s.Rows, Columns: s.Right - s.Left + 1}
	var b checksum.Builder
	for range after.Rows {
		b.EndRow()
	}
	return host.Patch{
		Block: host.Block{
			Document: "book.xlsx", PlacementID: "corpus", Sheet: s.Sheet,
			Anchor: placements.Anchor{Row: s.Top, Column: s.Left},
		},
		Grid: b.Grid(), Shifts: []checksum.Shift{{At: s.Row - s.Top, Rows: s.Rows}}, Extent: after,
	}
}

// run has the host write the shift; a refusal must leave the file as it was. An error is a fault of ours.
func (s *shiftTry) run(dir string, content []byte, out string) error {
	defer os.RemoveAll(dir)
	path, old := filepath.Join(dir, "book.xlsx"), time.Now().Add(-time.Hour)
	if err := errors.Join(os.WriteFile(path, content, 0o600), os.Chtimes(path, old, old)); err != nil {
		return err
	}
	if err := s.write(dir); err != nil {
		var err2 error
		s.Refused, err2 = corpusRefusal(path, content, err)
		return err2
	}
	written, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if err := readable(content, written); err != nil {
		return err
	}
	s.Written = out
	return os.WriteFile(out, written, 0o600)
}

func (s *shiftTry) write(dir string) error {
	x, err := New(dir)
	if err != nil {
		return err
	}
	session, err := x.Open(context.Background(), "book.xlsx")
	if err != nil {
		return err
	}
	defer session.Close()
	p := s.patch()
	wanted := []host.Wanted{{Block: p.Block, Extent: checksum.Extent{Rows: p.Extent.Rows - s.Rows, Columns: p.Extent.Columns}}}
	found, err := session.Read(context.Background(), wanted)
	if err := cmp.Or(err, found[0].Err); err != nil {
		return err
	}
	_, err = session.Write(context.Background(), []host.Patch{p})
	return err
}

// readable refuses a file with a part that changed and is no XML, though it was before.
func readable(before, after []byte) error {
	was, err := openCorpusBook(before)
	if err != nil {
		return err
	}
	is, err := openCorpusBook(after)
	if err != nil {
		return err
	}
	for name, part := range is.parts {
		if bytes.Equal(was.parts[name], part) || !wellFormed(was.parts[name]) {
			continue
		}
		if !wellFormed(part) {
			return fmt.Errorf("part %s is no XML any longer", name)
		}
	}
	return nil
}

func wellFormed(part []byte) bool {
	for d := newCorpusDecoder(part); ; {
		if _, err := d.Token(); err != nil {
			return err == io.EOF
		}
	}
}

// maxShiftPart bounds the parts of files to try: LibreOffice takes minutes for larger ones, of which there are a handful.
const maxShiftPart = 4 << 20

// corpusTries chooses what to try in a file, always the same for the same content: through ranges that formulas, names and charts refer
// to, and through and above merges, tables and what else has a place; over all columns that are used, and over the range's alone. Of a
// file without formulas, there are thousands, one try is enough.
func corpusTries(content []byte) (tries []*shiftTry) {
	book, err := openCorpusBook(content)
	if err != nil {
		return nil
	}
	for _, part := range book.parts {
		if len(part) > maxShiftPart {
			return nil
		}
	}
	sum := sha256.Sum256(content)
	seen := map[string]bool{}
	places := book.places()
	most := 1
	if slices.ContainsFunc(places, func(p corpusPlace) bool { return strings.HasPrefix(p.what, "f") }) {
		most = 6
	}
	for i, p := range places {
		pick := int(sum[i%len(sum)])
		for _, s := range p.tries(pick) {
			s.Styled, s.Hidden = p.styled, p.hidden
			key := fmt.Sprint(strings.ToLower(s.Sheet), s.Left, s.Right, s.Row, s.Rows)
			if !seen[key] {
				seen[key], tries = true, append(tries, s)
			}
		}
	}
	return tries[:min(len(tries), most)]
}

// tries are an insertion and a deletion at a place: one in the midst of it, the other there or above, one over its columns, the other
// over all.
func (p corpusPlace) tries(pick int) []*shiftTry {
	middle := p.area.Top + (p.area.Bottom-p.area.Top+1)/2
	above := max(1, p.area.Top-pick%3)
	narrow := &shiftTry{Sheet: p.sheet, Left: p.area.Left, Right: p.area.Right, Row: middle, Rows: 1 + pick%3, At: p.what}
	wide := &shiftTry{Sheet: p.sheet, Right: max(p.used, p.area.Right), Row: middle, Rows: -1 - pick/4%2, At: p.what}
	if pick&1 != 0 {
		narrow.Rows, wide.Rows = wide.Rows, narrow.Rows
	}
	if pick&2 != 0 {
		wide.Row = above
	}
	if pick&4 != 0 {
		narrow.Row = above
	}
	narrow.Row, wide.Row = max(2, narrow.Row), max(2, wide.Row)
	narrow.Top, wide.Top = max(0, narrow.Row-2), max(0, wide.Row-2)
	if pick&8 != 0 {
		return []*shiftTry{narrow, wide}
	}
	return []*shiftTry{wide, narrow}
}
