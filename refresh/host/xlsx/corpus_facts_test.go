package xlsx

import (
	"archive/zip"
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"mooring/placements"
	"mooring/refresh/host/formula"
	scan "mooring/refresh/host/xlsx/xml"
)

// corpusBook is a file of the corpus, taken apart without the host's code.
type corpusBook struct {
	content []byte
	parts   map[string][]byte
}

// errCorpusXML says that a file had a part before that is no XML to other programs: nothing can be said of what a refresh changed in it.
var errCorpusXML = errors.New("no XML before")

func openCorpusBook(content []byte) (*corpusBook, error) {
	r, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
	if err != nil {
		return nil, err
	}
	b := &corpusBook{content, map[string][]byte{}}
	for _, f := range r.File {
		if b.parts[f.Name], err = unpackCorpusPart(f); err != nil {
			return nil, err
		}
	}
	return b, nil
}

// unpackCorpusPart returns a part, as packed if it cannot be unpacked.
func unpackCorpusPart(f *zip.File) ([]byte, error) {
	if in, err := f.Open(); err == nil {
		defer in.Close()
		if part, err := io.ReadAll(in); err == nil {
			return part, nil
		}
	}
	in, err := f.OpenRaw()
	if err != nil {
		return nil, err
	}
	return io.ReadAll(in)
}

// differs says what a refresh changed that is not the block's: rect, of the sheet in a part.
func (b *corpusBook) differs(after *corpusBook, sheet string, rect placements.Rect) error {
	var errs []error
	for name, old := range b.parts {
		now, ok := after.parts[name]
		switch {
		case !ok:
			errs = append(errs, fmt.Errorf("part %s is gone", name))
		case bytes.Equal(old, now):
		case name == sheet:
			errs = append(errs, sheetDiffers(old, now, rect))
		default:
			errs = append(errs, partDiffers(name, old, now))
		}
	}
	for name := range after.parts {
		if _, ok := b.parts[name]; !ok && !strings.HasSuffix(name, "styles.xml") {
			errs = append(errs, fmt.Errorf("part %s is new", name))
		}
	}
	return errors.Join(errs...)
}

// corpusMayChange are, by the ends of their names, the other parts that a refresh may change, and the elements of them that it may add, take out
// or change.
var corpusMayChange = map[string][]string{
	"workbook.xml":        {"definedNames", "definedName _mooring_corpus", "calcPr"},
	"styles.xml":          {"numFmts", "numFmt", "cellXfs", "xf"},
	"calcchain.xml":       {"c"},
	".rels":               {"Relationship"},
	"[content_types].xml": {"Override"},
}

