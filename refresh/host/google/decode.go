package google

import (
	"encoding/json"
	"fmt"
	"io"

	"mooring/checksum"
	"mooring/refresh/host"
	"mooring/refresh/host/rest"
)

// page is an answer about a document: its named ranges, the sheets that were asked for, and the cells of rectangles.
type page struct {
	names  []namedRange
	stamps []metadata
	sheets []sheet
	data   []*gridData
}

// gridData is the API's GridData: a rectangle's cells.
type gridData struct {
	sheet       string
	row, column int
	cells       checksum.Builder
	formulas    []host.Formula
	texts       []bool      // columns that have a cell of text format
	hiding      rest.Hiding // of rows, from the first of the rectangle

	// What is asked for where cells of parameters are read.
	size   checksum.Extent        // of the rectangle
	dates  map[host.Position]bool // cells that are formatted as a date or a time
	blanks map[host.Position]bool // cells that hold an empty text
	merges []gridRange            // of the sheet
	made   *checksum.Grid         // of cells, once it was asked for
	taken  bool                   // by the block that asked for it
}

// decodeGooglePage reads an answer as it arrives: a large block's JSON is many times its size as a Grid.
func decodeGooglePage(body io.Reader) (*page, error) {
	p := &page{}
	return p, p.spreadsheet(json.NewDecoder(body))
}

// spreadsheet reads what an answer holds of a document: all of it, or a member of the answer to a write.
func (p *page) spreadsheet(d *json.Decoder) error {
	return eachMember(d, func(name string) error {
		switch name {
		case "updatedSpreadsheet":
			return p.spreadsheet(d)
		case "namedRanges":
			return d.Decode(&p.names)
		case "developerMetadata":
			return d.Decode(&p.stamps)
		case "sheets":
			return eachElement(d, func() error { return p.sheet(d) })
		}
		return skipValue(d)
	})
}

func (p *page) sheet(d *json.Decoder) error {
	var s sheet
	var merges []gridRange
	before := len(p.data)
	err := eachMember(d, func(name string) error {
		switch name {
		case "properties":
			return d.Decode(&s)
		case "merges":
			return d.Decode(&merges)
		case "data":
			return eachElement(d, func() error { return p.rectangle(d) })
		}
		return skipValue(d)
	})
	for _, data := range p.data[before:] {
		data.sheet, data.merges = s.Title, merges
	}
	p.sheets = append(p.sheets, s)
	return err
}

// rectangle reads a GridData. Leading rows and cells are never left out, so the first is the rectangle's own.
func (p *page) rectangle(d *json.Decoder) error {
	data := &gridData{}
	p.data = append(p.data, data)
	return eachMember(d, func(name string) error {
		switch name {
		case "startRow":
			return d.Decode(&data.row)
		case "startColumn":
			return d.Decode(&data.column)
		case "rowData":
			return data.rows(d)
		case "rowMetadata":
			return data.metadata(d)
		case "columnMetadata":
			return eachElement(d, func() error {
				data.size.Columns++
				return skipValue(d)
			})
		}
		return skipValue(d)
	})
}

func (g *gridData) rows(d *json.Decoder) error {
	var row struct {
		Values []cellData `json:"values"`
	}
	return eachElement(d, func() error {
		clear(row.Values[:cap(row.Values)]) // decoding reuses elements without emptying them
		row.Values = row.Values[:0]
		if err := d.Decode(&row); err != nil {
			return err
		}
		g.addRow(row.Values)
		return nil
	})
}

// metadata reads which rows are hidden.
func (g *gridData) metadata(d *json.Decoder) error {
	n := 0
	return eachElement(d, func() error {
		var row struct {
			User   bool `json:"hiddenByUser"`
			Filter bool `json:"hiddenByFilter"`
		}
		if err := d.Decode(&row); err != nil {
			return err
		}
		if row.User {
			g.hiding.ByHand = append(g.hiding.ByHand, checksum.Span{From: n, To: n + 1})
		}
		if row.Filter {
			g.hiding.ByFilter = append(g.hiding.ByFilter, checksum.Span{From: n, To: n + 1})
		}
		n++
		g.size.Rows = n
		return nil
	})
}

func (g *gridData) addRow(cells []cellData) {
	for i := range cells {
		if text := cells[i].Entered.Formula; text != nil {
			g.formulas = append(g.formulas, host.Formula{Position: host.Position{Row: g.cells.Rows(), Column: i}, Text: *text})
		}
		if cells[i].Format.Number.Type == "TEXT" {
			for len(g.texts) <= i {
				g.texts = append(g.texts, false)
			}
			g.texts[i] = true
		}
		g.note(host.Position{Row: g.cells.Rows(), Column: i}, &cells[i])
		cells[i].add(&g.cells)
	}
	g.cells.EndRow()
}

// note notes what the value of a cell does not tell.
func (g *gridData) note(at host.Position, c *cellData) {
	switch c.Shown.Number.Type {
	case "DATE", "TIME", "DATE_TIME":
		if g.dates == nil {
			g.dates = map[host.Position]bool{}
		}
		g.dates[at] = true
	}
	if c.Effective.Text != nil && *c.Effective.Text == "" {
		if g.blanks == nil {
			g.blanks = map[host.Position]bool{}
		}
		g.blanks[at] = true
	}
}

// grid ends the cells with the empty rows that the answer left out.
func (g *gridData) grid(rows int) *checksum.Grid {
	if g.made == nil {
		for g.cells.Rows() < rows {
			g.cells.EndRow()
		}
		g.made = g.cells.Grid()
	}
	return g.made
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
