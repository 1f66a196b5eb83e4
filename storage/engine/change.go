package engine

import (
	"context"
	"errors"

	"mooring/storage/redis"
)

// Write is run for what was decided without a lock. ErrOvertaken: something that it was decided on has changed, and nothing was written.
func (e *DB) Write(ctx context.Context, t *Transaction) ([]any, error) {
	replies, err := e.Run(ctx, t)
	if IsUnmet(err) {
		return nil, ErrOvertaken
	}
	return replies, err
}

// Basis is what a try of a write is decided on.
type Basis int

const (
	OnMemory Basis = iota // what this process last saw
	OnRead                // what was read for it
	OnLock                // what was read under a lock
)

// ReadTries is how often a write is decided on what was read for it.
const ReadTries = 3

// ErrOvertaken is of a write that was decided on what has changed since; nothing was written.
var ErrOvertaken = errors.New("overtaken by another writer")

// Optimistic calls try until it is not overtaken: on memory, where a refusal may be wrong and is decided again, some times on what is
// read, at last under a lock.
func Optimistic(try func(Basis) error) error {
	if err := try(OnMemory); err == nil || errors.Is(err, redis.ErrUnavailable) {
		return err
	}
	for range ReadTries {
		if err := try(OnRead); !errors.Is(err, ErrOvertaken) {
			return err
		}
	}
	err := try(OnLock)
	if errors.Is(err, ErrOvertaken) {
		return redis.ErrLockLost
	}
	return err
}

// WriteSubject is what a write is decided on, and changes: hashes that are read together, and the locks of all their writers.
type WriteSubject struct {
	Locks  []string
	Hashes []string
	// Same are fields of the first hash that differ after every write of it. A write is decided without locks as long as that goes well; without
	// fields under the locks alone, as what rests on more than the hashes must be.
	Same []string
}

// Change reads a subject, has decide add to a step what changes, and writes that, if anything does: all of it, or nothing. decide may be asked
// again, with another step and what is there then; its error is returned as it is, and then nothing is written. Other errors: ErrBusy;
// redis.ErrLockLost.
func (e *DB) Change(ctx context.Context, s WriteSubject, decide func(tx *Transaction, hashes []map[string]string) error) error {
	if len(s.Same) == 0 {
		return e.changeLocked(ctx, s, decide)
	}
	return Optimistic(func(on Basis) error {
		switch on {
		case OnMemory:
			return ErrOvertaken // which knows nothing of hashes
		case OnRead:
			return e.changeRead(ctx, s, decide)
		}
		return e.changeLocked(ctx, s, decide)
	})
}

// changeLocked is Change under the locks.
func (e *DB) changeLocked(ctx context.Context, s WriteSubject, decide func(*Transaction, []map[string]string) error) error {
	h, hashes, err := e.LockLoad(ctx, s.Locks, s.Hashes)
	if err != nil {
		return err
	}
	defer e.Unlock(ctx, h)
	var tx Transaction
	if err := decide(&tx, hashes); err != nil || tx.Idle() {
		return err
	}
	return e.Commit(ctx, h, &tx)
}

// changeRead is one try of Change without the locks, which must be free.
func (e *DB) changeRead(ctx context.Context, s WriteSubject, decide func(*Transaction, []map[string]string) error) error {
	var read, tx Transaction
	for _, key := range s.Hashes {
		read.Read("HGETALL", key)
	}
	replies, err := e.Run(ctx, &read)
	if err != nil {
		return err
	}
	hashes := make([]map[string]string, len(replies))
	for i, flat := range replies {
		hashes[i] = redis.Pairs(flat)
	}
	for _, lock := range s.Locks {
		tx.If("", "GET", lock)
	}
	for _, field := range s.Same {
		tx.If(hashes[0][field], "HGET", s.Hashes[0], field)
	}
	if err := decide(&tx, hashes); err != nil || tx.Idle() {
		return err
	}
	_, err = e.Write(ctx, &tx)
	return err
}
