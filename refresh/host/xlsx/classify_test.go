package xlsx

import (
	"compress/flate"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"
	"testing"

	"mooring/placements"
	"mooring/refresh/host/xlsx/archive"
	"mooring/refresh/host/xlsx/xml"
)

func TestClassifiesWhatWentWrong(t *testing.T) {
	conflict := archive.NewFault(placements.Conflict, "a.xlsx", nil, "is in the way.")
	file := func(errno syscall.Errno) error {
		return &fs.PathError{Op: "write", Path: "/srv/secret/a.xlsx", Err: errno}
	}
	for name, test := range map[string]struct {
		err  error
		want placements.Class
	}{
		"a full disk passes":                {file(syscall.ENOSPC), placements.Transient},
		"a network drive that hangs":        {file(syscall.EIO), placements.Transient},
		"no permission":                     {file(syscall.EACCES), placements.Auth},
		"a read-only file system":           {file(syscall.EROFS), placements.Auth},
		"a file that went":                  {file(syscall.ENOENT), placements.Structure},
		"a damaged zip":                     {fmt.Errorf("part: %w", flate.CorruptInputError(3)), placements.Structure},
		"broken XML":                        {fmt.Errorf("sheet: %w", xml.ErrXML), placements.Structure},
		"a part that is too big":            {archive.ErrTooBig, placements.Structure},
		"a fault found on the way, wrapped": {fmt.Errorf("sheet: %w", conflict), placements.Conflict},
	} {
		t.Run(name, func(t *testing.T) {
			var fault *placements.Fault
			if err := classify(&archive.Archive{Document: "a.xlsx"}, test.err); !errors.As(err, &fault) || fault.Class != test.want {
				t.Fatalf("got %v, want class %s", err, test.want)
			}
			if strings.Contains(fault.Message, "secret") {
				t.Errorf("%q shows a path", fault.Message)
			}
		})
	}
	if err := classify(&archive.Archive{Document: "a.xlsx"}, fmt.Errorf("sheet: %w", context.Canceled)); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancellation became %v", err)
	}
}
