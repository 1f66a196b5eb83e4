package storage

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"mooring/placements"
)

// The fields of a report's placements hash begin with what they hold.
const (
	placementField = "p:" // + id -> Placement JSON
	lastRunField   = "r:" // + id -> LastRun JSON
	addressField   = "a:" // + address key -> id
)

// readPlacements makes the placements of a report's hash.
func readPlacements(hash map[string]string) ([]Placed, error) {
	list := make([]Placed, 0, len(hash)/2)
	for field, text := range hash {
		id, found := strings.CutPrefix(field, placementField)
		if !found {
			continue
		}
		var p Placed
		if err := json.Unmarshal([]byte(text), &p.Placement); err != nil {
			return nil, fmt.Errorf("placement %s: %w", id, err)
		}
		if run := hash[lastRunField+id]; run != "" {
			if err := json.Unmarshal([]byte(run), &p.LastRun); err != nil {
				return nil, fmt.Errorf("last run of placement %s: %w", id, err)
			}
		}
		list = append(list, p)
	}
	slices.SortFunc(list, func(a, b Placed) int {
		return cmp.Or(cmp.Compare(a.PlacedAt, b.PlacedAt), cmp.Compare(a.ID, b.ID))
	})
	return list, nil
}

// Connection tells what a connect did.
type Connection struct {
	Report    *Report
	Placement placements.Placement
	Overlaps  []DocumentEntry // older placements of this deployment's tenant that claim a common cell
}

// Connect records a placement of a report (interface.md, Connect) on behalf of who. allow is asked under the lock and sees the report
// as stored; its error is returned as it is. Other errors: ErrNotFound, *placements.InvalidError, placements.ErrAddressTaken as *Conflict.
func (s *Store) Connect(ctx context.Context, d Deployment, reportID int64, c placements.Connection, who User, allow func(*Report) error) (*Connection, error) {
	k := s.deployment(d)
	h, r, err := s.lockReport(ctx, k, reportID)
	if err != nil {
		return nil, err
	}
	defer s.unlock(ctx, h)
	if err := allow(r); err != nil {
		return nil, err
	}
	var todo changes
	ch, err := s.place(&todo, k, r, c, who)
	if err != nil {
		return nil, err
	}
	if err := s.commit(ctx, h, todo); err != nil {
		return nil, err
	}
	overlaps, err := s.overlaps(ctx, k, r.ID, ch.Placement)
	return &Connection{Report: r, Placement: ch.Placement, Overlaps: overlaps}, err
}

// place decides a connect and adds what it changes; r shows the outcome.
func (s *Store) place(todo *changes, k deploymentKeys, r *Report, c placements.Connection, who User) (placements.Change, error) {
	ch, err := placements.Connect(r.places(), c, s.placeStamp(r, who))
	if errors.Is(err, placements.ErrAddressTaken) {
		return ch, &Conflict{Code: CodeAddressTaken, Message: err.Error()}
	}
	if err != nil {
		return ch, err
	}
	s.recordPlacement(todo, k, r, ch)
	r.ExternalWorkbookID = ch.Placement.WorkbookID
	r.ResultLocation, r.EndResultCell = ch.Placement.ResultLocation, ch.Placement.EndResultCell
	if !c.AddressOnly {
		r.RefreshedAt, r.RefreshedBy, r.RefreshedByUser = ch.Placement.RefreshedAt, who.ID, &who
	}
	todo.set(k.report(r.ID), fieldMarks, r.Marks)
	return ch, nil
}

func (s *Store) placeStamp(r *Report, who User) placements.Stamp {
	stamp := placements.Stamp{Now: s.now(), UserID: who.ID, QueryChecksum: r.CurrentChecksum, NewID: rand.Text()}
	if h := placements.Host(r.Source); h == placements.SheetsA || h == placements.SheetsB {
		stamp.DefaultHost = h
	}
	return stamp
}

// recordPlacement stores what a connect decided, in the report and in the document index.
func (s *Store) recordPlacement(todo *changes, k deploymentKeys, r *Report, ch placements.Change) {
	key := k.placements(r.ID)
	if ch.Created {
		r.Placements = append(r.Placements, Placed{Placement: ch.Placement})
	} else {
		old := r.Placements[ch.Index]
		if ch.Moved {
			todo.add("HDEL", key, addressField+ch.Leaves)
		}
		if old.WorkbookID != ch.Placement.WorkbookID {
			unlistDocument(todo, k, r.ID, old.Placement)
		}
		r.Placements[ch.Index].Placement = ch.Placement
	}
	todo.set(key, placementField+ch.Placement.ID, ch.Placement)
	todo.add("HSET", key, addressField+ch.Takes, ch.Placement.ID)
	listDocument(todo, k, r.ID, ch.Placement)
}

// Disconnect removes the one placement of a report that t addresses (interface.md, Disconnect), on behalf of whom allow admits.
// removed is nil when t addresses none, which is a success and changes nothing.
func (s *Store) Disconnect(ctx context.Context, d Deployment, reportID int64, t placements.Target, allow func(*Report) error) (r *Report, removed *placements.Placement, err error) {
	k := s.deployment(d)
	h, r, err := s.lockReport(ctx, k, reportID)
	if err != nil {
		return nil, nil, err
	}
	defer s.unlock(ctx, h)
	if err := allow(r); err != nil {
		return nil, nil, err
	}
	index, ok := t.Match(r.places())
	if !ok {
		return r, nil, nil
	}
	p := r.Placements[index].Placement
	var todo changes
	dropPlacement(&todo, k, r.ID, p)
	r.Placements = slices.Delete(r.Placements, index, index+1)
	return r, &p, s.commit(ctx, h, todo)
}

// dropPlacement takes a placement out of the report and of every index.
func dropPlacement(todo *changes, k deploymentKeys, report int64, p placements.Placement) {
	todo.add("HDEL", k.placements(report), placementField+p.ID, lastRunField+p.ID, addressField+p.AddressKey())
	todo.add("DEL", k.rows(report, p.ID))
	unlistDocument(todo, k, report, p)
}
