package shift

import (
	"bytes"
	"io"

	"mooring/placements"
	"mooring/refresh/host/formula"
	"mooring/refresh/host/xlsx/xml"
)

// editor goes through the elements of a part and gathers what is to change of it. It looks at every branch of AlternateContent: which of
// them a program reads is for the program to choose.
type editor struct {
	*xml.Scanner
	*Moves
	sheet string // that the part belongs to
	edits []xml.Edit
}

// edit returns doc with what visit, called at the first tag of each element, changes of it: doc itself where that is nothing. visit may
// move to the end of its element.
func (m *Moves) edit(doc []byte, sheet string, visit func(e *editor) error) ([]byte, error) {
	edits, err := m.edits(doc, sheet, visit)
	if err != nil || len(edits) == 0 {
		return doc, err
	}
	return xml.Apply(doc, edits), nil
}

// edits returns what visit changes of doc.
func (m *Moves) edits(doc []byte, sheet string, visit func(e *editor) error) ([]xml.Edit, error) {
	e := &editor{Scanner: xml.NewScanner(bytes.NewReader(doc)), Moves: m, sheet: sheet}
	for {
		err := e.Next()
		if err == nil && e.Kind <= xml.Empty {
			err = visit(e)
		}
		if err == io.EOF {
			return e.edits, nil
		}
		if err != nil {
			return nil, err
		}
	}
}

// within calls visit at the first tag of each element inside the one that e stands at, and moves to its end.
func (e *editor) within(visit func() error) error {
	if e.Kind == xml.Empty {
		return nil
	}
	for depth := e.Depth(); ; {
		if err := e.Next(); err != nil {
			return err
		}
		if e.Depth() < depth {
			return nil
		}
		if e.Kind > xml.Empty {
			continue
		}
		if err := visit(); err != nil {
			return err
		}
	}
}

// span is the text inside an element, and where it stands in the part.
type span struct {
	text     string
	from, to int64
}

// content reads the text of the element that e stands at, and moves to its end.
func (e *editor) content() (span, error) {
	from := e.To()
	if e.Kind == xml.Empty {
		return span{from: from, to: from}, nil
	}
	var text []byte
	for depth := e.Depth(); e.Depth() >= depth; {
		if err := e.Next(); err != nil {
			return span{}, err
		}
		text = e.AppendContent(text)
	}
	return span{text: string(text), from: from, to: e.From}, nil
}

// put replaces the text of an element, unless it stays.
func (e *editor) put(s span, text string) {
	if text != s.text {
		e.edits = append(e.edits, xml.Edit{From: s.from, To: s.to, With: xml.AppendText(nil, text, false)})
	}
}

// set gives an attribute that the tag has another value.
func (e *editor) set(name, value string) {
	if edit, ok := e.EditAttr(name, value); ok {
		e.edits = append(e.edits, edit)
	}
}

// add gives the tag an attribute that it does not have.
func (e *editor) add(name, value string) {
	at := e.To() - int64(len(">"))
	if e.Kind == xml.Empty {
		at--
	}
	e.edits = append(e.edits, xml.Edit{From: at, To: at, With: append(xml.AppendText([]byte(" "+name+`="`), value, true), '"')})
}

// drop takes out the element that begins at an offset and ends where e stands, with what was to change of it.
func (e *editor) drop(from int64, edits int) {
	e.edits = append(e.edits[:edits], xml.Edit{From: from, To: e.To()})
}

// skip moves to the end of the element.
func (e *editor) skip() error { return e.within(func() error { return nil }) }

// place is where formulas of the part stand: on its sheet, in no cell.
func (e *editor) place() formula.Place { return formula.Place{Sheet: e.sheet, Row: -1} }

// formula rewrites the formula that the element is.
func (e *editor) formula(at formula.Place) error {
	s, err := e.content()
	if err != nil {
		return err
	}
	text, err := e.rewrites().Rewrite(s.text, at)
	e.put(s, text)
	return err
}

// series rewrites the reference that the element is to values of a chart.
func (e *editor) series() error {
	s, err := e.content()
	if err != nil {
		return err
	}
	text, err := e.rewrites().RewriteSeries(s.text)
	e.put(s, text)
	return err
}

// formulaAttrs rewrites the formulas that attributes of the tag are, of those that it has.
func (e *editor) formulaAttrs(names ...string) error {
	for _, name := range names {
		before := e.Attr(name)
		after, err := e.rewrites().Rewrite(before, e.place())
		if err != nil {
			return err
		}
		if after != before {
			e.set(name, after)
		}
	}
	return nil
}

// cell moves the cell that an attribute of the tag names. It reports false, and changes nothing, when the cell is deleted.
func (e *editor) cell(name string) bool {
	a, err := placements.ParseAnchor(e.Attr(name))
	if err != nil {
		return true
	}
	row, ok := e.by().Cell(e.sheet, a.Row, a.Column)
	if ok && row != a.Row {
		e.set(name, placements.Anchor{Row: row, Column: a.Column}.String())
	}
	return ok
}
