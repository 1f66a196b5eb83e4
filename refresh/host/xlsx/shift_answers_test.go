package xlsx

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/xuri/excelize/v2"
)

// answersFile has what LibreOffice makes of the shifts in the workbook that is made: formulas, merges, names and comments of each
// shift. scripts/corpus-shift --answers writes it.
const answersFile = "testdata/shifts.json"

// TestShiftsAreLibreOffices shifts cells of the workbook that is made as LibreOffice did.
func TestShiftsAreLibreOffices(t *testing.T) {
	if saved := os.Getenv("MOORING_SHIFT_ANSWERS"); saved != "" {
		writeAnswers(t, saved)
	}
	var answers []map[string]string
	text, err := os.ReadFile(answersFile)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &answers); err != nil {
		t.Fatal(err)
	}
	content := madeBook(t)
	for i, try := range madeTries() {
		t.Run(try.String(), func(t *testing.T) {
			out := filepath.Join(t.TempDir(), "out.xlsx")
			if err := try.run(t.TempDir(), content, out); err != nil || try.Refused != "" {
				t.Fatal(err, try.Refused)
			}
			written, err := os.ReadFile(out)
			if err != nil {
				t.Fatal(err)
			}
			try.correct(answers[i])
			if diff := cmp.Diff(answers[i], shiftFacts(t, written)); diff != "" {
				t.Errorf("LibreOffice's (-) and ours (+) differ:\n%s", diff)
			}
		})
	}
}

// correct puts right what LibreOffice makes of running totals in column G. For us the one beside the block's last row does not grow; of
// those whose last rows are deleted, LibreOffice leaves rows that follow the deleted ones in.
func (s *shiftTry) correct(answer map[string]string) {
	first, last := s.Row+1, s.Row-s.Rows
	if s.behind() {
		first, last = s.Row, s.Row
	} else if s.Right >= 6 {
		return // they are deleted too
	}
	for row := first; row <= last; row++ {
		answer[fmt.Sprintf("Data!G%d", row)] = fmt.Sprintf("SUM(D$4:D%d)", s.Row)
	}
}

// writeAnswers writes the facts of the workbooks that LibreOffice saved.
func writeAnswers(t *testing.T, saved string) {
	t.Helper()
	var answers []map[string]string
	for i := range madeTries() {
		content, err := os.ReadFile(filepath.Join(saved, fmt.Sprintf("answer%05d.xlsx", i+1)))
		if err != nil {
			t.Fatal(err)
		}
		answers = append(answers, shiftFacts(t, content))
	}
	text, err := json.MarshalIndent(answers, "", "\t")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(answersFile, append(text, '\n'), 0o644); err != nil {
		t.Fatal(err)
	}
}

// shiftFacts are a workbook's formulas, merges, names and comments, as another library reads them.
func shiftFacts(t *testing.T, content []byte) map[string]string {
	t.Helper()
	f, err := excelize.OpenReader(bytes.NewReader(content))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	facts := map[string]string{}
	for _, sheet := range f.GetSheetList() {
		for row := 1; row <= 80; row++ {
			for column := 1; column <= 10; column++ {
				cell, _ := excelize.CoordinatesToCellName(column, row)
				if text, err := f.GetCellFormula(sheet, cell); err != nil {
					t.Fatal(err)
				} else if text != "" {
					facts[sheet+"!"+cell] = plainFormula(text)
				}
			}
		}
		merges, err := f.GetMergeCells(sheet)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range merges {
			facts[sheet+"!"+m.GetStartAxis()+" merged to"] = m.GetEndAxis()
		}
		comments, err := f.GetComments(sheet)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range comments {
			facts[sheet+"!"+c.Cell+" comment"] = "yes"
		}
	}
	for _, n := range f.GetDefinedName() {
		if !strings.HasPrefix(n.Name, "_mooring_") && !strings.HasPrefix(n.Name, "_xlnm._FilterDatabase") {
			facts[n.Scope+" "+n.Name] = plainFormula(n.RefersTo)
		}
	}
	return facts
}

// plainFormula is a formula without what programs write differently though it means the same.
func plainFormula(text string) string {
	return strings.NewReplacer(" ", "", "1.5E2", "150", "~", ",", "FALSE()", "FALSE").Replace(strings.ToUpper(strings.TrimPrefix(text, "=")))
}
