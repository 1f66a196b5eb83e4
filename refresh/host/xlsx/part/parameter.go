package part

import (
	"fmt"
	"strconv"
	"strings"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/host"
	"mooring/refresh/host/xlsx/archive"
	"mooring/refresh/host/xlsx/xml"
)

// LocateParameter finds cells of a parameter by their name, or else where they were last read, as far as they can be a parameter's.
func (wb *Workbook) LocateParameter(p host.ParameterCells) (found host.FoundParameter) {
	found = host.FoundParameter{At: p.At, Date1904: wb.Date1904}
	n, marked := wb.marker(p.ID)
	if found.Marked = marked && p.ID != ""; found.Marked {
		at, err := wb.placeOf(n)
		if err != nil {
			found.Err = p.Fault(err)
			return found
		}
		found.At = at
	}
	sheet, ok := wb.Find(found.At.Sheet)
	size := checksum.Extent{Rows: found.At.Rows, Columns: found.At.Columns}
	switch err := p.CheckSize(size); {
	case !ok:
		found.Err = p.Fault(host.ErrParameterSheet)
	case err != nil:
		found.Err = p.Fault(err)
	default:
		found.At = host.NewLocation(sheet.Name, found.At.Anchor, size)
	}
	return found
}

// placeOf is what a name refers to, if these are cells of one rectangle of the workbook.
func (wb *Workbook) placeOf(n definedName) (placements.Location, error) {
	if strings.Contains(n.Ref, "#REF!") {
		return placements.Location{}, host.ErrParameterDeleted
	}
	ref := strings.TrimSpace(n.Ref)
	at, err := placements.ParseLocation(ref)
	_, there := wb.Find(at.Sheet)
	switch {
	case err != nil || at.Sheet == "" || !there && host.IsForeignSheet(ref, at.Sheet):
		return at, host.ErrParameterShape
	case !there:
		return at, host.ErrParameterDeleted
	}
	return at, nil
}

// SetParameters returns the edits that make the names of parameters' cells refer to them, and new names for those that have none; neither
// where they do.
func (wb *Workbook) SetParameters(list []host.ParameterCells) (edits []xml.Edit, elements []byte) {
	for _, p := range list {
		sheet, there := wb.Find(p.At.Sheet)
		if !there {
			continue // the next read finds out
		}
		size := checksum.Extent{Rows: p.At.Rows, Columns: p.At.Columns}
		ref := host.Reference(sheet.Name, p.At.Anchor, size)
		switch old, ok := wb.marker(p.ID); {
		case ok && wb.marks(p.ID, sheet.Name, p.At.Anchor, size):
		case ok:
			edits = append(edits, xml.Edit{From: old.from, To: old.to, With: xml.AppendText(nil, ref, false)})
		default:
			elements = wb.appendName(elements, host.MarkerName(p.ID), ref)
		}
	}
	return edits, elements
}

// DateStyles returns a function that reports whether a style shows a number as a date or a time.
func DateStyles(a *archive.Archive, wb *Workbook) (func(style int) bool, error) {
	name := wb.Related("styles")
	doc, err := a.Read(name)
	if err != nil {
		return nil, err
	}
	if doc == nil {
		return func(int) bool { return false }, nil
	}
	st, err := parseStyles(doc)
	if err != nil {
		return nil, a.Broken(fmt.Errorf("%s: %w", name, err))
	}
	dates := map[string]bool{}
	for code, id := range st.formats {
		dates[strconv.Itoa(id)] = host.IsDateFormat(code)
	}
	return func(style int) bool {
		format := st.at(style).format
		if own, ok := dates[format]; ok {
			return own
		}
		return isBuiltInDate(format)
	}, nil
}

// isBuiltInDate reports whether the number format of a number is one of dates or times that every workbook has, those of East Asian ones
// among them (ECMA-376, 18.8.30).
func isBuiltInDate(format string) bool {
	id, err := strconv.Atoi(format)
	return err == nil && (id >= 14 && id <= 22 || id >= 27 && id <= 36 || id >= 45 && id <= 47 || id >= 50 && id <= 58)
}
