package sheet

import (
	"math"
	"strconv"

	"mooring/checksum"
	"mooring/refresh/host"
	"mooring/refresh/host/formula"
	"mooring/refresh/host/xlsx/part"
	"mooring/refresh/host/xlsx/xml"
)

// appendCellName appends a cell's reference, such as B2.
func appendCellName(dst []byte, row, column int) []byte {
	return strconv.AppendInt(formula.AppendColumnName(dst, column), int64(row+1), 10)
}

// writeCell writes a cell element. attrs, which it may append to, holds the attributes besides style and type.
func (s *splicer) writeCell(c *cellWrite, attrs []byte, style int) {
	style = s.restyle(c, style)
	b := append(append(append(s.tagged[:0], '<'), s.NS...), 'c')
	b = append(b, attrs...)
	if style > 0 {
		b = append(strconv.AppendInt(append(b, ` s="`...), int64(style), 10), '"')
	}
	if c.formula != "" {
		s.out.alone = false
		b = s.appendFormula(b, c)
	} else {
		b = s.appendValue(b, c.Cell)
	}
	s.tagged = b
	s.out.Write(b)
}

// restyle is the style of a cell that the patch writes: style, but with the number format of its column.
func (s *splicer) restyle(c *cellWrite, style int) int {
	if s.styles == nil || c.Kind == checksum.Empty {
		return style
	}
	column := c.column - c.patch.Block.Anchor.Column
	format, before := host.FormatAt(c.patch.Formats, column), host.FormatAt(c.patch.FormatsBefore, column)
	if c.Kind != checksum.Number {
		if format == before {
			return style
		}
		format = ""
	}
	if format == "" && before == "" {
		return style
	}
	return s.styles.Derive(style, format, before)
}

// appendValue appends a cell's type, the rest of its tag, its value and its end tag.
func (s *splicer) appendValue(b []byte, c checksum.Cell) []byte {
	switch c.Kind {
	case checksum.Number:
		b = s.open(b, ">", "v")
		b = appendNumber(b, c.Number)
	case checksum.True:
		b = append(s.open(b, ` t="b">`, "v"), '1')
	case checksum.False:
		b = append(s.open(b, ` t="b">`, "v"), '0')
	case checksum.Error:
		if !knowsError(c.Text) {
			return s.appendText(b, c.Text)
		}
		b = xml.AppendText(s.open(b, ` t="e">`, "v"), c.Text, false)
	case checksum.Text:
		return s.appendText(b, c.Text)
	default:
		return append(b, "/>"...)
	}
	return s.close(s.close(b, "v"), "c")
}

// appendFormula appends a cell's type, the rest of its tag, its formula, what that shows, and its end tag.
func (s *splicer) appendFormula(b []byte, c *cellWrite) []byte {
	kind := ">"
	switch {
	case c.Kind == checksum.True || c.Kind == checksum.False:
		kind = ` t="b">`
	case c.Kind == checksum.Error && knowsError(c.Text):
		kind = ` t="e">`
	case c.Kind == checksum.Text || c.Kind == checksum.Error:
		kind = ` t="str">`
	}
	b = xml.AppendText(s.open(b, kind, "f"), c.formula[len("="):], false)
	b = s.close(b, "f")
	if c.Kind != checksum.Empty {
		b = s.open(b, "", "v")
		switch c.Kind {
		case checksum.Number:
			b = appendNumber(b, c.Number)
		case checksum.True:
			b = append(b, '1')
		case checksum.False:
			b = append(b, '0')
		default:
			b = part.AppendText(b, c.Text)
		}
		b = s.close(b, "v")
	}
	return s.close(b, "c")
}

// knowsError reports whether a cell can hold the error; a file with any other is taken for damaged.
func knowsError(code string) bool {
	switch code {
	case "#NULL!", "#DIV/0!", "#VALUE!", "#REF!", "#NAME?", "#NUM!", "#N/A", "#GETTING_DATA":
		return true
	}
	return false
}

// appendText writes text as an inline string, which no program takes for a formula and which leaves the shared strings alone.
func (s *splicer) appendText(b []byte, text string) []byte {
	b = s.open(b, ` t="inlineStr">`, "is")
	b = append(append(append(b, '<'), s.NS...), 't')
	if keepsSpace(text) {
		b = append(b, ` xml:space="preserve"`...)
	}
	b = part.AppendText(append(b, '>'), text)
	return s.close(s.close(s.close(b, "t"), "is"), "c")
}

// keepsSpace reports whether a text has white space that a reader may drop.
func keepsSpace(text string) bool {
	for i := range len(text) {
		switch {
		case text[i] == '\n' || text[i] == '\t':
			return true
		case text[i] == ' ' && (i == 0 || i == len(text)-1 || text[i-1] == ' '):
			return true
		}
	}
	return false
}

// open appends the end of the cell's tag and the start tag of its content.
func (s *splicer) open(b []byte, end, local string) []byte {
	b = append(append(append(b, end...), '<'), s.NS...)
	return append(append(b, local...), '>')
}

func (s *splicer) close(b []byte, local string) []byte {
	b = append(append(append(b, "</"...), s.NS...), local...)
	return append(b, '>')
}

// rowStyle returns the style of a row's new cells, 0 for none.
func rowStyle(attrs []byte) int {
	custom, _ := xml.Attr(attrs, "customFormat")
	if !xml.True(string(custom)) {
		return 0
	}
	v, _ := xml.Attr(attrs, "s")
	style, _ := strconv.Atoi(string(v))
	return style
}

// widenSpans makes a row's spans attribute, the columns it has cells in, cover new ones; a row may well have none.
func widenSpans(attrs []byte, add checksum.Span) []byte {
	old, ok := xml.Attr(attrs, "spans")
	if !ok || add.To == 0 {
		return attrs
	}
	from, to := add.From, add.To
	for i, c := range old {
		if c != ':' {
			continue
		}
		first, err1 := strconv.Atoi(string(old[:i]))
		last, err2 := strconv.Atoi(string(old[i+1:]))
		if err1 != nil || err2 != nil {
			return attrs
		}
		from, to = min(from, first), max(to, last)
	}
	return xml.SetAttr(attrs, "spans", strconv.Itoa(from)+":"+strconv.Itoa(to))
}

// appendNumber writes a double as Excel does: plain digits unless there are many zeros, and so that reading it returns the same
// double.
func appendNumber(b []byte, v float64) []byte {
	if size := math.Abs(v); v == 0 || size >= 1e-9 && size < 1e21 {
		return strconv.AppendFloat(b, v, 'f', -1, 64)
	}
	return strconv.AppendFloat(b, v, 'E', -1, 64)
}
