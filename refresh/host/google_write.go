package host

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"strconv"

	"mooring/placements"
)

// googleMaxCells is the most cells that a spreadsheet may have, empty ones included.
const googleMaxCells = 10_000_000

// Write is Host's. Everything goes in one atomic request; only a patch over 2 MB takes more, each atomic, the marker being
// set with the last, so that a half-written block is still found as the old one.
func (g *Google) Write(ctx context.Context, p Patch) (Written, error) {
	if err := g.faults.invalidDocument(p.Block.Document); err != nil {
		return Written{}, err
	}
	w := googleWriting{Google: g, patch: p}
	if err := w.prepare(ctx); err != nil {
		return w.written, err
	}
	parts, err := w.parts()
	if err != nil {
		return w.written, err
	}
	// All at once: a write should not have to wait halfway.
	if err := takeQuota(ctx, g.limiter, g.faults, g.writes, len(parts)); err != nil {
		return w.written, err
	}
	for i, part := range parts {
		w.written.Calls++
		if err := g.update(ctx, p.Block.Document, part); err != nil {
			return w.written, w.explain(ctx, err, i == 0)
		}
	}
	w.written.count(p)
	return w.written, nil
}

// googleWriting is one Write in progress.
type googleWriting struct {
	*Google
	patch   Patch
	facts   googleFacts
	written Written

	addRows, addColumns int // how much the sheet must grow
}

// prepare learns what the patch needs of the document, and refuses what the document cannot hold. A sheet that must grow
// is looked at again, since all sheets' cells count.
func (w *googleWriting) prepare(ctx context.Context) error {
	var page *googlePage
	facts, ok := w.memory.take(w.patch.Block)
	w.fit(facts)
	if !ok || !facts.stands(w.patch.Block) || w.addRows+w.addColumns > 0 {
		var err error
		if page, facts, err = w.look(ctx); err != nil {
			return err
		}
		w.fit(facts)
	}
	if w.addRows+w.addColumns > 0 {
		return w.checkCells(page)
	}
	return nil
}

// fit takes note of the facts, and of how much the sheet must grow.
func (w *googleWriting) fit(facts googleFacts) {
	w.facts = facts
	rows, columns := w.patch.reach()
	w.addRows = max(0, w.patch.Block.Anchor.Row+rows-facts.sheet.Grid.Rows)
	w.addColumns = max(0, w.patch.Block.Anchor.Column+columns-facts.sheet.Grid.Columns)
}

// look reads the document's names and sheets. A block that does not stand where the patch says is a Transient fault.
func (w *googleWriting) look(ctx context.Context) (*googlePage, googleFacts, error) {
	w.written.Calls++
	b := w.patch.Block
	page, err := w.overview(ctx, b.Document)
	if err != nil {
		return nil, googleFacts{}, err
	}
	r := googleReading{Google: w.Google, block: b}
	found, err := r.locate(page, true)
	if err == nil && !found.facts().stands(b) {
		err = w.faults.changed(b.Document, nil)
	}
	return page, found.facts(), err
}

// stands tells whether the block is where b says. One without a marker is anywhere on its sheet.
func (f googleFacts) stands(b Block) bool {
	return strconv.FormatInt(f.sheet.ID, 10) == b.SheetID && (f.markerID == "" || f.anchor == b.Anchor)
}

// checkCells refuses a patch that would make the document grow beyond what the service takes.
func (w *googleWriting) checkCells(page *googlePage) error {
	cells := 0
	for _, s := range page.sheets {
		if s.ID == w.facts.sheet.ID {
			s.Grid.Rows += w.addRows
			s.Grid.Columns += w.addColumns
		}
		cells += s.Grid.Rows * s.Grid.Columns
	}
	if cells > googleMaxCells {
		return w.faults.say(placements.Permanent, nil, "The spreadsheet %q would grow to %d cells, empty ones included; %s takes %d. "+
			"Remove unused rows, columns or sheets, or let the report return less.", w.patch.Block.Document, cells, w.faults.service, googleMaxCells)
	}
	return nil
}

// update sends one batch of requests, which the service applies whole or not at all.
func (g *Google) update(ctx context.Context, document string, requests [][]byte) error {
	body := []byte(`{"requests":[`)
	body = append(body, bytes.Join(requests, []byte{','})...)
	body = append(body, "]}"...)
	answer, err := g.rest.do(ctx, call{Method: http.MethodPost, Path: g.path(document) + ":batchUpdate", Body: body})
	if err != nil {
		return err
	}
	return answer.Close()
}

// explain classifies a write's error. The service says "invalid" both of a request that never fits and of one that the
// document, as it is now, does not fit any more.
func (w *googleWriting) explain(ctx context.Context, err error, first bool) error {
	var refused *refusal
	if !errors.As(err, &refused) || refused.Status != http.StatusBadRequest {
		return w.fault(ctx, w.patch.Block.Document, err)
	}
	_, now, lookErr := w.look(ctx)
	if lookErr != nil {
		return lookErr
	}
	if !first || now != w.facts {
		return w.faults.changed(w.patch.Block.Document, refused)
	}
	return w.fault(ctx, w.patch.Block.Document, refused)
}
