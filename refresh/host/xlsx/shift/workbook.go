package shift

import (
	"fmt"

	"mooring/refresh/host/xlsx/xml"
)

// Names returns the workbook's part with its defined names rewritten, doc itself where nothing changes.
func (m *Moves) Names(doc []byte) ([]byte, error) {
	return m.edit(doc, "", func(e *editor) error {
		if string(e.Local()) != "definedName" {
			return nil
		}
		s, err := e.content()
		if err != nil {
			return err
		}
		text, err := e.rewrites().RewriteName(s.text)
		e.put(s, text)
		return err
	})
}

// CalcChain returns the calculation chain with its cells where they are afterwards, without those that are deleted, doc itself where
// nothing changes. left is how many remain: a chain may not be empty. sheets holds the sheets' names by their ids.
func (m *Moves) CalcChain(doc []byte, sheets map[string]string) (chain []byte, left int, err error) {
	id, lost := "", false // sheet of the entry before; whether the entry that named it was taken out
	chain, err = m.edit(doc, "", func(e *editor) error {
		if string(e.Local()) != "c" {
			return nil
		}
		v, named := xml.Attr(e.Attrs, "i")
		if named {
			id = string(v)
		}
		e.sheet = sheets[id]
		if !e.cell("r") {
			lost = lost || named
			from, edits := e.From, len(e.edits)
			err := e.skip()
			e.drop(from, edits)
			return err
		}
		left++
		if lost && !named {
			e.add("i", id)
		}
		lost = false
		return nil
	})
	if err != nil {
		return nil, 0, fmt.Errorf("calculation chain: %w", err)
	}
	return chain, left, nil
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
