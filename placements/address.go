package placements

import (
	"strconv"
	"strings"
)

// Address is where a placement stands: a spot of one spreadsheet (decisions.md §6).
type Address struct {
	Document string // by which it is known: its externalWorkbookId, unless it has a link
	Sheet    string // the sheet's name as shown
	Anchor   Anchor
}

// Key is the address's normal form: equal for two addresses exactly if they are the same spot. Sheet names are folded, and the
// document's length frames it, so no choice of names makes two spots look alike.
func (a Address) Key() string {
	return strconv.Itoa(len(a.Document)) + ":" + a.Document + a.Spot()
}

// Is reports whether two addresses are the same spot: whether their keys are equal.
func (a Address) Is(b Address) bool {
	return a.Anchor == b.Anchor && a.Document == b.Document && strings.EqualFold(a.Sheet, b.Sheet)
}

// Spot is the part of the key within a spreadsheet: sheet and anchor.
func (a Address) Spot() string { return a.Anchor.String() + "!" + foldSheet(a.Sheet) }

// SheetSpot names the anchor on the sheet of that id in the spreadsheet, whatever the sheet is called.
func (a Address) SheetSpot(sheetID string) string {
	return a.Anchor.String() + "#" + strconv.Itoa(len(a.Document)) + ":" + a.Document + sheetID
}

// SheetKey is the normal form of one sheet of one spreadsheet, for what is kept by sheet.
func SheetKey(document, sheet string) string {
	return strconv.Itoa(len(document)) + ":" + document + foldSheet(sheet)
}

// Address is the placement's address. ok is false when the record names no sheet or no valid anchor, neither by themselves nor in
// its resultLocation.
func (p Placement) Address() (a Address, ok bool) {
	a = Address{Document: p.AddressDocument(), Sheet: p.SheetName}
	anchor, err := ParseAnchor(p.AnchorCell)
	if a.Sheet != "" && err == nil {
		a.Anchor = anchor
		return a, true
	}
	l, lErr := ParseLocation(p.ResultLocation)
	if lErr != nil {
		return Address{}, false
	}
	if a.Sheet == "" {
		a.Sheet = l.Sheet
	}
	if err != nil {
		anchor = l.Anchor
	}
	a.Anchor = anchor
	return a, a.Sheet != ""
}

// AddressKey is the Key of the placement's address, empty when it has none.
func (p Placement) AddressKey() string {
	a, ok := p.Address()
	if !ok {
		return ""
	}
	return a.Key()
}
