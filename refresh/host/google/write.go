package google

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"net/http"
	"net/url"
	"strconv"

	"mooring/placements"
	"mooring/refresh/host"
	"mooring/refresh/host/rest"
)

// maxCells is the most cells that a spreadsheet may have, empty ones included.
const maxCells = 10_000_000

// Write is Session's. Everything goes in one atomic request; only patches over 2 MB take more, each atomic, the markers being
// set with the last, so that a half-written block is still found as the old one.
func (s *session) Write(ctx context.Context, patches []host.Patch) ([]host.Written, error) {
	w, err := s.writing(patches)
	if err != nil {
		return nil, err
	}
	if err := w.prepare(ctx); err != nil {
		return nil, err
	}
	if err := w.lookAround(ctx); err != nil {
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

// writing begins a Write.
func (s *session) writing(patches []host.Patch) (*writing, error) {
	if err := host.CheckPatches(s.document, patches); err != nil {
		return nil, err
	}
	w := &writing{session: s, grow: map[int64]growth{}}
	for i := range patches {
		w.blocks = append(w.blocks, rest.PlacedPatch{Patch: &patches[i], Index: i})
	}
	return w, nil
}

// writing is one Write in progress.
type writing struct {
	*session
	blocks []rest.PlacedPatch // in the order in which they are written, once prepared
	grow   map[int64]growth
	around []around // of each of the blocks
	calls  int
	roomy  bool // sheets grow by as much as is inserted
}

// growth is how many rows and columns a sheet must grow by.
type growth struct{ rows, columns int }

// written returns what was done, in the order of the caller's patches.
func (w *writing) written() []host.Written {
	written := make([]host.Written, len(w.blocks))
	for _, b := range w.blocks {
		written[b.Index].Count(b.Patch)
		written[b.Index].Held = b.Found
	}
	if len(written) > 0 {
		written[0].Calls = w.calls
	}
	return written
}

// prepare learns what the patches need of the document, and refuses what the document cannot hold. A document that must grow
// is looked at again, since all sheets' cells count.
func (w *writing) prepare(ctx context.Context) error {
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
func (w *writing) knows() bool {
	for _, b := range w.blocks {
		if _, ok := w.sheetOf(b.Block); !ok {
			return false
		}
	}
	return w.known
}

// look reads the document's names and sheets.
func (w *writing) look(ctx context.Context) error {
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
func (w *writing) place() error {
	clear(w.grow)
	for i := range w.blocks {
		b := &w.blocks[i]
		sheet, ok := w.sheetOf(b.Block)
		if !ok {
			return w.faults.NoSheet(w.document, b.Block.Sheet)
		}
		if !sheet.isGrid() {
			return w.faults.NoCells(w.document, sheet.Title)
		}
		b.Sheet, b.Title, b.At = strconv.FormatInt(sheet.ID, 10), sheet.Title, b.Block.Anchor
		marker := w.marker(b.Block.PlacementID)
		must := marker.id != "" // a block that was not read may be anywhere, unless it has a marker
		if known := w.read.At(b.Sheet, b.Block.Anchor); known != nil {
			b.At, must = known.Now, known.Marked
		}
		if must && !marker.stands(sheet.ID, b.At) {
			return w.faults.Changed(w.document, nil)
		}
		if b.Had = b.Extent; marker.stands(sheet.ID, b.At) {
			b.Had = marker.extent
		}
		b.Band(sheet.Grid.Columns)
		w.fit(b, sheet)
	}
	rest.BottomUp(w.blocks)
	return w.faults.CheckShifts(w.document, w.blocks, w.read)
}

// fit takes note of how much a sheet must grow for a block.
func (w *writing) fit(b *rest.PlacedPatch, sheet sheet) {
	rows, columns := b.Reach()
	grow := w.grow[sheet.ID]
	grow.rows = max(grow.rows, b.At.Row+rows-sheet.Grid.Rows)
	if w.roomy {
		grow.rows += b.Inserted()
	}
	grow.columns = max(grow.columns, b.At.Column+columns-sheet.Grid.Columns)
	if grow != (growth{}) {
		w.grow[sheet.ID] = grow
	}
}

// checkCells refuses patches that would make the document grow beyond what the service takes.
func (w *writing) checkCells() error {
	cells := 0
	for id, s := range w.sheets {
		grow := w.grow[id]
		cells += (s.Grid.Rows + grow.rows) * (s.Grid.Columns + grow.columns)
	}
	if cells > maxCells {
		return w.faults.Say(placements.Permanent, nil, "The spreadsheet %q would grow to %d cells, empty ones included; %s takes %d. "+
			"Remove unused rows, columns or sheets, or let the report return less.", w.document, cells, w.faults.Service, maxCells)
	}
	return nil
}

// send sends the requests in batches, one after the other; the last ones are markers. What the session knew of the document is then out
// of date.
func (w *writing) send(ctx context.Context, requests [][]byte, markers int) error {
	parts := pack(requests, partBytes, partRequests)
	// All at once: a write should not have to wait halfway.
	if err := rest.TakeQuota(ctx, w.limiter, w.faults, w.writes, len(parts)); err != nil || len(parts) == 0 {
		return err
	}
	for sent := 0; len(parts) > 0; {
		w.calls++
		var looks []lookup
		if len(parts) == 1 {
			looks = w.looks()
		}
		err := w.update(ctx, parts[0], looks)
		if isTakenName(err) && w.nextGeneration() {
			if requests, err = w.renamed(ctx, requests, markers); err != nil {
				return err
			}
			parts = pack(requests[sent:], partBytes, partRequests)
			continue
		}
		if isRefusedInsert(err) && sent == 0 && !w.roomy {
			if requests, markers, err = w.withRoom(ctx); err != nil {
				return err
			}
			parts = pack(requests, partBytes, partRequests)
			continue
		}
		if err != nil {
			return w.explain(ctx, err, sent == 0)
		}
		sent += len(parts[0])
		parts = parts[1:]
	}
	w.forget()
	w.read.Wrote(w.blocks)
	return nil
}

// isTakenName reports whether a batch was refused because the name of a marker is taken.
func isTakenName(err error) bool {
	var refused *rest.Refusal
	return errors.As(err, &refused) && refused.Status == http.StatusBadRequest &&
		refused.Says("Cannot add named range with name: "+markerPrefix)
}

// isRefusedInsert reports whether a batch was refused because cells could not be inserted, as happens near a sheet's end
// (estuary/connectors#332).
func isRefusedInsert(err error) bool {
	var refused *rest.Refusal
	return errors.As(err, &refused) && refused.Status == http.StatusBadRequest && refused.Says("].insertRange:")
}

// withRoom is all requests anew, which first make the sheets larger by as much as is inserted.
func (w *writing) withRoom(ctx context.Context) (requests [][]byte, markers int, err error) {
	w.roomy = true
	if err := w.prepare(ctx); err != nil {
		return nil, 0, err
	}
	if err := rest.TakeQuota(ctx, w.limiter, w.faults, w.writes, 1); err != nil {
		return nil, 0, err
	}
	if requests, err = w.requests(); err != nil {
		return nil, 0, err
	}
	last, err := w.markers()
	return append(requests, last...), len(last), err
}

// nextGeneration is due when a name that marks nothing is taken; false when even the time is no new name.
func (w *writing) nextGeneration() bool {
	old := w.generation
	if w.generation++; w.generation > 2 {
		w.generation = w.rest.Now().Unix()
	}
	return w.generation > old
}

// renamed is the requests with the markers' names in the generation that is due.
func (w *writing) renamed(ctx context.Context, requests [][]byte, markers int) ([][]byte, error) {
	if err := rest.TakeQuota(ctx, w.limiter, w.faults, w.writes, 1); err != nil {
		return nil, err
	}
	anew, err := w.markers()
	return append(requests[:len(requests)-markers], anew...), err
}

// update sends one batch of requests, which the service applies whole or not at all, and looks at what cells hold then.
func (w *writing) update(ctx context.Context, requests [][]byte, looks []lookup) error {
	body := []byte(`{"requests":[`)
	body = append(body, bytes.Join(requests, []byte{','})...)
	body = append(body, ']')
	ask := rest.Call{Method: http.MethodPost, Path: w.path(w.document) + ":batchUpdate"}
	if len(looks) > 0 {
		body = appendLooks(body, looks)
		ask.Query = url.Values{"fields": {answerFields}}
	}
	ask.Body = append(body, '}')
	answer, err := w.rest.Do(ctx, ask)
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
func (w *writing) explain(ctx context.Context, err error, first bool) error {
	var refused *rest.Refusal
	if !errors.As(err, &refused) || refused.Status != http.StatusBadRequest {
		w.forget()
		if err = w.fault(ctx, w.document, err); !first {
			return w.faults.Partly(w.document, err)
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
		return w.faults.Changed(w.document, refused)
	}
	return w.fault(ctx, w.document, refused)
}

// basis is what the write builds on: of each patch, its sheet and its marker.
func (w *writing) basis() map[int]writeBasis {
	basis := map[int]writeBasis{}
	for _, b := range w.blocks {
		sheet, _ := w.sheetOf(b.Block)
		basis[b.Index] = writeBasis{sheet, w.marker(b.Block.PlacementID)}
	}
	return basis
}

type writeBasis struct {
	sheet  sheet
	marker foundMarker
}
