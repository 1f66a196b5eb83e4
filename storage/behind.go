package storage

import (
	"context"
	"errors"
	"strconv"
	"time"

	"mooring/placements"
	"mooring/storage/keys"
	"mooring/storage/redis"
)

// How often a process looks whether the storage still has what it acknowledged, and how long what it left to be looked at is kept. A process
// that slept longer than half of that has forgotten what it left.
const (
	witnessEvery = 2 * time.Second
	witnessKept  = 12 * time.Hour
)

// remembers returns the count that a key has at least. To compare it with what is found, it must be asked before that is read: others count
// on meanwhile.
func (w *witness) remembers(key string) (count int64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if s, ok := w.left[key]; ok && time.Since(s.at) < witnessKept/2 {
		return s.count
	}
	return 0
}

func (w *witness) acknowledged(key string, count int64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.left == nil {
		w.left = map[string]sighting{}
	}
	w.left[key] = sighting{max(count, w.left[key].count), time.Now()}
}

// leaveWitness counts behind a write to a partition. That it cannot is no fault of the write.
func (e *engine) leaveWitness(ctx context.Context, at keys.Partition) {
	key := at.Witness(e.witness.id)
	p := e.rdb.Pipeline()
	count := p.Incr(ctx, key)
	p.Expire(ctx, key, witnessKept)
	if _, err := p.Exec(ctx); err == nil {
		e.witness.acknowledged(key, count.Val())
	}
}

// behindSince returns when the storage came back without its last writes, as the wire shows it; empty if it did not, as far as is known.
func (e *engine) behindSince(ctx context.Context, at keys.Partition) (string, error) {
	key := at.Witness(e.witness.id)
	want := e.witness.remembers(key)
	p := e.rdb.Pipeline()
	found, since := p.Get(ctx, key), p.Get(ctx, at.Behind())
	if _, err := p.Exec(ctx); err != nil && !errors.Is(err, redis.Nil) {
		return "", redis.Unavailable(err)
	}
	if count, _ := found.Int64(); count < want {
		return e.fellBack(ctx)
	}
	ms, err := strconv.ParseInt(since.Val(), 10, 64)
	if err != nil {
		return "", nil // it never did
	}
	return placements.Time(time.UnixMilli(ms)), nil
}

// fellBack says in the log that the storage has come back without its last writes, and notes it.
func (e *engine) fellBack(ctx context.Context) (string, error) {
	e.witness.mu.Lock()
	e.witness.left = nil // what else it has lost is told by this
	e.witness.mu.Unlock()
	e.log.ErrorContext(ctx, "storage came back without its last writes: look through what was changed in its last seconds, and have Redis "+
		"save each write (appendonly yes, appendfsync always). Sheets that are ahead of it tell so themselves; of other sheets, rows that "+
		"may be Mooring's or a person's are a CONFLICT once")
	return e.noteBehind(ctx)
}

// startedBehind says so of an embedded storage whose process before this one ended without saving.
func (e *engine) startedBehind(ctx context.Context) error {
	e.log.ErrorContext(ctx, "embedded storage: the process before this one was ended before it could save, and what was changed in its last "+
		"seconds is lost. Sheets that are ahead of it tell so themselves; of other sheets, rows that may be Mooring's or a person's are a "+
		"CONFLICT once")
	_, err := e.noteBehind(ctx)
	return err
}

func (e *engine) noteBehind(ctx context.Context) (string, error) {
	now := e.now()
	p := e.rdb.Pipeline()
	for n := range e.partitions {
		p.Set(ctx, keys.At(n).Behind(), now.UnixMilli(), 0)
	}
	if _, err := p.Exec(ctx); err != nil {
		return "", redis.Unavailable(err)
	}
	return placements.Time(now), nil
}

// watch looks now and then whether the storage still has what it acknowledged, until ctx ends.
func (s *Store) watch(ctx context.Context) {
	ticker := time.NewTicker(witnessEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			s.lookBack(ctx)
		}
	}
}

// lookBack tells in the log, once, that the storage is empty, or has lost its last writes.
func (s *Store) lookBack(ctx context.Context) {
	count, err := s.rdb.Exists(ctx, keys.PartitionCount).Result()
	if err != nil {
		return // others tell that it does not answer
	}
	s.witness.mu.Lock()
	was := s.witness.empty
	s.witness.empty = count == 0
	if count == 0 {
		s.witness.left = nil
	}
	s.witness.mu.Unlock()
	if count == 0 {
		if !was {
			s.log.ErrorContext(ctx, "storage came back empty: nothing of what was kept is there. Stop all processes, put back the files of Redis "+
				"or restore the last backup (mooring restore), and start them again; what is written meanwhile is lost by that")
		}
		return
	}
	key := keys.At(0).Witness(s.witness.id)
	want := s.witness.remembers(key)
	found, err := s.rdb.Get(ctx, key).Int64()
	if err != nil && !errors.Is(err, redis.Nil) {
		return
	}
	if found < want {
		if _, err := s.fellBack(ctx); err != nil {
			s.log.DebugContext(ctx, "that storage fell back is not noted", "error", err)
		}
	}
	s.leaveWitness(ctx, keys.At(0))
}
