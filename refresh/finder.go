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
	"mooring/storage"
	"mooring/storage/record"
)

// How much one look for a document may cost.
const (
	lookCandidates = 20
	lookRequests   = 30
	lookTime       = 2 * time.Minute
	looksAtOnce    = 4 // of an agent
)

// lookSoon looks for the documents that are due, each by itself: a look may take long. One for which there is no room is due again.
func (a *agent) lookSoon(list []record.Due) {
	for _, d := range list {
		select {
		case a.looks <- struct{}{}:
			a.running.Go(func() {
				defer func() { <-a.looks }()
				ctx, cancel := context.WithTimeout(a.work, lookTime)
				defer cancel()
				if err := a.lookFor(ctx, d.Deployment.Tenant, d.Identity); err != nil && a.work.Err() == nil {
					a.log.Warn("document not looked for, trying again", "tenant", d.Deployment.Tenant, "document", d.Identity, "error", err)
				}
			})
		default:
		}
	}
}

// lookFor goes on looking for a document, or has its placements follow its link.
func (e *Engine) lookFor(ctx context.Context, tenant, identity string) error {
	if err := e.records.HoldLook(ctx, tenant, identity, lookTime+dueLease); err != nil {
		return err
	}
	l, err := e.records.LinkOf(ctx, tenant, identity)
	if err != nil {
		return err
	}
	if l == nil {
		return e.records.ForgetLook(ctx, tenant, identity)
	}
	if len(l.Unsettled) > 0 {
		return e.settleNow(ctx, tenant, l)
	}
	if l.Ask == nil {
		return e.records.ForgetLook(ctx, tenant, identity)
	}
	found, err := e.find(ctx, tenant, l)
	if errors.Is(err, errQuotaBusy) {
		return e.records.HoldLook(ctx, tenant, identity, lookPauses[0])
	}
	if err == nil {
		err = e.foundOut(ctx, tenant, l, found)
	}
	if fault, ok := errors.AsType[*placements.Fault](err); ok {
		return e.failedLook(ctx, tenant, l, fault)
	}
	return err
}

// failedLook counts a look that a host or another run has ended.
func (e *Engine) failedLook(ctx context.Context, tenant string, asked *record.Link, fault *placements.Fault) error {
	_, err := e.changeAsked(ctx, tenant, asked, func(l *record.Link) storage.LinkChange {
		if l.Ask.Tries++; looking(l) && l.Ask.Tries <= len(lookPauses) {
			return storage.LinkChange{Look: e.nextLook(l), Looking: l.Ask.By}
		}
		if l.State != record.LinkLinked {
			l.State, l.Message = record.LinkNotFound, "It could not be looked for: "+fault.Message
		}
		if looking(l) {
			l.Ask.ToldAt = placements.Time(e.now())
		}
		return storage.LinkChange{Look: e.nextLook(l)}
	})
	return err
}

// settleNow has the placements in a document follow its link as it is under the document's locks.
func (e *Engine) settleNow(ctx context.Context, tenant string, l *record.Link) error {
	lease, release, err := e.lockLinked(ctx, tenant, l)
	if err != nil {
		return err
	}
	defer release()
	now, err := e.records.LinkOf(lease, tenant, l.Identity)
	if err != nil || now == nil || !sameIDs(l, now) {
		return err // it is due again, with the locks of other ids
	}
	_, err = e.settled(lease, tenant, now)
	return err
}

// sameIDs reports whether both have the same ids to settle.
func sameIDs(l, now *record.Link) bool {
	return slices.Equal(l.IDs, now.IDs) && slices.Equal(l.Unsettled, now.Unsettled)
}

// errQuotaBusy: refreshes have used so much of a host's quota that a look had better wait, since they come first.
var errQuotaBusy = errors.New("the quota is used by refreshes")

// quotaFree returns errQuotaBusy while refreshes use the quota of a host of the kind.
func (e *Engine) quotaFree(ctx context.Context, tenant string, kind placements.Host) error {
	list, err := e.Quotas(ctx, tenant)
	if slices.ContainsFunc(list, func(q QuotaUse) bool { return q.Host == kind && q.Left < q.PerMinute/2 }) {
		return errQuotaBusy
	}
	return err
}

