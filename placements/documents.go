package placements

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

// Spreadsheets is a spreadsheet host of the configuration, as a deployment may use it.
type Spreadsheets struct {
	Name string
	Kind Host // of its spreadsheets
	// Documents are the spreadsheets in which the deployment's reports may be placed: patterns of their ids at the host, as path.Match reads
	// them, in which * and ? stand for no slash. nil: all of them.
	Documents []string
}

// allows reports whether reports may be placed in the spreadsheet at a site: patterns are matched with its id, and with its path below its site.
func (s Spreadsheets) allows(at Site) bool {
	return s.Documents == nil || slices.ContainsFunc(s.Documents, func(pattern string) bool {
		id, err := path.Match(pattern, at.Document)
		below, err2 := path.Match(pattern, at.Path)
		return err == nil && id || err2 == nil && at.Path != "" && below
	})
}

// Site is where a spreadsheet is: at a spreadsheet host, by its name, under an id there. Path is the one below its site, if it is known.
type Site struct{ Spreadsheets, Document, Path string }

// siteSeparator stands between the name of a host and an id there, as in share:plan.xlsx.
const siteSeparator = ":"

// String is the id that names the host.
func (s Site) String() string { return s.Spreadsheets + siteSeparator + s.Document }

// Documents are the spreadsheet hosts of a tenant, with the spreadsheets in which a deployment's reports may be placed. A kind of which there
// is none has no bounds: add-ins alone open its spreadsheets.
type Documents []Spreadsheets

// SitesOf returns where the spreadsheet of p may be as far as p says: where its link says, else at the host that its id names, else at the one
// that is kept with it, else at any host of its kind. Nothing says where a spreadsheet is of which add-ins alone know.
func (d Documents) SitesOf(p Placement) (sites []Site) {
	if p.Target != "" && d.has(p.Host, p.Spreadsheets) {
		return []Site{{p.Spreadsheets, p.Target, p.Path}}
	}
	if AddinID(p.WorkbookID) {
		return nil // add-ins alone know where it is
	}
	name, id, _ := strings.Cut(p.WorkbookID, siteSeparator)
	if d.has(p.Host, name) && id != "" {
		return []Site{{Spreadsheets: name, Document: id}}
	}
	if d.has(p.Host, p.Spreadsheets) {
		return []Site{{p.Spreadsheets, p.WorkbookID, p.Path}}
	}
	for _, s := range d {
		if s.Kind == p.Host {
			sites = append(sites, Site{Spreadsheets: s.Name, Document: p.WorkbookID})
		}
	}
	return sites
}

// has reports whether there is a host of that kind with that name.
func (d Documents) has(kind Host, name string) bool {
	return slices.ContainsFunc(d, func(s Spreadsheets) bool { return s.Kind == kind && s.Name == name })
}

// allowed are the sites of p where reports may be placed.
func (d Documents) allowed(p Placement) []Site {
	return slices.DeleteFunc(d.SitesOf(p), func(at Site) bool {
		return !slices.ContainsFunc(d, func(s Spreadsheets) bool { return s.Name == at.Spreadsheets && s.allows(at) })
	})
}

// Allow reports whether a report may be placed where p says. Where a spreadsheet is of which add-ins alone know is not bounded: agents reach it
// only after it has been found among those where reports may be placed.
func (d Documents) Allow(p Placement) bool {
	return len(d.SitesOf(p)) == 0 || len(d.allowed(p)) > 0
}

// Allows reports whether reports may be placed in the spreadsheet at a site.
func (d Documents) Allows(at Site) bool {
	return slices.ContainsFunc(d, func(s Spreadsheets) bool { return s.Name == at.Spreadsheets && s.allows(at) })
}

// Admit reports whether wherever the spreadsheet of p may be, it is among those that are named, so that agents may open it.
func (d Documents) Admit(p Placement) bool {
	sites := d.SitesOf(p)
	named := func(at Site) bool {
		return slices.ContainsFunc(d, func(s Spreadsheets) bool {
			return s.Name == at.Spreadsheets && s.Documents != nil && s.allows(at)
		})
	}
	return len(sites) > 0 && !slices.ContainsFunc(sites, func(at Site) bool { return !named(at) })
}

// HostOf returns the name of the host that alone can be meant by p, empty if none or several can.
func (d Documents) HostOf(p Placement) string {
	if sites := d.allowed(p); len(sites) == 1 {
		return sites[0].Spreadsheets
	}
	return ""
}

// CheckPattern returns what is wrong with a pattern of Documents.
func CheckPattern(pattern string) error {
	if pattern == "" {
		return fmt.Errorf("a pattern is empty: write a document's id, or * for all")
	}
	if _, err := path.Match(pattern, ""); err != nil {
		return fmt.Errorf("%q is no pattern: * stands for any characters but /, ? for one, [a-z] for one of these, \\ quotes the next",
			pattern)
	}
	return nil
}
