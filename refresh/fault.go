package refresh

import (
	"errors"
	"io/fs"

	"mooring/placements"
	"mooring/storage"
)

// missesFile reports whether f is that a file of spreadsheets is not there.
func missesFile(f *placements.Fault) bool {
	return f.Reason == placements.ReasonMissing && errors.Is(f, fs.ErrNotExist)
}

// retryable reports whether another attempt may fare better.
func retryable(f *placements.Fault) bool {
	return f.Class == placements.Transient || f.Class == placements.Quota
}

// asFault returns any error as a fault: one that no driver classified is a defect of ours, retried like any transient fault
// and shown without its text, which may hold what a client must not see.
func asFault(err error) *placements.Fault {
	if f, ok := errors.AsType[*placements.Fault](err); ok {
		return f
	}
	if errors.Is(err, storage.ErrUnavailable) {
		return &placements.Fault{
			Class:   placements.Transient,
			Message: "Mooring's storage did not answer; the log has the cause under the run's id",
			Err:     defect{err},
		}
	}
	return &placements.Fault{
		Class:   placements.Transient,
		Message: "the run failed inside Mooring: it is tried again; the log has the cause under the run's id",
		Err:     defect{err},
	}
}

// defect is an error that no driver classified.
type defect struct{ error }

func (d defect) Unwrap() error { return d.error }

// ofDocument is a fault of a document as what waits for it is told: what passes by itself, and whose driver does not say why, is that it, or
// what it is on, cannot be reached. A defect of ours has no reason.
func ofDocument(f *placements.Fault) *placements.Fault {
	if f.Class != placements.Transient || f.Reason != "" || unclassified(f) {
		return f
	}
	reached := *f
	reached.Reason = placements.ReasonMissing
	return &reached
}

// faultOf is asFault for an error that may be nil.
func faultOf(err error) *placements.Fault {
	if err == nil {
		return nil
	}
	return asFault(err)
}

func unclassified(f *placements.Fault) bool {
	_, is := errors.AsType[defect](f.Err)
	return is
}
