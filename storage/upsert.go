package storage

import (
	"context"
	"errors"
	"fmt"

	"mooring/placements"
	"mooring/storage/journal"
	"mooring/storage/record"
	"mooring/storage/redis"
)

// UpsertReport creates a report with this publicId or updates the one that has it (interface.md, Create or update a report by publicId).
// A report that only shows the id, because it was synthesized, adopts it. allow is the access check: it sees the report to update, or nil
// to create one, may be asked again when another writer was faster, and its error is returned as it is. Other errors:
// *placements.Error.
func (s *Store) UpsertReport(
	ctx context.Context, d record.Deployment, publicID string, in record.ReportInput, who record.Actor, allow func(*Report) error,
) (r *Report, err error) {
	if code, fault := record.PublicIDFault(publicID); fault != "" {
		return nil, &placements.Error{Code: code, Message: fault}
	}
	if in.PublicID.Sent && in.PublicID.OrZero() != publicID {
		message := fmt.Sprintf("The path says %s: send the same publicId, or none.", publicID)
		return nil, invalid(placements.CodePublicIDFixed, "/publicId", message)
	}
	k := s.deployment(d)
	n := k.publicID(publicID)
	n.shown = k.Synthesized(publicID)
	if r, err = s.upsertOnMemory(ctx, k, n, in, who, allow); err != nil && !errors.Is(err, ErrUnavailable) {
		// A refusal may be wrong where it rests on memory.
		err = s.byName(ctx, k, n, func(found named, h held) error {
			r, err = s.upsertFound(ctx, k, n, found, h, in, who, allow)
			return err
		})
	}
	if err != nil {
		return nil, err
	}
	if ref, ok := s.named.get(k.DeploymentKeys.Prefix + publicID); !ok || ref.id != r.ID {
		s.named.put(k.DeploymentKeys.Prefix+publicID, k.ref(r.ID), 1)
	}
	s.keepReport(k, r)
	return r, nil
}

// upsertOnMemory updates a report that this process has upserted before, in one step instead of two: it decides on what it saw then, since
// a pipeline applies the same reports again and again. errOvertaken: it saw none, the report was changed meanwhile, or the body places it.
func (s *Store) upsertOnMemory(
	ctx context.Context, k deploymentKeys, n name, in record.ReportInput, who record.Actor, allow func(*Report) error,
) (*Report, error) {
	ref, _ := s.named.get(k.DeploymentKeys.Prefix + n.text)
	head, seen := s.heads.get(ref)
	if _, places := connectionOf(&in.SpreadsheetKeys, &Report{}); places || !seen {
		return nil, errOvertaken
	}
	r := &Report{ReportHead: *head}
	if err := allow(r); err != nil {
		return nil, err
	}
	var tx txn
	tx.If("", "GET", k.ReportLock(r.ID))
	tx.If(k.Owner(r.ID), "HGET", n.index, n.text)
	tx.If(r.Version, "HGET", k.Report(r.ID), fieldVersion)
	if err := s.redefine(&tx, k, r, in, who); err != nil {
		return nil, err
	}
	if !tx.Idle() {
		r.Effect = record.Updated
	}
	tx.Read("HMGET", k.Report(r.ID), fieldRefresh, fieldEcho)
	tx.Read("HGETALL", k.Placements(r.ID))
	replies, err := s.write(ctx, &tx)
	if err != nil {
		return nil, err
	}
	refresh := redis.List(replies[0])
	if err := r.readLastRefresh(refresh[0], refresh[1]); err != nil {
		return nil, err
	}
	r.Placements, err = readPlacements(redis.Pairs(replies[1]))
	return r, err
}

// upsertFound creates or updates the report that n leads to, under h if that holds the locks.
func (s *Store) upsertFound(
	ctx context.Context, k deploymentKeys, n name, found named, h held, in record.ReportInput, who record.Actor, allow func(*Report) error,
) (r *Report, err error) {
	// What is decided on all placements of a report rests on its lock: its version says nothing of them.
	if _, places := connectionOf(&in.SpreadsheetKeys, &Report{}); places && found.exists && h.none() {
		if h, err = s.lockNamed(ctx, n, &found); err != nil {
			return nil, err
		}
		defer s.unlock(ctx, h)
	}
	if found.exists {
		if r, err = s.readReport(k, found.id, found.record, found.placed); err != nil {
			return nil, err
		}
	}
	if err := allow(r); err != nil {
		return nil, err
	}
	var tx txn
	if r == nil {
		r, err = s.newReport(ctx, &tx, k, found.id, n.text, in, who)
	} else {
		tx.If(r.Version, "HGET", k.Report(r.ID), fieldVersion)
		if !found.stored {
			adopt(&tx, k, r, n.text)
		}
		err = s.revise(ctx, &tx, k, r, in, who)
	}
	if err != nil || r.Effect == record.Unchanged {
		return r, err
	}
	n.leadsTo(&tx, k, found, h)
	if _, err = s.write(ctx, &tx); err != nil {
		return nil, err
	}
	h.released()
	return r, nil
}

