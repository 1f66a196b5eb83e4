package part

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"

	"mooring/refresh/host/xlsx/archive"
	"mooring/refresh/host/xlsx/xml"
)

const firstFormat = 164 // number formats below are built in

// Styles is the styles part, to which styles can be added that differ from one it has only by a number format.
type Styles struct {
	doc        []byte
	ns         string
	root       int64 // offset behind the root's start tag
	formatsTag xmlTag
	stylesTag  xmlTag            // of the list of styles; from is where it belongs when there is none
	formats    map[string]int    // number format codes
	codes      map[string]string // of the styles' numFmtIds, as plainFormat has them
	general    map[string]bool   // numFmtIds of styles without a number format of their own
	lastFormat int
	styles     []style
	given      int // how many styles there are without those added
	byText     map[string]int
	derived    map[derivation]int

	newFormats, newStyles []byte
	addedFormats          int
}

// style is one entry of cellXfs: its element as written, taken apart.
type style struct {
	attrs, rest []byte
	format      string // numFmtId
}

// derivation is a style that is made of another one, by its number formats now and before.
type derivation struct {
	style       int
	now, before string
}

// LoadStyles reads the styles of a workbook. One without any gets a plain set.
func LoadStyles(d *archive.Draft, wb *Workbook) (*Styles, error) {
	name := wb.Related("styles")
	doc, err := d.Archive.Read(name)
	if err != nil {
		return nil, err
	}
	if doc == nil {
		doc = []byte(plainStyles)
		if err := wb.addStyles(d, doc); err != nil {
			return nil, err
		}
	}
	st, err := parseStyles(doc)
	if err != nil {
		return nil, d.Archive.Broken(fmt.Errorf("%s: %w", name, err))
	}
	return st, nil
}

// addStyles adds a styles part to the workbook: the part, its relationship and its content type.
func (wb *Workbook) addStyles(d *archive.Draft, doc []byte) error {
	const (
		office   = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/styles"
		mimeType = "application/vnd.openxmlformats-officedocument.spreadsheetml.styles+xml"
	)
	name := archive.ResolvePart(wb.Part, "styles.xml")
	wb.Relations = append(wb.Relations, archive.Relation{ID: "mooringStyles", Kind: "styles", Target: name})
	d.Set(name, doc)
	if err := d.Append(archive.ContentTypes, "Types", fmt.Sprintf(`Override PartName="/%s" ContentType="%s"`, name, mimeType)); err != nil {
		return err
	}
	return d.Append(archive.RelationsOf(wb.Part), "Relationships",
		fmt.Sprintf(`Relationship Id="mooringStyles" Type="%s" Target="/%s"`, office, name))
}

// plainStyles is a styles part for workbooks that have none.
const plainStyles = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<styleSheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">` +
	`<fonts count="1"><font><sz val="11"/><name val="Calibri"/></font></fonts>` +
	`<fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills>` +
	`<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>` +
	`<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>` +
	`<cellXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/></cellXfs>` +
	`<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>`

