package link

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"mooring/placements"
	"mooring/refresh/site"
	"mooring/storage/record"
	"mooring/storage/work"
)

// verdict is what a look for a document comes to.
type verdict int

const (
	nothing verdict = iota // no file that was looked at is the document
	seen                   // the open file is the one that is linked
	found                  // it is one that can be linked
	copied                 // it is a copy of the one that is linked
	several                // files prove to be the document
	still                  // a file is linked, and nothing is known of the open one
	gone                   // the linked file is, and no other one proves to be the document
	unknown                // it could not be found out now
)

// judge says what a look comes to, and which file that is of. A name says nothing of the file that is open at an address that hosts know: by its
// name alone a document is linked at first, or told to be a copy where no host knows the address, but not moved.
func (e *Linker) judge(ctx context.Context, tenant string, l *record.Link, f finding) (verdict, proven) {
	here := func(p proven) bool { return l.Target == p.ID && l.Spreadsheets == p.of.Name }
	linked := func(there verdict) verdict { // where the linked file is not the one that was found
		if l.Target == "" {
			return gone
		}
		switch err := e.proveTarget(ctx, tenant, l); {
		case errors.Is(err, errGone):
			return gone
		case err != nil, !f.decided && (f.more || f.unsure):
			return unknown
		}
		return there
	}
	named := len(f.proven) == 1 && !f.more && !f.unsure && (l.Ask.URL == "" || l.Target == "" || f.outside && !here(f.proven[0]))
	switch {
	case f.decided && here(f.proven[0]), l.Ask.URL == "" && slices.ContainsFunc(f.proven, here):
		return seen, f.proven[slices.IndexFunc(f.proven, here)]
	case f.decided, named:
		if v := linked(copied); v != gone || !f.decided && l.Ask.URL != "" && l.Target != "" {
			return v, f.proven[0]
		}
		return found, f.proven[0]
	case l.Target != "":
		return linked(still), proven{}
	case f.more || f.unsure:
		return unknown, proven{}
	case len(f.proven) > 1:
		return several, proven{}
	}
	return nothing, proven{}
}

// foundOut keeps what a look has found.
func (e *Linker) foundOut(ctx context.Context, tenant string, l *record.Link, f finding) error {
	v, p := e.judge(ctx, tenant, l, f)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if v == found {
		return e.link(ctx, tenant, l, p)
	}
	if v != seen && v != copied {
		return e.told(ctx, tenant, l, f, v)
	}
	_, err := e.changeAsked(ctx, tenant, l, func(l *record.Link) work.LinkChange {
		l.State, l.Message, l.Ask.ToldAt, l.Ask.Unsure = record.LinkLinked, "", placements.Time(e.now()), false
		if v == copied {
			l.CopyAt(l.Ask.Where())
			return work.LinkChange{}
		}
		l.SeenAt(l.Ask.Where())
		l.Name, l.WebURL, l.ProvedAt = p.Name, cmp.Or(p.WebURL, l.WebURL), placements.Time(e.now())
		l.Nonce, l.Renewed, l.Ask = l.Ask.Nonce, "", nil
		return work.LinkChange{}
	})
	return err
}

// told keeps that the open file is not linked, or not known to be, by a look; or has it looked for again before that is told.
func (e *Linker) told(ctx context.Context, tenant string, asked *record.Link, f finding, v verdict) error {
	_, err := e.changeAsked(ctx, tenant, asked, func(l *record.Link) work.LinkChange {
		l.Ask.Tries++
		l.Ask.Tried, l.Ask.Proved = append(l.Ask.Tried, f.tried...), nil
		for _, p := range f.proven {
			l.Ask.Proved = append(l.Ask.Proved, p.of.Name+"\n"+p.ID)
		}
		if !f.more {
			l.Ask.Tried, l.Ask.Proved = nil, nil // all were looked at: one of them may be saved by the next look
		}
		soon := l.Ask.URL != "" && !f.outside // a file may be stored at the address yet
		again := v == unknown || v == gone || v == still && soon || v == nothing && f.state == record.LinkNotFound
		if again && looking(l) && l.Ask.Tries <= len(LookPauses) {
			return work.LinkChange{Look: e.nextLook(l), Looking: l.Ask.By}
		}
		if l.Ask.Unsure = v == unknown; v != unknown {
			l.NoCopyAt(l.Ask.Where())
		}
		l.State, l.Message = f.says(l, v)
		if looking(l) {
			l.Ask.ToldAt = placements.Time(e.now())
		}
		c := work.LinkChange{Look: e.nextLook(l)}
		if c.Look.IsZero() && l.State != record.LinkLinked {
			l.Ask = nil
		}
		return c
	})
	return err
}

// says is the state of a document whose open file is not linked, or not known to be, and what a user is told of it.
func (f *finding) says(l *record.Link, v verdict) (record.LinkState, string) {
	switch {
	case v == still, v == unknown && l.Target != "":
		return record.LinkLinked, ""
	case v == several:
		return record.LinkAmbiguous, fmt.Sprintf("%d files are this workbook: open its pane where the one that is meant is saved, and give the others "+
			"placements of their own.", len(f.proven))
	case v == gone:
		return record.LinkNotFound, "The file that agents refreshed is not there any more: open its pane where it is saved now."
	case v == unknown && len(f.proven) > 0:
		return record.LinkNotFound, "A file was found that is this workbook, but not all places could be searched now, in which there may be another: it is " +
			"looked for again."
	case v == unknown && f.state != record.LinkRefused:
		return record.LinkNotFound, "Not all places could be searched for the workbook now: it is looked for again."
	}
	return f.state, f.message
}

