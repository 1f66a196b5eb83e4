package web

import (
	"cmp"
	"context"
	"errors"
	"time"

	"mooring/placements"
	"mooring/storage"
)

// The Retry-After of a storage that does not answer, of one that is full, of a lock that was not obtained, and of a conflict that passes.
const (
	outageRetry   = 5 * time.Second
	fullRetry     = time.Minute
	lockRetry     = time.Second
	conflictRetry = time.Second
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
		return forbiddenFault(forbidden)
	}
	if invalid, ok := errors.AsType[*placements.InvalidError](err); ok {
		return addressFault(invalid)
	}
	switch {
	case errors.Is(err, storage.ErrNotFound):
		return notFound("asset").because(err)
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
	f := refuse(code, "%s", c.Message)
	if c.RunID != "" {
		f.details = []detail{{Code: code, Message: c.Message, RunID: c.RunID}}
	}
	if retryable[code] {
		f.retryAfter = conflictRetry
	}
	return f
}

// invalidFault keeps the code of each fault; one without is codeInvalid.
func invalidFault(i *storage.Invalid) *fault {
	details := make([]detail, len(i.Faults))
	for n, d := range i.Faults {
		details[n] = detail{Pointer: d.Pointer, Code: cmp.Or(Code(d.Code), codeInvalid), Message: d.Message}
	}
	if len(details) == 0 {
		return refuse(cmp.Or(Code(i.Code), codeInvalid), "%s", i.Message)
	}
	f := faulty(details)
	if i.Message != "" {
		f.message = i.Message
	}
	return f
}

// forbiddenFault keeps the code and the members that are at fault.
func forbiddenFault(f *storage.Forbidden) *fault {
	told := refuse(Code(f.Code), "%s", f.Message)
	for _, d := range f.Faults {
		told.details = append(told.details, detail{Pointer: d.Pointer, Code: Code(d.Code), Message: d.Message})
	}
	return told
}

func addressFault(i *placements.InvalidError) *fault { return faulty(addressDetails(i)) }

func addressDetails(i *placements.InvalidError) []detail {
	details := make([]detail, len(i.Details))
	for n, d := range i.Details {
		details[n] = detail{Pointer: d.Pointer, Code: Code(d.Code()), Message: d.Message}
	}
	return details
}
