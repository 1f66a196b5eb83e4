package shift

import (
	"strings"

	"mooring/placements"
	"mooring/refresh/host/xlsx/cursor"
)

// Part returns the function that rewrites parts of a kind, other than sheets and the workbook's own, for cells that move: nil for a kind
// that refers to no cells. kind is what a relationship calls the part, the last word of its type. The function returns doc itself where
// nothing changes; sheet is the one that the part belongs to, empty for a part of the whole workbook.
func (m *Moves) Part(kind string) func(doc []byte, sheet string) ([]byte, error) {
	switch kind {
	case "table":
		return m.table
	case "comments", "threadedComment":
		return m.comments
	case "vmlDrawing":
		return m.legacyDrawing
	case "drawing", "chartUserShapes":
		return m.drawing
	case "chart", "chartEx":
		return m.chart
	case "pivotTable":
		return m.pivotTable
	case "pivotCacheDefinition":
		return m.pivotCache
	case "ctrlProp":
		return m.control
	case "connections":
		return m.connections
	case "tableSingleCells":
		return m.singleCells
	case "namedSheetView":
		return m.sheetView
	}
	return nil
}

// comments moves comments, on threads or not, and takes out those of deleted cells. A thread's replies name the cell that it is about.
func (m *Moves) comments(doc []byte, sheet string) ([]byte, error) {
	return m.edit(doc, sheet, func(e *editor) error {
		switch string(e.Local()) {
		case "comment", "threadedComment":
		default:
			return nil
		}
		from, edits := e.From, len(e.edits)
		if e.cell("ref") {
			return nil
		}
		if at, _ := placements.ParseAnchor(e.Attr("ref")); m.pushedOff(sheet, at) {
			return &Full{sheet, at}
		}
		err := e.skip()
		e.drop(from, edits)
		return err
	})
}

// chart rewrites what a chart shows: its series, categories, titles and labels, also those that only newer programs know.
func (m *Moves) chart(doc []byte, sheet string) ([]byte, error) {
	values := false // what a series shows, and not what it is called or how exact that is
	return m.edit(doc, sheet, func(e *editor) error {
		switch string(e.Local()) {
		case "cat", "val", "xVal", "yVal", "bubbleSize", "strDim", "numDim":
			values = true
		case "ser", "series", "tx", "dLbl", "dLbls", "errBars":
			values = false
		case "f":
			if values && e.Attr("dir") != "row" {
				return e.series()
			}
			return e.formula(e.place())
		case "nf", "sqref":
			return e.formula(e.place())
		}
		return nil
	})
}

// Links returns a part's relationships with the links of its shapes to cells of the workbook rewritten, doc itself where nothing changes.
func (m *Moves) Links(doc []byte, sheet string) ([]byte, error) {
	return m.edit(doc, sheet, func(e *editor) error {
		cells, ok := strings.CutPrefix(e.Attr("Target"), "#")
		if !ok || !strings.HasSuffix(e.Attr("Type"), "/hyperlink") || e.Attr("TargetMode") == "External" {
			return nil
		}
		text, err := m.rewrites().Rewrite(cells, e.place())
		if text != cells {
			e.set("Target", "#"+text)
		}
		return err
	})
}

// control rewrites the cells that a form control shows and sets.
func (m *Moves) control(doc []byte, sheet string) ([]byte, error) {
	return m.edit(doc, sheet, func(e *editor) error {
		if string(e.Local()) != "formControlPr" {
			return nil
		}
		return e.formulaAttrs("fmlaLink", "fmlaRange", "fmlaGroup", "fmlaTxbx")
	})
}

// connections rewrites the cells that queries take parameters from.
func (m *Moves) connections(doc []byte, sheet string) ([]byte, error) {
	return m.edit(doc, sheet, func(e *editor) error {
		if string(e.Local()) != "parameter" {
			return nil
		}
		return e.formulaAttrs("cell")
	})
}

// singleCells moves cells that are bound to elements of XML data.
func (m *Moves) singleCells(doc []byte, sheet string) ([]byte, error) {
	return m.edit(doc, sheet, func(e *editor) error {
		if string(e.Local()) != "singleXmlCell" {
			return nil
		}
		return e.bound("a cell mapped to XML data")
	})
}

// bound moves a cell that must not be deleted, as something else is bound to it.
func (e *editor) bound(what string) error {
	if e.cell("r") {
		return nil
	}
	area, _ := cursor.ParseArea(e.Attr("r"))
	return &Torn{What: what, Sheet: e.sheet, Area: area}
}

// sheetView moves the filters and orders that readers of a sheet have of their own.
func (m *Moves) sheetView(doc []byte, sheet string) ([]byte, error) {
	return m.edit(doc, sheet, func(e *editor) error {
		before, ok := cursor.ParseArea(e.Attr("ref"))
		if !ok {
			return nil
		}
		after, ok := e.by().Area(sheet, before)
		if !ok {
			return &Torn{What: "the filter of a sheet view", Sheet: sheet, Area: before}
		}
		e.setArea("ref", before, after)
		return nil
	})
}