// partDiffers says what a part has no longer: every element must stand in the new part too, in their order, but for those that may change.
func partDiffers(name string, old, now []byte) error {
	may, ok := []string(nil), false
	for end, elements := range corpusMayChange {
		if lower := strings.ReplaceAll(strings.ToLower(name), `\`, "/"); strings.HasSuffix(lower, end) {
			may, ok = elements, true
		}
	}
	if !ok && isWorkbook(old) {
		may, ok = corpusMayChange["workbook.xml"], true
	}
	if !ok {
		return fmt.Errorf("part %s changed", name)
	}
	was, err := tokensOf(old, may)
	if err != nil {
		return fmt.Errorf("%w: %s: %w", errCorpusXML, name, err)
	}
	is, err := tokensOf(now, may)
	if err != nil {
		return fmt.Errorf("part %s: %w", name, err)
	}
	if len(was.fixed) == 2 { // an empty element
		return nil
	}
	if !slices.Equal(was.fixed, is.fixed) {
		return fmt.Errorf("part %s: %s", name, firstDifference(was.fixed, is.fixed))
	}
	if strings.HasSuffix(strings.ToLower(name), "styles.xml") && !isBeginning(was.loose["xf"], is.loose["xf"]) {
		return fmt.Errorf("part %s: styles changed their numbers", name)
	}
	return nil
}

func isWorkbook(doc []byte) bool {
	return bytes.Contains(doc[:min(len(doc), 2000)], []byte("workbook"))
}

func isBeginning(a, b []string) bool { return len(a) <= len(b) && slices.Equal(a, b[:len(a)]) }

func firstDifference(was, is []string) string {
	for i := range was {
		if i >= len(is) || was[i] != is[i] {
			return fmt.Sprintf("%q became %q", was[i], is[min(i, len(is)-1)])
		}
	}
	return fmt.Sprintf("%q is new", is[len(was)])
}

// corpusTokens are a part's tokens, those of elements that may change apart.
type corpusTokens struct {
	fixed []string
	loose map[string][]string
}

func tokensOf(doc []byte, may []string) (corpusTokens, error) {
	t := corpusTokens{loose: map[string][]string{}}
	d := newCorpusDecoder(doc)
	var within string // the name in the fixed part that may change
	for depth := 0; ; {
		token, err := d.Token()
		if err == io.EOF {
			return t, nil
		} else if err != nil {
			return t, err
		}
		text := tokenText(token)
		switch token := token.(type) {
		case xml.StartElement:
			if within == "" && changes(token, may) {
				within, depth = token.Name.Local, 0
			}
			depth++
		case xml.EndElement:
			if depth--; within != "" && depth == 0 {
				t.loose[within], within = append(t.loose[within], text), ""
				continue
			}
		}
		switch {
		case within == "numFmts" || within == "cellXfs" || within == "definedNames":
			within = "" // a list: only its own tag may change
		case within != "":
			t.loose[within] = append(t.loose[within], text)
		case text != "":
			t.fixed = append(t.fixed, text)
		}
	}
}

func changes(e xml.StartElement, may []string) bool {
	for _, m := range may {
		local, name, named := strings.Cut(m, " ")
		if e.Name.Local == local && (!named || slices.ContainsFunc(e.Attr, func(a xml.Attr) bool { return a.Name.Local == "name" && a.Value == name })) {
			return true
		}
	}
	return false
}

func newCorpusDecoder(doc []byte) *xml.Decoder {
	if text, err := scan.UTF8Reader(bytes.NewReader(doc)); err == nil {
		if read, err := io.ReadAll(text); err == nil {
			doc = read
		}
	}
	d := xml.NewDecoder(bytes.NewReader(bytes.ToValidUTF8(doc, []byte("?"))))
	d.CharsetReader = func(_ string, in io.Reader) (io.Reader, error) { return in, nil }
	return d
}

// tokenText is a token as text, empty for one of white space alone and for the XML declaration.
func tokenText(token xml.Token) string {
	switch t := token.(type) {
	case xml.StartElement:
		return fmt.Sprint("<", t.Name, t.Attr)
	case xml.EndElement:
		if t.Name.Local == "numFmts" || t.Name.Local == "cellXfs" || t.Name.Local == "definedNames" {
			return ""
		}
		return fmt.Sprint("</", t.Name)
	case xml.CharData:
		if len(bytes.TrimSpace(t)) > 0 {
			return string(t)
		}
	case xml.Comment:
		return string(t)
	}
	return ""
}

// sheetFacts are a sheet's cells and rows by their places, and all else of it in its order.
type sheetFacts struct {
	cells map[placements.Anchor]string
	rows  map[int]string
	rest  []string
}

func sheetDiffers(old, now []byte, rect placements.Rect) error {
	was, err := factsOf(old)
	if err != nil {
		return fmt.Errorf("%w: %w", errCorpusXML, err)
	}
	is, err := factsOf(now)
	if err != nil {
		return err
	}
	inside := func(a placements.Anchor, _ string) bool {
		return a.Row >= rect.Top && a.Row <= rect.Bottom && a.Column >= rect.Left && a.Column <= rect.Right
	}
	maps.DeleteFunc(was.cells, inside)
	maps.DeleteFunc(is.cells, inside)
	for at, cell := range was.cells {
		if is.cells[at] != cell {
			return fmt.Errorf("cell %s: %q became %q", at, cell, is.cells[at])
		}
	}
	if len(was.cells) != len(is.cells) {
		return fmt.Errorf("%d cells outside the block became %d", len(was.cells), len(is.cells))
	}
	for row, attrs := range was.rows {
		if is.rows[row] != attrs {
			return fmt.Errorf("row %d: %q became %q", row+1, attrs, is.rows[row])
		}
	}
	if !slices.Equal(was.rest, is.rest) {
		return errors.New("around the rows: " + firstDifference(was.rest, is.rest))
	}
	return nil
}

func factsOf(doc []byte) (*sheetFacts, error) {
	s := &sheetFacts{cells: map[placements.Anchor]string{}, rows: map[int]string{}}
	d, at := newCorpusDecoder(doc), placements.Anchor{Row: -1, Column: -1}
	var cell strings.Builder
	inCell, inRows := false, false
	for {
		token, err := d.Token()
		if err == io.EOF {
			return s, nil
		} else if err != nil {
			return nil, err
		}
		start, _ := token.(xml.StartElement)
		end, _ := token.(xml.EndElement)
		switch {
		case start.Name.Local == "sheetData":
			inRows = true
		case end.Name.Local == "sheetData":
			inRows = false
		case inRows && start.Name.Local == "row":
			at = placements.Anchor{Row: place(start, at.Row+1, func(r string) int { n, _ := strconv.Atoi(r); return n - 1 }), Column: -1}
			s.rows[at.Row] = fmt.Sprint(without(start.Attr, "r", "spans"))
		case inRows && start.Name.Local == "c":
			at.Column = place(start, at.Column+1, func(r string) int { return formula.ColumnIndex([]byte(r)) })
			cell.Reset()
			fmt.Fprint(&cell, without(start.Attr, "r"))
			inCell = true
		case inRows && end.Name.Local == "c":
			inCell, s.cells[at] = false, s.cells[at]+cell.String()
		case inCell:
			cell.WriteString(tokenText(token))
			if text, ok := token.(xml.CharData); ok && tokenText(token) == "" {
				cell.Write(text)
			}
		case start.Name.Local == "dimension", inRows && end.Name.Local == "row":
		case tokenText(token) != "":
			s.rest = append(s.rest, tokenText(token))
		}
	}
}

// place is a reference's row or column, or next where there is no reference.
func place(e xml.StartElement, next int, parse func(string) int) int {
	for _, a := range e.Attr {
		if a.Name.Local == "r" && a.Name.Space == "" {
			return parse(a.Value)
		}
	}
	return next
}

func without(attrs []xml.Attr, names ...string) []xml.Attr {
	return slices.DeleteFunc(slices.Clone(attrs),
		func(a xml.Attr) bool { return slices.Contains(names, a.Name.Local) && a.Name.Space == "" })
}
