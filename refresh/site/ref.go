package site

import (
	"cmp"
	"fmt"
	"slices"

	"mooring/placements"
	"mooring/refresh/fault"
	"mooring/refresh/host"
	"mooring/storage"
)

// Ref names a spreadsheet. A placement of which it is not known yet at which of several hosts it stands has no host.
type Ref struct {
	Tenant string
	Kind   placements.Host
	Host   *Provider // of the engine's
	ID     string    // at the host
	Home   string    // by which add-ins know it, of one that is known by that; else empty
}

// Full is the id that names the host.
func (ref Ref) Full() string {
	if ref.Host == nil {
		return ref.ID
	}
	return placements.Site{Spreadsheets: ref.Host.Name, Document: ref.ID}.String()
}

// Where names the host, or its kind where it is not known.
func (ref Ref) Where() string {
	if ref.Host == nil || ref.Host.Name == "" {
		return string(ref.Kind)
	}
	return ref.Host.Name
}

// IDs are the ids under which placements in the document are recorded.
func (ref Ref) IDs() []string {
	ids := []string{cmp.Or(ref.Home, ref.ID)}
	for _, id := range []string{ref.ID, ref.Full()} {
		if !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids
}

// On returns p with the name of the host at which it stands.
func (ref Ref) On(p storage.Placed) storage.Placed {
	if ref.Host != nil {
		p.Spreadsheets = ref.Host.Name
	}
	return p
}

// Subject is what the calls to a document are about.
func (ref Ref) Subject() fault.Callee {
	return fault.Callee{
		Tenant: ref.Tenant, Within: fmt.Sprintf("spreadsheets of %s", ref.Where()), Name: fmt.Sprintf("the spreadsheet %q", ref.ID),
	}
}

// Provider is a spreadsheet host of a tenant, by its name in the configuration.
type Provider struct {
	Name string
	Kind placements.Host // of its spreadsheets
	host.Driver
}

// budget is the name of an account's quota as the requests of s take it: hosts that are not named after their kind have quotas of their own.
func (s *Provider) budget(account string) string {
	if s.Name == "" || s.Name == string(s.Kind) {
		return account
	}
	return account + "@" + s.Name
}

// Of is the document of a placement, as far as it is known without asking hosts.
func (s *Locator) Of(tenant string, p placements.Placement) Ref {
	ref := Ref{Tenant: tenant, Kind: p.Host, ID: p.WorkbookID, Home: homeOf(p)}
	if sites := s.candidates(tenant, p); len(sites) == 1 {
		ref.Host, ref.ID = sites[0].Host, sites[0].ID
	}
	return ref
}

// ByDocument returns the documents of placements, in their order, and the placements in each.
func (s *Locator) ByDocument(tenant string, list []storage.Placed) (refs []Ref, in map[Ref][]storage.Placed) {
	in = map[Ref][]storage.Placed{}
	for _, p := range list {
		ref := s.Of(tenant, p.Placement)
		if in[ref] == nil {
			refs = append(refs, ref)
		}
		in[ref] = append(in[ref], p)
	}
	return refs, in
}

// homeOf is the id by which add-ins know the document of p, if it is linked under that.
func homeOf(p placements.Placement) string {
	if home := p.Home(); placements.AddinID(home) {
		return home
	}
	return ""
}

// sites are the documents that p may mean: one of each host that it may stand at.
func (s *Locator) candidates(tenant string, p placements.Placement) (refs []Ref) {
	hosts := s.Hosts[tenant]
	names := make(placements.Documents, len(hosts))
	for i, h := range hosts {
		names[i] = placements.Spreadsheets{Name: h.Name, Kind: h.Kind}
	}
	for _, at := range names.SitesOf(p) {
		i := slices.IndexFunc(hosts, func(h Provider) bool { return h.Kind == p.Host && h.Name == at.Spreadsheets })
		refs = append(refs, Ref{tenant, p.Host, &hosts[i], at.Document, homeOf(p)})
	}
	return refs
}

// LockName is the name of the document's lock: the id that add-ins know it by, if it has one, since an add-in locks a document before it has a
// link. Else it is the id at the host where a tenant has one host of a kind.
func (s *Locator) LockName(ref Ref) string {
	if ref.Home != "" {
		return ref.Home
	}
	ofKind := 0
	for _, h := range s.Hosts[ref.Tenant] {
		if h.Kind == ref.Kind {
			ofKind++
		}
	}
	if ofKind > 1 {
		return ref.Full()
	}
	return ref.ID
}

// HostOf returns the host of a document.
func (s *Locator) HostOf(ref Ref) (*Provider, *placements.Fault) {
	switch {
	case ref.Host != nil:
		return ref.Host, nil
	case s.HasKind(ref.Tenant, ref.Kind):
		return nil, &placements.Fault{
			Class:   placements.Permanent,
			Message: fmt.Sprintf("it is not known at which spreadsheet host %q is: connect the report to it under an id that names the host", ref.ID),
		}
	}
	return nil, &placements.Fault{
		Class: placements.Permanent,
		Message: "no spreadsheet host is configured for " + string(ref.Kind) + ": " +
			"its placements are kept for add-ins, but not refreshed here",
	}
}

func (s *Locator) HasKind(tenant string, kind placements.Host) bool {
	return slices.ContainsFunc(s.Hosts[tenant], func(h Provider) bool { return h.Kind == kind })
}
