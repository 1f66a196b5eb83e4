package xlsx

import (
	"bytes"
	"fmt"
	"slices"

	"mooring/checksum"
	"mooring/placements"
)

// setTables makes the tables of a sheet that are blocks follow them, and refuses to change what belongs to the frame of any other: a
// heading that would no longer be its column's name, or a row of totals. A spreadsheet program takes a file with such a change for damaged.
func (w *writer) setTables(patch *partPatch) error {
	paths, err := w.tablePaths(patch.sheet)
	if err != nil {
		return err
	}
	var blocks, others []table
	for _, path := range paths {
		t, doc, err := w.currentTable(path)
		if err != nil {
			return err
		}
		t.sheet = patch.sheet
		p := patch.owner(path)
		if p == nil {
			others = append(others, t)
			if err := w.checkTable(&t, patch); err != nil {
				return err
			}
			continue
		}
		after, err := w.followed(&t, p)
		if err != nil {
			return err
		}
		if err := w.setTable(doc, &t, after); err != nil {
			return err
		}
		p.grown = after.table
		blocks = append(blocks, *after.table)
	}
	return w.checkApart(blocks, others)
}

// currentTable reads a table as it will be.
func (w *writer) currentTable(path string) (t table, doc []byte, err error) {
	if doc, err = w.current(path); err != nil {
		return t, nil, err
	}
	if t, err = parseTable(doc); err != nil {
		return t, nil, w.broken(fmt.Errorf("%s: %w", path, err))
	}
	t.path = path
	return t, doc, nil
}

// owner is the patch whose block is the table in that part, nil for none.
func (s *partPatch) owner(path string) *sheetPatch {
	i := slices.IndexFunc(s.patches, func(p *sheetPatch) bool { return p.table != nil && p.table.path == path })
	if i < 0 {
		return nil
	}
	return s.patches[i]
}

// checkTable refuses patches that change the frame of a table which is not their block.
func (w *writer) checkTable(t *table, patch *partPatch) error {
	if !patch.touches(t.area) {
		return nil
	}
	if t.totals > 0 && patch.touches(t.totalsRows()) {
		return w.totalsInTheWay(t)
	}
	for i, heading := range t.columns {
		if c, ok := patch.at(t.area.Top, t.area.Left+i); ok && t.header && c != checksum.Str(heading) {
			return w.headingsInTheWay(t)
		}
	}
	return nil
}

// checkApart refuses to let a table grow into another one.
func (w *writer) checkApart(blocks, others []table) error {
	for i := range blocks {
		for _, t := range slices.Concat(blocks[:i], others) {
			if blocks[i].area.Intersects(t.area) {
				return newFault(placements.Conflict, w.document, nil,
					"has table %q in the way of table %q, which grows along with the report: move one of the two.", t.name, blocks[i].name)
			}
		}
	}
	return nil
}

// setTable writes a table anew where it changed.
func (w *writer) setTable(doc []byte, from *table, to grownTable) error {
	resized, err := from.resized(doc, to.area)
	if err == nil && to.sources != nil {
		resized, err = renamed(resized, to.columns, to.sources)
	}
	if err != nil {
		return w.broken(fmt.Errorf("%s: %w", from.path, err))
	}
	if !bytes.Equal(doc, resized) {
		w.set(from.path, resized)
	}
	return nil
}
