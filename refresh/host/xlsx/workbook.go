package xlsx

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"mooring/placements"
	"mooring/refresh/host/xlsx/xml"
)

// workbook is what the workbook part says, with the offsets at which it can be edited.
type workbook struct {
	part     string
	doc      []byte
	ns       string
	sheets   []sheet
	names    []definedName
	local    []definedName // names that hold in one sheet only, such as a copied sheet brings along
	date1904 bool
	signed   bool // digitally: any change breaks the signature

	afterSheets int64 // where definedNames belongs when there is none
	namesTag    xmlTag
	calcTag     xmlTag
	relations   []relation
}

// sheet is one sheet of the workbook.
type sheet struct{ name, id, part string }

// definedName is a defined name; from and to frame what it refers to.
type definedName struct {
	name, ref string
	sheet     string // number, from zero, of the sheet that it holds in; empty for the whole workbook
	from, to  int64
}

// xmlTag is where an element stands: its first tag, and its end tag, zero when it is empty or absent.
type xmlTag struct {
	from, to       int64
	endFrom, endTo int64
	attrs          []byte
	empty          bool
}

// workbook reads the workbook part and its relationships.
func (p *archive) workbook() (*workbook, error) {
	top, err := p.relations("")
	if err != nil {
		return nil, err
	}
	wb := &workbook{}
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
		return nil, newFault(placements.Structure, p.document, nil, "is not an .xlsx workbook: save it as .xlsx.")
	}
	if wb.relations, err = p.relations(wb.part); err != nil {
		return nil, err
	}
	if err := wb.parse(); err != nil {
		return nil, p.broken(fmt.Errorf("%s: %w", wb.part, err))
	}
	return wb, nil
}

func (wb *workbook) parse() error {
	s := xml.NewScanner(bytes.NewReader(wb.doc))
	err := s.Root("workbook", nil)
	wb.ns = s.NS
	for ; err == nil; err = s.Next() {
		switch {
		case s.Opens("workbookPr"):
			wb.date1904 = xml.True(s.Attr("date1904"))
		case s.Opens("sheet"):
			wb.sheets = append(wb.sheets, wb.sheet(s))
		case s.Opens("definedNames"):
			wb.namesTag = tagOf(s)
		case s.Kind == xml.End && s.Is("definedNames"):
			wb.namesTag.endFrom, wb.namesTag.endTo = s.From, s.To()
		case s.Kind == xml.Start && s.Is("definedName"):
			if err := wb.definedName(s); err != nil {
				return err
			}
		case s.Opens("calcPr"):
			wb.calcTag = tagOf(s)
		}
		if s.Closes("sheets") || s.Closes("functionGroups") || s.Closes("externalReferences") {
			wb.afterSheets = s.To()
		}
	}
	if err != io.EOF {
		return err
	}
	if wb.afterSheets == 0 {
		return fmt.Errorf("%w: no list of sheets", xml.ErrXML)
	}
	return nil
}

func tagOf(s *xml.Scanner) xmlTag {
	return xmlTag{
		from: s.From, to: s.To(),
		attrs: bytes.Clone(s.Attrs), empty: s.Kind == xml.Empty,
	}
}

// sheet reads a sheet's entry. Its relationship has a prefix that the file may choose. A chart sheet has no part here.
func (wb *workbook) sheet(s *xml.Scanner) sheet {
	sheet := sheet{name: s.Attr("name"), id: s.Attr("sheetId")}
	for rest := s.Attrs; ; {
		var name, id []byte
		if name, id, rest = xml.NextAttr(rest); len(name) == 0 {
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

// definedName reads a name's element.
func (wb *workbook) definedName(s *xml.Scanner) error {
	n := definedName{name: s.Attr("name"), sheet: s.Attr("localSheetId"), from: s.To()}
	var ref []byte
	for depth := s.Depth(); s.Depth() >= depth; {
		if err := s.Next(); err != nil {
			return err
		}
		ref = s.AppendContent(ref)
	}
	n.ref, n.to = string(ref), s.From
	if n.sheet != "" {
		wb.local = append(wb.local, n)
		return nil
	}
	wb.names = append(wb.names, n)
	return nil
}

// find returns the worksheet of that name, without regard to case as decisions.md §6 says; false if there is none.
func (wb *workbook) find(name string) (sheet, bool) {
	for _, s := range wb.sheets {
		if s.part != "" && strings.EqualFold(s.name, name) {
			return s, true
		}
	}
	return sheet{}, false
}

// related is the part that the workbook refers to as kind, empty if none.
func (wb *workbook) related(kind string) string {
	for _, r := range wb.relations {
		if r.kind == kind {
			return r.target
		}
	}
	return ""
}
