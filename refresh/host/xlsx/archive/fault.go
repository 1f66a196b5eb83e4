package archive

import (
	"archive/zip"
	"compress/flate"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"syscall"
	"time"

	"mooring/placements"
)

// NewFault makes a fault that names the document. The cause goes to the log only, for it may hold a path of the machine.
func NewFault(class placements.Class, document string, cause error, format string, args ...any) *placements.Fault {
	return &placements.Fault{
		Class:   class,
		Message: fmt.Sprintf("The spreadsheet %q %s", document, fmt.Sprintf(format, args...)),
		Err:     cause,
	}
}

// inUse is NewFault, of a document that is there and that others write or have open.
func inUse(document string, cause error, format string, args ...any) *placements.Fault {
	fault := NewFault(placements.Transient, document, cause, format, args...)
	fault.Reason = placements.ReasonLocked
	return fault
}

// Broken is the fault of a file that is no sound .xlsx. Faults and cancellations pass as they are.
func Broken(document string, err error) error {
	var fault *placements.Fault
	if errors.As(err, &fault) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return NewFault(placements.Structure, document, err,
		"cannot be read: the file is damaged. Open it in a spreadsheet program, repair it and save it.")
}

// FileFault classifies what the file system said about the document.
func FileFault(document string, err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return NewFault(placements.Structure, document, err, "does not exist: put the file back, or place the report in another one.")
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return NewFault(placements.Auth, document, err, "may not be read or written: give the service access to the file and its folder.")
	}
	return NewFault(placements.Transient, document, err, "could not be read or written now: the file system reported an error.")
}

// copyTime is how long a file that is not whole counts as one that is still being copied, from its last change on.
const copyTime = 15 * time.Minute

// Broken is the fault of a file that is no sound .xlsx. One that was changed a short while ago may still be on its way.
func (a *Archive) Broken(err error) error {
	var corrupt flate.CorruptInputError
	torn := errors.Is(err, zip.ErrFormat) || errors.Is(err, zip.ErrChecksum) || errors.Is(err, io.ErrUnexpectedEOF) ||
		errors.As(err, &corrupt)
	if torn && a.fresh {
		return inUse(a.Document, err,
			"is not whole: it is being copied, or the copy broke off. It is read again at the next attempt.")
	}
	return Broken(a.Document, err)
}

// begun reports whether a file is empty or begins as a zip does.
func begun(file io.ReaderAt) bool {
	const zipHeader = "PK\x03\x04"
	head := make([]byte, len(zipHeader))
	n, _ := file.ReadAt(head, 0)
	return strings.HasPrefix(zipHeader, string(head[:n]))
}

// Conflict is the fault of what stands in the file in the way of a change.
func (a *Archive) Conflict(format string, args ...any) *placements.Fault {
	return NewFault(placements.Conflict, a.Document, nil, format, args...)
}
