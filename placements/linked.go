package placements

import (
	"cmp"
	"slices"
	"strings"

	"github.com/google/uuid"
)

// IsZero reports whether nothing is linked.
func (l *Linked) IsZero() bool {
	return l.Document == "" && l.Target == "" && l.Path == "" && !l.Apart && len(l.Merged) == 0
}

// Home is the id by which the document of p is known: that of all placements in it, under whichever of its ids they were recorded.
func (p *Placement) Home() string { return cmp.Or(p.Linked.Document, p.WorkbookID) }

// AddressDocument is the document of the address of p, which no other placement of its report has with that sheet and anchor.
func (p *Placement) AddressDocument() string {
	if p.Apart {
		return p.WorkbookID
	}
	return p.Home()
}

// Recorded is the address of p under the id of its document that it was recorded with.
func (p *Placement) Recorded() (Address, bool) {
	a, stands := p.Address()
	a.Document = p.WorkbookID
	return a, stands
}

// apartAt reports whether p stands at that address beside another placement of its report.
func (p *Placement) apartAt(at Address) bool {
	is, stands := p.Address()
	return p.Apart && stands && is.Spot() == at.Spot() && p.Home() == at.Document
}

// IDs are those of the document of p, the one by which it is known first.
func (p *Placement) IDs() []string {
	ids := []string{p.Home()}
	for _, id := range []string{p.WorkbookID, p.Target} {
		if id != "" && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	if p.Target != "" {
		ids = append(ids, Site{Spreadsheets: p.Spreadsheets, Document: p.Target}.String())
	}
	return ids
}

// In reports whether id is one of the document of p.
func (p *Placement) In(id string) bool {
	if id == p.WorkbookID || p.Linked.IsZero() {
		return id == p.WorkbookID
	}
	id = LinkID(id)
	return slices.ContainsFunc(p.IDs(), func(one string) bool { return LinkID(one) == id })
}

// AddinID reports whether an id of a spreadsheet is of the form that add-ins and agents make and keep in it: a UUID as it is usually written, in
// any case. Every other id is a host's own name.
func AddinID(id string) bool {
	const usual = 36 // the length; the parser knows other forms, which a host may have
	return len(id) == usual && uuid.Validate(id) == nil
}

// LinkID is an id of a spreadsheet as links know it: of a UUID, which may be recorded in any case, the one in lower case.
func LinkID(id string) string {
	if AddinID(id) {
		return strings.ToLower(id)
	}
	return id
}

// Spellings are the forms of an id under which a spreadsheet may be recorded: of a UUID the one that is sent, and those in one case.
func Spellings(id string) []string {
	if !AddinID(id) {
		return []string{id}
	}
	list := []string{id, strings.ToLower(id), strings.ToUpper(id)}
	slices.Sort(list)
	return slices.Compact(list)
}

// Is reports whether id is that of p, or of a placement that became one with it.
func (p *Placement) Is(id string) bool { return p.ID == id || slices.Contains(p.Merged, id) }

// Whereabouts are where a document is that has a link, as a connect to it finds them.
type Whereabouts struct {
	Document     string `json:"document"`               // by which it is known
	Identity     string `json:"identity"`               // what the file says that it is: a UUID
	Spreadsheets string `json:"spreadsheets,omitempty"` // the host's name
	Target       string `json:"target,omitempty"`       // at the host
	Path         string `json:"path,omitempty"`
}

// link makes p, recorded in a document under WorkbookID, one that is where w says.
func (p *Placement) link(w Whereabouts) {
	merged, apart := p.Merged, p.Apart
	p.Linked = Linked{Target: w.Target, Path: w.Path, Merged: merged, Apart: apart}
	if w.Document != p.WorkbookID {
		p.Linked.Document = w.Document
	}
	if w.Target == p.WorkbookID {
		p.Target = "" // it says so itself
	}
	if w.Spreadsheets != "" {
		p.Spreadsheets = w.Spreadsheets
	}
}

// At returns p where w says that its document is. The zero Whereabouts are those of a document without a link.
func (p Placement) At(w Whereabouts) Placement {
	p.link(w)
	if w.Document == "" {
		p.Linked.Document, p.Apart = "", false
		if AddinID(p.WorkbookID) {
			p.Spreadsheets = ""
		}
	}
	return p
}
