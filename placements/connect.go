package placements

import (
	"reflect"
	"strings"

	"mooring/checksum"
)

// Change is what a connect does to a report's placements.
type Change struct {
	Placement Placement // as recorded
	Index     int       // of the record it replaces among the existing ones; -1 when Created
	Created   bool
}

// Connect records c among the existing placements of a report, of which only those with c's placementId, at c's address or at its anchor of
// the sheet with its sheetId matter. The report itself is not concerned. The error is an *Error: of a broken connection, or
// CodeAddressTaken, CodeIDTaken (decisions.md §6) or CodeForbidden (§3).
func Connect(existing []Placement, c Connection, s Stamp) (Change, error) {
	place, err := c.Place()
	if err != nil {
		return Change{}, err
	}
	return ConnectAt(existing, c, place, s)
}

// ConnectAt is Connect for a caller that has c's Place already.
func ConnectAt(existing []Placement, c Connection, place Range, s Stamp) (Change, error) {
	index, err := find(existing, c, place.Address)
	if err != nil {
		return Change{}, err
	}
	ch := Change{Index: index, Created: index < 0}
	var old Placement
	if index >= 0 {
		old = existing[index]
	}
	ch.Placement = recorded(old, c, place, s)
	elsewhere := s.moves(old, ch.Placement)
	options := !ch.Placement.sameOptions(&old)
	decides := elsewhere || renamed(old, ch.Placement) || options
	if !ch.Created && !s.MayEdit {
		if s.others(old) && decides || options && old.WrittenFor() != old.Behalf().UID {
			return Change{}, Errorf(CodeForbidden, "Another person placed the report there, or its cells are theirs still, and moving it, naming its "+
				"sheet anew, or changing its options, needs edit access to the report: connect without its placementId and sheetId to place it "+
				"yourself, or ask them to move it.")
		}
		if s.others(old) && c.AddressOnly {
			ch.Placement.SheetID = old.SheetID // by which a sheet is found too
		}
	}
	if s.IDTaken && ch.Placement.ID == c.PlacementID && (old.ID != c.PlacementID || old.Home() != c.home()) {
		return Change{}, Errorf(CodeIDTaken,
			"Another placement of this spreadsheet has that placementId: send another one, or none to be given one.")
	}
	if old.ID != c.PlacementID && ch.Placement.ID == c.PlacementID && namesParameter(c.PlacementID) {
		return Change{}, Faulty(Detail{Pointer: "/placementId", Code: CodeInvalid, Message: parameterID})
	}
	// The host may come from the old record, so the sheet name is checked against it only now.
	if fault := checkSheetOf(ch.Placement.Host, place.Sheet); fault != "" {
		return Change{}, Faulty(Detail{Pointer: "/sheetName", Code: CodeAddress, Message: fault})
	}
	sets := c.Parameters.Sent && !(c.Declared && ch.Placement.Parameters.Equal(old.Parameters)) // files say all that they know, again and again
	if wrong := c.Parameters.OrZero().Faults(s.Parameters); sets && len(wrong) > 0 {
		return Change{}, Faulty(wrong...)
	}
	if elsewhere || sets {
		if err := checkParameterCells(ch.Placement); err != nil {
			return Change{}, err
		}
	}
	if s.ShowsFilters && elsewhere && place.Anchor.Row == 0 {
		return Change{}, Faulty(Detail{Pointer: "/resultLocation", Code: CodeAddress, Message: noRowAbove})
	}
	if c.FillRight.Sent || elsewhere {
		if err := checkFillRight(ch.Placement); err != nil {
			return Change{}, err
		}
	}
	if ch.Placement.StatusCell != "" && (c.StatusCell.Sent || elsewhere) {
		if err := checkOwnStatusCell(ch.Placement, place.End != nil); err != nil {
			return Change{}, err
		}
		if err := CheckStatusCell(ch.Placement, without(existing, ch.Index), true); err != nil {
			return Change{}, err
		}
	}
	return ch, nil
}

