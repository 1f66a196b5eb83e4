package fault

import (
	"errors"
	"fmt"
	"io/fs"

	"mooring/placements"
	"mooring/refresh/trace"
	"mooring/storage"
)

// MissesFile reports whether f is that a file of spreadsheets is not there.
func MissesFile(f *placements.Fault) bool {
	return f.Reason == placements.ReasonMissing && errors.Is(f, fs.ErrNotExist)
}

// Retryable reports whether another attempt may fare better.
func Retryable(f *placements.Fault) bool {
	return f.Class == placements.Transient || f.Class == placements.Quota
}

// Of returns any error as a fault: one that no driver classified is a defect of ours, retried like any transient fault
// and shown without its text, which may hold what a client must not see.
func Of(err error) *placements.Fault {
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

// OfDocument is a fault of a document as what waits for it is told: what passes by itself, and whose driver does not say why, is that it, or
// what it is on, cannot be reached. A defect of ours has no reason.
func OfDocument(f *placements.Fault) *placements.Fault {
	if f.Class != placements.Transient || f.Reason != "" || Unclassified(f) {
		return f
	}
	reached := *f
	reached.Reason = placements.ReasonMissing
	return &reached
}

// OrNil is asFault for an error that may be nil.
func OrNil(err error) *placements.Fault {
	if err == nil {
		return nil
	}
	return Of(err)
}

func Unclassified(f *placements.Fault) bool {
	_, is := errors.AsType[defect](f.Err)
	return is
}

// Mark notes in a span the class of an error.
func Mark(span trace.Span, err error) {
	if err != nil && span.On() {
		span.Fail(string(Of(err).Class))
	}
}

// Passing reports whether the storage may answer when it is asked again.
func Passing(err error) bool {
	return errors.Is(err, storage.ErrUnavailable) || errors.Is(err, storage.ErrBusy)
}

func Auth(format string, args ...any) *placements.Fault {
	return &placements.Fault{Class: placements.Auth, Message: fmt.Sprintf(format, args...)}
}

// OfSource returns a fault of a source with the reason for which placements wait.
func OfSource(f *placements.Fault) *placements.Fault {
	if f.Class != placements.Transient || Unclassified(f) {
		return f
	}
	down := *f
	down.Reason = placements.ReasonSource
	return &down
}
