package storage

import (
	"mooring/placements"
	"mooring/storage/engine"
	"mooring/storage/record"
	"mooring/storage/redis"
)

// What the storage itself reports. What it refuses a request for is a *placements.Error.
var (
	// ErrNotFound: there is no such asset in this deployment.
	ErrNotFound = record.ErrNotFound
	// ErrUnavailable: the storage was not reached or could not answer; what was asked may or may not have happened.
	ErrUnavailable = redis.ErrUnavailable
	// ErrBusy: another writer held the lock for as long as we were willing to wait; nothing was changed.
	ErrBusy = engine.ErrBusy
	// ErrLockLost: our lock ran out before the commit; nothing was changed.
	ErrLockLost = redis.ErrLockLost
)

// Join is errors.Join, but says once that the storage is unavailable.
func Join(errs ...error) error { return redis.Join(errs...) }

// Refusal is why a storage that answers does not do what is asked. It is ErrUnavailable too.
type Refusal = redis.Refusal

// The refusals.
var (
	ErrFull        = redis.ErrFull        // it is at its memory limit
	ErrNotSaving   = redis.ErrNotSaving   // its disk fails it
	ErrNoRoom      = redis.ErrNoRoom      // embedded: its disk is full
	ErrNotKept     = redis.ErrNotKept     // embedded: its disk fails it otherwise
	ErrReadOnly    = redis.ErrReadOnly    // it is a replica
	ErrFewReplicas = redis.ErrFewReplicas // it wants more replicas for a write
	ErrLoading     = redis.ErrLoading     // it has just started
	ErrClusterDown = redis.ErrClusterDown // it lacks nodes
	ErrDenied      = redis.ErrDenied      // the login, or a command by it
)

// invalid returns the error of a body with one fault.
func invalid(code placements.Code, pointer, message string) error {
	return placements.Faulty(placements.Detail{Pointer: pointer, Code: code, Message: message})
}
