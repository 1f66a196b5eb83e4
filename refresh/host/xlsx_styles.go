package host

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"
)

const xlsxFirstFormat = 164 // number formats below are built in

// xlsxStyles is the styles part, to which styles can be added that differ from one it has only by a number format.
type xlsxStyles struct {
	doc        []byte
	ns         string
	root       int64 // offset behind the root's start tag
	formatsTag xlsxTag
	stylesTag  xlsxTag           // of the list of styles; from is where it belongs when there is none
	formats    map[string]int    // number format codes
	codes      map[string]string // of the styles' numFmtIds, as plainFormat has them
	general    map[string]bool   // numFmtIds of styles for which nobody chose a number format
	lastFormat int
	styles     []xlsxStyle
	given      int // how many styles there are without those added
	byText     map[string]int
	derived    map[xlsxDerivation]int

	newFormats, newStyles []byte
	addedFormats          int
}

// xlsxStyle is one entry of cellXfs: its element as written, taken apart.
type xlsxStyle struct {
	attrs, rest []byte
	format      string // numFmtId
}

type xlsxDerivation struct {
	style int
	xlsxFormats
}

// xlsxFormats are the number format that a cell is to have and the one that an earlier write gave it; either may be empty.
type xlsxFormats struct{ now, before string }

// xlsxPlainStyles is a styles part for workbooks that have none.
const xlsxPlainStyles = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<styleSheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><fonts count="1"><font><sz val="11"/><name val="Calibri"/></font></fonts>` +
	`<fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills>` +
	`<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>` +
	`<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>` +
	`<cellXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/></cellXfs>` +
	`<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>`

// parseXLSXStyles reads a styles part.
func parseXLSXStyles(doc []byte) (*xlsxStyles, error) {
	st := &xlsxStyles{
		doc: doc, lastFormat: xlsxFirstFormat - 1,
		formats: map[string]int{}, codes: map[string]string{}, general: map[string]bool{"": true, "0": true},
		byText: map[string]int{}, derived: map[xlsxDerivation]int{},
	}
	s := newXMLScanner(bytes.NewReader(doc))
	if err := s.root("styleSheet", nil); err != nil {
		return nil, err
	}
	if s.kind == xmlEmpty {
		return parseXLSXStyles([]byte(xlsxPlainStyles))
	}
	st.ns, st.root = s.ns, s.to()
	err := s.next()
	for ; err == nil; err = s.next() {
		if st.stylesTag.from == 0 && st.endsStyles(s) {
			st.stylesTag.from, st.stylesTag.to = s.from, s.from
		}
		switch {
		case s.opens("numFmts"):
			st.formatsTag = tagOf(s)
		case s.kind == xmlEnd && s.is("numFmts"):
			st.formatsTag.endFrom, st.formatsTag.endTo = s.from, s.to()
		case s.opens("numFmt") && st.formatsTag.to > 0 && st.formatsTag.endTo == 0:
			st.noteFormat(s)
		case s.opens("cellXfs") && s.inRoot():
			st.stylesTag = tagOf(s)
			if s.kind == xmlStart {
				err = st.readStyles(s)
			}
		}
		if err != nil {
			break
		}
	}
	if err != io.EOF {
		return nil, err
	}
	if len(st.styles) == 0 { // every cell has the default style
		plain := xlsxStyle{attrs: []byte(` numFmtId="0"`), rest: []byte("/>"), format: "0"}
		st.styles, st.newStyles = append(st.styles, plain), []byte(st.text(plain))
	}
	st.given = len(st.styles)
	return st, nil
}

// endsStyles reports whether the token is where the list of styles ends at the latest: a part that comes behind it, or the root's end.
func (st *xlsxStyles) endsStyles(s *xmlScanner) bool {
	for _, later := range []string{"cellStyles", "dxfs", "tableStyles", "colors", "extLst"} {
		if s.opens(later) && s.inRoot() {
			return true
		}
	}
	return s.kind == xmlEnd && s.depth() == 0
}

func (st *xlsxStyles) noteFormat(s *xmlScanner) {
	id, err := strconv.Atoi(s.attr("numFmtId"))
	if err == nil {
		st.formats[s.attr("formatCode")] = id
		st.codes[s.attr("numFmtId")] = plainFormat(s.attr("formatCode"))
		st.lastFormat = max(st.lastFormat, id)
		if strings.EqualFold(s.attr("formatCode"), "General") { // as LibreOffice writes it
			st.general[s.attr("numFmtId")] = true
		}
	}
}

// readStyles reads the entries of cellXfs up to its end tag.
func (st *xlsxStyles) readStyles(s *xmlScanner) error {
	depth := s.depth()
	for {
		if err := s.next(); err != nil {
			return unexpectedEnd(err)
		}
		switch {
		case s.depth() < depth:
			st.stylesTag.endFrom, st.stylesTag.endTo = s.from, s.to()
			return nil
		case s.opens("xf"):
			if err := st.readStyle(s); err != nil {
				return err
			}
		}
	}
}

func (st *xlsxStyles) readStyle(s *xmlScanner) error {
	style := xlsxStyle{attrs: bytes.Clone(s.attrs), format: s.attr("numFmtId"), rest: []byte("/>")}
	if s.kind == xmlStart {
		style.rest = []byte{'>'}
		for depth := s.depth(); s.depth() >= depth; {
			if err := s.next(); err != nil {
				return unexpectedEnd(err)
			}
			style.rest = append(style.rest, s.raw...)
		}
	}
	text := st.text(style)
	if _, ok := st.byText[text]; !ok {
		st.byText[text] = len(st.styles)
	}
	st.styles = append(st.styles, style)
	return nil
}

func (st *xlsxStyles) text(style xlsxStyle) string {
	return "<" + st.ns + "xf" + string(style.attrs) + string(style.rest)
}

// at is a style. One that the part does not have is the default style.
func (st *xlsxStyles) at(style int) xlsxStyle {
	if style < len(st.styles) {
		return st.styles[style]
	}
	return st.styles[0]
}

// derive is the style that is like style but for the number format. A style that has one already, and not from an earlier write, stays:
// a person chose it.
func (st *xlsxStyles) derive(style int, formats xlsxFormats) int {
	key := xlsxDerivation{style, formats}
	if made, ok := st.derived[key]; ok {
		return made
	}
	st.derived[key] = st.derivation(style, formats)
	return st.derived[key]
}

func (st *xlsxStyles) derivation(style int, formats xlsxFormats) int {
	base := st.at(style)
	ours := formats.before != "" && formats.before != formats.now && st.codes[base.format] == plainFormat(formats.before)
	if !st.general[base.format] && !ours || st.general[base.format] && formats.now == "" {
		return style
	}
	made := base
	made.format = "0"
	if formats.now != "" {
		made.format = strconv.Itoa(st.formatID(formats.now))
	}
	made.attrs = setXMLAttr(setXMLAttr(base.attrs, "numFmtId", made.format), "applyNumberFormat", "1")
	text := st.text(made)
	if i, ok := st.byText[text]; ok {
		return i
	}
	st.newStyles = append(st.newStyles, text...)
	st.styles = append(st.styles, made)
	st.byText[text] = len(st.styles) - 1
	return len(st.styles) - 1
}

// formatID is the number of a format code, a new one if the part does not have it.
func (st *xlsxStyles) formatID(code string) int {
	if id, ok := st.formats[code]; ok {
		return id
	}
	st.lastFormat++
	st.addedFormats++
	st.formats[code] = st.lastFormat
	st.codes[strconv.Itoa(st.lastFormat)] = plainFormat(code)
	st.newFormats = fmt.Appendf(st.newFormats, `<%snumFmt numFmtId="%d" formatCode="%s"/>`, st.ns, st.lastFormat, appendXMLText(nil, code, true))
	return st.lastFormat
}

// plainFormat is a number format code without the signs that quote single characters of it, which programs add when they save.
func plainFormat(code string) string {
	return strings.NewReplacer(`\`, "", `"`, "").Replace(code)
}

