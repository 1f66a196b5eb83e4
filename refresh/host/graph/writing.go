package graph

import (
	"fmt"

	"mooring/checksum"
	"mooring/refresh/host"
	"mooring/refresh/host/rest"
)

// writing begins a Write.
func (s *session) writing(patches []host.Patch) (*writing, error) {
	if err := host.CheckPatches(s.document, patches); err != nil {
		return nil, err
	}
	if s.stale {
		return nil, s.changed(nil)
	}
	w := &writing{session: s, patches: patches}
	for i := range patches {
		if len(patches[i].Moves) > 0 {
			return nil, fmt.Errorf("spreadsheet %q: Microsoft Graph moves no cells", s.document)
		}
		w.blocks = append(w.blocks, rest.PlacedPatch{Patch: &patches[i], Index: i})
	}
	return w, nil
}

// writing is one Write in progress.
type writing struct {
	*session
	patches []host.Patch       // the caller's
	blocks  []rest.PlacedPatch // in the order in which they are written, once placed
	around  []around           // of each of the blocks, once read
	shown   [][]checksum.Span  // hidden rows that are shown, of each of the blocks, once read
	calls   int
}

func (w *writing) block(p *rest.PlacedPatch) *block {
	sheet, _ := w.sheetOf(p.Block)
	b := &block{PlacedPatch: p, session: w.session, name: sheet.Name}
	if read := w.read.At(p.Sheet, p.Block.Anchor); read != nil {
		b.texts = read.Texts
	}
	return b
}

// around is what a Write must know of the cells around a block that gains rows. What it does not need is nil.
type around struct {
	row    *cellArea // the row directly below the block, over the columns that shift
	first  *cellArea // the row below the header, over the same columns, whose formats rows inserted above it have
	source *cellArea // beside the row whose formulas are filled down
	beside *cellArea // beside the rows below the block that are filled

	filled map[host.Position]bool // cells of beside, counted from there, that hold something
	below  []host.Formula         // of row
	texts  []bool                 // columns of row that have a cell of the format @
}