// CreateReport makes a report. With a publicId in the body that a report of the tenant has, the error is a *placements.Error:
// CodePublicIDTaken in this deployment, CodeElsewhere in another one.
func (s *Store) CreateReport(ctx context.Context, d record.Deployment, in record.ReportInput, who record.Actor) (r *Report, err error) {
	k := s.deployment(d)
	publicID := in.PublicID.OrZero()
	if publicID != "" {
		if code, fault := record.PublicIDFault(publicID); fault != "" {
			return nil, invalid(code, "/publicId", fault)
		}
	}
	n := k.publicID(publicID)
	err = s.byName(ctx, k, n, func(found named, h held) error {
		if found.exists {
			return k.publicIDTaken(k.Owner(found.id), publicID)
		}
		r, err = s.upsertFound(ctx, k, n, found, h, in, who, func(*Report) error { return nil })
		return err
	})
	return r, err
}

// newReport decides a creation.
func (s *Store) newReport(
	ctx context.Context, tx *txn, k deploymentKeys, id int64, publicID string, in record.ReportInput, who record.Actor,
) (*Report, error) {
	r := &Report{ReportHead: newHead(k, id, publicID, "")}
	r.UserID, r.Effect = who.ID, record.Created
	r.Definition = record.NewDefinition(in.Source.OrZero(), who, s.timestamp())
	if _, err := r.Definition.Host(); err != nil {
		return nil, invalid(placements.CodeInvalid, "/source",
			fmt.Sprintf("%q is no source: send SHEETS_A, SHEETS_B, PLAYGROUND or D3, or none.", r.Source))
	}
	if err := in.ApplyTo(&r.Definition); err != nil {
		return nil, err
	}
	if publicID == "" {
		r.SynthesizedID = record.SynthesizedID(r.Name, r.SQLQuery, r.JSONQuery)
		r.PublicID = r.SynthesizedID
	}
	tx.enter(k, r)
	tx.once(who.Via.Once, r.ID)
	tx.note(k, journal.Of(who, journal.Create, journal.OfReport(r.ID, r.Name)).Made(r.Version))
	if err := s.placeSent(ctx, tx, k, r, in, who); err != nil {
		return nil, err
	}
	return r, nil
}

// enter stores a report that is new.
func (t *txn) enter(k deploymentKeys, r *Report) {
	if r.StoredPublicID == "" {
		t.Then("SADD", k.Synthesized(r.SynthesizedID), r.ID)
	} else {
		t.Then("HSET", k.PublicIDs(), r.StoredPublicID, k.Owner(r.ID))
	}
	t.Then("HSET", k.Report(r.ID), fieldPublicID, r.StoredPublicID, fieldSynthesizedID, r.SynthesizedID)
	t.define(k, &r.ReportHead)
	t.Then("ZADD", k.Reports(), r.ID, r.ID)
}

// connectionOf is what the keys declare, see SpreadsheetKeys.Connection. On an update what is left out is what the report repeats of the
// placement recorded last.
func connectionOf(in *record.SpreadsheetKeys, r *Report) (c placements.Connection, ok bool) {
	if c, ok = in.Connection(); !ok {
		return c, false
	}
	if c.ExternalWorkbookID == "" {
		c.ExternalWorkbookID = r.ExternalWorkbookID
	}
	p, echoed := r.echoed()
	there := c.ExternalWorkbookID == r.ExternalWorkbookID || echoed && p.In(c.ExternalWorkbookID)
	if c.ResultLocation == "" && there {
		c.ResultLocation = r.ResultLocation
	}
	// What repeats the echo means that placement, whose sheet the resultLocation need not name.
	if echoed && there && c.ResultLocation == r.ResultLocation {
		c.SheetName, c.AnchorCell = p.SheetName, p.AnchorCell
	}
	return c, true
}

// placeSent records what the body's spreadsheet keys declare.
func (s *Store) placeSent(ctx context.Context, tx *txn, k deploymentKeys, r *Report, in record.ReportInput, who record.Actor) error {
	c, ok := connectionOf(&in.SpreadsheetKeys, r)
	if !ok {
		return nil
	}
	at, err := s.siteOf(ctx, k.TenantKeys, c.ExternalWorkbookID, true)
	if err != nil {
		return err
	}
	at.need(tx, k.TenantKeys)
	c.Whereabouts = at.Whereabouts
	stamp, err := s.placeStamp(r, who, 0)
	if err != nil {
		return err
	}
	ch, changed, err := placements.Declare(r.Places(), c, stamp)
	if err == nil && changed {
		err = s.Bounded(k.At(), ch.Placement)
	}
	if err != nil || !changed {
		return err
	}
	ch.Placement.Spreadsheets = s.documents[k.At()].HostOf(ch.Placement)
	tx.notePlacement(k, r, ch, who)
	if address := c.ResultChecksum == nil; ch.Created || !address {
		s.connected(tx, k, r, ch, address, who)
	} else {
		resized(tx, k, r, ch)
	}
	sortPlaced(r.Placements)
	return nil
}

// resized adds a new endResultCell of a placement that is named again: its cells are not claimed anew.
func resized(tx *txn, k deploymentKeys, r *Report, ch placements.Change) {
	rewritePlacement(tx, k, r, ch.Index, ch.Placement)
	tx.publish(k, record.EventPlacementConnected, r.ID, &ch.Placement)
	if p := &r.Placements[ch.Index]; p.position().slot == r.echoes {
		r.echo(p)
	}
}
