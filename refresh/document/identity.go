package document

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"mooring/placements"
	"mooring/refresh/fault"
	"mooring/refresh/host"
	"mooring/refresh/site"
	"mooring/storage/record"
	"mooring/storage/work"
)

// identify has the next write of a batch have the document say which one it is, if it does not say so yet, or says that it is another one. found
// are blocks of it, as they stand there. Where that fails, the document is refreshed all the same, unless it was linked: the error then is the
// fault, of Structure for a file that is not the document that was linked.
func (w *write) identify(ctx context.Context, s host.Session, found []*draft) error {
	of, can := s.(host.Identified)
	if !can || w.identity != (host.Identity{}) {
		return nil
	}
	is, err := of.Identity(ctx)
	if err == nil && (is == (host.Identity{}) || w.by.identities.get(w.ref.Subject()) != is) {
		err = w.check(ctx, of, is, found)
	}
	if err != nil && w.ref.Home == "" && !errors.Is(err, errors.ErrUnsupported) {
		w.by.Log.WarnContext(ctx, "it is not known which document is refreshed", "tenant", w.ref.Tenant, "document", w.ref.ID, "error", err)
	}
	if w.ref.Home == "" || errors.Is(err, errors.ErrUnsupported) {
		return nil
	}
	return err
}

// check is identify for a file that says that it is the document is, which this process has not seen yet.
func (w *write) check(ctx context.Context, of host.Identified, is host.Identity, found []*draft) error {
	if w.ref.Home != "" {
		if err := w.checkLinked(ctx, is, found); err != nil {
			return err
		}
	}
	if is != (host.Identity{}) {
		copied, err := w.copied(ctx, is)
		if err != nil {
			return err
		}
		if !copied {
			w.by.identities.put(w.ref.Subject(), is)
			return nil
		}
	}
	next := host.NewIdentity()
	former, err := w.former(ctx, is)
	if err != nil {
		return err
	}
	if former != "" {
		next.Document = former
		renew := func(l *record.Link) (work.LinkChange, error) {
			l.Renewed = host.NonceHash(next.Nonce) // if this process ends before it can say that it is written
			return work.LinkChange{}, nil
		}
		if _, err := w.by.Records.Links().Change(ctx, w.ref.Tenant, next.Document, renew); err != nil {
			return err
		}
	}
	w.identity = next
	of.Identify(next)
	return nil
}

// former is what a file said of itself that says nothing any more; empty for one that is not known to have.
func (w *write) former(ctx context.Context, is host.Identity) (string, error) {
	if is != (host.Identity{}) {
		return "", nil // it is a copy
	}
	if w.ref.Home != "" {
		return placements.LinkID(w.ref.Home), nil
	}
	for _, id := range w.ref.IDs() {
		l, err := w.by.Records.Links().Get(ctx, w.ref.Tenant, id)
		switch {
		case err != nil:
			return "", err
		case l != nil && l.Target == w.ref.ID && l.Spreadsheets == w.ref.Host.Name:
			return l.Identity, nil
		}
	}
	return "", nil
}

// checkLinked returns a fault for a file that is not the document that was linked. One that says nothing of itself is, if it has a block of it.
func (w *write) checkLinked(ctx context.Context, is host.Identity, found []*draft) error {
	home := placements.LinkID(w.ref.Home)
	l, err := w.by.Records.Links().Of(ctx, w.ref.Tenant, home)
	if err != nil {
		return err
	}
	marked := slices.ContainsFunc(found, func(one *draft) bool { return one.view.Marked })
	if is.Document == home && (l == nil || l.Knows(host.NonceHash(is.Nonce))) || is == (host.Identity{}) && marked {
		return nil
	}
	return &placements.Fault{Class: placements.Structure, Message: fmt.Sprintf("the file %q is another document by now than the one in which the "+
		"report was placed, or an older copy of it, and is left as it is: open the pane of that one where it is saved", w.ref.ID)}
}

// copied reports whether a file that says that it is a document is a copy of another one, which still is where it was linked.
func (w *write) copied(ctx context.Context, is host.Identity) (bool, error) {
	l, err := w.by.Records.Links().Get(ctx, w.ref.Tenant, is.Document)
	if err != nil || l == nil || l.Target == "" || l.Target == w.ref.ID && l.Spreadsheets == w.ref.Host.Name {
		return false, err
	}
	hosts := w.by.Sites.Hosts[w.ref.Tenant]
	i := slices.IndexFunc(hosts, func(h site.Provider) bool { return h.Name == l.Spreadsheets && h.Kind == w.ref.Kind })
	if i < 0 {
		return false, nil
	}
	there := site.Ref{Tenant: w.ref.Tenant, Kind: w.ref.Kind, Host: &hosts[i], ID: l.Target}
	_, err = fault.Call(ctx, w.by.Sites.Calls, there.Subject(), func() (struct{}, error) { return struct{}{}, hosts[i].Has(ctx, l.Target) })
	if err != nil && fault.Of(err).Class == placements.Structure {
		return false, nil // it was moved here
	}
	return err == nil, err
}

// named records which document a batch has said that its file is, once it is written.
func (w *write) named(ctx context.Context, s host.Session, home string) {
	if w.identity == (host.Identity{}) {
		return
	}
	set := w.identity
	w.identity = host.Identity{}
	is, err := s.(host.Identified).Identity(ctx)
	if err != nil || is != set {
		return // the host could not: the next write tries again
	}
	full := w.ref.Full()
	_, err = w.by.Records.Links().Change(ctx, w.ref.Tenant, set.Document, func(l *record.Link) (work.LinkChange, error) {
		l.Nonce, l.Renewed = host.NonceHash(set.Nonce), ""
		if l.Target == "" && !l.Unlinked {
			l.State, l.Message, l.By, l.ProvedAt = record.LinkLinked, "", record.LinkedByAgent, placements.Time(time.Now().UTC())
			l.Home, l.Kind, l.Spreadsheets, l.Target, l.Name = home, w.ref.Kind, w.ref.Host.Name, w.ref.ID, w.ref.ID
			l.IDs = []string{set.Document, home}
			if home != full && home != w.ref.ID {
				l.IDs = append(l.IDs, full)
			}
		}
		return work.LinkChange{By: record.Actor{Via: record.Via{Address: "agent"}}}, nil
	})
	if err != nil {
		w.by.Log.WarnContext(ctx, "which document a file is was not recorded", "tenant", w.ref.Tenant, "document", w.ref.ID, "error", err)
		return
	}
	w.by.identities.put(w.ref.Subject(), set)
}
