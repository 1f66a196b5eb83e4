package host

import (
	"encoding/json"
	"fmt"
	"io"

	"mooring/checksum"
)

// googlePage is an answer about a document: its named ranges, the sheets that were asked for, and a rectangle's cells.
type googlePage struct {
	names    []googleName
	sheets   []googleSheet
	cells    checksum.Builder
	formulas []Formula
}

// decodeGooglePage reads an answer as it arrives: a large block's JSON is many times its size as a Grid.
func decodeGooglePage(body io.Reader) (*googlePage, error) {
	p := &googlePage{}
	d := json.NewDecoder(body)
	err := eachMember(d, func(name string) error {
		switch name {
		case "namedRanges":
			return d.Decode(&p.names)
		case "sheets":
			return eachElement(d, func() error { return p.sheet(d) })
		}
		return skipValue(d)
	})
	return p, err
}

func (p *googlePage) sheet(d *json.Decoder) error {
	var s googleSheet
	err := eachMember(d, func(name string) error {
		switch name {
		case "properties":
			return d.Decode(&s)
		case "data":
			return eachElement(d, func() error { return p.data(d) })
		}
		return skipValue(d)
	})
	p.sheets = append(p.sheets, s)
	return err
}

// data reads a GridData. Leading rows and cells are never left out, so the first is the rectangle's own.
func (p *googlePage) data(d *json.Decoder) error {
	return eachMember(d, func(name string) error {
		if name != "rowData" {
			return skipValue(d)
		}
		var row struct {
			Values []googleCell `json:"values"`
		}
		return eachElement(d, func() error {
			clear(row.Values[:cap(row.Values)]) // decoding reuses elements without emptying them
			row.Values = row.Values[:0]
			if err := d.Decode(&row); err != nil {
				return err
			}
			p.row(row.Values)
			return nil
		})
	})
}

func (p *googlePage) row(cells []googleCell) {
	for i := range cells {
		if text := cells[i].Entered.Formula; text != nil {
			p.formulas = append(p.formulas, Formula{Position{Row: p.cells.Rows(), Column: i}, *text})
		}
		cells[i].add(&p.cells)
	}
	p.cells.EndRow()
}

// grid ends the page's cells with the empty rows that the answer left out.
func (p *googlePage) grid(rows int) *checksum.Grid {
	for p.cells.Rows() < rows {
		p.cells.EndRow()
	}
	return p.cells.Grid()
}

// eachMember reads an object; visit reads the value of each member.
func eachMember(d *json.Decoder, visit func(name string) error) error {
	if err := expectDelim(d, '{'); err != nil {
		return err
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return err
		}
		if err := visit(name.(string)); err != nil {
			return err
		}
	}
	return expectDelim(d, '}')
}

// eachElement reads an array; visit reads each element.
func eachElement(d *json.Decoder, visit func() error) error {
	if err := expectDelim(d, '['); err != nil {
		return err
	}
	for d.More() {
		if err := visit(); err != nil {
			return err
		}
	}
	return expectDelim(d, ']')
}

func expectDelim(d *json.Decoder, want json.Delim) error {
	token, err := d.Token()
	if err == nil && token != want {
		err = fmt.Errorf("answer: %v instead of %v at byte %d", token, want, d.InputOffset())
	}
	return err
}

func skipValue(d *json.Decoder) error {
	var skipped json.RawMessage
	return d.Decode(&skipped)
}
