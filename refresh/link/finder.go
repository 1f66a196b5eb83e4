package link

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"mooring/placements"
	"mooring/refresh/fault"
	"mooring/refresh/host"
	"mooring/refresh/site"
	"mooring/storage/record"
)

// proven is a file that was opened and says that it is the document.
type proven struct {
	of *site.Provider
	host.Candidate
}

// finding is what a look for a document has found.
type finding struct {
	proven  []proven
	decided bool     // the first is the file at the address that was sent
	tried   []string // targets that are not the document
	more    bool     // there is more to look at
	unsure  bool     // some of it could not be looked at now
	outside bool     // the address is at none of the hosts
	state   record.LinkState
	message string // of state, why nothing was found
}

// find looks for the document of a link where its add-in says that it is.
func (e *Linker) find(ctx context.Context, tenant string, l *record.Link) (f finding, err error) {
	p, placed, err := e.anyIn(ctx, tenant, l.Home)
	if err != nil {
		return f, err
	}
	if !placed {
		f.state, f.message = record.LinkNotFound, "No report is placed in the workbook any more: place one first."
		return f, nil
	}
	switch {
	case !e.Sites.HasKind(tenant, p.Host):
		f.state, f.message = record.LinkNotReached, NoHost(p.Host)
	case l.Ask.URL == "":
		f.state, f.message = record.LinkNotSaved, "No file of that name was found: save the workbook to a place that Mooring reaches."
	default:
		f.state = record.LinkNotFound
		f.message = "No file at that address, or of that name, is this workbook: save it, and choose Look again in a minute."
	}
	quotas, err := e.Sites.Quotas(ctx, tenant)
	if err != nil {
		return f, err
	}
	budget := &host.Budget{Candidates: lookCandidates, Requests: lookRequests}
	hosts, searched, outside := e.Sites.Hosts[tenant], 0, 0
	for i := range hosts {
		at := &hosts[i]
		finder, can := at.Driver.(host.Finder)
		// Refreshes come first in a host's quota.
		busy := slices.ContainsFunc(quotas, func(q site.QuotaUse) bool {
			return q.Host == at.Kind && q.Spreadsheets == at.Name && q.Left < q.PerMinute/2
		})
		switch {
		case at.Kind != p.Host || !can || f.decided:
			continue
		case busy && !e.lookedFor(l):
			f.unsure = true
			continue
		}
		isOutside, err := e.findAt(ctx, tenant, at, finder, l, budget, &f)
		if err != nil {
			return f, err
		}
		if searched++; isOutside {
			outside++
		}
	}
	if f.outside = searched > 0 && outside == searched; f.outside && f.state == record.LinkNotFound {
		f.state = record.LinkNotReached
		f.message = "The workbook is saved where Mooring does not look: save it to a site or folder that is configured, or ask who runs Mooring to add its own."
	}
	return f, nil
}

// findAt is find at one spreadsheet host. outside says that the address is not there.
func (e *Linker) findAt(
	ctx context.Context, tenant string, at *site.Provider, finder host.Finder, l *record.Link, budget *host.Budget, f *finding,
) (outside bool, err error) {
	type answer struct {
		list []host.Candidate
		why  error
	}
	of := site.Ref{Tenant: tenant, Host: at, ID: l.Identity}.Subject()
	found, err := fault.Call(ctx, e.Sites.Calls, of, func() (answer, error) {
		list, why := finder.Find(ctx, host.Hint{URL: l.Ask.URL, Name: l.Ask.Name}, idsOf(at, l.Ask.Tried), budget)
		return answer{list, why}, nil
	})
	if err != nil {
		return false, err
	}
	f.blame(at, found.why)
	for id := range idsOf(at, l.Ask.Proved) { // by an earlier look, which had no room for the others
		if !slices.ContainsFunc(found.list, func(c host.Candidate) bool { return c.ID == id }) {
			found.list = append(found.list, host.Candidate{ID: id, Name: path.Base(id)})
		}
	}
	for _, c := range found.list {
		id, err := fault.Call(ctx, e.Sites.Calls, of, func() (host.Identity, error) { return finder.Prove(ctx, c.ID, budget) })
		switch {
		case ctx.Err() != nil:
			return false, context.Cause(ctx)
		case err != nil:
			if f.blame(at, err); f.more {
				return false, nil
			}
		case id.Document == l.Identity && host.NonceHash(id.Nonce) == l.Ask.Nonce:
			if f.proven = append(f.proven, proven{at, c}); c.At {
				f.proven, f.decided = []proven{{at, c}}, true
				return false, nil
			}
			continue
		}
		if err == nil || !fault.Retryable(fault.Of(err)) {
			f.tried = append(f.tried, at.Name+"\n"+c.ID)
		}
	}
	return errors.Is(found.why, host.ErrOutside), nil
}

// idsOf are the ids at a host of a list of targets, each with its host's name before it.
func idsOf(s *site.Provider, targets []string) map[string]bool {
	ids := map[string]bool{}
	for _, full := range targets {
		if id, here := strings.CutPrefix(full, s.Name+"\n"); here {
			ids[id] = true
		}
	}
	return ids
}

// blame notes why a host was not searched to the end, or a file not opened.
func (f *finding) blame(at *site.Provider, why error) {
	if errors.Is(why, host.ErrSpent) {
		f.more = true
		return
	}
	trouble, ok := errors.AsType[*placements.Fault](why)
	f.unsure = f.unsure || ok && fault.Retryable(trouble)
	if ok && trouble.Class == placements.Auth {
		f.state, f.message = record.LinkRefused, fmt.Sprintf("%s does not let Mooring open it: %s", at.Name, trouble.Message)
	}
	if errors.Is(why, host.ErrMany) && (f.state == record.LinkNotFound || f.state == record.LinkNotSaved) {
		f.message += fmt.Sprintf(" %s has more files than are looked through: give it a folder of its own.", at.Name)
	}
}

// errGone: a file is not there any more, or is another document.
var errGone = errors.New("the file is another one now")

// proveTarget proves that the file to which a document is linked still is that document. Errors: errGone, and those of the host.
func (e *Linker) proveTarget(ctx context.Context, tenant string, l *record.Link) error {
	for _, h := range e.Sites.Hosts[tenant] {
		if h.Name != l.Spreadsheets || h.Kind != l.Kind {
			continue
		}
		finder, can := h.Driver.(host.Finder)
		if !can {
			return nil // its ids are the documents' own
		}
		of := site.Ref{Tenant: tenant, Host: &h, ID: l.Target}.Subject()
		id, err := fault.Call(ctx, e.Sites.Calls, of, func() (host.Identity, error) {
			return finder.Prove(ctx, l.Target, &host.Budget{Requests: lookRequests})
		})
		switch {
		case errors.Is(err, fs.ErrNotExist), err == nil && (id.Document != l.Identity || !l.Knows(host.NonceHash(id.Nonce))):
			return errGone
		case err != nil && fault.Of(err).Class == placements.Structure:
			return errGone
		}
		return err
	}
	return errGone // the host is not configured any more
}
