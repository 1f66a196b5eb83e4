package refresh

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"mooring/placements"
	"mooring/refresh/fault"
	"mooring/refresh/host"
	"mooring/refresh/site"
	"mooring/storage"
	"mooring/storage/record"
)

// identify has the next write of a batch have the document say which one it is, if it does not say so yet, or says that it is another one. found
// are blocks of it, as they stand there. Where that fails, the document is refreshed all the same, unless it was linked: the error then is the
// fault, of Structure for a file that is not the document that was linked.
func (b *batch) identify(ctx context.Context, s host.Session, found []*block) error {
	of, can := s.(host.Identified)
	if !can || b.identity != (host.Identity{}) {
		return nil
	}
	is, err := of.Identity(ctx)
	if err == nil && (is == (host.Identity{}) || b.identities.get(b.ref.Subject()) != is) {
		err = b.check(ctx, of, is, found)
	}
	if err != nil && b.ref.Home == "" && !errors.Is(err, errors.ErrUnsupported) {
		b.log.WarnContext(ctx, "it is not known which document is refreshed", "tenant", b.ref.Tenant, "document", b.ref.ID, "error", err)
	}
	if b.ref.Home == "" || errors.Is(err, errors.ErrUnsupported) {
		return nil
	}
	return err
}

// check is identify for a file that says that it is the document is, which this process has not seen yet.
func (b *batch) check(ctx context.Context, of host.Identified, is host.Identity, found []*block) error {
	if b.ref.Home != "" {
		if err := b.checkLinked(ctx, is, found); err != nil {
			return err
		}
	}
	if is != (host.Identity{}) {
		copied, err := b.copied(ctx, is)
		if err != nil {
			return err
		}
		if !copied {
			b.identities.put(b.ref.Subject(), is)
			return nil
		}
	}
	next := host.NewIdentity()
	former, err := b.former(ctx, is)
	if err != nil {
		return err
	}
	if former != "" {
		next.Document = former
		renew := func(l *record.Link) (storage.LinkChange, error) {
			l.Renewed = NonceHash(next.Nonce) // if this process ends before it can say that it is written
			return storage.LinkChange{}, nil
		}
		if _, err := b.records.ChangeLink(ctx, b.ref.Tenant, next.Document, renew); err != nil {
			return err
		}
	}
	b.identity = next
	of.Identify(next)
	return nil
}

// former is what a file said of itself that says nothing any more; empty for one that is not known to have.
func (b *batch) former(ctx context.Context, is host.Identity) (string, error) {
	if is != (host.Identity{}) {
		return "", nil // it is a copy
	}
	if b.ref.Home != "" {
		return placements.LinkID(b.ref.Home), nil
	}
	for _, id := range b.ref.IDs() {
		l, err := b.records.Link(ctx, b.ref.Tenant, id)
		switch {
		case err != nil:
			return "", err
		case l != nil && l.Target == b.ref.ID && l.Spreadsheets == b.ref.Host.Name:
			return l.Identity, nil
		}
	}
	return "", nil
}

// checkLinked returns a fault for a file that is not the document that was linked. One that says nothing of itself is, if it has a block of it.
func (b *batch) checkLinked(ctx context.Context, is host.Identity, found []*block) error {
	home := placements.LinkID(b.ref.Home)
	l, err := b.records.LinkOf(ctx, b.ref.Tenant, home)
	if err != nil {
		return err
	}
	marked := slices.ContainsFunc(found, func(one *block) bool { return one.view.Marked })
	if is.Document == home && (l == nil || l.Knows(NonceHash(is.Nonce))) || is == (host.Identity{}) && marked {
		return nil
	}
	return &placements.Fault{Class: placements.Structure, Message: fmt.Sprintf("the file %q is another document by now than the one in which the "+
		"report was placed, or an older copy of it, and is left as it is: open the pane of that one where it is saved", b.ref.ID)}
}

// copied reports whether a file that says that it is a document is a copy of another one, which still is where it was linked.
func (b *batch) copied(ctx context.Context, is host.Identity) (bool, error) {
	l, err := b.records.Link(ctx, b.ref.Tenant, is.Document)
	if err != nil || l == nil || l.Target == "" || l.Target == b.ref.ID && l.Spreadsheets == b.ref.Host.Name {
		return false, err
	}
	hosts := b.sites.Hosts[b.ref.Tenant]
	i := slices.IndexFunc(hosts, func(h Spreadsheets) bool { return h.Name == l.Spreadsheets && h.Kind == b.ref.Kind })
	if i < 0 {
		return false, nil
	}
	there := site.Ref{Tenant: b.ref.Tenant, Kind: b.ref.Kind, Host: &hosts[i], ID: l.Target}
	_, err = fault.Call(ctx, b.calls, there.Subject(), func() (struct{}, error) { return struct{}{}, hosts[i].Has(ctx, l.Target) })
	if err != nil && fault.Of(err).Class == placements.Structure {
		return false, nil // it was moved here
	}
	return err == nil, err
}

// named records which document a batch has said that its file is, once it is written.
func (b *batch) named(ctx context.Context, s host.Session, home string) {
	if b.identity == (host.Identity{}) {
		return
	}
	set := b.identity
	b.identity = host.Identity{}
	is, err := s.(host.Identified).Identity(ctx)
	if err != nil || is != set {
		return // the host could not: the next write tries again
	}
	full := b.ref.Full()
	_, err = b.records.ChangeLink(ctx, b.ref.Tenant, set.Document, func(l *record.Link) (storage.LinkChange, error) {
		l.Nonce, l.Renewed = NonceHash(set.Nonce), ""
		if l.Target == "" && !l.Unlinked {
			l.State, l.Message, l.By, l.ProvedAt = record.LinkLinked, "", record.LinkedByAgent, placements.Time(b.now())
			l.Home, l.Kind, l.Spreadsheets, l.Target, l.Name = home, b.ref.Kind, b.ref.Host.Name, b.ref.ID, b.ref.ID
			l.IDs = []string{set.Document, home}
			if home != full && home != b.ref.ID {
				l.IDs = append(l.IDs, full)
			}
		}
		return storage.LinkChange{By: record.Actor{Via: record.Via{Address: "agent"}}}, nil
	})
	if err != nil {
		b.log.WarnContext(ctx, "which document a file is was not recorded", "tenant", b.ref.Tenant, "document", b.ref.ID, "error", err)
		return
	}
	b.identities.put(b.ref.Subject(), set)
}
