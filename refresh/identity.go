package refresh

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"mooring/placements"
	"mooring/refresh/host"
	"mooring/storage/record"
	"mooring/storage/work"
)

// identity is what the document says of itself. errors.ErrUnsupported: its host keeps no such thing.
func (s *session) identity(ctx context.Context) (host.Identity, error) {
	of, can := s.Session.(host.Identified)
	if !can {
		return host.Identity{}, errors.ErrUnsupported
	}
	return sessionCall(ctx, s, func() (host.Identity, error) { return of.Identity(ctx) })
}

// identified is a session that may be one of a host.Identified.
type identified interface {
	identity(ctx context.Context) (host.Identity, error)
	identify(i host.Identity)
}

func (s *session) identify(i host.Identity) { s.Session.(host.Identified).Identify(i) }

// identify has the next write of a batch have the document say which one it is, if it does not say so yet, or says that it is another one. found
// are blocks of it, as they stand there. Where that fails, the document is refreshed all the same, unless it was linked: the error then is the
// fault, of Structure for a file that is not the document that was linked.
func (b *batch) identify(ctx context.Context, s host.Session, found []*block) error {
	of, can := s.(identified)
	if !can || b.identity != (host.Identity{}) {
		return nil
	}
	is, err := of.identity(ctx)
	if err == nil && (is == (host.Identity{}) || b.identities.get(b.ref.subject()) != is) {
		err = b.check(ctx, of, is, found)
	}
	if err != nil && b.ref.home == "" && !errors.Is(err, errors.ErrUnsupported) {
		b.log.WarnContext(ctx, "it is not known which document is refreshed", "tenant", b.ref.tenant, "document", b.ref.id, "error", err)
	}
	if b.ref.home == "" || errors.Is(err, errors.ErrUnsupported) {
		return nil
	}
	return err
}

// check is identify for a file that says that it is the document is, which this process has not seen yet.
func (b *batch) check(ctx context.Context, of identified, is host.Identity, found []*block) error {
	if b.ref.home != "" {
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
			b.identities.put(b.ref.subject(), is)
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
		renew := func(l *record.Link) (work.LinkChange, error) {
			l.Renewed = NonceHash(next.Nonce) // if this process ends before it can say that it is written
			return work.LinkChange{}, nil
		}
		if _, err := b.records.Links().Change(ctx, b.ref.tenant, next.Document, renew); err != nil {
			return err
		}
	}
	b.identity = next
	of.identify(next)
	return nil
}

// former is what a file said of itself that says nothing any more; empty for one that is not known to have.
func (b *batch) former(ctx context.Context, is host.Identity) (string, error) {
	if is != (host.Identity{}) {
		return "", nil // it is a copy
	}
	if b.ref.home != "" {
		return placements.LinkID(b.ref.home), nil
	}
	for _, id := range b.ref.ids() {
		l, err := b.records.Links().Get(ctx, b.ref.tenant, id)
		switch {
		case err != nil:
			return "", err
		case l != nil && l.Target == b.ref.id && l.Spreadsheets == b.ref.host.Name:
			return l.Identity, nil
		}
	}
	return "", nil
}

// checkLinked returns a fault for a file that is not the document that was linked. One that says nothing of itself is, if it has a block of it.
func (b *batch) checkLinked(ctx context.Context, is host.Identity, found []*block) error {
	home := placements.LinkID(b.ref.home)
	l, err := b.records.Links().Of(ctx, b.ref.tenant, home)
	if err != nil {
		return err
	}
	marked := slices.ContainsFunc(found, func(one *block) bool { return one.view.Marked })
	if is.Document == home && (l == nil || l.Knows(NonceHash(is.Nonce))) || is == (host.Identity{}) && marked {
		return nil
	}
	return &placements.Fault{Class: placements.Structure, Message: fmt.Sprintf("the file %q is another document by now than the one in which the "+
		"report was placed, or an older copy of it, and is left as it is: open the pane of that one where it is saved", b.ref.id)}
}

// copied reports whether a file that says that it is a document is a copy of another one, which still is where it was linked.
func (b *batch) copied(ctx context.Context, is host.Identity) (bool, error) {
	l, err := b.records.Links().Get(ctx, b.ref.tenant, is.Document)
	if err != nil || l == nil || l.Target == "" || l.Target == b.ref.id && l.Spreadsheets == b.ref.host.Name {
		return false, err
	}
	hosts := b.tenants[b.ref.tenant].Hosts
	i := slices.IndexFunc(hosts, func(h Spreadsheets) bool { return h.Name == l.Spreadsheets && h.Kind == b.ref.kind })
	if i < 0 {
		return false, nil
	}
	there := documentRef{tenant: b.ref.tenant, kind: b.ref.kind, host: &hosts[i], id: l.Target}
	_, err = call(ctx, &b.calls, there.subject(), func() (struct{}, error) { return struct{}{}, hosts[i].Has(ctx, l.Target) })
	if err != nil && asFault(err).Class == placements.Structure {
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
	is, err := s.(identified).identity(ctx)
	if err != nil || is != set {
		return // the host could not: the next write tries again
	}
	full := b.ref.full()
	_, err = b.records.Links().Change(ctx, b.ref.tenant, set.Document, func(l *record.Link) (work.LinkChange, error) {
		l.Nonce, l.Renewed = NonceHash(set.Nonce), ""
		if l.Target == "" && !l.Unlinked {
			l.State, l.Message, l.By, l.ProvedAt = record.LinkLinked, "", record.LinkedByAgent, placements.Time(b.now())
			l.Home, l.Kind, l.Spreadsheets, l.Target, l.Name = home, b.ref.kind, b.ref.host.Name, b.ref.id, b.ref.id
			l.IDs = []string{set.Document, home}
			if home != full && home != b.ref.id {
				l.IDs = append(l.IDs, full)
			}
		}
		return work.LinkChange{By: record.Actor{Via: record.Via{Address: "agent"}}}, nil
	})
	if err != nil {
		b.log.WarnContext(ctx, "which document a file is was not recorded", "tenant", b.ref.tenant, "document", b.ref.id, "error", err)
		return
	}
	b.identities.put(b.ref.subject(), set)
}
