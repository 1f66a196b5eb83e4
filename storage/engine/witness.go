package engine

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

// LeaveWitness counts behind a write to a partition. That it cannot is no fault of the write.
func (e *DB) LeaveWitness(ctx context.Context, at keys.Partition) {
	key := at.Witness(e.witness.id)
	p := e.Redis.Pipeline()
	count := p.Incr(ctx, key)
	p.Expire(ctx, key, witnessKept)
	if _, err := p.Exec(ctx); err == nil {
		e.witness.acknowledged(key, count.Val())
	}
}

// BehindSince returns when the storage came back without its last writes, as the wire shows it; empty if it did not, as far as is known.
func (e *DB) BehindSince(ctx context.Context, at keys.Partition) (string, error) {
	key := at.Witness(e.witness.id)
	want := e.witness.remembers(key)
	p := e.Redis.Pipeline()
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
func (e *DB) fellBack(ctx context.Context) (string, error) {
	e.witness.mu.Lock()
	e.witness.left = nil // what else it has lost is told by this
	e.witness.mu.Unlock()
	e.Log.ErrorContext(ctx, "storage came back without its last writes: look through what was changed in its last seconds, and have Redis "+
		"save each write (appendonly yes, appendfsync always). Sheets that are ahead of it tell so themselves; of other sheets, rows that "+
		"may be Mooring's or a person's are a CONFLICT once")
	return e.noteBehind(ctx)
}

// StartedBehind says so of an embedded storage whose process before this one ended without saving.
func (e *DB) StartedBehind(ctx context.Context) error {
	e.Log.ErrorContext(ctx, "embedded storage: the process before this one was ended before it could save, and what was changed in its last "+
		"seconds is lost. Sheets that are ahead of it tell so themselves; of other sheets, rows that may be Mooring's or a person's are a "+
		"CONFLICT once")
	_, err := e.noteBehind(ctx)
	return err
}

func (e *DB) noteBehind(ctx context.Context) (string, error) {
	now := e.Now()
	p := e.Redis.Pipeline()
	for n := range e.Partitions {
		p.Set(ctx, keys.At(n).Behind(), now.UnixMilli(), 0)
	}
	if _, err := p.Exec(ctx); err != nil {
		return "", redis.Unavailable(err)
	}
	return placements.Time(now), nil
}

// Watch looks now and then whether the storage still has what it acknowledged, until ctx ends.
func (e *DB) Watch(ctx context.Context) {
	ticker := time.NewTicker(witnessEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			e.lookBack(ctx)
		}
	}
}

// lookBack tells in the log, once, that the storage is empty, or has lost its last writes.
func (e *DB) lookBack(ctx context.Context) {
	count, err := e.Redis.Exists(ctx, keys.PartitionCount).Result()
	if err != nil {
		return // others tell that it does not answer
	}
	e.witness.mu.Lock()
	was := e.witness.empty
	e.witness.empty = count == 0
	if count == 0 {
		e.witness.left = nil
	}
	e.witness.mu.Unlock()
	if count == 0 {
		if !was {
			e.Log.ErrorContext(ctx, "storage came back empty: nothing of what was kept is there. Stop all processes, put back the files of Redis "+
				"or restore the last backup (mooring restore), and start them again; what is written meanwhile is lost by that")
		}
		return
	}
	key := keys.At(0).Witness(e.witness.id)
	want := e.witness.remembers(key)
	found, err := e.Redis.Get(ctx, key).Int64()
	if err != nil && !errors.Is(err, redis.Nil) {
		return
	}
	if found < want {
		if _, err := e.fellBack(ctx); err != nil {
			e.Log.DebugContext(ctx, "that storage fell back is not noted", "error", err)
		}
	}
	e.LeaveWitness(ctx, keys.At(0))
}

// witness notices that a storage lost writes which it had acknowledged to this process: a Redis after a power loss, whose disk had not got
// its last second, or a replica that took over. Each process counts behind its own writes, and finds a lower count there then.
type witness struct {
	id string // of the process

	mu    sync.Mutex
	left  map[string]sighting // by key
	empty bool                // it was found empty, and that was told
}

// sighting is the highest count that was acknowledged.
type sighting struct {
	count int64
	at    time.Time
}