// link links a document to the file that is proved to be it.
func (e *Linker) link(ctx context.Context, tenant string, asked *record.Link, p proven) error {
	if why, err := e.mayNotLink(ctx, tenant, asked, p); why != "" || err != nil {
		_, failed := e.changeAsked(ctx, tenant, asked, func(l *record.Link) work.LinkChange {
			if err == nil {
				l.State, l.Message, l.Ask.ToldAt = record.LinkRefused, why, placements.Time(e.now())
			}
			return work.LinkChange{Look: e.nextLook(l)}
		})
		return errors.Join(err, failed)
	}
	ref := site.Ref{Tenant: tenant, Kind: p.of.Kind, Host: p.of, ID: p.ID}
	next := *asked
	if !placements.AddinID(next.Home) {
		next.Home = asked.Identity
	}
	next.IDs = append(slices.Clone(asked.IDs), next.Home, asked.Identity, ref.Full())
	if e.Sites.LockName(ref) == p.ID { // the only host of its kind: an id names it alone
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
	l, err := e.changeAsked(ctx, tenant, asked, func(l *record.Link) work.LinkChange {
		if linked = sameIDs(asked, l); !linked {
			return work.LinkChange{}
		}
		l.Unsettled = append(append(l.Unsettled, l.IDs...), next.IDs...)
		l.IDs, l.Kind, l.State, l.Message, l.By, l.ProvedAt = next.IDs, p.of.Kind, record.LinkLinked, "", record.LinkedByAsked, placements.Time(e.now())
		l.Home, l.Spreadsheets, l.Target, l.Path, l.Name, l.WebURL = next.Home, p.of.Name, p.ID, p.Path, p.Name, p.WebURL
		l.Nonce, l.Renewed = l.Ask.Nonce, ""
		l.SeenAt(l.Ask.Where())
		l.MayMerge, l.Ask = l.Ask.MayEdit, nil
		return work.LinkChange{Look: e.now().Add(settleAgain), By: asked.Ask.Actor()}
	})
	if err != nil || !linked {
		return err
	}
	_, err = e.settled(ctx, tenant, l)
	return err
}

// mayNotLink says why agents may not write the rows of the reports that are placed in a document into a file; empty: they may. A user could have
// a copy of it, into which rows would go that are not theirs to see.
func (e *Linker) mayNotLink(ctx context.Context, tenant string, l *record.Link, p proven) (string, error) {
	at, admitted := placements.Whereabouts{Document: l.Home, Identity: l.Identity, Spreadsheets: p.of.Name, Target: p.ID, Path: p.Path}, false
	for after := ""; ; {
		page, err := e.Records.Placements().InDocument(ctx, tenant, l.Home, after, pageSize)
		if err != nil {
			return "", err
		}
		for _, o := range page.Items {
			own := l.Ask.By != 0 && o.Placement.Behalf().UID == l.Ask.By
			if !own && !(l.Ask.MayEdit && o.Placement.PlacedAt <= l.Ask.At) {
				return "Its pane must be opened where it is saved now by a user who may edit all reports that are placed there, or on whose behalf all of them " +
					"are refreshed: agents refresh it then.", nil
			}
			d := record.Deployment{Tenant: tenant, ID: o.DeploymentID}
			admitted = admitted || e.Queue.Sites.Bounded(d, o.Placement.At(at)) == nil
		}
		if after = page.EndCursor; !page.HasNextPage {
			break
		}
	}
	if !admitted {
		return fmt.Sprintf("Reports may not be placed in %s: documents in the configuration of %s does not name it.", p.Name, p.of.Name), nil
	}
	return "", nil
}

// pageSize is how many placements are read at a time.
const pageSize = 500

// otherLinks are those of other documents that are linked under one of its ids.
func (e *Linker) otherLinks(ctx context.Context, tenant string, l *record.Link) (others []*record.Link, err error) {
	links, err := e.Records.Links().OfAll(ctx, tenant, l.IDs)
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
func (e *Linker) takeOver(ctx context.Context, tenant string, l *record.Link, others []*record.Link) (done bool, err error) {
	now, err := e.otherLinks(ctx, tenant, l)
	same := func(a, b *record.Link) bool { return a.Identity == b.Identity && sameIDs(a, b) }
	if err != nil || !slices.EqualFunc(now, others, same) {
		return false, err
	}
	by := l.Ask.Actor()
	for _, other := range others {
		other, err = e.Records.Links().Change(ctx, tenant, other.Identity, func(l *record.Link) (work.LinkChange, error) {
			unlink(l, "The file that agents refreshed is another document now: open the pane of this one where it is saved.")
			return work.LinkChange{Look: e.now().Add(settleAgain), By: by}, nil
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