// proven is a file that was opened and says that it is the document.
type proven struct {
	of *Spreadsheets
	host.Candidate
}

// finding is what a look for a document has found.
type finding struct {
	proven  []proven
	decided bool     // the first is the file at the address that was sent
	tried   []string // targets that are not the document
	more    bool     // there is more to look at
	unsure  bool     // some of it could not be looked at now
	state   record.LinkState
	message string // of state, why nothing was found
}

// find looks for the document of a link where its add-in says that it is.
func (e *Engine) find(ctx context.Context, tenant string, l *record.Link) (f finding, err error) {
	p, placed, err := e.anyIn(ctx, tenant, l.Home)
	if err != nil {
		return f, err
	}
	if !placed {
		f.state, f.message = record.LinkNotFound, "No report is placed in the workbook any more: place one first."
		return f, nil
	}
	if !e.lookedFor(l) {
		if err := e.quotaFree(ctx, tenant, p.Host); err != nil {
			return f, err
		}
	}
	switch {
	case !e.hasKind(tenant, p.Host):
		f.state, f.message = record.LinkNotReached, noHost(p.Host)
	case l.Ask.URL == "":
		f.state, f.message = record.LinkNotSaved, "No file of that name was found: save the workbook to a place that Mooring reaches."
	default:
		f.state = record.LinkNotFound
		f.message = "No file at that address, or of that name, is this workbook: save it, and choose Look again in a minute."
	}
	budget := &host.Budget{Candidates: lookCandidates, Requests: lookRequests}
	hosts := e.tenants[tenant].Hosts
	for i := range hosts {
		finder, can := hosts[i].Host.(host.Finder)
		if hosts[i].Kind != p.Host || !can || f.decided {
			continue
		}
		if err := e.findAt(ctx, tenant, &hosts[i], finder, l, budget, &f); err != nil {
			return f, err
		}
	}
	return f, nil
}

// findAt is find at one spreadsheet host.
func (e *Engine) findAt(
	ctx context.Context, tenant string, at *Spreadsheets, finder host.Finder, l *record.Link, budget *host.Budget, f *finding,
) error {
	tried := map[string]bool{}
	for _, full := range l.Ask.Tried {
		if id, here := strings.CutPrefix(full, at.Name+"\n"); here {
			tried[id] = true
		}
	}
	type answer struct {
		list []host.Candidate
		why  error
	}
	of := documentRef{tenant: tenant, host: at, id: l.Identity}.subject()
	found, err := call(ctx, &e.calls, of, func() (answer, error) {
		list, why := finder.Find(ctx, host.Hint{URL: l.Ask.URL, Name: l.Ask.Name}, tried, budget)
		return answer{list, why}, nil
	})
	if err != nil {
		return err
	}
	f.blame(at, found.why)
	if fault, ok := errors.AsType[*placements.Fault](found.why); ok && retryable(fault) {
		f.unsure = true
	}
	for _, c := range found.list {
		id, err := call(ctx, &e.calls, of, func() (host.Identity, error) { return finder.Prove(ctx, c.ID, budget) })
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case errors.Is(err, host.ErrSpent):
			f.more = true
			return nil
		case err != nil && retryable(asFault(err)):
			f.unsure = true // it is looked at again
			continue
		case err != nil:
			f.blame(at, err)
		}
		if err != nil || id.Document != l.Identity || NonceHash(id.Nonce) != l.Ask.Nonce {
			f.tried = append(f.tried, at.Name+"\n"+c.ID)
			continue
		}
		one := proven{at, c}
		if c.At {
			f.proven, f.decided = []proven{one}, true
			return nil
		}
		f.proven = append(f.proven, one)
	}
	return nil
}

