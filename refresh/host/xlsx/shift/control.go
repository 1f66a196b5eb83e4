package shift

import "mooring/refresh/host/xlsx/cursor"

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
		return e.formulaAttr("cell")
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

// Topics returns the list of cells with live data moved, doc itself where nothing changes. sheets holds the sheets' names by their ids.
func (m *Moves) Topics(doc []byte, sheets map[string]string) ([]byte, error) {
	return m.edit(doc, "", func(e *editor) error {
		if string(e.Local()) != "tr" {
			return nil
		}
		e.sheet = sheets[e.Attr("s")]
		return e.bound("a cell with live data")
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
		after, ok := e.By.Area(sheet, before)
		if !ok {
			return &Torn{What: "the filter of a sheet view", Sheet: sheet, Area: before}
		}
		e.setArea("ref", before, after)
		return nil
	})
}
