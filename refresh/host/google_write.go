package host

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"net/http"
	"net/url"
	"strconv"

	"mooring/placements"
)

// googleMaxCells is the most cells that a spreadsheet may have, empty ones included.
const googleMaxCells = 10_000_000

// Write is Session's. Everything goes in one atomic request; only patches over 2 MB take more, each atomic, the markers being
// set with the last, so that a half-written block is still found as the old one.
func (s *googleSession) Write(ctx context.Context, patches []Patch) ([]Written, error) {
	if err := checkPatches(s.document, patches); err != nil {
		return nil, err
	}
	w := googleWriting{googleSession: s, grow: map[int64]googleGrowth{}}
	for i := range patches {
		w.blocks = append(w.blocks, placedPatch{Patch: &patches[i], index: i})
	}
	if err := w.prepare(ctx); err != nil {
		return nil, err
	}
	requests, err := w.requests()
	if err != nil {
		return nil, err
	}
	markers, err := w.markers()
	if err != nil {
		return nil, err
	}
	if err := w.send(ctx, append(requests, markers...), len(markers)); err != nil {
		return nil, err
	}
	return w.written(), nil
}

// googleWriting is one Write in progress.
type googleWriting struct {
	*googleSession
	blocks []placedPatch // in the order in which they are written, once prepared
	grow   map[int64]googleGrowth
	calls  int
	roomy  bool // sheets grow by as much as is inserted
}

// googleGrowth is how many rows and columns a sheet must grow by.
type googleGrowth struct{ rows, columns int }

// written says what was done, in the order that the caller gave.
func (w *googleWriting) written() []Written {
	written := make([]Written, len(w.blocks))
	for _, b := range w.blocks {
		written[b.index].count(b.Patch)
		written[b.index].Held = b.found
	}
	if len(written) > 0 {
		written[0].Calls = w.calls
	}
	return written
}

// prepare learns what the patches need of the document, and refuses what the document cannot hold. A document that must grow
// is looked at again, since all sheets' cells count.
func (w *googleWriting) prepare(ctx context.Context) error {
	if !w.knows() {
		if err := w.look(ctx); err != nil {
			return err
		}
	}
	if err := w.place(); err != nil {
		return err
	}
	if len(w.grow) > 0 && !w.complete {
		if err := w.look(ctx); err != nil {
			return err
		}
		if err := w.place(); err != nil {
			return err
		}
	}
	if len(w.grow) > 0 {
		return w.checkCells()
	}
	return nil
}

// knows reports whether the session has all that it needs to know of the patches' blocks.
func (w *googleWriting) knows() bool {
	for _, b := range w.blocks {
		if _, ok := w.sheetOf(b.Block); !ok {
			return false
		}
	}
	return w.known
}

// look reads the document's names and sheets.
func (w *googleWriting) look(ctx context.Context) error {
	w.calls++
	page, err := w.overview(ctx, w.document)
	if err != nil {
		return err
	}
	w.learn(page, true)
	return nil
}

// place finds where each block stands, and takes note of how much the sheets must grow. One that was found by its marker, or that was
// not read and has one, must have it there; else the document changed, a Transient fault.
func (w *googleWriting) place() error {
	clear(w.grow)
	for i := range w.blocks {
		b := &w.blocks[i]
		sheet, ok := w.sheetOf(b.Block)
		if !ok {
			return w.faults.noSheet(w.document, b.Block.Sheet)
		}
		if !sheet.isGrid() {
			return w.faults.noCells(w.document, sheet.Title)
		}
		b.sheet, b.at = strconv.FormatInt(sheet.ID, 10), b.Block.Anchor
		marker := w.marker(b.Block.PlacementID)
		must := marker.id != "" // a block that was not read may be anywhere, unless it has a marker
		if known := w.read.at(b.sheet, b.Block.Anchor); known != nil {
			b.at, must = known.now, known.marked
		}
		if must && !marker.stands(sheet.ID, b.at) {
			return w.faults.changed(w.document, nil)
		}
		b.wide = b.Extent.Columns
		if marker.stands(sheet.ID, b.at) {
			b.wide = max(b.wide, marker.extent.Columns)
		}
		w.fit(b, sheet)
	}
	bottomUp(w.blocks)
	return w.faults.checkShifts(w.document, w.blocks, w.read)
}

// fit takes note of how much a sheet must grow for a block.
func (w *googleWriting) fit(b *placedPatch, sheet googleSheet) {
	rows, columns := b.reach()
	grow := w.grow[sheet.ID]
	grow.rows = max(grow.rows, b.at.Row+rows-sheet.Grid.Rows)
	if w.roomy {
		grow.rows += b.inserted()
	}
	grow.columns = max(grow.columns, b.at.Column+columns-sheet.Grid.Columns)
	if grow != (googleGrowth{}) {
		w.grow[sheet.ID] = grow
	}
}

// checkCells refuses patches that would make the document grow beyond what the service takes.
func (w *googleWriting) checkCells() error {
	cells := 0
	for id, s := range w.sheets {
		grow := w.grow[id]
		cells += (s.Grid.Rows + grow.rows) * (s.Grid.Columns + grow.columns)
	}
	if cells > googleMaxCells {
		return w.faults.say(placements.Permanent, nil, "The spreadsheet %q would grow to %d cells, empty ones included; %s takes %d. "+
			"Remove unused rows, columns or sheets, or let the report return less.", w.document, cells, w.faults.service, googleMaxCells)
	}
	return nil
}