// noRowAbove is why a report that shows its filters is not placed in row 1.
const noRowAbove = "The report shows its applied filters in the cell above its block, and row 1 has none above it: " +
	"place it in row 2 or below, or set showAppliedFilters of its pivotItems to false."

// sameOptions reports whether both are to be treated alike.
func (p *Placement) sameOptions(old *Placement) bool {
	return p.Options.Equal(old.Options) && p.StatusCell == old.StatusCell && p.FillRight == old.FillRight && p.Parameters.Equal(old.Parameters)
}

// without is list without the element of that index, if it has one.
func without(list []Placement, index int) (others []Placement) {
	for i := range list {
		if i != index {
			others = append(others, list[i])
		}
	}
	return others
}

// find returns the index of the placement that a connect concerns: the one of that id, which must not move onto another one, else the one
// that stands there; -1 when there is none.
func find(existing []Placement, c Connection, at Address) (int, error) {
	byID, there := -1, standsAt(existing, at, c.SheetID)
	for i := range existing {
		if c.PlacementID != "" && existing[i].Is(c.PlacementID) {
			byID = i
		}
	}
	switch {
	case byID < 0:
		return there, nil
	case there >= 0 && there != byID && existing[byID].apartAt(at):
		return byID, nil
	case there >= 0 && there != byID:
		return -1, Errorf(CodeAddressTaken,
			"Another placement of this report stands at that address: disconnect it first, or choose another cell.")
	}
	return byID, nil
}

// standsAt returns the index of the placement at that sheet and anchor, else of the only one at that anchor of the sheet with that id,
// which was renamed; -1 when there is none.
func standsAt(existing []Placement, at Address, sheetID string) int {
	renamed, several := -1, false
	for i := range existing {
		a, ok := existing[i].Address()
		switch {
		case !ok:
		case a.Is(at):
			return i
		case sheetID != "" && existing[i].SheetID == sheetID && a.Anchor == at.Anchor && a.Document == at.Document:
			renamed, several = i, renamed >= 0
		}
	}
	if several {
		return -1
	}
	return renamed
}

// recorded returns the record after the connect: the address and options always, the data stamps unless addressOnly.
func recorded(old Placement, c Connection, place Range, s Stamp) Placement {
	p := old
	p.ID = first(old.ID, c.PlacementID, s.NewID)
	p.Host = first(c.Host, old.Host, s.DefaultHost, SheetsA)
	sameDocument := old.Home() == c.home()
	if p.WorkbookID = c.ExternalWorkbookID; sameDocument {
		p.WorkbookID = old.WorkbookID // however it is called today
	}
	p.Spreadsheets = kept("", old.Spreadsheets, old.Host == p.Host && sameDocument)
	p.Apart = old.apartAt(place.Address)
	p.link(c.Whereabouts)
	p.WorkbookName = kept(c.WorkbookName, old.WorkbookName, sameDocument)
	was, stood := old.Address()
	sameSheet := stood && sameDocument && strings.EqualFold(was.Sheet, place.Sheet)
	p.SheetID = kept(c.SheetID, old.SheetID, sameSheet)
	p.SheetName = place.Sheet
	p.AnchorCell = place.Anchor.String()
	p.EndResultCell = endAfter(old, place)
	p.ResultLocation = c.ResultLocation
	p.Options = c.Over(old.Options)
	c.StatusCell.Set(&p.StatusCell)
	p.StatusCell = normalCell(p.StatusCell)
	c.FillRight.Set(&p.FillRight)
	p.FillRight = normalColumns(p.FillRight)
	if c.Parameters.Sent {
		if p.Parameters = c.Parameters.OrZero().normal(); c.Declared {
			p.Parameters = c.Parameters.OrZero().Declared(&old)
		}
	}
	p.Marks = p.Parameters.marks(old.Parameters, old.Marks, sameDocument && old.Host == p.Host, c.Parameters.Sent && !c.Declared)
	elsewhere := s.moves(old, p)
	own := old.owned()
	if elsewhere {
		p.Edits = nil // they are in the cells that it leaves
		own = checksum.Extent{Rows: 1, Columns: 1}
	}
	p.Placer = s.placer(old, elsewhere)
	p.onBehalfOf(s.runAs(old, c.AddressOnly, elsewhere))
	believed := s.believes(old, !elsewhere)
	takesOver := !elsewhere && old.LastWrite().Query != "" && !s.has(old)
	if takesOver && !c.AddressOnly && c.ResultChecksum == nil {
		believed = false // who takes over another's block, and says nothing of its rows, has written none of them
	}
	p.tells(old, own, believed)
	if !c.AddressOnly {
		p.wrote(old, s, c.ResultChecksum, believed)
	}
	p.ages(old, elsewhere)
	return p
}

