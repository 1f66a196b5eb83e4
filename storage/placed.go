package storage

import (
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
	at      *position // see position
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

// position is where a placement stands as the placements hash and the indexes know it.
type position struct {
	slot, key string // key is the address's
	sheetID   string
	placements.Address
	document string // in whose indexes it is: see placements.Placement.Home
	rect     placements.Rect
	member   string // of the cell index, once it is known: see cellMember
}

// positionOf returns p's position; a record without an address stands at no sheet.
func positionOf(p placements.Placement) position {
	a, rect := covered(&p)
	s := position{slot: p.ID, key: a.Key(), sheetID: p.SheetID, Address: a, document: p.Home(), rect: rect}
	if p.ID == "" {
		s.slot = string(noID) + s.key
	}
	return s
}

// covered is the address of p and the rectangle that it covers. One without an address has its document all the same.
func covered(p *placements.Placement) (placements.Address, placements.Rect) {
	a, rect, _ := p.Covered()
	a.Document = p.AddressDocument()
	return a, rect
}

// position returns where p stands, which is found once.
func (p *Placed) position() *position {
	if p.at == nil {
		s := positionOf(p.Placement)
		p.at = &s
	}
	return p.at
}

// Report is a saved query with its visualization (interface.md, Report), and its placements.
type Report struct {
	record.ReportHead
	record.LastRefresh
	Placements []Placed `json:"-"` // ordered by placedAt, then id
	echoes     string   // slot of the placement that Echo repeats, empty for none
}

// decoded is a definition and the text that it was decoded from.
type decoded struct {
	text string
	record.Definition
}

// reportRef names a report within the storage.
type reportRef struct {
	prefix string // of the deployment's keys
	id     int64
}

func (k deploymentKeys) ref(report int64) reportRef {
	return reportRef{k.DeploymentKeys.Prefix, report}
}

// placedRef names a placement of a report: by its slot, and by the key of its address.
type placedRef struct {
	report reportRef
	name   string
}

// placeKey is what writers of placements go one after the other for: a report, and a placement's address or id in it.
type placeKey struct {
	report reportRef
	place  string
}

// candidates names those placements of a report that a connect, a disconnect or a refresh may concern, so that its cost does not grow
// with the report: the one of that id, the one at that address, all at that sheet and anchor, and, where none has the address, all at that
// anchor of the sheet with that id. With a document, placements of other reports that have the id there are counted. Empty texts name none.
type candidates struct{ id, key, spot, sheet, document string }

// noID begins the slot of a placement without an id.
const noID = '\x01'
