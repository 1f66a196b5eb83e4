package googlefake

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"

	"mooring/refresh/host/hosttest/book"
)

// The types below follow the API's published schema, as far as a host uses it.

type gridRange struct {
	SheetID          int64 `json:"sheetId"`
	StartRowIndex    *int  `json:"startRowIndex,omitempty"`
	EndRowIndex      *int  `json:"endRowIndex,omitempty"`
	StartColumnIndex *int  `json:"startColumnIndex,omitempty"`
	EndColumnIndex   *int  `json:"endColumnIndex,omitempty"`
}

type gridCoordinate struct {
	SheetID     int64 `json:"sheetId"`
	RowIndex    int   `json:"rowIndex"`
	ColumnIndex int   `json:"columnIndex"`
}

type extendedValue struct {
	NumberValue  *float64    `json:"numberValue,omitempty"`
	StringValue  *string     `json:"stringValue,omitempty"`
	BoolValue    *bool       `json:"boolValue,omitempty"`
	FormulaValue *string     `json:"formulaValue,omitempty"`
	ErrorValue   *errorValue `json:"errorValue,omitempty"`
}

type errorValue struct {
	Type    string `json:"type"`
	Message string `json:"message,omitempty"`
}

type cellData struct {
	UserEnteredValue  *extendedValue `json:"userEnteredValue,omitempty"`
	EffectiveValue    *extendedValue `json:"effectiveValue,omitempty"`
	UserEnteredFormat *cellFormat    `json:"userEnteredFormat,omitempty"`
	EffectiveFormat   *cellFormat    `json:"effectiveFormat,omitempty"`
}

type cellFormat struct {
	NumberFormat *numberFormat `json:"numberFormat,omitempty"`
}

type numberFormat struct {
	Type    string `json:"type"`
	Pattern string `json:"pattern"`
}

type rowData struct {
	Values []cellData `json:"values,omitempty"`
}

type namedRange struct {
	NamedRangeID string     `json:"namedRangeId,omitempty"`
	Name         string     `json:"name,omitempty"`
	Range        *gridRange `json:"range,omitempty"`
}

type sheetProperties struct {
	SheetID        int64          `json:"sheetId"`
	Title          string         `json:"title"`
	Index          int            `json:"index"`
	SheetType      string         `json:"sheetType"`
	GridProperties map[string]int `json:"gridProperties,omitempty"`
}

type gridData struct {
	StartRow    int                   `json:"startRow,omitempty"`
	StartColumn int                   `json:"startColumn,omitempty"`
	RowData     []rowData             `json:"rowData,omitempty"`
	RowMetadata []dimensionProperties `json:"rowMetadata,omitempty"`

	ColumnMetadata []dimensionProperties `json:"columnMetadata,omitempty"`
}

type dimensionProperties struct {
	HiddenByUser   *bool `json:"hiddenByUser,omitempty"`
	HiddenByFilter *bool `json:"hiddenByFilter,omitempty"`
}

type sheet struct {
	Properties *sheetProperties `json:"properties,omitempty"`
	Data       []gridData       `json:"data,omitempty"`
	Merges     []*gridRange     `json:"merges,omitempty"`
}

type spreadsheet struct {
	SpreadsheetID string       `json:"spreadsheetId,omitempty"`
	Sheets        []sheet      `json:"sheets,omitempty"`
	NamedRanges   []namedRange `json:"namedRanges,omitempty"`
	Metadata      []metadata   `json:"developerMetadata,omitempty"`
}

