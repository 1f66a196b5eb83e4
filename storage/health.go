package storage

import (
	"context"
	"time"

	"mooring/storage/keys"
	"mooring/storage/redis"
)

// Ping asks the storage whether it answers.
func (s *Store) Ping(ctx context.Context) error {
	return redis.Unavailable(s.db.Redis.Ping(ctx).Err())
}

// Warnings returns a sentence for each thing about the storage that works and may cost data, with what to do about it. ErrReadOnly and
// ErrDenied: it answers, and must not be used.
func (s *Store) Warnings(ctx context.Context) ([]string, error) {
	if s.db.Embedded != nil {
		return s.db.Embedded.Warnings(), nil
	}
	return redis.Warnings(ctx, s.db.Redis)
}

// Ready asks the storage whether it takes writes, in every partition. A *Refusal says why it does not.
func (s *Store) Ready(ctx context.Context) error {
	p := s.db.Redis.Pipeline()
	for n := range s.db.Partitions {
		p.Set(ctx, keys.At(n).Ready(), "1", time.Minute)
	}
	_, err := p.Exec(ctx)
	return redis.Unavailable(err)
}