// parseStyles reads a styles part.
func parseStyles(doc []byte) (*Styles, error) {
	st := &Styles{
		doc: doc, lastFormat: firstFormat - 1,
		formats: map[string]int{}, codes: map[string]string{}, general: map[string]bool{"": true, "0": true},
		byText: map[string]int{}, derived: map[derivation]int{},
	}
	s := xml.NewScanner(bytes.NewReader(doc))
	if err := s.Root("styleSheet", nil); err != nil {
		return nil, err
	}
	if s.Kind == xml.Empty {
		return parseStyles([]byte(plainStyles))
	}
	st.ns, st.root = s.NS, s.To()
	err := s.Next()
	for ; err == nil; err = s.Next() {
		if st.stylesTag.from == 0 && st.endsStyles(s) {
			st.stylesTag.from, st.stylesTag.to = s.From, s.From
		}
		switch {
		case s.Opens("numFmts"):
			st.formatsTag = tagOf(s)
		case s.Kind == xml.End && s.Is("numFmts"):
			st.formatsTag.endFrom, st.formatsTag.endTo = s.From, s.To()
		case s.Opens("numFmt") && st.formatsTag.to > 0 && st.formatsTag.endTo == 0:
			st.noteFormat(s)
		case s.Opens("cellXfs") && s.InRoot():
			st.stylesTag = tagOf(s)
			if s.Kind == xml.Start {
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
		plain := style{attrs: []byte(` numFmtId="0"`), rest: []byte("/>"), format: "0"}
		st.styles, st.newStyles = append(st.styles, plain), []byte(st.text(plain))
	}
	st.given = len(st.styles)
	return st, nil
}

// endsStyles reports whether the token is where the list of styles ends at the latest: a part that comes behind it, or the root's end.
func (st *Styles) endsStyles(s *xml.Scanner) bool {
	for _, later := range []string{"cellStyles", "dxfs", "tableStyles", "colors", "extLst"} {
		if s.Opens(later) && s.InRoot() {
			return true
		}
	}
	return s.Kind == xml.End && s.Depth() == 0
}

func (st *Styles) noteFormat(s *xml.Scanner) {
	id, err := strconv.Atoi(s.Attr("numFmtId"))
	if err == nil {
		st.formats[s.Attr("formatCode")] = id
		st.codes[s.Attr("numFmtId")] = plainFormat(s.Attr("formatCode"))
		st.lastFormat = max(st.lastFormat, id)
		if strings.EqualFold(s.Attr("formatCode"), "General") { // as LibreOffice writes it
			st.general[s.Attr("numFmtId")] = true
		}
	}
}

// readStyles reads the entries of cellXfs up to its end tag.
func (st *Styles) readStyles(s *xml.Scanner) error {
	depth := s.Depth()
	for {
		if err := s.Next(); err != nil {
			return xml.Unexpected(err)
		}
		switch {
		case s.Depth() < depth:
			st.stylesTag.endFrom, st.stylesTag.endTo = s.From, s.To()
			return nil
		case s.Opens("xf"):
			if err := st.readStyle(s); err != nil {
				return err
			}
		}
	}
}

func (st *Styles) readStyle(s *xml.Scanner) error {
	style := style{attrs: bytes.Clone(s.Attrs), format: s.Attr("numFmtId"), rest: []byte("/>")}
	if s.Kind == xml.Start {
		style.rest = []byte{'>'}
		for depth := s.Depth(); s.Depth() >= depth; {
			if err := s.Next(); err != nil {
				return xml.Unexpected(err)
			}
			style.rest = append(style.rest, s.Raw...)
		}
	}
	text := st.text(style)
	if _, ok := st.byText[text]; !ok {
		st.byText[text] = len(st.styles)
	}
	st.styles = append(st.styles, style)
	return nil
}

func (st *Styles) text(style style) string {
	return "<" + st.ns + "xf" + string(style.attrs) + string(style.rest)
}

// at is a style. One that the part does not have is the default style.
func (st *Styles) at(style int) style {
	if style < len(st.styles) {
		return st.styles[style]
	}
	return st.styles[0]
}

// Derive is the style that is like style but for the number format: the one that a cell is to have now, where an earlier write gave it that before;
// either may be empty. A style that has one already, and not from an earlier write, stays:
// a person chose it.
func (st *Styles) Derive(style int, now, before string) int {
	key := derivation{style, now, before}
	if made, ok := st.derived[key]; ok {
		return made
	}
	st.derived[key] = st.derivation(key)
	return st.derived[key]
}

func (st *Styles) derivation(of derivation) int {
	base := st.at(of.style)
	ours := of.before != "" && of.before != of.now && st.codes[base.format] == plainFormat(of.before)
	if !st.general[base.format] && !ours || st.general[base.format] && of.now == "" {
		return of.style
	}
	made := base
	made.format = "0"
	if of.now != "" {
		made.format = strconv.Itoa(st.formatID(of.now))
	}
	made.attrs = xml.SetAttr(xml.SetAttr(base.attrs, "numFmtId", made.format), "applyNumberFormat", "1")
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
func (st *Styles) formatID(code string) int {
	if id, ok := st.formats[code]; ok {
		return id
	}
	st.lastFormat++
	st.addedFormats++
	st.formats[code] = st.lastFormat
	st.codes[strconv.Itoa(st.lastFormat)] = plainFormat(code)
	st.newFormats = fmt.Appendf(st.newFormats, `<%snumFmt numFmtId="%d" formatCode="%s"/>`,
		st.ns, st.lastFormat, xml.AppendText(nil, code, true))
	return st.lastFormat
}

// plainFormat is a number format code without the signs that quote single characters of it, which programs add when they save.
func plainFormat(code string) string {
	return strings.NewReplacer(`\`, "", `"`, "").Replace(code)
}

// Changed is the part with the styles added; nil when none were.
func (st *Styles) Changed() []byte {
	if len(st.styles) == st.given {
		return nil
	}
	var edits []xml.Edit
	if st.addedFormats > 0 {
		tag := st.formatsTag
		if tag.to == 0 {
			tag.from, tag.to = st.root, st.root
		}
		old, _ := xml.Attr(tag.attrs, "count")
		count, _ := strconv.Atoi(string(old))
		edits = st.extend(tag, "numFmts", count+st.addedFormats, st.newFormats)
	}
	return xml.Apply(st.doc, append(edits, st.extend(st.stylesTag, "cellXfs", len(st.styles), st.newStyles)...))
}

// extend returns the edits that add elements to the list at tag, which then holds count.
func (st *Styles) extend(tag xmlTag, local string, count int, elements []byte) []xml.Edit {
	start := fmt.Appendf(nil, "<%s%s%s>", st.ns, local, xml.SetAttr(tag.attrs, "count", strconv.Itoa(count)))
	if tag.endTo > 0 {
		return []xml.Edit{{From: tag.from, To: tag.to, With: start}, {From: tag.endFrom, To: tag.endFrom, With: elements}}
	}
	whole := append(append(start, elements...), "</"+st.ns+local+">"...)
	return []xml.Edit{{From: tag.from, To: tag.to, With: whole}}
}

// Locks reports whether cells of a style are locked once their sheet is protected.
func (st *Styles) Locks(style int) bool {
	rest := st.at(style).rest
	_, tag, found := bytes.Cut(rest, []byte("<"+st.ns+"protection"))
	if !found {
		return true
	}
	tag, _, _ = bytes.Cut(tag, []byte{'>'})
	locked, ok := xml.Attr(tag, "locked")
	return !ok || xml.True(string(locked))
}
