package placements

import (
	"cmp"
	"errors"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"mooring/checksum"
)

// Connection is the body of a connect (interface.md, Connect a report to the calling spreadsheet). An empty text is one that was not sent.
type Connection struct {
	ExternalWorkbookID string                   `json:"externalWorkbookId"`
	ResultLocation     string                   `json:"resultLocation"`
	AddressOnly        bool                     `json:"addressOnly"`
	AnchorCell         string                   `json:"anchorCell"`
	EndResultCell      string                   `json:"endResultCell"`
	PlacementID        string                   `json:"placementId"`
	ResultChecksum     *checksum.ResultChecksum `json:"resultChecksum"`
	SheetID            string                   `json:"sheetId"`
	SheetName          string                   `json:"sheetName"`
	WorkbookName       string                   `json:"workbookName"`
	Host               Host                     `json:"host"`
	StatusCell         Optional[string]         `json:"statusCell,omitzero"` // on the block's sheet
	FillRight          Optional[string]         `json:"fillRight,omitzero"`  // columns to the right of the block

	Parameters Optional[ParameterSettings] `json:"parameters,omitzero"` // all of them: what is left out is said no more
	Options
	Declared bool   `json:"-"` // by a file: a cell of a parameter that it names where it was last set stays where it has been followed to
	Nonce    string `json:"-"` // see record.Link; "": not sent
	// Whereabouts are those of the spreadsheet that ExternalWorkbookID names: zero for one without a link. The storage fills them in.
	Whereabouts Whereabouts `json:"-"`
}

// home is the id by which the spreadsheet is known.
func (c *Connection) home() string { return cmp.Or(c.Whereabouts.Document, c.ExternalWorkbookID) }

// The longest names and ids of a connection, in characters.
const (
	maxPlacementID = 128
	maxName        = 1024
)

// Range is what a valid connection says about where it wants to be.
type Range struct {
	Address
	End *Anchor // the block's last cell; nil when the connection does not say
}

// Place checks the whole connection and returns its address. The error is an *Error that holds every fault of the body.
func (c Connection) Place() (Range, error) {
	var f faults
	f.checkNames(c)
	if c.Host != "" && c.Host != SheetsA && c.Host != SheetsB {
		f.add(hostPointer, sentence("%q is no spreadsheet host: send SHEETS_A or SHEETS_B.", string(c.Host)))
	}
	l := f.location(c.ResultLocation)
	p := Range{Address: Address{Document: c.home()}}
	p.Sheet = f.sheet(c, l)
	p.Anchor = f.anchor(c, l)
	p.End = f.end(c, l, p.Anchor)
	f.checksum(c.ResultChecksum)
	f.statusCell(c)
	f.fillRight(c)
	f.options(c.Options)
	return p, f.err()
}

// faults collects what is wrong with a body, each with the pointer of its member.
type faults struct{ details []Detail }

func (f *faults) add(pointer, message string) {
	f.details = append(f.details, Detail{Pointer: pointer, Code: codeAt(pointer), Message: message})
}

// The members that are not of the address.
const (
	hostPointer     = "/host"
	onEditPointer   = "/onEdit"
	checksumPointer = "/resultChecksum"
)

// codeAt returns the code of a fault at that pointer: every member but host, resultChecksum and the options says where the
// placement stands.
func codeAt(pointer string) Code {
	if pointer == hostPointer || pointer == onEditPointer || strings.HasPrefix(pointer, checksumPointer) {
		return CodeInvalid
	}
	return CodeAddress
}

func (f *faults) err() error {
	if len(f.details) == 0 {
		return nil
	}
	return Faulty(f.details...)
}

func (f *faults) checkNames(c Connection) {
	if c.ExternalWorkbookID == "" {
		f.add("/externalWorkbookId", "The spreadsheet is missing: send its id as externalWorkbookId.")
	}
	for _, member := range []struct {
		pointer, text string
		most          int
	}{
		{"/externalWorkbookId", c.ExternalWorkbookID, maxName},
		{"/placementId", c.PlacementID, maxPlacementID},
		{"/sheetId", c.SheetID, maxName},
		{"/workbookName", c.WorkbookName, maxName},
	} {
		switch {
		case !utf8.ValidString(member.text) || strings.ContainsFunc(member.text, unicode.IsControl):
			f.add(member.pointer, "Control characters and broken UTF-8 are not allowed here: send plain text.")
		case utf8.RuneCountInString(member.text) > member.most:
			f.add(member.pointer, sentence("At most %d characters are allowed here: send a shorter text.", member.most))
		}
	}
}