// blame notes why a host was not searched to the end, or a file not opened.
func (f *finding) blame(at *Spreadsheets, why error) {
	if errors.Is(why, host.ErrSpent) {
		f.more = true
	}
	if fault, ok := errors.AsType[*placements.Fault](why); ok && fault.Class == placements.Auth {
		f.state, f.message = record.LinkRefused, fmt.Sprintf("%s does not let Mooring open it: %s", at.Name, fault.Message)
	}
	if errors.Is(why, host.ErrOutside) && f.state == record.LinkNotFound {
		f.state = record.LinkNotReached
		f.message = "The workbook is saved where Mooring does not look: save it to a site or folder that is configured, or ask who runs Mooring to add its own."
	}
	if errors.Is(why, host.ErrMany) && (f.state == record.LinkNotFound || f.state == record.LinkNotSaved) {
		f.message += fmt.Sprintf(" %s has more files than are looked through: give it a folder of its own.", at.Name)
	}
}

// foundOut keeps what a look has found.
func (e *Engine) foundOut(ctx context.Context, tenant string, l *record.Link, f finding) error {
	last := l.Ask.Tries >= len(lookPauses)
	here := func(p proven) bool { return l.Target == p.ID && l.Spreadsheets == p.of.Name }
	nowhere := l.Ask.URL == "" || f.state == record.LinkNotReached // there is no address at which a file may still be stored
	switch {
	case slices.ContainsFunc(f.proven, here) && !f.decided && l.Ask.URL != "":
		f.state = record.LinkLinked // and nothing is known of the file at the address
	case len(f.proven) == 1 && (f.decided || !f.unsure && (!f.more || last)):
		return e.proved(ctx, tenant, l, f.proven[0])
	case len(f.proven) > 1 && !slices.ContainsFunc(f.proven, here):
		f.state = record.LinkAmbiguous
		f.message = fmt.Sprintf("%d files are this workbook: open its pane where the one that is meant is saved, and give the others placements of "+
			"their own.", len(f.proven))
	case len(f.proven) > 1:
		f.state = record.LinkLinked
	case l.Target != "" && e.stillThere(ctx, tenant, l):
		f.state = record.LinkLinked
	case l.Target != "":
		f.state, f.message = record.LinkNotFound, "The file that agents refreshed is not there any more: open its pane where it is saved now."
	}
	_, err := e.changeAsked(ctx, tenant, l, func(l *record.Link) storage.LinkChange {
		l.Ask.Tries++
		if l.Ask.Tried = append(l.Ask.Tried, f.tried...); !f.more {
			l.Ask.Tried = nil // all were looked at: one of them may be saved by the next look
		}
		unsure := f.unsure || f.more || f.state == record.LinkNotFound || f.state == record.LinkLinked && !nowhere
		if unsure && looking(l) && l.Ask.Tries <= len(lookPauses) {
			return storage.LinkChange{Look: e.nextLook(l), Looking: l.Ask.By}
		}
		l.State, l.Message = f.state, f.message
		if looking(l) {
			l.Ask.ToldAt = placements.Time(e.now())
		}
		return storage.LinkChange{Look: e.nextLook(l)}
	})
	return err
}

// changeAsked changes a link, unless its add-in has asked anew or a user unlinked it meanwhile.
func (e *Engine) changeAsked(
	ctx context.Context, tenant string, asked *record.Link, change func(*record.Link) storage.LinkChange,
) (*record.Link, error) {
	return e.records.ChangeLink(ctx, tenant, asked.Identity, func(l *record.Link) (storage.LinkChange, error) {
		if l.Ask == nil || asked.Ask == nil || l.Ask.At != asked.Ask.At || !sameAsk(*l.Ask, *asked.Ask) {
			c := e.unchangedLook(l)
			if l.Ask == nil {
				c = storage.LinkChange{}
			}
			return c, nil
		}
		return change(l), nil
	})
}

// stillThere reports whether the file that a document is linked to still says that it is the document, or cannot be asked.
func (e *Engine) stillThere(ctx context.Context, tenant string, l *record.Link) bool {
	return !errors.Is(e.proveTarget(ctx, tenant, l), errGone)
}

