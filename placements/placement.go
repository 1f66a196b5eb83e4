package placements

import (
	"fmt"
	"path"
	"slices"

	"mooring/checksum"
)

// Host is the kind of spreadsheet a placement stands in; the two names are those of the wire.
type Host string

// The two spreadsheet hosts of interface.md.
const (
	SheetsA Host = "SHEETS_A"
	SheetsB Host = "SHEETS_B"
)

// Placement ties a report to one sheet and anchor of one spreadsheet (interface.md, Placement). Times are RFC 3339, UTC, with milliseconds.
type Placement struct {
	ID                string                   `json:"id"`
	WorkbookID        string                   `json:"workbookId"` // the external spreadsheet
	WorkbookName      string                   `json:"workbookName,omitempty"`
	Host              Host                     `json:"host"`
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

// Documents bounds the spreadsheets in which a deployment's reports may be placed: patterns of their ids by host, as path.Match reads them,
// in which * and ? stand for no slash. A host without an entry has no bounds; one with an empty list has no spreadsheet.
type Documents map[Host][]string

// Allow reports whether reports may be placed in the spreadsheet of that id.
func (d Documents) Allow(h Host, id string) bool {
	patterns, bounded := d[h]
	return !bounded || slices.ContainsFunc(patterns, func(pattern string) bool {
		matches, err := path.Match(pattern, id)
		return err == nil && matches
	})
}

// Admit reports whether the spreadsheet of that id is among those that are named for the host, so that agents may open it.
func (d Documents) Admit(h Host, id string) bool {
	_, bounded := d[h]
	return bounded && d.Allow(h, id)
}

// CheckPattern returns what is wrong with a pattern of Documents.
func CheckPattern(pattern string) error {
	if pattern == "" {
		return fmt.Errorf("a pattern is empty: write a document's id, or * for all")
	}
	if _, err := path.Match(pattern, ""); err != nil {
		return fmt.Errorf("%q is no pattern: * stands for any characters but /, ? for one, [a-z] for one of these, \\ quotes the next",
			pattern)
	}
	return nil
}
