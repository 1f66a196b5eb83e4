package storage

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/redis/go-redis/v9"
)

var (
	// ErrNotFound: there is no such asset in this deployment.
	ErrNotFound = errors.New("not found")
	// ErrUnavailable: the storage was not reached or could not answer; what was asked may or may not have happened.
	ErrUnavailable = errors.New("storage unavailable")
	// ErrFull: the storage has no room for a write: it is at its memory limit, or cannot save to its disk. It is ErrUnavailable too.
	ErrFull = fmt.Errorf("%w: storage is full", ErrUnavailable)
	// ErrBusy: another writer held the lock for as long as we were willing to wait; nothing was changed.
	ErrBusy = errors.New("locked by another writer")
	// ErrLockLost: our lock ran out before the commit; nothing was changed.
	ErrLockLost = errors.New("lock lost")
)

// The codes of conflicts (decisions.md §2).
const (
	CodeBranchChanged   = "upsert_branch_changed"
	CodeAmbiguousLegacy = "ambiguous_legacy_id"
	CodePublicIDTaken   = "public_id_taken"
	CodeSlugTaken       = "slug_taken"
	CodeAddressTaken    = "placement_address_taken"
	CodeIDTaken         = "placement_id_taken"
	CodeNothing         = "nothing_to_refresh"
	CodeRunInProgress   = "run_in_progress"
	CodeInFlight        = "idempotency_in_flight"
	CodeScheduleLimit   = "schedule_limit"
	CodeInUse           = "report_in_use"
)

// The codes of a *Forbidden.
const (
	CodeForbidden = "forbidden"
	CodeDocument  = "document_not_allowed" // the configuration's documents do not have it
)

// The codes of what is invalid (decisions.md §2).
const (
	CodeNoDraft       = "no_draft"
	CodeCursor        = "invalid_cursor"
	CodePublicID      = "invalid_public_id"
	CodeReservedID    = "reserved_public_id"
	CodePublicIDFixed = "public_id_fixed"
	CodeSlug          = "invalid_slug"
	CodeSlugFixed     = "slug_fixed"
	CodeCron          = "invalid_cron"
	CodeTimezone      = "invalid_timezone"
)

// Conflict is a request that the present state forbids (409). Code is empty for exactly one: a publicId that belongs to
// another deployment (interface.md, upsert rule 6). Message says what and what to do.
type Conflict struct {
	Code      string
	Message   string
	Retryable bool
	RunID     string // of run_in_progress: that run
}

func (c *Conflict) Error() string { return c.Message }

// Forbidden is a request that this caller may not make (403). Message says why and what to do. Faults name the members that are at
// fault, if any are.
type Forbidden struct {
	Code    string
	Message string
	Faults  []Fault
}

func (f *Forbidden) Error() string { return f.Message }

// Invalid is a request that is wrong in itself (400). All faults of a body are listed at once; Message, if there is one, sums them up.
// Code is that of one without Faults.
type Invalid struct {
	Code    string
	Message string
	Faults  []Fault
}

func (i *Invalid) Error() string {
	switch {
	case len(i.Faults) == 0:
		return i.Message
	case i.Message == "":
		return i.Faults[0].Pointer + " " + i.Faults[0].Message
	}
	return fmt.Sprintf("%s: %s %s", i.Message, i.Faults[0].Pointer, i.Faults[0].Message)
}

// Fault is one thing wrong with a body. Pointer is a JSON pointer into it. Without a Code it is a wrong type or range.
type Fault struct {
	Pointer string
	Message string
	Code    string
}

// unavailable classifies an error of the Redis client: nil and "no such key" stay, a caller that went away stays a cancelled
// context, what Redis will answer again later or a broken connection becomes ErrUnavailable, and the rest is a fault of ours.
func unavailable(err error) error {
	if err == nil || errors.Is(err, redis.Nil) || errors.Is(err, ErrUnavailable) {
		return err
	}
	if errors.Is(err, context.Canceled) {
		return err
	}
	var reply redis.Error
	if errors.As(err, &reply) && !passing(reply.Error()) {
		return fmt.Errorf("redis: %w", err)
	}
	if reply != nil && full(reply.Error()) {
		return fmt.Errorf("%w: %w", ErrFull, err)
	}
	return fmt.Errorf("%w: %w", ErrUnavailable, err)
}

// full reports whether a reply refuses a write for want of room. One from inside a script may have other text before it.
func full(reply string) bool {
	return strings.Contains(reply, "OOM command not allowed") || strings.HasPrefix(reply, "OOM") || strings.Contains(reply, "MISCONF ")
}

// passing tells the replies of a server that is starting, failing over, full or out of step from those to a wrong command.
func passing(reply string) bool {
	if full(reply) {
		return true
	}
	for _, prefix := range []string{
		"LOADING", "CLUSTERDOWN", "MASTERDOWN", "READONLY", "TRYAGAIN", "OOM", "MISCONF", "BUSY", "NOREPLICAS",
		"MOVED", "ASK", "NOAUTH", "WRONGPASS", "NOPERM", "UNBLOCKED", "ERR max number of clients",
	} {
		if strings.HasPrefix(reply, prefix) {
			return true
		}
	}
	return false
}
