package graph

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"mooring/checksum"
	"mooring/refresh/host"
	"mooring/refresh/host/rest"
)

// Read is Session's. One request does when all blocks stand at their stored addresses, are no more than 17 and have no more than
// 100,000 cells. Reads of several ranges share a session of the service, which Calls does not count.
func (s *session) Read(ctx context.Context, wanted []host.Wanted) ([]host.Found, error) {
	found, _, err := s.readAll(ctx, wanted, nil)
	return found, err
}

// readAll reads blocks and cells of parameters, and returns how many batches that took.
func (s *session) readAll(ctx context.Context, wanted []host.Wanted, parameters []*soughtParameter) (_ []host.Found, calls int, err error) {
	if s.stale {
		return nil, 0, s.changed(nil)
	}
	r := reading{session: s, found: make([]host.Found, len(wanted)), parameters: parameters}
	if !s.known {
		s.read = nil
	}
	for i, w := range wanted {
		area := newArea(covering(w.Block.Sheet, w.Block.Anchor, w.Extent))
		r.blocks = append(r.blocks, &sought{Wanted: w, into: &r.found[i], cellArea: area})
	}
	read := r.run
	if len(wanted) == 0 && len(parameters) > 0 {
		read = r.readNamed
	}
	if err := read(ctx); err != nil {
		return nil, 0, s.fault(ctx, s.document, err)
	}
	if len(r.found) > 0 {
		r.found[0].View.Calls = r.calls
	}
	for _, p := range parameters {
		p.finish()
	}
	return r.found, r.calls, nil
}

// reading is one Read in progress.
type reading struct {
	*session
	found  []host.Found
	blocks []*sought
	cTag   string // of the document, as the first batch found it
	calls  int

	parameters []*soughtParameter
}

// sought is a block to read, and where it is looked for.
type sought struct {
	host.Wanted
	*cellArea
	into *host.Found
}

func areasOf(blocks []*sought) []*cellArea {
	areas := make([]*cellArea, len(blocks))
	for i, b := range blocks {
		areas[i] = b.cellArea
	}
	return areas
}

// run reads the blocks. The first batch lists what is in the document and reads, as far as it goes, where the blocks are said to stand;
// further ones read the rest. All should belong to one state of the document. Its tag is a hint: it lags behind the content, so that
// another one is a reason to read again.
func (r *reading) run(ctx context.Context) error {
	if len(r.nextParts(areasOf(r.blocks), 2)) > 1 {
		if err := r.enter(ctx); err != nil {
			return err
		}
	}
	for range maxGraphReads {
		err := r.once(ctx)
		if !errors.Is(err, errGraphTag) {
			return err
		}
		for _, b := range r.blocks {
			b.cellArea = newArea(b.at)
		}
		for _, p := range r.parameters {
			p.area = nil
			p.settle(p.At.Sheet, p.At.Anchor, p.Extent())
		}
	}
	return r.faults.Changed(r.document, errGraphTag)
}

// maxGraphReads bounds how often a document that changes is read.
const maxGraphReads = 3

var errGraphTag = errors.New("the document's tag changed while it was read")