// errGone: a file is not there any more, or is another document.
var errGone = errors.New("the file is another one now")

// proveTarget proves that the file to which a document is linked still is that document. Errors: errGone, and those of the host.
func (e *Engine) proveTarget(ctx context.Context, tenant string, l *record.Link) error {
	for _, h := range e.tenants[tenant].Hosts {
		if h.Name != l.Spreadsheets || h.Kind != l.Kind {
			continue
		}
		finder, can := h.Host.(host.Finder)
		if !can {
			return nil // its ids are the documents' own
		}
		of := documentRef{tenant: tenant, host: &h, id: l.Target}.subject()
		id, err := call(ctx, &e.calls, of, func() (host.Identity, error) {
			return finder.Prove(ctx, l.Target, &host.Budget{Requests: lookRequests})
		})
		switch {
		case errors.Is(err, fs.ErrNotExist), err == nil && (id.Document != l.Identity || !l.Knows(NonceHash(id.Nonce))):
			return errGone
		case err != nil && asFault(err).Class == placements.Structure:
			return errGone
		}
		return err
	}
	return errGone // the host is not configured any more
}

// proved links a document to the file that is proved to be it, or learns that this is a copy of that to which it is linked.
func (e *Engine) proved(ctx context.Context, tenant string, l *record.Link, p proven) error {
	if l.Target == p.ID && l.Spreadsheets == p.of.Name {
		_, err := e.changeAsked(ctx, tenant, l, func(l *record.Link) storage.LinkChange {
			l.SeenAt(l.Ask.Where())
			l.State, l.Message, l.Name, l.ProvedAt = record.LinkLinked, "", p.Name, placements.Time(e.now())
			l.Nonce, l.Renewed, l.Ask = l.Ask.Nonce, "", nil
			if p.WebURL != "" {
				l.WebURL = p.WebURL
			}
			return storage.LinkChange{}
		})
		return err
	}
	if l.Target != "" {
		switch err := e.proveTarget(ctx, tenant, l); {
		case err == nil:
			_, err = e.changeAsked(ctx, tenant, l, func(l *record.Link) storage.LinkChange {
				l.CopyAt(l.Ask.Where())
				l.State, l.Ask.ToldAt = record.LinkLinked, placements.Time(e.now())
				return storage.LinkChange{}
			})
			return err
		case !errors.Is(err, errGone):
			return err
		}
	}
	if !l.Ask.MayLink { // they might have made a copy, into which others' rows would go
		_, err := e.changeAsked(ctx, tenant, l, func(l *record.Link) storage.LinkChange {
			l.State, l.Ask.ToldAt = record.LinkRefused, placements.Time(e.now())
			l.Message = "Its pane must be opened where it is saved now by the user who placed the first report there, if they may read all of them, or by one who may edit all: agents refresh it then."
			return storage.LinkChange{Look: e.nextLook(l)}
		})
		return err
	}
	return e.link(ctx, tenant, l, p)
}