// request is the union of the sub-requests that the fake knows.
type request struct {
	UpdateCells *struct {
		Start  *gridCoordinate `json:"start"`
		Range  *gridRange      `json:"range"`
		Rows   []rowData       `json:"rows"`
		Fields string          `json:"fields"`
	} `json:"updateCells"`
	RepeatCell *struct {
		Range  *gridRange `json:"range"`
		Cell   *cellData  `json:"cell"`
		Fields string     `json:"fields"`
	} `json:"repeatCell"`
	InsertRange *struct {
		Range          *gridRange `json:"range"`
		ShiftDimension string     `json:"shiftDimension"`
	} `json:"insertRange"`
	DeleteRange *struct {
		Range          *gridRange `json:"range"`
		ShiftDimension string     `json:"shiftDimension"`
	} `json:"deleteRange"`
	CutPaste *struct {
		Source      *gridRange      `json:"source"`
		Destination *gridCoordinate `json:"destination"`
		PasteType   string          `json:"pasteType"`
	} `json:"cutPaste"`
	CopyPaste *struct {
		Source      *gridRange `json:"source"`
		Destination *gridRange `json:"destination"`
		PasteType   string     `json:"pasteType"`
	} `json:"copyPaste"`
	UpdateDimensionProperties *struct {
		Range struct {
			SheetID    int64  `json:"sheetId"`
			Dimension  string `json:"dimension"`
			StartIndex int    `json:"startIndex"`
			EndIndex   int    `json:"endIndex"`
		} `json:"range"`
		Properties dimensionProperties `json:"properties"`
		Fields     string              `json:"fields"`
	} `json:"updateDimensionProperties"`
	AppendDimension *struct {
		SheetID   int64  `json:"sheetId"`
		Dimension string `json:"dimension"`
		Length    int    `json:"length"`
	} `json:"appendDimension"`
	AddNamedRange *struct {
		NamedRange *namedRange `json:"namedRange"`
	} `json:"addNamedRange"`
	UpdateNamedRange *struct {
		NamedRange *namedRange `json:"namedRange"`
		Fields     string      `json:"fields"`
	} `json:"updateNamedRange"`
	CreateDeveloperMetadata *struct {
		Metadata *metadata `json:"developerMetadata"`
	} `json:"createDeveloperMetadata"`
	UpdateDeveloperMetadata *struct {
		Filters  []metadataFilter `json:"dataFilters"`
		Metadata *metadata        `json:"developerMetadata"`
		Fields   string           `json:"fields"`
	} `json:"updateDeveloperMetadata"`
	DeleteNamedRange *struct {
		NamedRangeID string `json:"namedRangeId"`
	} `json:"deleteNamedRange"`
}

// rect resolves a range on a book; a missing end reaches to the sheet's.
func (r *gridRange) rect(b *book.Book) (*book.Sheet, book.Region, error) {
	if r == nil {
		return nil, book.Region{}, invalid("range is required")
	}
	s := b.SheetByID(r.SheetID)
	if s == nil {
		return nil, book.Region{}, invalid("No grid with id: %d", r.SheetID)
	}
	at := func(p *int, missing int) int {
		if p == nil {
			return missing
		}
		return *p
	}
	top, left := at(r.StartRowIndex, 0), at(r.StartColumnIndex, 0)
	rect := book.Region{Row: top, Column: left, Rows: at(r.EndRowIndex, s.Rows) - top, Columns: at(r.EndColumnIndex, s.Columns) - left}
	if rect.Rows <= 0 || rect.Columns <= 0 || !s.Fits(rect) {
		return nil, rect, invalid("Range (%s) exceeds grid limits. Max rows: %d, max columns: %d", s.Title, s.Rows, s.Columns)
	}
	return s, rect, nil
}

// rangeOf leaves zero out, as the API's answers do where they can.
func rangeOf(s *book.Sheet, r book.Region) *gridRange {
	g := &gridRange{SheetID: s.ID, EndRowIndex: new(int), EndColumnIndex: new(int)}
	*g.EndRowIndex, *g.EndColumnIndex = r.Row+r.Rows, r.Column+r.Columns
	if r.Row > 0 {
		g.StartRowIndex = &r.Row
	}
	if r.Column > 0 {
		g.StartColumnIndex = &r.Column
	}
	return g
}

// maxBody is what the API takes at most.
const maxBody = 10 << 20

func readBody(r *http.Request) ([]byte, error) {
	body, err := io.ReadAll(io.LimitReader(r.Body, maxBody+1))
	if err == nil && len(body) > maxBody {
		err = &apiError{http.StatusRequestEntityTooLarge, "Request payload size exceeds the limit: 10485760 bytes."}
	}
	return body, err
}

// decodeStrict refuses members that the schema does not have.
func decodeStrict(body []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(body))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return invalid("Invalid JSON payload received. %v", err)
	}
	if d.More() {
		return invalid("Invalid JSON payload received. Unexpected token.")
	}
	return nil
}
