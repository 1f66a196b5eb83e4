package storage

import (
	"context"
	"errors"
	"strconv"
	"sync"
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

// witness notices that a storage lost writes which it had acknowledged to this process: a Redis after a power loss, whose disk had not got
// its last second, or a replica that took over. Each process leaves a number behind its own writes, and finds an older one there then.
type witness struct {
	id string // of the process

	mu    sync.Mutex
	next  int64
	left  map[string]sighting // by key
	empty bool                // it was found empty, and that was told
}

// sighting is a number that was acknowledged.
type sighting struct {
	number int64
	at     time.Time
}

// remembers returns the number that a key must have; ok is false when it may have any.
func (w *witness) remembers(key string) (number int64, ok bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	s, ok := w.left[key]
	return s.number, ok && time.Since(s.at) < witnessKept/2
}

func (w *witness) number() int64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.next++
	return w.next
}

func (w *witness) acknowledged(key string, number int64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.left == nil {
		w.left = map[string]sighting{}
	}
	w.left[key] = sighting{number, time.Now()}
}

// leaveWitness leaves a number behind a write to a partition. That it cannot is no fault of the write.
func (e *engine) leaveWitness(ctx context.Context, at keys.Partition) {
	key, number := at.Witness(e.witness.id), e.witness.number()
	if e.rdb.Set(ctx, key, number, witnessKept).Err() == nil {
		e.witness.acknowledged(key, number)
	}
}

// behindSince returns when the storage came back without its last writes, as the wire shows it; empty if it did not, as far as is known.
func (e *engine) behindSince(ctx context.Context, at keys.Partition) (string, error) {
	key := at.Witness(e.witness.id)
	p := e.rdb.Pipeline()
	found, since := p.Get(ctx, key), p.Get(ctx, at.Behind())
	if _, err := p.Exec(ctx); err != nil && !errors.Is(err, redis.Nil) {
		return "", redis.Unavailable(err)
	}
	if e.lost(key, found.Val()) {
		return e.fellBack(ctx)
	}
	ms, err := strconv.ParseInt(since.Val(), 10, 64)
	if err != nil {
		return "", nil // it never did
	}
	return placements.Time(time.UnixMilli(ms)), nil
}

// lost reports whether what is found under a key is not what the storage acknowledged last.
func (e *engine) lost(key, found string) bool {
	number, ok := e.witness.remembers(key)
	return ok && found != strconv.FormatInt(number, 10)
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
	found, err := s.rdb.Get(ctx, key).Result()
	if err != nil && !errors.Is(err, redis.Nil) {
		return
	}
	if s.lost(key, found) {
		if _, err := s.fellBack(ctx); err != nil {
			s.log.DebugContext(ctx, "that storage fell back is not noted", "error", err)
		}
	}
	s.leaveWitness(ctx, keys.At(0))
}
