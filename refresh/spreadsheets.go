package refresh

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"mooring/placements"
	"mooring/refresh/host"
	"mooring/storage"
	"mooring/storage/record"
)

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

// Limiter returns a limiter for s that shares its quotas out through all.
func (s *Spreadsheets) Limiter(all host.Limiter) host.Limiter { return budgets{s, all} }

// budgets is the Limiter of a spreadsheet host.
type budgets struct {
	of  *Spreadsheets
	all host.Limiter
}

// TakeQuota is host.Limiter's.
func (b budgets) TakeQuota(ctx context.Context, account string, perMinute, n int) (time.Duration, error) {
	return b.all.TakeQuota(ctx, b.of.budget(account), perMinute, n)
}

// documentRef names a spreadsheet. A placement of which it is not known yet at which of several hosts it stands has no host.
type documentRef struct {
	tenant string
	kind   placements.Host
	host   *Spreadsheets // of the engine's
	id     string        // at the host
	home   string        // by which add-ins know it, of one that is known by that; else empty
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

// sited finds out at which hosts the documents of placements are, and keeps that with them. It leaves out those of which it cannot be told, and
// says why in the run.
func (a *attempt) sited(ctx context.Context, list []storage.Placed) (found []storage.Placed) {
	type answer struct {
		at  documentRef
		err error
	}
	type document struct {
		host             placements.Host
		id, named, there string
		placer           placements.Placer
	}
	answers := map[document]answer{} // hosts are asked once for a document
	for _, p := range list {
		alike := document{p.Host, p.WorkbookID, p.Spreadsheets, p.Target, p.Placer}
		known, asked := answers[alike]
		if !asked {
			known.at, known.err = a.siteOf(ctx, a.d, p.Placement)
			answers[alike] = known
		}
		at, err := known.at, known.err
		switch {
		case ctx.Err() != nil:
			return nil // the caller knows why
		case err != nil:
			a.failed(p, a.unsited(p, asFault(err)))
		default:
			found = append(found, at.of(p))
		}
	}
	return found
}

// unsited is what a fault of a placement means whose document was not found.
func (a *attempt) unsited(p storage.Placed, fault *placements.Fault) *placements.Fault {
	if errors.Is(fault, fs.ErrNotExist) && p.QueryChecksum != "" {
		return a.awaitFile(p, fault)
	}
	return ofDocument(fault)
}

// siteOf returns where the document of p is: at the host that p names or that is kept with it, else at the only one of its kind, else at the
// only one that has it, of those where p may stand and agents may open it. Without any of those it has no host. Errors that concern p are
// *placements.Fault.
func (e *Engine) siteOf(ctx context.Context, d record.Deployment, p placements.Placement) (documentRef, error) {
	refs := e.sites(d.Tenant, p)
	if len(refs) > 1 {
		refs = slices.DeleteFunc(refs, func(ref documentRef) bool {
			there := p
			there.Spreadsheets = ref.host.Name
			return e.queue.Bounded(d, there) != nil || !e.mayOpen(d, there)
		})
	}
	switch len(refs) {
	case 0:
		return documentRef{tenant: d.Tenant, kind: p.Host, id: p.WorkbookID, home: homeOf(p)}, nil
	case 1:
		return refs[0], nil
	}
	return e.only(ctx, refs)
}

// of returns p with the name of the host at which it stands.
func (ref documentRef) of(p storage.Placed) storage.Placed {
	if ref.host != nil {
		p.Spreadsheets = ref.host.Name
	}
	return p
}

// only returns the one of refs that there is.
func (e *Engine) only(ctx context.Context, refs []documentRef) (there documentRef, err error) {
	var have []documentRef
	var missed *placements.Fault
	for _, ref := range refs {
		_, err := call(ctx, &e.calls, ref.subject(), func() (struct{}, error) { return struct{}{}, ref.host.Has(ctx, ref.id) })
		if err == nil {
			have = append(have, ref)
			continue
		}
		fault := asFault(err)
		if fault.Class != placements.Structure && fault.Class != placements.Auth {
			return there, err
		}
		if missed == nil || errors.Is(fault, fs.ErrNotExist) {
			missed = fault
		}
	}
	switch len(have) {
	case 0:
		return there, &placements.Fault{
			Class: placements.Structure, Err: missed.Err,
			Message: fmt.Sprintf("the spreadsheet %q is at none of the hosts %s: put it there, or place the report in another one", refs[0].id, hostsOf(refs)),
		}
	case 1:
		return have[0], nil
	}
	return there, &placements.Fault{
		Class: placements.Permanent,
		Message: fmt.Sprintf("the spreadsheet %q is at several hosts, %s: connect the report to the one that is meant, as %s",
			have[0].id, hostsOf(have), have[0].full()),
	}
}

// hostsOf names the hosts of documents.
func hostsOf(refs []documentRef) string {
	names := make([]string, len(refs))
	for i, ref := range refs {
		names[i] = ref.host.Name
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " and " + names[last]
}
