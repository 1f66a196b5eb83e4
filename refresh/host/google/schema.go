package google

import (
	"strings"

	"mooring/checksum"
	"mooring/placements"
)

// coordinate is the API's GridCoordinate.
type coordinate struct {
	SheetID int64 `json:"sheetId"`
	Row     int   `json:"rowIndex"`
	Column  int   `json:"columnIndex"`
}

// gridRange is the API's GridRange: half open, from zero. In an answer a missing end is unbounded.
type gridRange struct {
	SheetID     int64 `json:"sheetId"`
	StartRow    int   `json:"startRowIndex"`
	EndRow      int   `json:"endRowIndex"`
	StartColumn int   `json:"startColumnIndex"`
	EndColumn   int   `json:"endColumnIndex"`
}

// rectangle is the range of an extent at an anchor. The API knows no empty range, so it has one cell at least.
func rectangle(sheet int64, a placements.Anchor, e checksum.Extent) gridRange {
	return gridRange{
		SheetID: sheet, StartRow: a.Row, EndRow: a.Row + max(e.Rows, 1),
		StartColumn: a.Column, EndColumn: a.Column + max(e.Columns, 1),
	}
}

func (r gridRange) anchor() placements.Anchor {
	return placements.Anchor{Row: r.StartRow, Column: r.StartColumn}
}

func (r gridRange) extent() checksum.Extent {
	return checksum.Extent{Rows: r.EndRow - r.StartRow, Columns: r.EndColumn - r.StartColumn}
}

// namedRange is the API's NamedRange. Range is nil once the cells that it marked are gone.
type namedRange struct {
	ID    string     `json:"namedRangeId,omitempty"`
	Name  string     `json:"name"`
	Range *gridRange `json:"range,omitempty"`
}

// metadata is the API's DeveloperMetadata.
type metadata struct {
	ID    int64  `json:"metadataId"`
	Key   string `json:"metadataKey"`
	Value string `json:"metadataValue"`
}

// sheet is the API's SheetProperties. Rows and Columns are 0 for a sheet that is no grid.
type sheet struct {
	ID    int64  `json:"sheetId"`
	Title string `json:"title"`
	Grid  struct {
		Rows    int `json:"rowCount"`
		Columns int `json:"columnCount"`
	} `json:"gridProperties"`
}

// isGrid reports whether the sheet has cells: one that is a chart or a data source has none.
func (s sheet) isGrid() bool { return s.Grid.Rows > 0 }

// cellData is the API's CellData, as far as a read asks for it.
type cellData struct {
	Entered struct {
		Formula *string `json:"formulaValue"`
	} `json:"userEnteredValue"`
	Format struct {
		Number struct {
			Type string `json:"type"`
		} `json:"numberFormat"`
	} `json:"userEnteredFormat"`
	Shown struct {
		Number struct {
			Type string `json:"type"`
		} `json:"numberFormat"`
	} `json:"effectiveFormat"`
	Effective struct {
		Number *float64 `json:"numberValue"`
		Text   *string  `json:"stringValue"`
		Bool   *bool    `json:"boolValue"`
		Error  *struct {
			Type string `json:"type"`
		} `json:"errorValue"`
	} `json:"effectiveValue"`
}

// errorTexts returns the text that a cell shows for the API's error types; others show #ERROR!.
var errorTexts = map[string]string{
	"NULL_VALUE": "#NULL!", "DIVIDE_BY_ZERO": "#DIV/0!", "VALUE": "#VALUE!", "REF": "#REF!",
	"NAME": "#NAME?", "NUM": checksum.NotANumber, "N_A": "#N/A", "LOADING": "#LOADING!",
}

// errorMark ends the text of an error. Google takes no error as input, so an error is written as text; the mark, a
// zero-width space, keeps it apart from text that only reads like an error.
const errorMark = "\u200b"

// add appends the cell to a row.
func (c *cellData) add(b *checksum.Builder) {
	switch v := &c.Effective; {
	case v.Number != nil:
		b.Number(*v.Number)
	case v.Bool != nil:
		b.Bool(*v.Bool)
	case v.Text != nil:
		if code, marked := strings.CutSuffix(*v.Text, errorMark); marked && strings.HasPrefix(code, "#") {
			b.Error(code)
			return
		}
		b.Text(*v.Text)
	case v.Error != nil && errorTexts[v.Error.Type] != "":
		b.Error(errorTexts[v.Error.Type])
	case v.Error != nil:
		b.Error("#ERROR!")
	default:
		b.Empty()
	}
}

// formatType returns the API's type of a number format, which it wants beside the pattern.
func formatType(pattern string) string {
	lower := strings.ToLower(pattern)
	date := strings.ContainsAny(lower, "yd")
	clock := strings.ContainsAny(lower, "hs")
	switch {
	case pattern == "@":
		return "TEXT"
	case date && clock:
		return "DATE_TIME"
	case date:
		return "DATE"
	case clock:
		return "TIME"
	case strings.Contains(pattern, "%"):
		return "PERCENT"
	}
	return "NUMBER"
}
