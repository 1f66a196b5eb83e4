package storage

import (
	"errors"
	"fmt"

	"mooring/storage/redis"
)

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
