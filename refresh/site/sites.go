package site

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"mooring/placements"
	"mooring/refresh/fault"
	"mooring/storage/record"
	"mooring/storage/work"
)

// A Locator finds the documents of placements at the spreadsheet hosts of tenants. It is safe for concurrent use.
type Locator struct {
	Hosts map[string][]Provider // of each tenant; names differ
	Queue *work.Work
	Calls *fault.Calls
}

// Find returns where the document of p is: at the host that p names or that is kept with it, else at the only one of its kind, else at the
// only one that has it, of those where p may stand and agents may open it. Without any of those it has no host. Errors that concern p are
// *placements.Fault.
func (s *Locator) Find(ctx context.Context, d record.Deployment, p placements.Placement) (Ref, error) {
	refs := s.candidates(d.Tenant, p)
	if len(refs) > 1 {
		refs = slices.DeleteFunc(refs, func(ref Ref) bool {
			there := p
			there.Spreadsheets = ref.Host.Name
			return s.Queue.Sites.Bounded(d, there) != nil || !s.MayOpen(d, there)
		})
	}
	switch len(refs) {
	case 0:
		return Ref{Tenant: d.Tenant, Kind: p.Host, ID: p.WorkbookID, Home: homeOf(p)}, nil
	case 1:
		return refs[0], nil
	}
	return s.only(ctx, refs)
}

// only returns the one of refs that there is.
func (s *Locator) only(ctx context.Context, refs []Ref) (there Ref, err error) {
	var have []Ref
	var missed *placements.Fault
	for _, ref := range refs {
		_, err := fault.Call(ctx, s.Calls, ref.Subject(), func() (struct{}, error) { return struct{}{}, ref.Host.Has(ctx, ref.ID) })
		if err == nil {
			have = append(have, ref)
			continue
		}
		fault := fault.Of(err)
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
			Message: fmt.Sprintf("the spreadsheet %q is at none of the hosts %s: put it there, or place the report in another one", refs[0].ID, hostsOf(refs)),
		}
	case 1:
		return have[0], nil
	}
	return there, &placements.Fault{
		Class: placements.Permanent,
		Message: fmt.Sprintf("the spreadsheet %q is at several hosts, %s: connect the report to the one that is meant, as %s",
			have[0].ID, hostsOf(have), have[0].Full()),
	}
}

// hostsOf names the hosts of documents.
func hostsOf(refs []Ref) string {
	names := make([]string, len(refs))
	for i, ref := range refs {
		names[i] = ref.Host.Name
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " and " + names[last]
}

// MayOpen reports whether an agent may open the document of p (decisions.md §3, Whose document it is): the configuration names it, or who
// placed the report there might edit the report. What was placed before that was recorded counts too, and so may, once there is one, a
// proof that the document was open in a user's pane: it would be checked here.
func (s *Locator) MayOpen(d record.Deployment, p placements.Placement) bool {
	return p.Placer != placements.PlacedByReader || s.Queue.Sites.Admitted(d, p)
}
