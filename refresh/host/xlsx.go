package host

import (
	"context"
	"fmt"
	"io/fs"
	"os"

	"mooring/checksum"
	"mooring/placements"
)

// XLSX is the host of .xlsx files under one folder. A document's id is its file name there, subfolders included. A write
// unpacks and replaces only the parts that change; the rest of the file is copied as packed. It keeps no state between calls.
type XLSX struct{ root *os.Root }

var _ Host = (*XLSX)(nil)

// NewXLSX opens the folder. No path that leaves it, by whatever means, is followed.
func NewXLSX(dir string) (*XLSX, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("dir: %w", err)
	}
	return &XLSX{root: root}, nil
}

// Close lets the folder go.
func (x *XLSX) Close() error { return x.root.Close() }

// CanShift is false: rows of a block are rewritten, which costs the same here.
func (x *XLSX) CanShift() bool { return false }

// Check proves that the folder is there and readable.
func (x *XLSX) Check(context.Context) error {
	if _, err := fs.ReadDir(x.root.FS(), "."); err != nil {
		return &placements.Fault{
			Class:   placements.Auth,
			Message: "The folder of spreadsheets cannot be read: check that it exists and that the service may read it.",
			Err:     err,
		}
	}
	return nil
}

// Read reads a block as Host says; the sheet is unpacked as far as the block reaches.
func (x *XLSX) Read(ctx context.Context, b Block, want checksum.Extent) (View, error) {
	name, err := x.locate(b.Document)
	if err != nil {
		return View{}, err
	}
	if err := x.heldOpen(b.Document, name); err != nil {
		return View{}, err
	}
	p, err := x.openXLSX(b.Document, name)
	if err != nil {
		return View{}, err
	}
	defer p.close()
	wb, err := p.workbook()
	if err != nil {
		return View{}, err
	}
	at, err := wb.locate(b)
	if err != nil {
		return View{}, err
	}
	v := View{Marked: at.marked, SheetID: at.sheet.id, Sheet: at.sheet.name, Anchor: at.anchor, Extent: at.extent, Revision: p.revision, Calls: 1}
	v.Cells, v.Formulas, err = p.readSheet(ctx, wb, at.sheet, covering(at.anchor, at.extent, want))
	return v, err
}

// covering is the rectangle from anchor that covers both extents, as far as the sheet goes.
func covering(anchor placements.Anchor, a, b checksum.Extent) placements.Rect {
	return placements.Rect{
		Top: anchor.Row, Left: anchor.Column,
		Bottom: min(anchor.Row+max(a.Rows, b.Rows)-1, placements.MaxRow),
		Right:  min(anchor.Column+max(a.Columns, b.Columns)-1, placements.MaxColumn),
	}
}
