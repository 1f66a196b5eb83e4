package storage

import (
	"errors"

	"mooring/storage/redis"
)

// What the storage itself reports. What it refuses a request for is a *placements.Error.
var (
	// ErrNotFound: there is no such asset in this deployment.
	ErrNotFound = errors.New("not found")
	// ErrUnavailable: the storage was not reached or could not answer; what was asked may or may not have happened.
	ErrUnavailable = redis.ErrUnavailable
	// ErrFull: the storage has no room for a write: it is at its memory limit, or cannot save to its disk. It is ErrUnavailable too.
	ErrFull = redis.ErrFull
	// ErrBusy: another writer held the lock for as long as we were willing to wait; nothing was changed.
	ErrBusy = errors.New("locked by another writer")
	// ErrLockLost: our lock ran out before the commit; nothing was changed.
	ErrLockLost = errors.New("lock lost")
)
