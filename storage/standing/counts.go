package standing

import (
	"context"

	"mooring/placements"
	"mooring/storage/keys"
	"mooring/storage/record"
	"mooring/storage/redis"
)

// Counts are how many placements, or spreadsheets with such a placement, there are.
type Counts struct {
	Total      int64 `json:"total"`
	UpToDate   int64 `json:"upToDate"`
	Changed    int64 `json:"changed"`
	Unknown    int64 `json:"unknown"`
	Refreshing int64 `json:"refreshing"`
	Failed     int64 `json:"failed"`
	Conflict   int64 `json:"conflict"`
	Edited     int64 `json:"edited"`  // whatever their status
	Waiting    int64 `json:"waiting"` // likewise
}

// counted is a list in which spreadsheets are counted, and how many it has.
type counted struct {
	list string
	into *int64
}

// counted are the lists of Counts, those of which lua/standing.lua counts spreadsheets.
func (c *Counts) counted() []counted {
	return []counted{
		{"all", &c.Total},
		{statusList(placements.UpToDate), &c.UpToDate},
		{statusList(placements.Changed), &c.Changed},
		{statusList(placements.Unknown), &c.Unknown},
		{statusList(placements.Refreshing), &c.Refreshing},
		{statusList(placements.Failed), &c.Failed},
		{statusList(placements.Conflicted), &c.Conflict},
		{statusList(Edited), &c.Edited},
		{statusList(Waiting), &c.Waiting},
	}
}

// Worst is the status of what these are the placements of: the worst of theirs.
func (c *Counts) Worst() placements.Status {
	switch {
	case c.Conflict > 0:
		return placements.Conflicted
	case c.Failed > 0:
		return placements.Failed
	case c.Changed > 0:
		return placements.Changed
	case c.Unknown > 0:
		return placements.Unknown
	case c.Refreshing > 0:
		return placements.Refreshing
	}
	return placements.UpToDate
}

// Counts returns how many placements the deployment has, and in how many spreadsheets, as the lists have them, in one round trip.
func (l *Lists) Counts(ctx context.Context, d record.Deployment) (placed, documents Counts, err error) {
	k, p := keys.Of(d, l.partitions), l.rdb.TxPipeline()
	replies := map[*int64]*redis.IntCmd{}
	read := func(c *Counts, key func(list string) string) {
		for _, one := range c.counted() {
			replies[one.into] = p.ZCard(ctx, key(one.list))
		}
	}
	read(&placed, k.Placed)
	read(&documents, k.DocumentList)
	if _, err := p.Exec(ctx); err != nil {
		return Counts{}, Counts{}, redis.Unavailable(err)
	}
	for into, count := range replies {
		*into = count.Val()
	}
	return placed, documents, nil
}

// WaitingDocuments returns how many spreadsheets of each of some deployments have a placement that waits for each reason, in one round trip.
func (l *Lists) WaitingDocuments(ctx context.Context, list ...record.Deployment) ([]map[placements.Reason]int64, error) {
	p := l.rdb.Pipeline()
	replies := make([]map[placements.Reason]*redis.IntCmd, len(list))
	for i, d := range list {
		k := keys.Of(d, l.partitions)
		replies[i] = map[placements.Reason]*redis.IntCmd{}
		for _, reason := range placements.Waits() {
			replies[i][reason] = p.ZCard(ctx, k.DocumentList("waiting:"+string(reason)))
		}
	}
	if _, err := p.Exec(ctx); err != nil {
		return nil, redis.Unavailable(err)
	}
	waiting := make([]map[placements.Reason]int64, len(list))
	for i := range list {
		waiting[i] = map[placements.Reason]int64{}
		for reason, count := range replies[i] {
			waiting[i][reason] = count.Val()
		}
	}
	return waiting, nil
}