// once reads all blocks. Its error is errGraphTag when the document may have changed.
func (r *reading) once(ctx context.Context) error {
	r.cTag = ""
	if err := r.first(ctx); err != nil {
		return err
	}
	var left []*sought
	for _, b := range r.blocks {
		if r.locate(b) {
			left = append(left, b)
		}
	}
	for _, p := range r.parameters {
		r.locateParameter(p)
	}
	for {
		next := r.nextParts(r.areas(left), batchRequests-1)
		if len(next) == 0 {
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

// tagRequest asks for the document's tag, sameTag reads the reply.
func (r *reading) tagRequest() request {
	return newGet(r.item(r.document) + "?$select=cTag")
}

func (r *reading) sameTag(reply reply) error {
	var item item
	if err := r.decode(reply, &item); err != nil {
		return err
	}
	if r.cTag == "" {
		r.cTag = item.CTag
	}
	if r.cTag != item.CTag {
		return errGraphTag
	}
	return nil
}

// first sends the batch that lists what is in the document. A range that is not there, and those after it, are left for further ones.
func (r *reading) first(ctx context.Context) error {
	overview := append([]request{r.tagRequest()}, r.overview()...)
	if len(r.parameters) > 0 {
		overview = append(overview, r.dateRequest())
	}
	parts := r.nextParts(r.areas(r.blocks), batchRequests-len(overview))
	replies, err := r.ask(ctx, append(overview, r.partRequests(parts)...))
	if isTooMuch(err) && len(parts) > 0 && r.halve(parts[0].place.size) {
		return r.first(ctx)
	}
	if err != nil {
		return err
	}
	if err := r.sameTag(replies[0]); err != nil {
		return err
	}
	if err := r.learn(ctx, replies[1:]); err != nil {
		return err
	}
	if len(r.parameters) > 0 && !r.learnDates(replies[len(overview)-1]) {
		return nil // what is behind it was not carried out
	}
	err = r.take(parts, replies[len(overview):])
	if rest.IsStatus(err, http.StatusNotFound) && !isGoneSession(err) {
		return nil
	}
	return err
}

// further reads parts of blocks, and sees whether the document still has the tag that the first batch found.
func (r *reading) further(ctx context.Context, parts []part) error {
	replies, err := r.ask(ctx, append(r.partRequests(parts), r.tagRequest()))
	if isTooMuch(err) && len(parts) > 0 && r.halve(parts[0].place.size) {
		return nil
	}
	if err != nil {
		return err
	}
	whole := r.rangeCells
	err = r.take(parts, replies)
	switch {
	case rest.IsStatus(err, http.StatusNotFound) && !isGoneSession(err):
		return r.changed(err)
	case err != nil || r.rangeCells < whole:
		return err // a part was too large, which kept those behind it from being carried out
	}
	return r.sameTag(replies[len(parts)])
}

// ask sends requests that count.
func (r *reading) ask(ctx context.Context, requests []request) ([]reply, error) {
	if err := rest.TakeQuota(ctx, r.limiter, r.faults, r.quotas, len(requests)); err != nil {
		return nil, err
	}
	r.calls++
	return r.send(ctx, requests)
}

// locate makes sure that a block is read where it stands; false when its sheet is not there.
func (r *reading) locate(b *sought) bool {
	*b.into = host.Found{}
	place := covering(b.Block.Sheet, b.Block.Anchor, b.Extent)
	sheet, ok := r.sheet(b.Block.Sheet)
	if marked, has := r.marker(b.Block.PlacementID); has && marked.Sheet != "" {
		if sheet, ok = r.sheet(marked.Sheet); ok {
			extent := checksum.Extent{Rows: marked.Rows, Columns: marked.Columns}
			place = covering(sheet.Name, marked.Anchor, b.Extent.Union(extent))
			b.into.View.Marked, b.into.View.Extent, b.into.View.Stamp = true, extent, r.stamp(b.Block.PlacementID)
		}
	} else if !ok {
		sheet, ok = r.sheetOf(b.Block) // renamed
	}
	if !ok {
		b.into.Err = r.faults.NoSheet(r.document, b.Block.Sheet)
		return false
	}
	place.sheet = sheet.Name
	b.into.View.Sheet, b.into.View.SheetID, b.into.View.Anchor = sheet.Name, sheet.ID, place.anchor
	if !place.within(b.at) {
		b.cellArea = newArea(place)
	}
	return true
}

// within reports whether another rectangle covers this one from the same anchor.
func (p place) within(read place) bool {
	return strings.EqualFold(p.sheet, read.sheet) && p.anchor == read.anchor &&
		p.size.Rows <= read.size.Rows && p.size.Columns <= read.size.Columns
}

// finish hands over what was read.
func (r *reading) finish(b *sought) {
	b.into.View.Cells, b.into.View.Formulas = b.cells.Grid(), b.formulas
	r.session.read.Put(b.into.View, rest.Reading{Size: b.at.size, Texts: b.texts})
}