// moves reports whether a connect takes a placement away from its cells. That its sheet has another name now is believed with edit access
// only: a sheetId is what the client says. A block whose sheet was really renamed is found again by its marker.
func (s Stamp) moves(old, p Placement) bool {
	return moved(old, p) || !s.MayEdit && renamed(old, p)
}

// moved reports whether a placement leaves its cells: for another address, unless it is that of its sheet under a new name, or for a
// document of the same id at another host.
func moved(old, p Placement) bool {
	was, stood := old.Address()
	is, _ := p.Address()
	sameSheet := old.SheetID != "" && old.SheetID == p.SheetID && was.Document == is.Document && was.Anchor == is.Anchor
	return !stood || old.Host != p.Host || !was.Is(is) && !sameSheet
}

// renamed reports whether p names the sheet of old by another name.
func renamed(old, p Placement) bool {
	was, _ := old.Address()
	is, _ := p.Address()
	return !strings.EqualFold(was.Sheet, is.Sheet)
}

// endAfter is the block's last cell after a connect. A connect that does not say keeps the block's size, so the end moves with the anchor:
// one that is believed.
func endAfter(old Placement, place Range) string {
	if place.End != nil {
		return place.End.String()
	}
	was, ok := old.Address()
	end, known := old.lastCell(was.Anchor)
	if old.Disputed() && !was.Is(place.Address) {
		_, own, _ := old.Owned()
		end, known = Anchor{Row: own.Bottom, Column: own.Right}, true
	}
	if !ok || !known {
		return ""
	}
	return Anchor{
		Row:    min(end.Row+place.Anchor.Row-was.Anchor.Row, MaxRow),
		Column: min(end.Column+place.Anchor.Column-was.Anchor.Column, MaxColumn),
	}.String()
}

// kept is what was sent, or else the old text as long as it still speaks of the same thing.
func kept(sent, old string, same bool) string {
	if sent == "" && same {
		return old
	}
	return sent
}

func first[T ~string](texts ...T) T {
	for _, t := range texts {
		if t != "" {
			return t
		}
	}
	return ""
}

// Declare records what the spreadsheet keys of a report's own body say: where the report is to stand (decisions.md §4). They claim that
// cells were written only with a resultChecksum; keys that repeat the address of a recorded placement otherwise change nothing but its
// endResultCell. The first to apply stays the one on whose behalf the placement is queried. changed is false when the record stays as
// it is, or when only the time of the same write would be new. Errors are those of Connect.
func Declare(existing []Placement, c Connection, s Stamp) (ch Change, changed bool, err error) {
	c.AddressOnly = c.ResultChecksum == nil
	ch, err = Connect(existing, c, s)
	if err != nil || ch.Created {
		return ch, err == nil, Declared(err)
	}
	old := existing[ch.Index]
	if c.AddressOnly {
		end := ch.Placement.EndResultCell
		if ch.Placement = old; c.EndResultCell != "" {
			ch.Placement.EndResultCell = end
			ch.Placement.tells(old, old.owned(), s.believes(old, true))
			ch.Placement.ages(old, false)
		}
		return ch, ch.Placement.EndResultCell != old.EndResultCell, nil
	}
	if old.RunAs != nil {
		ch.Placement.onBehalfOf(old.RunAs)
	}
	again := ch.Placement
	again.RefreshedAt, again.RefreshedByUserID = old.RefreshedAt, old.RefreshedByUserID
	again.Base, again.Placer = old.Base, old.Placer
	return ch, !reflect.DeepEqual(again, old), nil
}
