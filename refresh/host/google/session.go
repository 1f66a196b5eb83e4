package google

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/host"
	"mooring/refresh/host/rest"
)

// session is a document and what the session's requests told of it, which a Write needs beside its patches and so does not
// have to ask for.
type session struct {
	*Sheets
	document string
	read     rest.Standings
	known    bool            // names and sheets are as they were last read; not so after a write
	complete bool            // sheets and names are all that there are
	names    []namedRange    // that mark something; all of them only when complete
	sheets   map[int64]sheet // by their ids
	stamps   []metadata      // of the document

	parameters rest.ParameterMoves
	generation int64         // of the markers that are added
	identity   host.Identity // that the next write has the document say
}

var _ host.Follower = (*session)(nil)

// Open is Driver's. It sends nothing: the first Read or Write finds out whether the document is there.
func (g *Sheets) Open(ctx context.Context, document string) (host.Session, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := g.faults.InvalidDocument(document); err != nil {
		return nil, err
	}
	return &session{Sheets: g, document: document, sheets: map[int64]sheet{}, generation: 1}, nil
}

// Close ends the session, of which the service knows nothing.
func (s *session) Close() error { return nil }

// learn keeps what an answer holds. complete says that it holds every sheet.
func (s *session) learn(p *page, complete bool) {
	if complete || !s.known {
		clear(s.sheets)
		s.complete = complete
	}
	for _, sheet := range p.sheets {
		s.sheets[sheet.ID] = sheet
	}
	if complete || !s.known {
		s.names, s.stamps = nil, nil
	}
	s.known = true
	for _, m := range p.stamps {
		s.stamps = append(slices.DeleteFunc(s.stamps, func(old metadata) bool { return old.ID == m.ID }), m)
	}
	for _, n := range p.names {
		s.names = append(slices.DeleteFunc(s.names, func(old namedRange) bool { return old.ID == n.ID }), n)
	}
}

// forget is due after a write: what was learnt is out of date.
func (s *session) forget() { s.known, s.complete = false, false }

// foundMarker is what a Write must know of a placement's marker.
type foundMarker struct {
	id     string            // the API's; empty when there is no marker
	sheet  int64             // that it is on
	anchor placements.Anchor // of its rectangle
	extent checksum.Extent   // of its rectangle
}

// marker returns what is known of a placement's marker.
func (s *session) marker(placementID string) (m foundMarker) {
	n := findGoogleName(s.names, markerName(placementID))
	if n == nil {
		return m
	}
	r := *n.Range
	r.bound(s.sheets[r.SheetID])
	return foundMarker{id: n.ID, sheet: r.SheetID, anchor: r.anchor(), extent: r.extent()}
}

// marked are the blocks that were read, and all those whose markers are known.
func (s *session) marked() rest.Standings {
	all := s.read
	for _, n := range s.names {
		if n.Range != nil && s.marksBlock(n.Name) {
			r := *n.Range
			r.bound(s.sheets[r.SheetID])
			all = all.With(strconv.FormatInt(r.SheetID, 10), r.anchor(), r.extent())
		}
	}
	return all
}

// marksBlock reports whether a named range marks a block, or a single cell beside one, and not cells that a parameter of another block takes
// its value from.
func (s *session) marksBlock(name string) bool {
	of, ok := parameterOf(name)
	return isMarker(name) && (!ok || findGoogleName(s.names, of) == nil)
}

// covers reports whether the marker covers just that rectangle.
func (m foundMarker) covers(sheet int64, a placements.Anchor, e checksum.Extent) bool {
	return m.stands(sheet, a) && m.extent == rest.AtLeastOne(e)
}

// set is the request that makes the marker cover a range, of that name where there is none yet.
func (m foundMarker) set(name string, to gridRange) map[string]any {
	marker := namedRange{ID: m.id, Name: name, Range: &to}
	if m.id == "" {
		return map[string]any{"addNamedRange": map[string]any{"namedRange": marker}}
	}
	return map[string]any{"updateNamedRange": map[string]any{"namedRange": marker, "fields": "range"}}
}

// stands reports whether the marker begins there.
func (m foundMarker) stands(sheet int64, a placements.Anchor) bool {
	return m.id != "" && m.sheet == sheet && m.anchor == a
}

// sheetOf finds the sheet of a block that was read, or else by its title.
func (s *session) sheetOf(b host.Block) (sheet, bool) {
	if id, err := strconv.ParseInt(b.SheetID, 10, 64); err == nil {
		sheet, ok := s.sheets[id]
		return sheet, ok
	}
	for _, sheet := range s.sheets {
		if strings.EqualFold(sheet.Title, b.Sheet) {
			return sheet, true
		}
	}
	return sheet{}, false
}
