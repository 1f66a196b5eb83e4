package placements

import (
	"cmp"
	"strings"
	"unicode"

	"mooring/checksum"
)

// Target says which placement of a report is meant: the body of a disconnect (interface.md, Disconnect).
type Target struct {
	PlacementID        string `json:"placementId"`
	ExternalWorkbookID string `json:"externalWorkbookId"`
	SheetName          string `json:"sheetName"`
	AnchorCell         string `json:"anchorCell"`
	ResultLocation     string `json:"resultLocation"`
	SheetID            string `json:"sheetId"`
	// Home is the id by which the spreadsheet is known that ExternalWorkbookID names; empty for that id itself. The storage fills it in.
	Home string `json:"-"`
}

// Form is how a target addresses a placement.
type Form int

// The forms of interface.md, disconnect rule 2, and ByNothing for a target that addresses no placement at all.
const (
	ByNothing  Form = iota
	ByID            // placementId
	ByAddress       // spreadsheet, sheet and anchor are known: Address is whole
	ByLocation      // only sheet and anchor are known: Address has no Document
)

// Form returns how t addresses a placement and, but for ByID, the address it names. placementId wins when sent. What is said twice must
// agree, else t addresses nothing: a placement that was not meant is never touched.
func (t Target) Form() (Form, Address) {
	switch {
	case strings.ContainsFunc(t.PlacementID, unicode.IsControl):
		return ByNothing, Address{} // no placement has such an id
	case t.PlacementID != "":
		return ByID, Address{}
	}
	a, ok := t.address()
	switch {
	case !ok:
		return ByNothing, Address{}
	case a.Document == "":
		return ByLocation, a
	}
	return ByAddress, a
}

// address reads the second and third form: externalWorkbookId + sheetName + anchorCell, or a resultLocation that names both sheet and
// anchor by itself.
func (t Target) address() (Address, bool) {
	a := Address{Document: cmp.Or(t.Home, t.ExternalWorkbookID), Sheet: t.SheetName}
	anchor, err := ParseAnchor(t.AnchorCell)
	if t.AnchorCell != "" && err != nil {
		return Address{}, false
	}
	a.Anchor = anchor
	if t.ResultLocation == "" {
		return a, t.ExternalWorkbookID != "" && t.SheetName != "" && t.AnchorCell != ""
	}
	l, err := ParseLocation(t.ResultLocation)
	if err != nil {
		return Address{}, false
	}
	if t.SheetName != "" && l.Sheet != "" && foldSheet(t.SheetName) != foldSheet(l.Sheet) ||
		t.AnchorCell != "" && anchor != l.Anchor {
		return Address{}, false
	}
	if l.Sheet == "" {
		return a, t.ExternalWorkbookID != "" && t.SheetName != "" && t.AnchorCell != ""
	}
	a.Sheet, a.Anchor = l.Sheet, l.Anchor
	return a, true
}

// Match finds the one placement that t means among those of a report. ok is false when it means none, or more than one
// (interface.md, disconnect rules 1 to 5; decisions.md §6).
func (t Target) Match(existing []Placement) (index int, ok bool) {
	form, a := t.Form()
	if form == ByNothing {
		return -1, false
	}
	index = -1
	for i, p := range existing {
		if !t.matches(form, a, p) {
			continue
		}
		if index >= 0 {
			return -1, false
		}
		index = i
	}
	return index, index >= 0
}

func (t Target) matches(form Form, a Address, p Placement) bool {
	if form == ByID {
		return p.Is(t.PlacementID)
	}
	at, ok := p.Address()
	// A sheetId narrows; a placement stored without one has only its name, which must do.
	if !ok || t.SheetID != "" && p.SheetID != "" && p.SheetID != t.SheetID {
		return false
	}
	return at.Spot() == a.Spot() && (form == ByLocation || at.Document == a.Document)
}

// Disconnect returns the placement that t removes from those of a report. ok is false when nothing is to be removed, which is a
// success (interface.md, disconnect rule 5).
func Disconnect(existing []Placement, t Target) (removed Placement, ok bool) {
	i, ok := t.Match(existing)
	if !ok {
		return Placement{}, false
	}
	return existing[i], true
}

// Rewrite is the body of PUT …/refresh: an add-in has just rewritten a placement's cells (decisions.md §6).
type Rewrite struct {
	Target
	EndResultCell  string                   `json:"endResultCell"`
	ResultChecksum *checksum.ResultChecksum `json:"resultChecksum"`
}

// Check finds what is wrong with the body whichever placement it means. The error is an *Error.
func (w Rewrite) Check() error {
	var f faults
	if w.EndResultCell != "" {
		f.endCell(w.EndResultCell, Anchor{})
	}
	f.checksum(w.ResultChecksum)
	return f.err()
}

// Refreshed returns p after its cells were rewritten: the stamps of a data write, the checksum replaced or cleared, a new end if one was
// sent. The error is an *Error.
func Refreshed(old Placement, w Rewrite, s Stamp) (Placement, error) {
	var f faults
	a, _ := old.Address()
	p := old
	if w.EndResultCell != "" {
		p.EndResultCell = f.endCell(w.EndResultCell, a.Anchor).String()
	}
	f.checksum(w.ResultChecksum)
	if err := f.err(); err != nil {
		return Placement{}, err
	}
	believed := s.believes(old, true)
	p.tells(old, old.owned(), believed)
	p.wrote(old, s, w.ResultChecksum, believed)
	p.ages(old, false)
	return p, nil
}
