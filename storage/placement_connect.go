package storage

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"reflect"

	"mooring/placements"
	"mooring/storage/record"
)

// Connection tells what a connect did.
type Connection struct {
	Report    *Report // a minimal one shows only the placement connected
	Placement *placements.Placement
	Overlaps  []DocumentPlacement // the placements, of whatever report, that claim a common cell
}

// Connect records a placement of a report (interface.md, Connect) on behalf of who. Errors: ErrNotFound, also when who may not read the
// report; *placements.Error, also when another placement of the report stands there, or who may not place it there.
func (s *Store) Connect(ctx context.Context, d Deployment, reportID int64, c placements.Connection, who record.Actor, minimal bool) (*Connection, error) {
	place, err := c.Place()
	if err != nil {
		return nil, err
	}
	k := s.deployment(d)
	var p []Placed // the one that was connected
	w := placementWrite{near: nearConnection(c, place), who: who, absent: true, fresh: c.AddressOnly, marked: !c.AddressOnly, show: shownFields(minimal), alone: placedFields}
	w.decide = func(todo *changes, r *Report) error {
		ch, err := s.place(todo, k, r, c, place, who)
		if err != nil {
			return err
		}
		if ch.Created {
			ch.Index = len(r.Placements) - 1
		}
		p = r.Placements[ch.Index : ch.Index+1]
		return nil
	}
	w.overlap = func() *stand { return p[0].standing() }
	if minimal {
		w.left = func() string { return lastRunField + p[0].standing().slot } // a run may have come and gone since it was remembered
	}
	done, err := s.applyPlacement(ctx, k, reportID, w)
	if err != nil {
		return nil, err
	}
	answer := &Connection{Report: done.report, Placement: &p[0].Placement}
	alone := !minimal && done.placed != nil && len(done.placed) == 0
	if alone {
		p[0].LastRun = nil // that would be another field
	}
	done.report.Placements = p
	switch {
	case minimal:
		p[0].LastRun, err = decodeLastRun(p[0].standing().slot, done.left)
	case !alone:
		err = s.showWritten(ctx, k, done, minimal)
	}
	if err != nil {
		return nil, err
	}
	answer.Overlaps, err = s.loadCells(ctx, k.tenantKeys, done.overlaps)
	return answer, err
}

// showWritten makes the report of a write show what an answer needs. A minimal answer shows what the report holds.
func (s *Store) showWritten(ctx context.Context, k deploymentKeys, done *written, minimal bool) (err error) {
	switch {
	case minimal:
	case done.placed == nil:
		return s.showAll(ctx, k, done.report, done.fields)
	default:
		done.report.OnlyShown, err = showHash(done.placed)
	}
	return err
}

// shownFields is how many fields of the placements hash a write returns.
func shownFields(minimal bool) int {
	if minimal {
		return -1
	}
	return inlineFields
}

// Disconnect removes the one placement of a report that t addresses (interface.md, Disconnect), on behalf of who. removed is its JSON, nil
// when t addresses none, which is a success and changes nothing. A minimal report shows no placements. ErrNotFound also when who may not
// read the report.
func (s *Store) Disconnect(ctx context.Context, d Deployment, reportID int64, t placements.Target, who record.Actor, minimal bool) (r *Report, removed json.RawMessage, err error) {
	k := s.deployment(d)
	var gone string
	w := placementWrite{near: nearTarget(t), who: who, show: shownFields(minimal), taken: func() string { return gone }}
	w.decide = func(todo *changes, r *Report) error {
		gone = ""
		if index, ok := t.Match(r.Places()); ok {
			p := &r.Placements[index]
			r.Effect = record.Updated
			gone = placementField + p.standing().slot
			dropPlacement(todo, k, r.ID, p)
			todo.unecho(k, r.ID, p.standing().slot)
			todo.publish(k, record.EventPlacementDisconnected, r.ID, &p.Placement)
		}
		r.Placements = nil
		return nil
	}
	done, err := s.applyPlacement(ctx, k, reportID, w)
	if err != nil {
		return nil, nil, err
	}
	if done.taken != "" {
		_, body, err := splitRecord(gone, done.taken)
		if err != nil {
			return nil, nil, err
		}
		removed = json.RawMessage(body)
	}
	return done.report, removed, s.showWritten(ctx, k, done, minimal)
}

