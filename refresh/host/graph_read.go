package host

import (
	"context"
	"net/http"
	"strings"

	"mooring/checksum"
	"mooring/placements"
)

// The service answers no more than about 5 MB; the values, formulas and types of a batch of so many cells stay below it, unless
// the cells hold long text.
const (
	graphReadCells  = 25_000  // a range
	graphBatchCells = 100_000 // a batch
)

// Read is Session's. One request does when all blocks stand at their stored addresses, are no more than 17 and have no more than
// 100,000 cells.
func (s *graphSession) Read(ctx context.Context, wanted []Wanted) ([]Found, error) {
	r := graphReading{graphSession: s, found: make([]Found, len(wanted))}
	if !s.known {
		s.read = nil
	}
	for i, w := range wanted {
		b := &graphSought{Wanted: w, into: &r.found[i]}
		b.lookAt(graphCovering(w.Block.Sheet, w.Block.Anchor, w.Extent))
		r.blocks = append(r.blocks, b)
	}
	if err := r.run(ctx); err != nil {
		return nil, s.fault(ctx, s.document, err)
	}
	if len(r.found) > 0 {
		r.found[0].View.Calls = r.calls
	}
	return r.found, nil
}

// graphReading is one Read in progress.
type graphReading struct {
	*graphSession
	found  []Found
	blocks []*graphSought
	calls  int
}

// graphSought is a block to read, and how much of it was.
type graphSought struct {
	Wanted
	into     *Found
	at       graphPlace
	parts    []graphPlace // of at that are still to be read
	cells    checksum.Builder
	formulas []Formula
}

// lookAt makes a rectangle the one to read, in parts that the service can answer.
func (b *graphSought) lookAt(at graphPlace) {
	b.at, b.parts, b.cells, b.formulas = at, nil, checksum.Builder{}, nil
	rows := max(1, graphReadCells/at.size.Columns)
	for from := 0; from < at.size.Rows; from += rows {
		b.parts = append(b.parts, graphPlace{
			sheet:  at.sheet,
			anchor: placements.Anchor{Row: at.anchor.Row + from, Column: at.anchor.Column},
			size:   checksum.Extent{Rows: min(rows, at.size.Rows-from), Columns: at.size.Columns},
		})
	}
}

// run reads the blocks. The first batch tells what is in the document and reads, as far as it goes, where the blocks are said to stand;
// further ones read the rest, and all must belong to the same state of the document.
func (r *graphReading) run(ctx context.Context) error {
	if !r.known {
		if err := r.first(ctx); err != nil {
			return err
		}
	}
	var left []*graphSought
	for _, b := range r.blocks {
		if r.locate(b) {
			left = append(left, b)
		}
	}
	for {
		next := nextParts(left, graphBatchRequests-1)
		if len(next) == 0 && r.calls > 0 {
			break
		}
		if err := r.further(ctx, next); err != nil {
			return err
		}
	}
	for _, b := range left {
		r.finish(b)
	}
	return nil
}

// graphPart is a part of a block that a batch reads.
type graphPart struct {
	block *graphSought
	place graphPlace
}

// nextParts are the next parts of blocks that fit into one batch.
func nextParts(blocks []*graphSought, most int) (next []graphPart) {
	cells := 0
	for _, b := range blocks {
		for _, part := range b.parts {
			cells += part.size.Rows * part.size.Columns
			if len(next) > 0 && (len(next) == most || cells > graphBatchCells) {
				return next
			}
			next = append(next, graphPart{b, part})
		}
	}
	return next
}

func (r *graphReading) requests(parts []graphPart) []graphRequest {
	var requests []graphRequest
	for _, p := range parts {
		requests = append(requests, graphGet(r.rangePath(r.document, p.place)+graphRangeFields))
	}
	return requests
}

