package refresh

import (
	"cmp"
	"fmt"
	"slices"

	"mooring/placements"
	"mooring/refresh/fault"
	"mooring/refresh/host"
	"mooring/storage"
)

// documentRef names a spreadsheet. A placement of which it is not known yet at which of several hosts it stands has no host.
type documentRef struct {
	tenant string
	kind   placements.Host
	host   *Spreadsheets // of the engine's
	id     string        // at the host
	home   string        // by which add-ins know it, of one that is known by that; else empty
}

// full is the id that names the host.
func (ref documentRef) full() string {
	if ref.host == nil {
		return ref.id
	}
	return placements.Site{Spreadsheets: ref.host.Name, Document: ref.id}.String()
}

// where names the host, or its kind where it is not known.
func (ref documentRef) where() string {
	if ref.host == nil || ref.host.Name == "" {
		return string(ref.kind)
	}
	return ref.host.Name
}

// ids are the ids under which placements in the document are recorded.
func (ref documentRef) ids() []string {
	ids := []string{cmp.Or(ref.home, ref.id)}
	for _, id := range []string{ref.id, ref.full()} {
		if !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids
}

// of returns p with the name of the host at which it stands.
func (ref documentRef) of(p storage.Placed) storage.Placed {
	if ref.host != nil {
		p.Spreadsheets = ref.host.Name
	}
	return p
}

// subject is what the calls to a document are about.
func (ref documentRef) subject() fault.Subject {
	return fault.Subject{
		Tenant: ref.tenant, Within: fmt.Sprintf("spreadsheets of %s", ref.where()), Name: fmt.Sprintf("the spreadsheet %q", ref.id),
	}
}

// Spreadsheets is a spreadsheet host of a tenant, by its name in the configuration.
type Spreadsheets struct {
	Name string
	Kind placements.Host // of its spreadsheets
	host.Host
}

// budget is the name of an account's quota as the requests of s take it: hosts that are not named after their kind have quotas of their own.
func (s *Spreadsheets) budget(account string) string {
	if s.Name == "" || s.Name == string(s.Kind) {
		return account
	}
	return account + "@" + s.Name
}

// documentOf is the document of a placement, as far as it is known without asking hosts.
func (e *Engine) documentOf(tenant string, p placements.Placement) documentRef {
	ref := documentRef{tenant: tenant, kind: p.Host, id: p.WorkbookID, home: homeOf(p)}
	if sites := e.sites(tenant, p); len(sites) == 1 {
		ref.host, ref.id = sites[0].host, sites[0].id
	}
	return ref
}

// homeOf is the id by which add-ins know the document of p, if it is linked under that.
func homeOf(p placements.Placement) string {
	if home := p.Home(); placements.AddinID(home) {
		return home
	}
	return ""
}

// sites are the documents that p may mean: one of each host that it may stand at.
func (e *Engine) sites(tenant string, p placements.Placement) (refs []documentRef) {
	hosts := e.tenants[tenant].Hosts
	names := make(placements.Documents, len(hosts))
	for i, h := range hosts {
		names[i] = placements.Spreadsheets{Name: h.Name, Kind: h.Kind}
	}
	for _, at := range names.SitesOf(p) {
		i := slices.IndexFunc(hosts, func(h Spreadsheets) bool { return h.Kind == p.Host && h.Name == at.Spreadsheets })
		refs = append(refs, documentRef{tenant, p.Host, &hosts[i], at.Document, homeOf(p)})
	}
	return refs
}

// lockOf is the name of the document's lock: the id that add-ins know it by, if it has one, since an add-in locks a document before it has a
// link. Else it is the id at the host where a tenant has one host of a kind.
func (e *Engine) lockOf(ref documentRef) string {
	if ref.home != "" {
		return ref.home
	}
	ofKind := 0
	for _, h := range e.tenants[ref.tenant].Hosts {
		if h.Kind == ref.kind {
			ofKind++
		}
	}
	if ofKind > 1 {
		return ref.full()
	}
	return ref.id
}

// hostOf returns the host of a document.
func (e *Engine) hostOf(ref documentRef) (*Spreadsheets, *placements.Fault) {
	switch {
	case ref.host != nil:
		return ref.host, nil
	case e.hasKind(ref.tenant, ref.kind):
		return nil, &placements.Fault{
			Class:   placements.Permanent,
			Message: fmt.Sprintf("it is not known at which spreadsheet host %q is: connect the report to it under an id that names the host", ref.id),
		}
	}
	return nil, &placements.Fault{
		Class: placements.Permanent,
		Message: "no spreadsheet host is configured for " + string(ref.kind) + ": " +
			"its placements are kept for add-ins, but not refreshed here",
	}
}

func (e *Engine) hasKind(tenant string, kind placements.Host) bool {
	return slices.ContainsFunc(e.tenants[tenant].Hosts, func(h Spreadsheets) bool { return h.Kind == kind })
}