// StampRefresh records that who has just rewritten cells of a report in a spreadsheet (decisions.md §6, PUT …/refresh): it stamps the
// report and the placement that w addresses, if it addresses one. Errors: ErrNotFound, also when who may not read the report;
// *placements.Error.
func (s *Store) StampRefresh(ctx context.Context, d Deployment, reportID int64, rewrite placements.Rewrite, who record.Actor) (*Report, error) {
	if err := rewrite.Check(); err != nil {
		return nil, err
	}
	k := s.deployment(d)
	w := placementWrite{near: nearTarget(rewrite.Target), who: who, show: inlineFields}
	w.decide = func(todo *changes, r *Report) error { return s.stamp(todo, k, r, rewrite, who) }
	done, err := s.applyPlacement(ctx, k, reportID, w)
	if err != nil {
		return nil, err
	}
	return done.report, s.showWritten(ctx, k, done, false)
}

func (s *Store) stamp(todo *changes, k deploymentKeys, r *Report, w placements.Rewrite, who record.Actor) error {
	stamp, err := s.placeStamp(r, who)
	if err != nil {
		return err
	}
	if index, ok := w.Match(r.Places()); ok {
		p, err := placements.Refreshed(r.Placements[index].Placement, w, stamp)
		if err != nil {
			return err
		}
		// The last writer owns the cells.
		r.Placements[index].Claim = stamp.Now.UnixMicro()
		rewritePlacement(todo, k, r, index, p)
		todo.publish(k, record.EventPlacementRefreshed, r.ID, &p)
	}
	r.refreshedBy(placements.Time(stamp.Now), who)
	todo.refreshed(k, r)
	r.Effect = record.Updated
	return nil
}

// place decides a connect and adds what it changes; r shows the outcome. Of r's placements only those are needed that are near.
func (s *Store) place(todo *changes, k deploymentKeys, r *Report, c placements.Connection, at placements.Place, who record.Actor) (placements.Change, error) {
	stamp, err := s.placeStamp(r, who)
	if err != nil {
		return placements.Change{}, err
	}
	existing := r.Places()
	ch, err := placements.ConnectAt(existing, c, at, stamp)
	if err == nil {
		err = s.Bounded(k.at(), ch.Placement)
	}
	if err != nil {
		return ch, err
	}
	switch {
	case ch.Created:
		r.Effect = record.Created
	case !c.AddressOnly || !reflect.DeepEqual(existing[ch.Index], ch.Placement):
		r.Effect = record.Updated
	}
	s.connected(todo, k, r, ch, c.AddressOnly, who)
	return ch, nil
}

// Bounded returns a *placements.Error, CodeDocument, for a placement in a spreadsheet where the configuration lets the deployment place
// nothing.
func (s *Store) Bounded(d Deployment, p placements.Placement) error {
	if s.documents[d].Allow(p.Host, p.WorkbookID) {
		return nil
	}
	const pointer = "/externalWorkbookId"
	message := fmt.Sprintf("Reports of deployment %d may not be placed in the spreadsheet %.80q: "+
		"choose one that documents in the configuration allows, or have it added there.", d.ID, p.WorkbookID)
	return placements.Faulty(placements.Detail{Pointer: pointer, Code: placements.CodeDocument, Message: message})
}

// connected adds what a connect has decided, and makes r show it.
func (s *Store) connected(todo *changes, k deploymentKeys, r *Report, ch placements.Change, addressOnly bool, who record.Actor) {
	p := s.recordPlacement(todo, k, r, ch)
	todo.publish(k, record.EventPlacementConnected, r.ID, &p.Placement)
	r.echo(p)
	if addressOnly {
		todo.placed(k, r)
		return
	}
	r.refreshedBy(p.RefreshedAt, who)
	todo.marked(k, r)
}

func (s *Store) placeStamp(r *Report, who record.Actor) (placements.Stamp, error) {
	host, err := r.Host()
	return placements.Stamp{
		Now: s.now(), By: who.RunAs(), MayEdit: who.Level(&r.Definition) >= record.MayEdit, QueryChecksum: r.CurrentChecksum, DefaultHost: host,
		NewID: rand.Text(), IDTaken: r.heldID > 0,
	}, err
}

// refreshedBy makes r show who refreshed it.
func (r *Report) refreshedBy(at string, who record.Actor) {
	user := who.User()
	r.RefreshedAt, r.RefreshedBy, r.RefreshedByUser = at, user.ID, &user
}
