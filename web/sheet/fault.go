package sheet

import (
	"errors"

	"mooring/placements"
	"mooring/refresh"
)

// QueryFault is the answer to a query that failed: 422 when it will fail again, 503 when it may not.
func QueryFault(err error) error {
	f, ok := errors.AsType[*placements.Fault](err)
	if !ok {
		return err
	}
	code := placements.CodeQueryFailed
	if errors.Is(err, refresh.ErrNoRoom) {
		code = placements.CodeResultsBusy
	} else if f.Class == placements.Transient || f.Class == placements.Quota {
		code = placements.CodeUnavailable
	}
	refused := placements.Errorf(code, "%s", f.Message).Because(err)
	refused.RetryAfter = f.RetryAfter
	return refused
}
