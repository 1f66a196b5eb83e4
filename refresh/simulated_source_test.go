package refresh

import (
	"context"
	"slices"
	"sync"
	"time"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/fault"
	"mooring/refresh/source"
)

// clockSource is a source whose rows say when it was queried, or, of a query that begins with steady, in which quarter of a day that was.
type clockSource struct {
	mu   sync.Mutex
	down map[string][]downtime    // by query
	lag  map[string]time.Duration // by query
}

const steady = "steady"

func (s *clockSource) Query(ctx context.Context, q source.Query, b *checksum.Builder) ([]source.Column, error) {
	now := time.Now()
	s.mu.Lock()
	down, lag := s.down[q.SQL], s.lag[q.SQL]
	s.mu.Unlock()
	if slices.ContainsFunc(down, func(o downtime) bool { return o.at(now) }) {
		return nil, &placements.Fault{Class: placements.Transient, Message: "The source does not answer."}
	}
	if err := fault.Sleep(ctx, lag); err != nil {
		return nil, err
	}
	for _, row := range clockTable(q.SQL, now) {
		b.Append(row...)
	}
	return []source.Column{{Name: "key"}, {Name: "queried at"}}, q.Memory.Grow(b.Size())
}

func (*clockSource) Check(context.Context) error { return nil }

func (*clockSource) Close() error { return nil }

func clockTable(query string, queriedAt time.Time) [][]checksum.Cell {
	if len(query) >= len(steady) && query[:len(steady)] == steady {
		queriedAt = queriedAt.Truncate(6 * time.Hour)
	}
	at := checksum.Num(float64(queriedAt.UnixMilli()))
	return [][]checksum.Cell{
		{checksum.Str("key"), checksum.Str("queried at")},
		{checksum.Str(query), at},
		{checksum.Str(query + "'"), at},
	}
}
