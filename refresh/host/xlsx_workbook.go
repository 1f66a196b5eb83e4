package host

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"mooring/placements"
)

// xlsxWorkbook is what the workbook part says, with the offsets at which it can be edited.
type xlsxWorkbook struct {
	part     string
	doc      []byte
	ns       string
	sheets   []xlsxSheet
	names    []xlsxName
	copied   map[string]bool // names, in lower case, that hold in one sheet only, such as a copied sheet brings along
	date1904 bool
	signed   bool // digitally: any change breaks the signature

	afterSheets int64 // where definedNames belongs when there is none
	namesTag    xlsxTag
	calcTag     xlsxTag
	relations   []xlsxRelation
}

// xlsxSheet is one sheet of the workbook.
type xlsxSheet struct{ name, id, part string }

// xlsxName is a defined name of the whole workbook; from and to frame what it refers to.
type xlsxName struct {
	name, ref string
	from, to  int64
}

// xlsxTag is where an element stands: its first tag, and its end tag, zero when it is empty or absent.
type xlsxTag struct {
	from, to       int64
	endFrom, endTo int64
	attrs          []byte
	empty          bool
}

// workbook reads the workbook part and its relationships.
func (p *xlsxPackage) workbook() (*xlsxWorkbook, error) {
	top, err := p.relations("")
	if err != nil {
		return nil, err
	}
	wb := &xlsxWorkbook{}
	for _, r := range top {
		switch r.kind {
		case "officeDocument":
			wb.part = r.target
		case "origin":
			wb.signed = true
		}
	}
	if wb.doc, err = p.read(wb.part); err != nil {
		return nil, err
	}
	if wb.doc == nil || strings.HasSuffix(strings.ToLower(wb.part), ".bin") {
		return nil, xlsxFault(placements.Structure, p.document, nil, "is not an .xlsx workbook: save it as .xlsx.")
	}
	if wb.relations, err = p.relations(wb.part); err != nil {
		return nil, err
	}
	if err := wb.parse(); err != nil {
		return nil, p.broken(fmt.Errorf("%s: %w", wb.part, err))
	}
	return wb, nil
}

func (wb *xlsxWorkbook) parse() error {
	s := newXMLScanner(bytes.NewReader(wb.doc))
	err := s.root("workbook", nil)
	wb.ns = s.ns
	for ; err == nil; err = s.next() {
		switch {
		case s.opens("workbookPr"):
			wb.date1904 = xmlTrue(s.attr("date1904"))
		case s.opens("sheet"):
			wb.sheets = append(wb.sheets, wb.sheet(s))
		case s.opens("definedNames"):
			wb.namesTag = tagOf(s)
		case s.kind == xmlEnd && s.is("definedNames"):
			wb.namesTag.endFrom, wb.namesTag.endTo = s.from, s.to()
		case s.kind == xmlStart && s.is("definedName"):
			if err := wb.definedName(s); err != nil {
				return err
			}
		case s.opens("calcPr"):
			wb.calcTag = tagOf(s)
		}
		if s.closes("sheets") || s.closes("functionGroups") || s.closes("externalReferences") {
			wb.afterSheets = s.to()
		}
	}
	if err != io.EOF {
		return err
	}
	if wb.afterSheets == 0 {
		return fmt.Errorf("%w: no list of sheets", errXML)
	}
	return nil
}

func tagOf(s *xmlScanner) xlsxTag {
	return xlsxTag{
		from: s.from, to: s.to(),
		attrs: bytes.Clone(s.attrs), empty: s.kind == xmlEmpty,
	}
}

// sheet reads a sheet's entry. Its relationship has a prefix that the file may choose. A chart sheet has no part here.
func (wb *xlsxWorkbook) sheet(s *xmlScanner) xlsxSheet {
	sheet := xlsxSheet{name: s.attr("name"), id: s.attr("sheetId")}
	for rest := s.attrs; ; {
		var name, id []byte
		if name, id, rest = nextXMLAttr(rest); len(name) == 0 {
			return sheet
		}
		if !bytes.HasSuffix(name, []byte(":id")) {
			continue
		}
		for _, r := range wb.relations {
			if r.id == string(id) && r.kind == "worksheet" {
				sheet.part = r.target
			}
		}
	}
}

// definedName reads a name's element. Of one that holds only in a sheet no more than the name is kept.
func (wb *xlsxWorkbook) definedName(s *xmlScanner) error {
	n := xlsxName{name: s.attr("name"), from: s.to()}
	_, local := xmlAttr(s.attrs, "localSheetId")
	var ref []byte
	for depth := s.depth(); s.depth() >= depth; {
		if err := s.next(); err != nil {
			return err
		}
		ref = appendCharacters(ref, s)
	}
	n.ref, n.to = string(ref), s.from
	if local {
		if wb.copied == nil {
			wb.copied = map[string]bool{}
		}
		wb.copied[strings.ToLower(n.name)] = true
		return nil
	}
	wb.names = append(wb.names, n)
	return nil
}

// appendCharacters appends the characters of a text token, none for any other.
func appendCharacters(dst []byte, s *xmlScanner) []byte {
	switch s.kind {
	case xmlText:
		return xmlUnescape(dst, s.raw)
	case xmlCDATA:
		return append(dst, s.raw[len("<![CDATA["):len(s.raw)-len("]]>")]...)
	}
	return dst
}

func xmlTrue(v string) bool { return v == "1" || v == "true" || v == "on" }

// find gives the worksheet of that name, without regard to case as decisions.md §6 says; false if there is none.
func (wb *xlsxWorkbook) find(name string) (xlsxSheet, bool) {
	for _, s := range wb.sheets {
		if s.part != "" && strings.EqualFold(s.name, name) {
			return s, true
		}
	}
	return xlsxSheet{}, false
}

// related is the part that the workbook refers to as kind, empty if none.
func (wb *xlsxWorkbook) related(kind string) string {
	for _, r := range wb.relations {
		if r.kind == kind {
			return r.target
		}
	}
	return ""
}
