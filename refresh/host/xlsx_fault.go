package host

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"syscall"

	"mooring/placements"
)

// xlsxFault makes a fault that names the document. The cause goes to the log only, for it may hold a path of the machine.
func xlsxFault(class placements.Class, document string, cause error, format string, args ...any) *placements.Fault {
	return &placements.Fault{
		Class:   class,
		Message: fmt.Sprintf("The spreadsheet %q %s", document, fmt.Sprintf(format, args...)),
		Err:     cause,
	}
}

// xlsxBroken is the fault of a file that is no sound .xlsx. Faults and cancellations pass as they are.
func xlsxBroken(document string, err error) error {
	var fault *placements.Fault
	if errors.As(err, &fault) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return xlsxFault(placements.Structure, document, err, "cannot be read: the file is damaged. Open it in a spreadsheet program, repair it and save it.")
}

// xlsxFileFault classifies what the file system said about the document.
func xlsxFileFault(document string, err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return xlsxFault(placements.Structure, document, err, "does not exist: put the file back, or place the report in another one.")
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return xlsxFault(placements.Auth, document, err, "may not be read or written: give the service access to the file and its folder.")
	}
	return xlsxFault(placements.Transient, document, err, "could not be read or written now: the file system reported an error.")
}
