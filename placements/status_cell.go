package placements

import (
	"fmt"
	"regexp"
	"time"

	"mooring/checksum"
)

// A placement may have a status cell: a cell of its sheet, outside every block, in which each write of the block says when it was made and
// how many rows it changed (faces.md §3).

// statusText is the form of every text that StatusCellText returns.
var statusText = regexp.MustCompile(`^Refreshed \d{4}-\d\d-\d\d \d\d:\d\d · (1 row|\d+ rows) changed$`)

// StatusCellText returns what the write of a block that changes so many rows writes into its status cell, which holds stands. now is on
// the wall clock of the deployment's time zone. ok is false when the cell is left alone: it holds something else than an earlier write left.
func StatusCellText(stands checksum.Cell, now time.Time, rows int) (text string, ok bool) {
	if stands.Kind != checksum.Empty && (stands.Kind != checksum.Text || !statusText.MatchString(stands.Text)) {
		return "", false
	}
	noun := "rows"
	if rows == 1 {
		noun = "row"
	}
	return fmt.Sprintf("Refreshed %s · %d %s changed", now.Format("2006-01-02 15:04"), rows, noun), true
}

// statusCell refuses a status cell that is no cell.
func (f *faults) statusCell(c Connection) {
	if c.StatusCell.Value == nil {
		return
	}
	if _, err := ParseAnchor(*c.StatusCell.Value); err != nil {
		f.add(statusPointer, err.Error())
	}
}

const statusPointer = "/statusCell"

// normalCell is a cell as it is stored: upper case, no $. One that is none stays as it is.
func normalCell(cell string) string {
	if a, err := ParseAnchor(cell); err == nil {
		return a.String()
	}
	return cell
}

// CheckStatusCell returns the *Error that refuses the status cell of p inside a block of others. readable: who asks may read where these
// stand, and is told.
func CheckStatusCell(p Placement, others []Placement, readable bool) error {
	cell, err := ParseAnchor(p.StatusCell)
	if err != nil {
		return nil // there is none
	}
	at, _ := p.Address()
	for i := range others {
		is, r, ok := others[i].Owned()
		switch {
		case !ok || is.Document != at.Document || foldSheet(is.Sheet) != foldSheet(at.Sheet) || !r.Intersects(cell.rect()):
		case readable:
			return insideBlock("statusCell %s lies inside the block at %s", p.StatusCell, others[i].ResultLocation)
		default:
			return insideBlock("statusCell %s lies inside a block of another report", p.StatusCell)
		}
	}
	return nil
}

// checkOwnStatusCell returns the *Error that refuses the status cell of p inside its own block, as far as that is believed. saysEnd: who
// connects says where it ends; what was said of that before is not believed of a block that was never written.
func checkOwnStatusCell(p Placement, saysEnd bool) error {
	cell, err := ParseAnchor(p.StatusCell)
	if err != nil {
		return nil // there is none
	}
	_, r, ok := p.Covered()
	if p.Disputed() || p.LastWrite().Query == "" && !saysEnd {
		_, r, ok = p.Owned()
	}
	if ok && r.Intersects(cell.rect()) {
		return insideBlock("statusCell %s lies inside the block of the report itself", p.StatusCell)
	}
	return nil
}

func insideBlock(format string, args ...any) error {
	message := fmt.Sprintf(format, args...) + ", and refreshes write there: choose a cell outside every block, or null for none."
	return Faulty(Detail{Pointer: statusPointer, Code: CodeAddress, Message: message})
}

func (a Anchor) rect() Rect { return Rect{Top: a.Row, Left: a.Column, Bottom: a.Row, Right: a.Column} }
