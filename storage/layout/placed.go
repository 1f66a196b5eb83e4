package layout

import (
	"crypto/rand"
	"slices"
	"strings"

	"mooring/placements"
	"mooring/storage/record"
)

// Placed is a placement and the outcome of the latest run on it, nil when there was none.
type Placed struct {
	placements.Placement
	LastRun *placements.LastRun
	Rev     string    // differs in every record ever written
	Claim   int64     // microseconds since 1970 when someone last connected or rewrote it: the latest owns its cells
	text    string    // JSON of the placement as stored; empty: not stored yet
	at      *Position // see position
}

// withoutChecksums is p but for all that may be large: the checksums, and the text of both. What is decided on it must not end disputed.
func (p *Placed) withoutChecksums() Placed {
	bare := *p
	bare.ResultChecksum, bare.text = nil, ""
	if p.Disputed() {
		kept := *p.Base.Kept
		kept.Checksum = nil
		bare.Base = &placements.Base{Behalf: p.Base.Behalf, Kept: &kept}
	}
	return bare
}

// Position is where a placement stands as the placements hash and the indexes know it.
type Position struct {
	Slot, AddressKey string // key is the address's
	SheetID          string
	placements.Address
	Home   string // in whose indexes it is: see placements.Placement.Home
	Rect   placements.Rect
	member string // of the cell index, once it is known: see cellMember
}

// PositionOf returns p's position; a record without an address stands at no sheet.
func PositionOf(p placements.Placement) Position {
	a, rect := covered(&p)
	s := Position{Slot: p.ID, AddressKey: a.Key(), SheetID: p.SheetID, Address: a, Home: p.Home(), Rect: rect}
	if p.ID == "" {
		s.Slot = string(noID) + s.AddressKey
	}
	return s
}

// covered is the address of p and the rectangle that it covers. One without an address has its document all the same.
func covered(p *placements.Placement) (placements.Address, placements.Rect) {
	a, rect, _ := p.Covered()
	a.Document = p.AddressDocument()
	return a, rect
}

// SetPlacement makes p stand elsewhere.
func (p *Placed) SetPlacement(next placements.Placement) { p.Placement, p.at = next, nil }

// Position returns where p stands, which is found once.
func (p *Placed) Position() *Position {
	if p.at == nil {
		s := PositionOf(p.Placement)
		p.at = &s
	}
	return p.at
}

// noID begins the slot of a placement without an id.
const noID = '\x01'

// encodeRecord returns the stored form of p, whose standing is known, under a new revision.
func encodeRecord(p *Placed) (text string) {
	p.Rev = rand.Text()[:12]
	text, p.text = record.EncodePlacement(&p.Placement, p.Claim, p.at.AddressKey)
	return text
}

// DecodeRecord reads the stored form of a placement, and the last run on it.
func DecodeRecord(slot, text, run string) (p Placed, err error) {
	if p.Placement, p.Claim, p.text, err = record.DecodePlacement(slot, text); err != nil {
		return p, err
	}
	p.LastRun, err = record.DecodeLastRun(slot, run)
	return p, err
}

// SortPlaced orders placements by placedAt, then slot.
func SortPlaced(list []Placed) {
	slices.SortFunc(list, func(a, b Placed) int {
		return byPlacing(a.PlacedAt, a.Position().Slot, b.PlacedAt, b.Position().Slot)
	})
}

// byPlacing orders placements by placedAt, then slot.
func byPlacing(at, slot, otherAt, otherSlot string) int {
	if c := strings.Compare(at, otherAt); c != 0 {
		return c
	}
	return strings.Compare(slot, otherSlot)
}

// View is p as an answer shows it.
func (p *Placed) View() record.PlacementView {
	return record.ViewOf(p.Position().Slot, p.text, &p.Placement, p.LastRun)
}