// changed is the part with the styles added; nil when none were.
func (st *xlsxStyles) changed() []byte {
	if len(st.styles) == st.given {
		return nil
	}
	var edits []xmlEdit
	if st.addedFormats > 0 {
		tag := st.formatsTag
		if tag.to == 0 {
			tag.from, tag.to = st.root, st.root
		}
		old, _ := xmlAttr(tag.attrs, "count")
		count, _ := strconv.Atoi(string(old))
		edits = st.extend(tag, "numFmts", count+st.addedFormats, st.newFormats)
	}
	return applyXMLEdits(st.doc, append(edits, st.extend(st.stylesTag, "cellXfs", len(st.styles), st.newStyles)...))
}

// extend returns the edits that add elements to the list at tag, which then holds count.
func (st *xlsxStyles) extend(tag xlsxTag, local string, count int, elements []byte) []xmlEdit {
	start := fmt.Appendf(nil, "<%s%s%s>", st.ns, local, setXMLAttr(tag.attrs, "count", strconv.Itoa(count)))
	if tag.endTo > 0 {
		return []xmlEdit{{tag.from, tag.to, start}, {tag.endFrom, tag.endFrom, elements}}
	}
	whole := append(append(start, elements...), "</"+st.ns+local+">"...)
	return []xmlEdit{{tag.from, tag.to, whole}}
}

// isDateFormat tells whether a number format shows a number as a date or a time.
func isDateFormat(format string) bool {
	for i := 0; i < len(format); i++ {
		switch format[i] {
		case '\\', '_', '*':
			i++
		case '"':
			if n := strings.IndexByte(format[i+1:], '"'); n >= 0 {
				i += n + 1
			}
		case 'y', 'Y', 'm', 'M', 'd', 'D', 'h', 'H', 's', 'S':
			return true
		case '[':
			if n := strings.IndexByte(format[i:], ']'); n > 3 { // a colour or a locale; [h] is elapsed time
				i += n
			}
		}
	}
	return false
}
