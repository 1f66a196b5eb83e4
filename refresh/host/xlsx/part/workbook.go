package part

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"mooring/placements"
	"mooring/refresh/host/xlsx/archive"
	"mooring/refresh/host/xlsx/xml"
)

// Workbook is what the workbook part says, with the offsets at which it can be edited.
type Workbook struct {
	Part     string
	Doc      []byte
	ns       string
	Sheets   []Sheet
	Names    []definedName
	Local    []definedName // names that hold in one sheet only, such as a copied sheet brings along
	Date1904 bool
	Signed   bool // digitally: any change breaks the signature

	afterSheets int64 // where definedNames belongs when there is none
	namesTag    xmlTag
	calcTag     xmlTag
	Relations   []archive.Relation
}

// Sheet is one sheet of the workbook.
type Sheet struct{ Name, ID, Part string }

// definedName is a defined name; from and to frame what it refers to.
type definedName struct {
	Name, Ref string
	Sheet     string // number, from zero, of the sheet that it holds in; empty for the whole workbook
	from, to  int64
}

// xmlTag is where an element stands: its first tag, and its end tag, zero when it is empty or absent.
type xmlTag struct {
	from, to       int64
	endFrom, endTo int64
	attrs          []byte
	empty          bool
}

// ReadWorkbook reads the workbook part and its relationships.
func ReadWorkbook(a *archive.Archive) (*Workbook, error) {
	top, err := a.Relations("")
	if err != nil {
		return nil, err
	}
	wb := &Workbook{}
	for _, r := range top {
		switch r.Kind {
		case "officeDocument":
			wb.Part = r.Target
		case "origin":
			wb.Signed = true
		}
	}
	if wb.Doc, err = a.Read(wb.Part); err != nil {
		return nil, err
	}
	if wb.Doc == nil || strings.HasSuffix(strings.ToLower(wb.Part), ".bin") {
		return nil, archive.NewFault(placements.Structure, a.Document, nil, "is not an .xlsx workbook: save it as .xlsx.")
	}
	if wb.Relations, err = a.Relations(wb.Part); err != nil {
		return nil, err
	}
	if err := wb.parse(); err != nil {
		return nil, a.Broken(fmt.Errorf("%s: %w", wb.Part, err))
	}
	return wb, nil
}

func (wb *Workbook) parse() error {
	s := xml.NewScanner(bytes.NewReader(wb.Doc))
	err := s.Root("workbook", nil)
	wb.ns = s.NS
	for ; err == nil; err = s.Next() {
		switch {
		case s.Opens("workbookPr"):
			wb.Date1904 = xml.True(s.Attr("date1904"))
		case s.Opens("sheet"):
			wb.Sheets = append(wb.Sheets, wb.sheet(s))
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

// With returns the workbook as another document of its part says.
func (wb *Workbook) With(doc []byte) (*Workbook, error) {
	after := &Workbook{Part: wb.Part, Doc: doc, Signed: wb.Signed, Relations: wb.Relations}
	return after, after.parse()
}

func tagOf(s *xml.Scanner) xmlTag {
	return xmlTag{
		from: s.From, to: s.To(),
		attrs: bytes.Clone(s.Attrs), empty: s.Kind == xml.Empty,
	}
}

// sheet reads a sheet's entry. Its relationship has a prefix that the file may choose. A chart sheet has no part here.
func (wb *Workbook) sheet(s *xml.Scanner) Sheet {
	sheet := Sheet{Name: s.Attr("name"), ID: s.Attr("sheetId")}
	for rest := s.Attrs; ; {
		var name, id []byte
		if name, id, rest = xml.NextAttr(rest); len(name) == 0 {
			return sheet
		}
		if !bytes.HasSuffix(name, []byte(":id")) {
			continue
		}
		for _, r := range wb.Relations {
			if r.ID == string(id) && r.Kind == "worksheet" {
				sheet.Part = r.Target
			}
		}
	}
}

// definedName reads a name's element.
func (wb *Workbook) definedName(s *xml.Scanner) error {
	n := definedName{Name: s.Attr("name"), Sheet: s.Attr("localSheetId"), from: s.To()}
	var ref []byte
	for depth := s.Depth(); s.Depth() >= depth; {
		if err := s.Next(); err != nil {
			return err
		}
		ref = s.AppendContent(ref)
	}
	n.Ref, n.to = string(ref), s.From
	if n.Sheet != "" {
		wb.Local = append(wb.Local, n)
		return nil
	}
	wb.Names = append(wb.Names, n)
	return nil
}

// Find returns the worksheet of that name, without regard to case as decisions.md §6 says; false if there is none.
func (wb *Workbook) Find(name string) (Sheet, bool) {
	for _, s := range wb.Sheets {
		if s.Part != "" && strings.EqualFold(s.Name, name) {
			return s, true
		}
	}
	return Sheet{}, false
}

// Related is the part that the workbook refers to as kind, empty if none.
func (wb *Workbook) Related(kind string) string {
	for _, r := range wb.Relations {
		if r.Kind == kind {
			return r.Target
		}
	}
	return ""
}

// Parts are the names of the parts that the workbook refers to, and its own.
func (wb *Workbook) Parts() (list []string) {
	for _, r := range wb.Relations {
		list = append(list, r.Target)
	}
	return append(list, wb.Part)
}
