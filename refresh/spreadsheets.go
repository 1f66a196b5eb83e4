package refresh

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"mooring/placements"
	"mooring/refresh/host"
	"mooring/storage/record"
)

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

// siteOf returns where the document of p is: at the host that p names or that is kept with it, else at the only one of its kind, else at the
// only one that has it, of those where p may stand and agents may open it. Without any of those it has no host. Errors that concern p are
// *placements.Fault.
func (e *Engine) siteOf(ctx context.Context, d record.Deployment, p placements.Placement) (documentRef, error) {
	refs := e.sites(d.Tenant, p)
	if len(refs) > 1 {
		refs = slices.DeleteFunc(refs, func(ref documentRef) bool {
			there := p
			there.Spreadsheets = ref.host.Name
			return e.queue.Sites.Bounded(d, there) != nil || !e.mayOpen(d, there)
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
