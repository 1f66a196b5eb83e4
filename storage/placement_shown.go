package storage

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"mooring/placements"
)

// Shown is a placement as an answer shows it: most of its JSON passes through as stored, since a report may have thousands.
type Shown struct {
	Slot          string // orders placements that were placed at the same time
	JSON          string // the placement's own members, without the brace that closes them
	PlacedAt      string
	RefreshedAt   string
	QueryChecksum string // of the last write
	LastRun       *placements.LastRun
}

// Status is the placement's syncStatus under the report's current query checksum.
func (p Shown) Status(currentQueryChecksum string) placements.Status {
	return placements.SyncStatus(placements.Placement{QueryChecksum: p.QueryChecksum, RefreshedAt: p.RefreshedAt}, currentQueryChecksum, p.LastRun)
}

// Show lists the placements as an answer shows them, ordered by placedAt, then id.
func (r *Report) Show() ([]Shown, error) {
	if r.OnlyShown != nil {
		return r.OnlyShown, nil
	}
	list := make([]Shown, 0, len(r.Placements))
	for _, p := range r.Placements {
		lines, err := recordedLines(p.Placement)
		if err != nil {
			return nil, err
		}
		list = append(list, Shown{slotOf(p.Placement), strings.Join(lines[:], ""), p.PlacedAt, p.RefreshedAt, p.QueryChecksum, p.LastRun})
	}
	return list, nil
}

// showRecord gives what an answer shows of a record, and of the last run on it if there was one.
func showRecord(slot, record, run string) (p Shown, err error) {
	_, body := splitRecord(record)
	lines := strings.Split(body, "\n")
	if len(lines) != recordLines+1 {
		return p, fmt.Errorf("placement %s: not a record", slot)
	}
	p = Shown{
		Slot: slot, JSON: strings.Join(lines[:recordLines], ""),
		PlacedAt:      stored(lines[linePlaced], "placedAt"),
		RefreshedAt:   stored(lines[lineWrite], "refreshedAt"),
		QueryChecksum: stored(lines[lineWrite], "queryChecksum"),
	}
	if run == "" {
		return p, nil
	}
	if err := json.Unmarshal([]byte(run), &p.LastRun); err != nil {
		return p, fmt.Errorf("last run of placement %s: %w", slot, err)
	}
	return p, nil
}

// stored finds a member of a record's line whose value needs no escapes: a checksum or a time.
func stored(line, name string) string {
	_, rest, _ := strings.Cut(line, `"`+name+`":"`)
	value, _, _ := strings.Cut(rest, `"`)
	return value
}

// showHash gives what an answer shows of a report's placements hash.
func showHash(hash map[string]string) ([]Shown, error) {
	shown := make([]Shown, 0, len(hash)/3)
	for field, record := range hash {
		slot, found := strings.CutPrefix(field, placementField)
		if !found || record == "" {
			continue
		}
		p, err := showRecord(slot, record, hash[lastRunField+slot])
		if err != nil {
			return nil, err
		}
		shown = append(shown, p)
	}
	slices.SortFunc(shown, func(a, b Shown) int {
		return cmp.Or(cmp.Compare(a.PlacedAt, b.PlacedAt), cmp.Compare(a.Slot, b.Slot))
	})
	return shown, nil
}

// shownReport makes the report of an answer from what shownScript gave: its placements are only shown.
func (s *Store) shownReport(ctx context.Context, k deploymentKeys, id int64, record, placed any) (*Report, error) {
	r, err := s.bareReport(k, id, pairs(record))
	if err != nil {
		return nil, err
	}
	hash := pairs(placed)
	if placed == nil {
		if hash, err = s.rdb.HGetAll(ctx, k.placements(id)).Result(); err != nil {
			return nil, unavailable(err)
		}
	}
	r.OnlyShown, err = showHash(hash)
	return r, err
}

// bareReport is readReport without placements. The definition comes from the cache when it was read before: treat it as read-only.
func (s *Store) bareReport(k deploymentKeys, id int64, record map[string]string) (*Report, error) {
	d, err := s.definitions.read(k.report(id), record[fieldDefinition])
	if err != nil {
		return nil, errors.Join(err, ErrNotFound)
	}
	r := &Report{
		ID: id, DeploymentID: k.deployment, Type: "REPORT", UserID: d.CreatedBy, Definition: *d,
		StoredPublicID: record[fieldPublicID], SynthesizedID: record[fieldSynthesizedID],
	}
	r.PublicID = cmp.Or(r.StoredPublicID, r.SynthesizedID)
	if marks := record[fieldMarks]; marks != "" {
		if err := json.Unmarshal([]byte(marks), &r.Marks); err != nil {
			return nil, fmt.Errorf("report %d: stamp: %w", id, err)
		}
	}
	return r, nil
}
