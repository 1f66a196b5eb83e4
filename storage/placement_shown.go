package storage

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"mooring/placements"
	"mooring/storage/redis"
)

// Shown is a placement as an answer shows it: its JSON passes through as stored, since a report may have thousands.
type Shown struct {
	Slot          string // orders placements that were placed at the same time
	JSON          string // of the Placement
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
func (r *Report) Show() []Shown {
	if r.OnlyShown != nil {
		return r.OnlyShown
	}
	list := make([]Shown, 0, len(r.Placements))
	for i := range r.Placements {
		p := &r.Placements[i]
		list = append(list, Shown{p.standing().slot, p.text, p.PlacedAt, p.RefreshedAt, p.QueryChecksum, p.LastRun})
	}
	return list
}

// WithoutChecksums returns list with every placement as WithoutChecksum.
func WithoutChecksums(list []Shown) []Shown {
	out := make([]Shown, len(list))
	for i, p := range list {
		out[i] = WithoutChecksum(p)
	}
	return out
}

// WithoutChecksum returns p without its resultChecksum, which may be large.
func WithoutChecksum(p Shown) Shown {
	before, after, found := strings.Cut(p.JSON, `,"resultChecksum":`) // in a text of the placement the quotes are escaped
	if !found {
		return p
	}
	d := json.NewDecoder(strings.NewReader(after))
	if d.Decode(&skipped{}) == nil {
		p.JSON = before + after[d.InputOffset():]
	}
	return p
}

// showRecord returns what an answer shows of a record, and of the last run on it if there was one.
func showRecord(slot, record, run string) (p Shown, err error) {
	facts, body, err := splitRecord(slot, record)
	if err != nil {
		return p, err
	}
	p = Shown{Slot: slot, JSON: body, PlacedAt: facts[factPlacedAt], RefreshedAt: facts[factRefreshedAt], QueryChecksum: facts[factQuery]}
	p.LastRun, err = decodeLastRun(slot, run)
	return p, err
}

// showHash returns what an answer shows of a report's placements hash.
func showHash(hash map[string]string) ([]Shown, error) {
	shown := make([]Shown, 0, len(hash)/2)
	err := records(hash, func(slot, record, run string) error {
		p, err := showRecord(slot, record, run)
		shown = append(shown, p)
		return err
	})
	slices.SortFunc(shown, func(a, b Shown) int { return byPlacing(a.PlacedAt, a.Slot, b.PlacedAt, b.Slot) })
	return shown, err
}

// showAll makes r show all placements that the report has now, in about that many fields.
func (s *Store) showAll(ctx context.Context, k deploymentKeys, r *Report, fields int64) error {
	cmd := redis.NewMapStringStringCmd(ctx, "hgetall", k.placements(r.ID))
	var rdb redis.Pipelined = s.rdb
	if fields <= batchedFields {
		rdb = s.hot
	}
	if err := rdb.Process(ctx, cmd); err != nil {
		return redis.Unavailable(err)
	}
	var err error
	r.OnlyShown, err = showHash(cmd.Val())
	return err
}

// batchedFields is how many fields are read in one batch with what others want: they would wait for more.
const batchedFields = 512
