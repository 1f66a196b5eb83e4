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

// Word is how files say a kind of spreadsheet: google or excel.
func (h Host) Word() string {
	switch h {
	case SheetsA:
		return "google"
	case SheetsB:
		return "excel"
	}
	return string(h)
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
	Parameters        ParameterSettings        `json:"parameters,omitempty"` // nil: it says nothing of any
	Facts             `json:"-"`
	Options
}

// ValueKeys say which values the placement's last write used, and which ones it says now.
func (p *Placement) ValueKeys() ValueKeys {
	return ValueKeys{Used: p.Used, Said: p.Parameters.Keys(), Marks: p.Marks}
}

// EditSummary counts the cells of a placement's block that a person changed and that the last write kept (decisions.md §6).
type EditSummary struct {
	Rows  int    `json:"rows"` // of the block, that have such a cell
	Cells int    `json:"cells"`
	Since string `json:"since"` // when a run first saw the oldest of them: RFC 3339, UTC, with milliseconds
}

// Facts are what is kept of a placement and never shown.
type Facts struct {
	// Own is how far the service's own last write reaches where a client says another size of the block. nil: as far as the recorded end.
	Own *checksum.Extent
	// Base is what a refresh compares the block with, where the other members do not say it. nil: the write of which they tell, on behalf of
	// the placement's RunAs.
	Base   *Base
	Placer Placer
	// Used are the keys of the values that the last write used, by the names of the parameters.
	Used map[string]string
	// Marks are those of the parameters that it takes from cells, or once took, by their names.
	Marks map[string]ParameterMark
	Linked
}

// Base is what a refresh compares a block with.
type Base struct {
	Behalf int64  `json:"behalf,omitempty"` // the user on whose behalf it was written; 0: that of several, or of nobody known
	Kept   *Write `json:"kept,omitempty"`   // it, where a client has told since of another one and is not believed
}

// Write is a write of a placement's block as the placement told of it.
type Write struct {
	At       string                   `json:"at,omitempty"`    // RefreshedAt
	Query    string                   `json:"query,omitempty"` // QueryChecksum; empty: the block was never written
	Extent   checksum.Extent          `json:"extent,omitzero"` // of its Rect
	Checksum *checksum.ResultChecksum `json:"checksum,omitempty"`
}

// Placer says what who put a placement where it stands might do with its report at that time.
type Placer string

// The placers. A placement that was put there before it was kept has none.
const (
	PlacedByEditor Placer = "editor"
	PlacedByReader Placer = "reader"
)

// Linked is what a link says of a placement in the document that it is of: which document that is, and where an agent finds it. It is zero
// for a placement in a document that has no link. Spreadsheets of the placement is then the host's name.
type Linked struct {
	Document string   `json:"document,omitempty"` // the id by which the document is known; empty: WorkbookID
	Target   string   `json:"target,omitempty"`   // its id at the host; empty: not known, or not linked any more
	Path     string   `json:"path,omitempty"`     // below its site, where the host knows documents by other ids
	Apart    bool     `json:"apart,omitempty"`    // another placement of the report stands at the same address under another id
	Merged   []string `json:"merged,omitempty"`   // ids of placements that became one with it
}

// RunAs is on whose behalf a placement's report is queried: who placed it, as their token said then (decisions.md §3). With row-level
// security the placement holds what they may see, also when another person asks for the run.
type RunAs struct {
	UID     int64    `json:"uid"`
	Email   string   `json:"email,omitempty"`
	Roles   []int64  `json:"roles,omitempty"`
	Actions []string `json:"-"` // of the token itself, on reports: whether they may still read is judged by them. Never shown.
}