// send sends the requests in batches, one after the other; the last ones are markers. What the session knew of the document is then out
// of date.
func (w *googleWriting) send(ctx context.Context, requests [][]byte, markers int) error {
	parts := pack(requests, googlePartBytes, googlePartRequests)
	// All at once: a write should not have to wait halfway.
	if err := takeQuota(ctx, w.limiter, w.faults, w.writes, len(parts)); err != nil || len(parts) == 0 {
		return err
	}
	for sent := 0; len(parts) > 0; {
		w.calls++
		var looks []googleLook
		if len(parts) == 1 {
			looks = w.looks()
		}
		err := w.update(ctx, parts[0], looks)
		if isTakenName(err) && w.nextGeneration() {
			if requests, err = w.renamed(ctx, requests, markers); err != nil {
				return err
			}
			parts = pack(requests[sent:], googlePartBytes, googlePartRequests)
			continue
		}
		if isRefusedInsert(err) && sent == 0 && !w.roomy {
			if requests, markers, err = w.withRoom(ctx); err != nil {
				return err
			}
			parts = pack(requests, googlePartBytes, googlePartRequests)
			continue
		}
		if err != nil {
			return w.explain(ctx, err, sent == 0)
		}
		sent += len(parts[0])
		parts = parts[1:]
	}
	w.forget()
	w.read.wrote(w.blocks)
	return nil
}

// isTakenName reports whether a batch was refused because the name of a marker is taken.
func isTakenName(err error) bool {
	var refused *refusal
	return errors.As(err, &refused) && refused.Status == http.StatusBadRequest &&
		refused.says("Cannot add named range with name: "+googleMarkerPrefix)
}

// isRefusedInsert reports whether a batch was refused because cells could not be inserted, as happens near a sheet's end
// (estuary/connectors#332).
func isRefusedInsert(err error) bool {
	var refused *refusal
	return errors.As(err, &refused) && refused.Status == http.StatusBadRequest && refused.says("].insertRange:")
}

// withRoom is all requests anew, which first make the sheets larger by as much as is inserted.
func (w *googleWriting) withRoom(ctx context.Context) (requests [][]byte, markers int, err error) {
	w.roomy = true
	if err := w.prepare(ctx); err != nil {
		return nil, 0, err
	}
	if err := takeQuota(ctx, w.limiter, w.faults, w.writes, 1); err != nil {
		return nil, 0, err
	}
	if requests, err = w.requests(); err != nil {
		return nil, 0, err
	}
	last, err := w.markers()
	return append(requests, last...), len(last), err
}

// nextGeneration is due when a name that marks nothing is taken; false when even the time is no new name.
func (w *googleWriting) nextGeneration() bool {
	old := w.generation
	if w.generation++; w.generation > 2 {
		w.generation = w.rest.now().Unix()
	}
	return w.generation > old
}

// renamed is the requests with the markers' names in the generation that is due.
func (w *googleWriting) renamed(ctx context.Context, requests [][]byte, markers int) ([][]byte, error) {
	if err := takeQuota(ctx, w.limiter, w.faults, w.writes, 1); err != nil {
		return nil, err
	}
	anew, err := w.markers()
	return append(requests[:len(requests)-markers], anew...), err
}

// update sends one batch of requests, which the service applies whole or not at all, and looks at what cells hold then.
func (w *googleWriting) update(ctx context.Context, requests [][]byte, looks []googleLook) error {
	body := []byte(`{"requests":[`)
	body = append(body, bytes.Join(requests, []byte{','})...)
	body = append(body, ']')
	ask := call{Method: http.MethodPost, Path: w.path(w.document) + ":batchUpdate"}
	if len(looks) > 0 {
		body = appendLooks(body, looks)
		ask.Query = url.Values{"fields": {googleAnswerFields}}
	}
	ask.Body = append(body, '}')
	answer, err := w.rest.do(ctx, ask)
	if err != nil {
		return err
	}
	if len(looks) == 0 {
		return answer.Close()
	}
	defer answer.Close()
	page, err := decodeGooglePage(answer)
	if err == nil {
		hold(looks, page)
	}
	return err
}

// explain classifies a write's error. The service says "invalid" both of a request that never fits and of one that the
// document, as it is now, does not fit any more.
func (w *googleWriting) explain(ctx context.Context, err error, first bool) error {
	var refused *refusal
	if !errors.As(err, &refused) || refused.Status != http.StatusBadRequest {
		w.forget()
		if err = w.fault(ctx, w.document, err); !first {
			return w.faults.partly(w.document, err)
		}
		return err
	}
	before := w.basis()
	if err := w.look(ctx); err != nil {
		return err
	}
	if err := w.place(); err != nil {
		return err
	}
	if !first || !maps.Equal(before, w.basis()) {
		w.forget()
		return w.faults.changed(w.document, refused)
	}
	return w.fault(ctx, w.document, refused)
}

// basis is what the write builds on: of each patch, its sheet and its marker.
func (w *googleWriting) basis() map[int]googleBasis {
	basis := map[int]googleBasis{}
	for _, b := range w.blocks {
		sheet, _ := w.sheetOf(b.Block)
		basis[b.index] = googleBasis{sheet, w.marker(b.Block.PlacementID)}
	}
	return basis
}

type googleBasis struct {
	sheet  googleSheet
	marker googleMarker
}
