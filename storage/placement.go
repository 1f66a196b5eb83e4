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

// The fields of a report's placements hash begin with what they hold; scripts spell them out.
const (
	placementField = "p:" // + slot -> record
	lastRunField   = "r:" // + slot -> LastRun JSON
	addressField   = "a:" // + address key -> slot
)

// readPlacements makes the placements of a report's hash.
func readPlacements(hash map[string]string) ([]Placed, error) {
	list := make([]Placed, 0, len(hash)/3)
	for field, record := range hash {
		slot, found := strings.CutPrefix(field, placementField)
		if !found {
			continue
		}
		var p Placed
		var err error
		if p.Placement, p.Claim, err = decodeRecord(slot, record); err != nil {
			return nil, err
		}
		if run := hash[lastRunField+slot]; run != "" {
			if err := json.Unmarshal([]byte(run), &p.LastRun); err != nil {
				return nil, fmt.Errorf("last run of placement %s: %w", slot, err)
			}
		}
		list = append(list, p)
	}
	slices.SortFunc(list, func(a, b Placed) int {
		return cmp.Or(cmp.Compare(a.PlacedAt, b.PlacedAt), cmp.Compare(slotOf(a.Placement), slotOf(b.Placement)))
	})
	return list, nil
}

// connectLocked is Connect under the report's lock, which every connect could take; it is for those that connectScript leaves to it.
func (s *Store) connectLocked(ctx context.Context, k deploymentKeys, id int64, c placements.Connection, who Reader, minimal bool) (*Connection, error) {
	place, err := c.Place()
	if err != nil {
		return nil, err
	}
	h, r, err := s.lockNear(ctx, k, id, who, near{id: c.PlacementID, key: place.Key()})
	if err != nil {
		return nil, err
	}
	defer s.unlock(ctx, h)
	var todo changes
	ch, err := s.place(&todo, k, r, c, who.User)
	if err != nil {
		return nil, err
	}
	if err := s.commit(ctx, h, todo); err != nil {
		return nil, err
	}
	done := &Connection{PlacementID: ch.Placement.ID}
	if done.Report, err = s.showAfter(ctx, k, r, minimal); err != nil {
		return nil, err
	}
	at := standing(ch.Placement)
	done.Overlaps, err = s.overlaps(ctx, k, id, ch.Placement.ID, at, at.rect)
	return done, err
}

// showAfter shows r after a write: all its placements as they are stored now, or only those that r holds.
func (s *Store) showAfter(ctx context.Context, k deploymentKeys, r *Report, minimal bool) (*Report, error) {
	if minimal {
		return r, nil
	}
	hash, err := s.rdb.HGetAll(ctx, k.placements(r.ID)).Result()
	if err != nil {
		return nil, unavailable(err)
	}
	r.OnlyShown, err = showHash(hash)
	return r, err
}

// place decides a connect and adds what it changes; r shows the outcome. Of r's placements only those must be loaded that are near.
func (s *Store) place(todo *changes, k deploymentKeys, r *Report, c placements.Connection, who User) (placements.Change, error) {
	ch, err := placements.Connect(r.places(), c, s.placeStamp(r, who))
	if errors.Is(err, placements.ErrAddressTaken) {
		return ch, addressTaken()
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

func addressTaken() *Conflict {
	return &Conflict{
		Code:    CodeAddressTaken,
		Message: "Another placement of this report stands at that address: disconnect it first, or choose another cell.",
	}
}

func (s *Store) placeStamp(r *Report, who User) placements.Stamp {
	return placements.Stamp{Now: s.now(), UserID: who.ID, QueryChecksum: r.CurrentChecksum, DefaultHost: r.host(), NewID: rand.Text()}
}

// recordPlacement stores what a connect decided: whoever connects claims the cells, and a conflict that the last run met is over.
func (s *Store) recordPlacement(todo *changes, k deploymentKeys, r *Report, ch placements.Change) {
	next := Placed{Placement: ch.Placement, Claim: s.now().UnixMicro()}
	if ch.Created {
		writePlacement(todo, k, r.ID, nil, next.Placement, next.Claim)
		r.Placements = append(r.Placements, next)
		return
	}
	old := r.Placements[ch.Index]
	writePlacement(todo, k, r.ID, &old.Placement, next.Placement, next.Claim)
	if old.LastRun != nil && old.LastRun.State == placements.RunFailed && old.LastRun.ErrorClass == placements.Conflict {
		todo.add("HDEL", k.placements(r.ID), lastRunField+slotOf(old.Placement))
	} else {
		next.LastRun = old.LastRun
	}
	r.Placements[ch.Index] = next
}

// rewritePlacement stores a placement that changed without anyone claiming its cells anew, in the place of r's placement index.
func rewritePlacement(todo *changes, k deploymentKeys, r *Report, index int, p placements.Placement) {
	old := &r.Placements[index]
	writePlacement(todo, k, r.ID, &old.Placement, p, old.Claim)
	old.Placement = p
}

// dropPlacements takes all placements of a report that goes out of every index.
func dropPlacements(todo *changes, k deploymentKeys, r *Report) {
	members := map[string][]any{} // by the key of the index
	for _, p := range r.Placements {
		slot, at := slotOf(p.Placement), standing(p.Placement)
		document, cells := k.document(at.Document), k.cells(placements.SheetKey(at.Document, at.Sheet))
		members[document] = append(members[document], k.indexed(r.ID, slot))
		members[cells] = append(members[cells], k.cellMember(r.ID, slot, at))
		todo.add("DEL", k.rows(r.ID, slot))
	}
	for index, names := range members {
		for batch := range slices.Chunk(names, 1000) { // Lua unpacks no more than some thousands
			todo.add("ZREM", index, batch...)
		}
	}
	todo.add("DEL", k.placements(r.ID))
	todo.add("DEL", k.spots(r.ID))
}
