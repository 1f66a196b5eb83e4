package web

import (
	"context"
	"errors"
	"time"

	"mooring/placements"
	"mooring/storage"
)

// The Retry-After of a storage that does not answer, of one that is full, and of a lock that was not obtained.
const (
	outageRetry = 5 * time.Second
	fullRetry   = time.Minute
	lockRetry   = time.Second
)

// storageFault is what a client is told about an error of the packages below; nil when none of them classified it.
func storageFault(err error) *fault {
	if conflict, ok := errors.AsType[*storage.Conflict](err); ok {
		return conflictFault(conflict)
	}
	if invalid, ok := errors.AsType[*storage.Invalid](err); ok {
		return invalidFault(invalid)
	}
	if forbidden, ok := errors.AsType[*storage.Forbidden](err); ok {
		return refuse(Code(forbidden.Code), "%s", forbidden.Message).at(forbidden.Faults)
	}
	if invalid, ok := errors.AsType[*placements.InvalidError](err); ok {
		return addressFault(invalid)
	}
	switch {
	case errors.Is(err, storage.ErrNotFound):
		return missing("asset").because(err)
	case errors.Is(err, storage.ErrBusy), errors.Is(err, storage.ErrLockLost):
		f := refuse(codeUnavailable, "Others are writing this asset right now; nothing was changed, try again.").because(err)
		f.retryAfter = lockRetry
		return f
	case errors.Is(err, storage.ErrFull):
		f := refuse(codeFull, "storage is full: nothing was changed. Reads go on; an operator must give Redis more memory (maxmemory) or disk, "+
			"or find out why it cannot save; then try again.").because(err)
		f.retryAfter = fullRetry
		return f
	case errors.Is(err, storage.ErrUnavailable), errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		return unavailable(err)
	}
	return nil
}

// unavailable is the 503 of a storage that does not answer.
func unavailable(err error) *fault {
	f := refuse(codeUnavailable, "The service cannot reach its storage right now; try again.").because(err)
	f.retryAfter = outageRetry
	return f
}

// conflictFault keeps a conflict's code; without one it is the publicId of another deployment.
func conflictFault(c *storage.Conflict) *fault {
	code := Code(c.Code)
	if code == "" {
		code = codeElsewhere
	}
	return refuse(code, "%s", c.Message)
}

func invalidFault(i *storage.Invalid) *fault {
	code := Code(i.Code)
	if code == "" {
		code = codeInvalid
	}
	return refuse(code, "%s", i.Message).at(i.Faults)
}

// at is f with the faults of a body as storage found them.
func (f *fault) at(faults []storage.Fault) *fault {
	for _, d := range faults {
		f.details = append(f.details, detail{Pointer: d.Pointer, Message: d.Message})
	}
	return f
}

func addressFault(i *placements.InvalidError) *fault {
	details := make([]detail, len(i.Details))
	for n, d := range i.Details {
		details[n] = detail(d)
	}
	return refuse(Code(i.Code), "%s", i.Error()).told(details)
}