// first sends the batch that tells what is in the document. A range that is not there, and those after it, are left for further ones.
func (r *graphReading) first(ctx context.Context) error {
	overview := r.overview()
	parts := nextParts(r.blocks, graphBatchRequests-len(overview))
	replies, err := r.send(ctx, append(overview, r.requests(parts)...))
	if err != nil {
		return err
	}
	if err := r.learn(ctx, replies[:len(overview)]); err != nil {
		return err
	}
	for i, reply := range replies[len(overview):] {
		err := r.take(parts[i], reply)
		if isStatus(err, http.StatusNotFound) && !isGoneSession(err) {
			break
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// further reads parts of blocks, and makes sure that they belong to the state of the document that the session knows.
func (r *graphReading) further(ctx context.Context, parts []graphPart) error {
	replies, err := r.send(ctx, append(r.requests(parts), r.tagRequest()))
	if err != nil {
		return err
	}
	for i, part := range parts {
		err := r.take(part, replies[i])
		if isStatus(err, http.StatusNotFound) && !isGoneSession(err) {
			return r.faults.changed(r.document, err)
		}
		if err != nil {
			return err
		}
	}
	return r.sameTag(replies[len(parts)])
}

// take adds a part that was read to its block.
func (r *graphReading) take(p graphPart, reply graphReply) error {
	var cells graphRange
	if err := r.decode(reply, &cells); err != nil {
		return err
	}
	var err error
	p.block.formulas, err = cells.add(&p.block.cells, p.block.formulas)
	p.block.parts = p.block.parts[1:]
	return err
}

// rangePath is the path of a rectangle.
func (g *Graph) rangePath(document string, p graphPlace) string {
	end := placements.Anchor{Row: p.anchor.Row + p.size.Rows - 1, Column: p.anchor.Column + p.size.Columns - 1}
	return g.workbook(document) + "/worksheets" + odataKey(p.sheet) + "/range(address='" + p.anchor.String() + ":" + end.String() + "')"
}

func (r *graphReading) send(ctx context.Context, requests []graphRequest) ([]graphReply, error) {
	if err := takeQuota(ctx, r.limiter, r.faults, r.quotas, len(requests)); err != nil {
		return nil, err
	}
	r.calls++
	return r.batch(ctx, requests)
}

// locate makes sure that a block is read where it stands; false when its sheet is not there.
func (r *graphReading) locate(b *graphSought) bool {
	place := graphCovering(b.Block.Sheet, b.Block.Anchor, b.Extent)
	sheet, ok := r.sheet(b.Block.Sheet)
	if marked, has := r.marker(b.Block.PlacementID); has && marked.Sheet != "" {
		if sheet, ok = r.sheet(marked.Sheet); ok {
			extent := checksum.Extent{Rows: marked.Rows, Columns: marked.Columns}
			place = graphCovering(sheet.Name, marked.Anchor, larger(b.Extent, extent))
			b.into.View.Marked, b.into.View.Extent = true, extent
		}
	} else if !ok {
		sheet, ok = r.sheetOf(b.Block) // renamed
	}
	if !ok {
		b.into.Err = r.faults.noSheet(r.document, b.Block.Sheet)
		return false
	}
	place.sheet = sheet.Name
	b.into.View.Sheet, b.into.View.SheetID, b.into.View.Anchor = sheet.Name, sheet.ID, place.anchor
	if !place.within(b.at) {
		b.lookAt(place)
	}
	return true
}

// within reports whether another rectangle covers this one from the same anchor.
func (p graphPlace) within(read graphPlace) bool {
	return strings.EqualFold(p.sheet, read.sheet) && p.anchor == read.anchor &&
		p.size.Rows <= read.size.Rows && p.size.Columns <= read.size.Columns
}

// finish hands over what was read.
func (r *graphReading) finish(b *graphSought) {
	b.into.View.Cells, b.into.View.Formulas = b.cells.Grid(), b.formulas
	r.graphSession.read.put(b.into.View)
}
