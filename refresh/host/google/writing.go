package google

import (
	"mooring/refresh/host"
	"mooring/refresh/host/rest"
)

// writing begins a Write.
func (s *session) writing(patches []host.Patch) (*writing, error) {
	if err := host.CheckPatches(s.document, patches); err != nil {
		return nil, err
	}
	w := &writing{session: s, patches: patches, grow: map[int64]growth{}}
	for i := range patches {
		w.blocks = append(w.blocks, rest.PlacedPatch{Patch: &patches[i], Index: i})
	}
	return w, nil
}

// writing is one Write in progress.
type writing struct {
	*session
	patches []host.Patch       // the caller's
	blocks  []rest.PlacedPatch // in the order in which they are written, once prepared
	grow    map[int64]growth
	around  []around      // of each of the blocks
	hiding  []rest.Hiding // rows in which something comes to stand that was not hidden, likewise
	calls   int
	roomy   bool // sheets grow by as much as is inserted
	silent  bool // the document is not made to say which one it is
}

// growth is how many rows and columns a sheet must grow by.
type growth struct{ rows, columns int }

// around is what a Write must know of the cells around a block that gains rows. What it does not need is nil.
type around struct {
	below  []host.Formula         // of the row directly below the block, over the columns that shift
	texts  []bool                 // columns that have a cell of text format there
	source *gridData              // beside the row whose formulas are filled down
	filled map[host.Position]bool // cells beside the rows below the block, counted from there, that hold something
}
