package storage

import (
	"context"
	"errors"
	"fmt"

	"mooring/placements"
	"mooring/storage/record"
	"mooring/storage/redis"
)

// UpsertReport creates a report with this publicId or updates the one that has it (interface.md, Create or update a report by publicId).
// A report that only shows the id, because it was synthesized, adopts it. allow is the access check: it sees the report to update, or nil
// to create one, may be asked again when another writer was faster, and its error is returned as it is. Other errors:
// *placements.Error.
func (s *Store) UpsertReport(
	ctx context.Context, d Deployment, publicID string, in record.ReportInput, who record.Actor, allow func(*Report) error,
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
	n.shown = k.synthesized(publicID)
	if r, err = s.upsertOnMemory(ctx, k, n, in, who.User(), allow); err != nil && !errors.Is(err, ErrUnavailable) {
		// A refusal may be wrong where it rests on memory.
		err = s.byName(ctx, k, n, func(found named, h held) error {
			r, err = s.upsertFound(ctx, k, n, found, h, in, who, allow)
			return err
		})
	}
	if err != nil {
		return nil, err
	}
	if ref, ok := s.named.get(k.prefix + publicID); !ok || ref.id != r.ID {
		s.named.put(k.prefix+publicID, k.ref(r.ID), 1)
	}
	s.keepReport(k, r)
	return r, nil
}

// upsertOnMemory updates a report that this process has upserted before, in one step instead of two: it decides on what it saw then, since
// a pipeline applies the same reports again and again. errOvertaken: it saw none, the report was changed meanwhile, or the body places it.
func (s *Store) upsertOnMemory(
	ctx context.Context, k deploymentKeys, n name, in record.ReportInput, who record.User, allow func(*Report) error,
) (*Report, error) {
	ref, _ := s.named.get(k.prefix + n.text)
	head, seen := s.heads.get(ref)
	if _, places := connectionOf(&in.SpreadsheetKeys, &Report{}); places || !seen {
		return nil, errOvertaken
	}
	r := &Report{ReportHead: *head}
	if err := allow(r); err != nil {
		return nil, err
	}
	var tx txn
	tx.If("", "GET", k.reportLock(r.ID))
	tx.If(k.owner(r.ID), "HGET", n.index, n.text)
	tx.If(r.Version, "HGET", k.report(r.ID), fieldVersion)
	if err := s.redefine(&tx, k, r, in, who); err != nil {
		return nil, err
	}
	if !tx.Idle() {
		r.Effect = record.Updated
	}
	tx.Read("HMGET", k.report(r.ID), fieldRefresh, fieldEcho)
	tx.Read("HGETALL", k.placements(r.ID))
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
		r, err = s.newReport(&tx, k, found.id, n.text, in, who)
	} else {
		tx.If(r.Version, "HGET", k.report(r.ID), fieldVersion)
		if !found.stored {
			adopt(&tx, k, r, n.text)
		}
		err = s.revise(&tx, k, r, in, who)
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