// location reads resultLocation; nil when it is missing or broken, which is then among the faults.
func (f *faults) location(s string) *Location {
	if s == "" {
		f.add("/resultLocation", "The place of the result is missing: send it as resultLocation, such as Sheet1!B2.")
		return nil
	}
	l, err := ParseLocation(s)
	if err != nil {
		f.add("/resultLocation", err.Error())
		return nil
	}
	return &l
}

// sheet takes the name from sheetName, else from resultLocation; the two must be the same sheet when both speak.
func (f *faults) sheet(c Connection, l *Location) string {
	name, pointer := c.SheetName, "/sheetName"
	if name == "" {
		if l == nil {
			return ""
		}
		name, pointer = l.Sheet, "/resultLocation"
	}
	switch {
	case name == "":
		f.add("/sheetName", noSheet)
	case l != nil && l.Sheet != "" && foldSheet(l.Sheet) != foldSheet(name):
		f.add("/sheetName", sentence(
			"sheetName is %q and resultLocation names %q: send the same sheet in both, or in only one.", name, l.Sheet))
	default:
		if fault := checkSheetOf(c.Host, name); fault != "" {
			f.add(pointer, fault)
		}
	}
	return name
}

const noSheet = "No sheet is named: send sheetName, or a resultLocation that names one, such as Sheet1!B2."

// Declared is the error of Connection.Place, or of what begins with that, about the spreadsheet keys of a report's own body: only their
// resultLocation can name a sheet.
func Declared(err error) error {
	bad, ok := errors.AsType[*Error](err)
	if !ok || len(bad.Details) == 0 {
		return err
	}
	details := slices.Clone(bad.Details)
	for i := range details {
		if d := &details[i]; d.Pointer == "/sheetName" {
			d.Pointer = "/resultLocation"
			if d.Message == noSheet {
				d.Message = "No sheet is named: write it into resultLocation, such as Sheet1!B2."
			}
		}
	}
	e := Faulty(details...)
	e.RetryAfter, e.Cause = bad.RetryAfter, bad.Cause
	return e
}

// anchor takes the cell from anchorCell, else from resultLocation; the two must be the same cell when both speak.
func (f *faults) anchor(c Connection, l *Location) Anchor {
	if c.AnchorCell == "" {
		if l == nil {
			return Anchor{}
		}
		return l.Anchor
	}
	a, err := ParseAnchor(c.AnchorCell)
	switch {
	case err != nil:
		f.add("/anchorCell", err.Error())
	case l != nil && l.Anchor != a:
		f.add("/anchorCell", sentence(
			"anchorCell is %s and resultLocation begins at %s: send the same cell in both, or in only one.", a.String(), l.Anchor.String()))
	}
	return a
}

// end takes the last cell from endResultCell, else from the range in resultLocation.
func (f *faults) end(c Connection, l *Location, anchor Anchor) *Anchor {
	if c.EndResultCell == "" {
		if l == nil || !l.Range {
			return nil
		}
		end := l.End()
		return &end
	}
	return f.endCell(c.EndResultCell, anchor)
}

// endCell reads an endResultCell, which may not lie before the anchor.
func (f *faults) endCell(s string, anchor Anchor) *Anchor {
	end, err := ParseAnchor(s)
	switch {
	case err != nil:
		f.add("/endResultCell", err.Error())
	case end.Row < anchor.Row || end.Column < anchor.Column:
		f.add("/endResultCell", sentence(
			"endResultCell %s lies above or left of the anchor %s: send the block's bottom-right cell.", end.String(), anchor.String()))
	}
	return &end
}

// checksum refuses what decisions.md §6 does not let a client store.
func (f *faults) checksum(c *checksum.ResultChecksum) {
	if c == nil {
		return
	}
	err := c.Validate()
	if err == nil {
		return
	}
	wrong, ok := errors.AsType[checksum.FieldFaults](err)
	if !ok {
		wrong = checksum.FieldFaults{{Message: err.Error()}}
	}
	for _, w := range wrong {
		f.add(checksumPointer+w.Pointer, "The checksum "+w.Message+".")
	}
}

// options refuses values that an option does not have.
func (f *faults) options(o Options) {
	if v := o.OnEdit.Or(Keep); !v.Valid() {
		f.add(onEditPointer, sentence("%q is not what a run can do with edited cells: send keep, overwrite or stop.", string(v)))
	}
}
