package plan

import (
	"fmt"
	"slices"

	"mooring/checksum"
	"mooring/placements"
)

// headerElsewhere reports whether the first row is not the header but another row that was moved there: the header was moved or deleted.
func (p *comparison) headerElsewhere() bool {
	first := checksum.RowFingerprint(header(p.stands))
	for _, row := range p.base.Fingerprints[1:] {
		if row == first {
			return true
		}
	}
	return false
}

// columnsChanged finds what a person did to the columns of the block.
func (p *comparison) columnsChanged() (checksum.ColumnEdit, bool) {
	stands := header(p.stands)
	if p.base.Header == nil || len(stands) == 0 || slices.EqualFunc(stands, p.base.Header, checksum.Cell.Same) || p.headerElsewhere() {
		return checksum.ColumnEdit{}, false
	}
	change, ok := checksum.Columns(p.base.Header, stands, p.extent.Columns-p.base.Columns)
	return p.base.InsertedColumn(change, p.stands), ok
}

// mostEdited are the headings that were edited together with most rows of the block: then columns were, in a way that their headings do
// not tell. There are none where few rows were edited.
func (p *comparison) mostEdited(m *checksum.Merged) (headings []string) {
	edited := 0
	for _, row := range m.People {
		switch {
		case row.Before != nil: // known already
		case row.Ours == 0:
			headings = p.cellsOf(row)
		case row.Ours > 0:
			edited++
		}
	}
	if edited <= 1 || 2*edited <= p.stands.Rows()-1 {
		return nil
	}
	return headings
}

// changedColumn names the column concerned by its heading, and by its letter where it still stands.
func (p *comparison) changedColumn(change checksum.ColumnEdit) string {
	if change.Kind == checksum.ColumnRemoved {
		return quoted(change.Name)
	}
	letters := placements.Anchor{Column: p.View.Anchor.Column + change.Column}.String()
	letters = letters[:len(letters)-1]
	if change.Name == "" {
		return letters
	}
	return fmt.Sprintf("%s (%s)", letters, quoted(change.Name))
}

func (p *comparison) columnConflict(what string) *placements.Fault {
	if p.doubt != nil {
		return Overwritable("%s at %s, or Mooring wrote it so itself %s: %s", what, spot(p.View, 0, 0), p.doubt.written, waysOutDoubtful)
	}
	return Overwritable("%s at %s: undo that, or refresh with onEdit \"overwrite\" to have the block written anew", what, spot(p.View, 0, 0))
}
