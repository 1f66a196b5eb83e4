package placements

import "mooring/checksum"

// Host is the kind of spreadsheet a placement stands in; the two names are those of the wire.
type Host string

// The two spreadsheet hosts of interface.md.
const (
	SheetsA Host = "SHEETS_A"
	SheetsB Host = "SHEETS_B"
)

// ParseHost reads a kind of spreadsheet as files may say it: google and excel stand for the names of the wire.
func ParseHost(word string) (Host, bool) {
	switch word {
	case "google", string(SheetsA):
		return SheetsA, true
	case "excel", string(SheetsB):
		return SheetsB, true
	}
	return "", false
}

// Placement ties a report to one sheet and anchor of one spreadsheet (interface.md, Placement). Times are RFC 3339, UTC, with milliseconds.
type Placement struct {
	ID                string                   `json:"id"`
	WorkbookID        string                   `json:"workbookId"` // the external spreadsheet
	WorkbookName      string                   `json:"workbookName,omitempty"`
	Host              Host                     `json:"host"`
	Spreadsheets      string                   `json:"spreadsheets,omitempty"` // the name of the host that has it; empty: not known
	SheetID           string                   `json:"sheetId,omitempty"`
	SheetName         string                   `json:"sheetName"`
	AnchorCell        string                   `json:"anchorCell"` // normal form: upper case, no $
	EndResultCell     string                   `json:"endResultCell,omitempty"`
	ResultLocation    string                   `json:"resultLocation"`
	ResultChecksum    *checksum.ResultChecksum `json:"resultChecksum,omitempty"`
	QueryChecksum     string                   `json:"queryChecksum,omitempty"` // empty: nothing written yet
	PlacedAt          string                   `json:"placedAt,omitempty"`
	RefreshedAt       string                   `json:"refreshedAt,omitempty"`
	AsOf              string                   `json:"asOf,omitempty"` // when the source was asked for what stands in the block; empty: not known
	PlacedByUserID    int64                    `json:"placedByUserId,omitempty"`
	RefreshedByUserID int64                    `json:"refreshedByUserId,omitempty"`
	RunAs             *RunAs                   `json:"runAs,omitempty"`      // nil: recorded before it was kept, see Behalf
	Edits             *EditSummary             `json:"edits,omitempty"`      // nil: the last write kept none
	RestoredAt        string                   `json:"restoredAt,omitempty"` // from a backup, and not written since
	ManagedBy         *ManagedBy               `json:"managedBy,omitempty"`
	StatusCell        string                   `json:"statusCell,omitempty"` // of its sheet, in normal form; empty: none
	FillRight         string                   `json:"fillRight,omitempty"`  // as Columns has them in text; empty: none
	Facts             `json:"-"`
	Options
}

// EditSummary counts the cells of a placement's block that a person changed and that the last write kept (decisions.md §6).
type EditSummary struct {
	Rows  int    `json:"rows"` // of the block, that have such a cell
	Cells int    `json:"cells"`
	Since string `json:"since"` // when a run first saw the oldest of them: RFC 3339, UTC, with milliseconds
}