// link links a document to the file that is proved to be it.
func (e *Engine) link(ctx context.Context, tenant string, asked *record.Link, p proven) error {
	if !e.admits(ctx, tenant, asked, p) {
		_, err := e.changeAsked(ctx, tenant, asked, func(l *record.Link) storage.LinkChange {
			l.State, l.Ask.ToldAt = record.LinkRefused, placements.Time(e.now())
			l.Message = fmt.Sprintf("Reports may not be placed in %s: documents in the configuration of %s does not name it.", p.Name, p.of.Name)
			return storage.LinkChange{Look: e.nextLook(l)}
		})
		return err
	}
	ref := documentRef{tenant: tenant, kind: p.of.Kind, host: p.of, id: p.ID}
	next := *asked
	if !placements.AddinID(next.Home) {
		next.Home = asked.Identity
	}
	next.IDs = append(slices.Clone(asked.IDs), next.Home, asked.Identity, ref.full())
	if e.lockOf(ref) == p.ID { // the only host of its kind: an id names it alone
		next.IDs = append(next.IDs, p.ID)
	}
	slices.Sort(next.IDs)
	next.IDs = slices.Compact(next.IDs)
	others, err := e.otherLinks(ctx, tenant, &next)
	if err != nil {
		return err
	}
	ctx, release, err := e.lockLinked(ctx, tenant, append(slices.Clone(others), &next)...)
	if err != nil {
		return err
	}
	defer release()
	if taken, err := e.takeOver(ctx, tenant, &next, others); err != nil || !taken {
		return err // it is due again
	}
	linked := false
	l, err := e.changeAsked(ctx, tenant, asked, func(l *record.Link) storage.LinkChange {
		if linked = sameIDs(asked, l); !linked {
			return storage.LinkChange{}
		}
		l.Unsettled = append(append(l.Unsettled, l.IDs...), next.IDs...)
		l.IDs, l.Kind, l.State, l.Message, l.By, l.ProvedAt = next.IDs, p.of.Kind, record.LinkLinked, "", record.LinkedByAsked, placements.Time(e.now())
		l.Home, l.Spreadsheets, l.Target, l.Path, l.Name, l.WebURL = next.Home, p.of.Name, p.ID, p.Path, p.Name, p.WebURL
		l.Nonce, l.Renewed = l.Ask.Nonce, ""
		l.SeenAt(l.Ask.Where())
		l.MayMerge, l.Ask = l.Ask.MayEdit, nil
		return storage.LinkChange{Look: e.now().Add(settleAgain), By: asked.Ask.Actor()}
	})
	if err != nil || !linked {
		return err
	}
	_, err = e.settled(ctx, tenant, l)
	return err
}

// admits reports whether the configuration lets a report of a deployment that has one in the document be placed in that file.
func (e *Engine) admits(ctx context.Context, tenant string, l *record.Link, p proven) bool {
	at := placements.Whereabouts{Document: l.Home, Spreadsheets: p.of.Name, Target: p.ID, Path: p.Path}
	for after := ""; ; {
		page, err := e.records.DocumentPlacements(ctx, tenant, l.Home, after, othersPage)
		if err != nil {
			return false
		}
		for _, o := range page.Items {
			d := record.Deployment{Tenant: tenant, ID: o.DeploymentID}
			if e.queue.Bounded(d, o.Placement.At(at)) == nil {
				return true
			}
		}
		if after = page.EndCursor; !page.HasNextPage {
			return false
		}
	}
}

// otherLinks are those of other documents that are linked under one of its ids.
func (e *Engine) otherLinks(ctx context.Context, tenant string, l *record.Link) (others []*record.Link, err error) {
	links, err := e.records.LinksOf(ctx, tenant, l.IDs)
	for _, id := range l.IDs {
		known := func(o *record.Link) bool { return o.Identity == links[id].Identity }
		if other := links[id]; other != nil && other.Identity != l.Identity && !slices.ContainsFunc(others, known) {
			others = append(others, other)
		}
	}
	return others, err
}

// takeOver ends the links of other documents to a file that says by now that it is the one of l. A caller holds the locks of all of them. It
// does nothing where they are other ones by now.
func (e *Engine) takeOver(ctx context.Context, tenant string, l *record.Link, others []*record.Link) (done bool, err error) {
	now, err := e.otherLinks(ctx, tenant, l)
	same := func(a, b *record.Link) bool { return a.Identity == b.Identity && sameIDs(a, b) }
	if err != nil || !slices.EqualFunc(now, others, same) {
		return false, err
	}
	by := l.Ask.Actor()
	for _, other := range others {
		other, err = e.records.ChangeLink(ctx, tenant, other.Identity, func(l *record.Link) (storage.LinkChange, error) {
			unlink(l, "The file that agents refreshed is another document now: open the pane of this one where it is saved.")
			return storage.LinkChange{Look: e.now().Add(settleAgain), By: by}, nil
		})
		if err == nil {
			_, err = e.settled(ctx, tenant, other)
		}
		if err != nil {
			return false, err
		}
	}
	return true, nil
}
