package xlsx

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"mooring/checksum"
	"mooring/refresh/host/xlsx/archive"
	"mooring/refresh/host/xlsx/part"
	"mooring/refresh/host/xlsx/sheet"
)

// frames keep tables in step with the blocks that patches write.
type frames struct {
	ctx     context.Context
	archive *archive.Archive
	parts   *sheet.Sheets
	wb      *part.Workbook
	draft   *archive.Draft
}

// grownTable is a table as it follows its block.
type grownTable struct {
	*part.Table
	sources []int // of each column, its number before or -1 for one that is new; nil where all stay as they are
}

// set makes the tables of a sheet that are blocks follow them, and refuses to change what belongs to the frame of any other: a
// heading that would no longer be its column's name, or a row of totals. A spreadsheet program takes a file with such a change for damaged.
func (f *frames) set(patch *sheet.Patches) error {
	paths, err := part.TablePaths(f.archive, patch.Sheet)
	if err != nil {
		return err
	}
	var blocks, others []part.Table
	for _, path := range paths {
		t, doc, err := f.currentTable(path)
		if err != nil {
			return err
		}
		t.Sheet = patch.Sheet
		p := patch.Owner(path)
		if p == nil {
			others = append(others, t)
			if err := f.checkTable(&t, patch); err != nil {
				return err
			}
			continue
		}
		after, err := f.followed(&t, p)
		if err != nil {
			return err
		}
		if err := f.setTable(doc, &t, after); err != nil {
			return err
		}
		p.Grown = after.Table
		blocks = append(blocks, *after.Table)
	}
	return f.checkApart(blocks, others)
}

// currentTable reads a table as it will be.
func (f *frames) currentTable(path string) (t part.Table, doc []byte, err error) {
	if doc, err = f.draft.Current(path); err != nil {
		return t, nil, err
	}
	if t, err = part.ParseTable(doc); err != nil {
		return t, nil, f.archive.Broken(fmt.Errorf("%s: %w", path, err))
	}
	t.Path = path
	return t, doc, nil
}

// checkTable refuses patches that change the frame of a table which is not their block.
func (f *frames) checkTable(t *part.Table, patch *sheet.Patches) error {
	if !patch.Touches(t.Area) {
		return nil
	}
	if t.Totals > 0 && patch.Touches(t.TotalsRows()) {
		return f.totalsInTheWay(t)
	}
	for i, heading := range t.Columns {
		if c, ok := patch.At(t.Area.Top, t.Area.Left+i); ok && t.Header && c != checksum.Str(heading) {
			return f.headingsInTheWay(t)
		}
	}
	return nil
}

// checkApart refuses to let a table grow into another one.
func (f *frames) checkApart(blocks, others []part.Table) error {
	for i := range blocks {
		for _, t := range slices.Concat(blocks[:i], others) {
			if blocks[i].Area.Intersects(t.Area) {
				return f.archive.Conflict("has table %q in the way of table %q, which grows along with the report: move one of the two.", t.Name, blocks[i].Name)
			}
		}
	}
	return nil
}

// setTable writes a table anew where it changed.
func (f *frames) setTable(doc []byte, from *part.Table, to grownTable) error {
	resized, err := from.Resize(doc, to.Area)
	if err == nil && to.sources != nil {
		resized, err = part.RenameColumns(resized, to.Columns, to.sources)
	}
	if err != nil {
		return f.archive.Broken(fmt.Errorf("%s: %w", from.Path, err))
	}
	if !bytes.Equal(doc, resized) {
		f.draft.Set(from.Path, resized)
	}
	return nil
}

// followed is the table, which is the patch's block, as it stands once the block is written. It has a row of data even where the block has
// none, as every table does. Rows that a person added to the table below the block stay in it.
func (f *frames) followed(t *part.Table, p *sheet.BlockPatch) (grownTable, error) {
	after := *t
	last := p.Block.Anchor.Row + max(p.Extent.Rows, 2) - 1
	switch {
	case t.Totals > 0:
		if last > t.Bottom() {
			return grownTable{}, f.totalsInTheWay(t)
		}
	case p.Before.Rows == 0 || p.Table.Bottom() > p.Block.Anchor.Row+p.Before.Rows-1:
		after.Area.Bottom = max(t.Area.Bottom, last)
	default:
		after.Area.Bottom = last
	}
	columns, sources, err := f.headings(t, p)
	if err != nil {
		return grownTable{}, err
	}
	after.Columns = columns
	after.Area.Right += len(columns) - len(t.Columns)
	return grownTable{&after, sources}, nil
}
