package placements

import (
	"maps"
	"slices"
	"strings"
)

// Faults are what is wrong with what a placement is to say of these parameters, at the pointers of its member "parameters". A parameter of
// which it says nothing, and which has no default, is no fault yet: its runs say so.
func (s ParameterSettings) Faults(of []Parameter) []Detail {
	f := parameterFaults{}
	for _, name := range slices.Sorted(maps.Keys(s)) {
		f.setting(FindParameter(of, name), name, s[name])
	}
	return f.details
}

// setting judges what is said of one parameter; p is nil where the report has none of that name.
func (f *parameterFaults) setting(p *Parameter, name string, s ParameterSetting) {
	at := "/parameters/" + pointerName(name)
	switch {
	case p == nil:
		f.code = CodeParameterUndeclared
		f.add(at, noParameter(name))
	case (s.Value == nil) == (s.Cell == ""):
		f.code = CodeParameterInvalid
		f.add(at, "says "+map[bool]string{true: "neither a value nor", false: "both a value and"}[s.Value == nil]+" a cell: send one of them")
	case s.Value != nil:
		f.code = CodeParameterValue
		if fault := p.Admits(*s.Value); fault != nil {
			f.add(at+"/value"+fault.Pointer, fault.Message)
		}
	default:
		f.code = CodeParameterCell
		if message := p.cellRefusal(s.Cell); message != "" {
			f.add(at+"/cell", message)
		}
	}
}

// cellRefusal says why a placement may not take p from a cell.
func (p *Parameter) cellRefusal(cell string) string {
	if !p.FromCells {
		return "names a cell, from which the report does not let this parameter come: send a value, or let the report's parameter have fromCells"
	}
	l, err := ParseLocation(cell)
	switch {
	case err != nil:
		return err.Error()
	case l.Sheet == "":
		return sentence("%q names no sheet: write one before the cell, such as Setup!B2.", cell)
	case !p.List && (l.Rows > 1 || l.Columns > 1):
		return sentence("%q is several cells, where the parameter takes one.", cell)
	case l.Rows > 1 && l.Columns > 1:
		return sentence("%q has several rows and columns: a list is one column or one row.", cell)
	case max(l.Rows, l.Columns) > MaxParameterValues:
		return sentence("%q has more cells than a list may have values, which is 1,000.", cell)
	}
	return ""
}

// checkParameterCells returns the *Error that refuses a cell inside the block of p itself: refreshes write there.
func checkParameterCells(p Placement) error {
	at, r, ok := p.Standing()
	var wrong []Detail
	for _, name := range p.Parameters.names() {
		l, err := ParseLocation(p.Parameters[name].Cell)
		if !ok || err != nil || !strings.EqualFold(l.Sheet, at.Sheet) || !r.Intersects(l.rect()) {
			continue
		}
		wrong = append(wrong, Detail{
			Pointer: "/parameters/" + pointerName(name) + "/cell", Code: CodeParameterCell,
			Message: "lies inside the block of the report itself, where refreshes write: choose a cell outside",
		})
	}
	if len(wrong) == 0 {
		return nil
	}
	return Faulty(wrong...)
}

// pointerName is a name as a JSON pointer has it, clipped as in a message.
func pointerName(name string) string {
	return strings.NewReplacer("~", "~0", "/", "~1").Replace(clip(name))
}

// noParameter is the fault of a name that no parameter has.
func noParameter(name string) string {
	return sentence("The report has no parameter %q: declare it there, or leave it out here.", name)
}
