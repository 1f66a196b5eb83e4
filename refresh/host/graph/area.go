package graph

import (
	"context"
	"errors"
	"net/http"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/host"
	"mooring/refresh/host/rest"
)

// The service's limits are the time, 30 s, and the size of an answer, about 5 MB, of which a range that is written takes as much as one
// that is read.
const (
	rangeCells = 10_000    // a range
	batchParts = 10        // batches of ranges: as many cells as so many ranges may have
	halvings   = 8         // of a range that is too large all the same
	textFormat = "@"       // of cells in which whatever is typed is text
	general    = "General" // the format of cells that have none
)

// cellArea is a rectangle to read, and what of it was.
type cellArea struct {
	at       place
	cells    checksum.Builder
	formulas []host.Formula
	texts    []bool   // columns that have a cell of the format @
	formats  []string // number formats of the first row's cells

	noted map[host.Position]note // nil unless it is asked for
}

// note is what the value of a cell does not tell.
type note struct {
	date  bool // it is formatted as a date or a time
	blank bool // it holds an empty text
}

func newArea(at place) *cellArea {
	return &cellArea{at: at, texts: make([]bool, at.size.Columns)}
}

// part is a part of an area that a request reads.
type part struct {
	area  *cellArea
	place place
}

// part is the part of an area from a row on that a request can read.
func (s *session) part(a *cellArea, from int) part {
	rows := min(max(1, s.rangeCells/a.at.size.Columns), a.at.size.Rows-from)
	return part{a, place{
		sheet:  a.at.sheet,
		anchor: placements.Anchor{Row: a.at.anchor.Row + from, Column: a.at.anchor.Column},
		size:   checksum.Extent{Rows: rows, Columns: a.at.size.Columns},
	}}
}

// nextParts are the next parts of areas that fit into one batch.
func (s *session) nextParts(areas []*cellArea, most int) (next []part) {
	cells := 0
	for _, a := range areas {
		for row := a.cells.Rows(); row < a.at.size.Rows; {
			part := s.part(a, row)
			cells += part.place.size.Rows * part.place.size.Columns
			if len(next) > 0 && (len(next) == most || cells > batchParts*s.rangeCells) {
				return next
			}
			next = append(next, part)
			row += part.place.size.Rows
		}
	}
	return next
}

func (s *session) partRequests(parts []part) []request {
	requests := make([]request, len(parts))
	for i, p := range parts {
		requests[i] = newGet(s.rangePath(s.document, p.place) + rangeFields)
	}
	return requests
}

// take adds the parts that were read to their areas. One that was too large, and those behind it, are left to be read in smaller ones.
func (s *session) take(parts []part, replies []reply) error {
	for i, p := range parts {
		var cells rangeData
		err := s.decode(replies[i], &cells)
		if isTooMuch(err) && s.halve(p.place.size) {
			return nil
		}
		if err == nil {
			err = cells.add(p.area)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// halve makes the ranges to come half as large as one that was too large; false when they are as small as they get.
func (s *session) halve(size checksum.Extent) bool {
	if s.halvings == halvings || size.Rows*size.Columns == 1 {
		return false
	}
	s.halvings++
	s.rangeCells = max(1, size.Rows*size.Columns/2)
	return true
}

// isTooMuch reports whether a range was too large for the service.
func isTooMuch(err error) bool {
	var refused *rest.Refusal
	if !errors.As(err, &refused) {
		return false
	}
	switch refused.Status {
	case http.StatusRequestEntityTooLarge, http.StatusGatewayTimeout:
		return true
	}
	return refused.Says("ResponsePayloadSizeLimitExceeded", "rangeExceedsLimit")
}

// rangePath is the path of a rectangle.
func (s *session) rangePath(document string, p place) string {
	return s.sheetPath(document, p.sheet) + "/range(address='" + p.address() + "')"
}

func (s *session) sheetPath(document, sheet string) string {
	return s.workbook(document) + "/worksheets" + odataKey(sheet)
}

// address is a rectangle in A1 notation, without its sheet.
func (p place) address() string {
	end := placements.Anchor{Row: p.anchor.Row + p.size.Rows - 1, Column: p.anchor.Column + p.size.Columns - 1}
	return p.anchor.String() + ":" + end.String()
}

// name is a rectangle as messages name it: a cell, or its corners.
func (p place) name() string {
	if p.size.Rows*p.size.Columns == 1 {
		return p.anchor.String()
	}
	return p.address()
}

// halves are the two halves of a rectangle of more than one cell, across its longer side.
func (p place) halves() []place {
	a, b := p, p
	if p.size.Rows >= p.size.Columns {
		a.size.Rows /= 2
		b.size.Rows -= a.size.Rows
		b.anchor.Row += a.size.Rows
	} else {
		a.size.Columns /= 2
		b.size.Columns -= a.size.Columns
		b.anchor.Column += a.size.Columns
	}
	return []place{a, b}
}

// readAreas reads what is left of areas, outside the count of a Read's requests.
func (s *session) readAreas(ctx context.Context, areas []*cellArea) error {
	for {
		parts := s.nextParts(areas, batchRequests)
		if len(parts) == 0 {
			return nil
		}
		if err := rest.TakeQuota(ctx, s.limiter, s.faults, s.quotas, len(parts)); err != nil {
			return err
		}
		replies, err := s.send(ctx, s.partRequests(parts))
		if isTooMuch(err) && s.halve(parts[0].place.size) {
			continue
		}
		if err == nil {
			err = s.take(parts, replies)
		}
		if err != nil {
			return err
		}
	}
}
