package sqlite

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"mooring/placements"
	"mooring/refresh/source"
)

var _ source.Prober = (*database)(nil)

// Probes wants nothing, or a query.
func (s *database) Probes(p source.Probe) error {
	if p.Listen != "" {
		return errors.New("listen: an SQLite file announces nothing; leave it out, and the file is looked at")
	}
	if p.Query == "" {
		return nil
	}
	return source.InQuery(source.WantSQL(source.Query{SQL: p.Query}))
}

// Probe returns a digest of the query's result; without one, of what a commit changes in the file and its write-ahead log. That is no
// PRAGMA data_version, which only says whether a file changed since the same connection looked before.
func (s *database) Probe(ctx context.Context, query string) (string, error) {
	if query != "" {
		return source.ProbeQuery(ctx, s, source.Query{SQL: query})
	}
	value, err := Stamp(ctx, s.look)
	if err != nil {
		return "", s.cannotStamp(err)
	}
	return value, nil
}

const (
	// stampGrain is longer than the time in which a file system may see two writes at one moment.
	stampGrain = 20 * time.Millisecond
	// stampTries is how often a file that is being written is looked at.
	stampTries = 5
)

// Stamp returns a digest of what look tells of files, and when the last of them was written. Files that were just written are looked at again:
// the next write could else leave them with the same times and sizes.
func Stamp(ctx context.Context, look func() (text string, written time.Time, err error)) (string, error) {
	var text string
	for range stampTries {
		told, written, err := look()
		if err != nil {
			return "", err
		}
		text = told
		age := time.Since(written)
		if age >= stampGrain || age < 0 { // a time in the future is another machine's
			break
		}
		select {
		case <-ctx.Done():
			return "", ctx.Err()
		case <-time.After(stampGrain - age):
		}
	}
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:16]), nil
}

// look reads the stamps of the file and of its log, and when the later of them was written. A log without frames is as none: readers make
// one too.
func (s *database) look() (text string, written time.Time, err error) {
	main, written, err := fileStamp(s.config.Path, mainHeader)
	if err != nil {
		return "", written, err
	}
	log, logged, err := fileStamp(s.config.Path+"-wal", logHeader)
	if errors.Is(err, fs.ErrNotExist) {
		return main, written, nil
	}
	if logged.After(written) {
		written = logged
	}
	return main + log, written, err
}

// The headers of the two files: in the first is the counter of commits without a log, in the other the salts that a new log gets.
const (
	mainHeader = 100
	logHeader  = 32
)

// fileStamp is a file's header, size and time of the last write; empty for an empty file. No connection of this process may have the file
// open: closing it gives up their locks on Unix. Queries have theirs in children.
func fileStamp(path string, header int) (text string, written time.Time, err error) {
	f, err := os.OpenFile(path, os.O_RDONLY|nonBlocking, 0) // a FIFO would be waited for
	if err != nil {
		return "", written, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = errNoFile
	}
	if err != nil || info.Size() == 0 {
		return "", written, err
	}
	head := make([]byte, header)
	n, err := io.ReadFull(f, head)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		return "", written, err
	}
	return fmt.Sprintf("%x %d %d\n", head[:n], info.Size(), info.ModTime().UnixNano()), info.ModTime(), nil
}

// errNoFile: what stands there is a folder, a FIFO or a device.
var errNoFile = errors.New("no regular file")

// cannotStamp returns the fault of a file that cannot be looked at.
func (s *database) cannotStamp(err error) error {
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	case errors.Is(err, errNoFile):
		return source.Structure(err, "%q is a directory or a device and no SQLite file; correct the source's path", s.name)
	case errors.Is(err, fs.ErrNotExist):
		return s.missing(err)
	case errors.Is(err, fs.ErrPermission):
		return source.Fault(placements.Auth, err, "the SQLite file %q may not be read; allow the service to", s.name)
	}
	return source.Fault(placements.Transient, err, "the SQLite file %q could not be read; the log says why", s.name)
}
