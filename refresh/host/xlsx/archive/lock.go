package archive

import (
	"context"
	"errors"
	"path"
	"path/filepath"
	"time"

	"mooring/placements"
)

// lock keeps other writers of Mooring's out of dir from the last look at a file until it is replaced, in this process and in others.
// A file system without locks leaves the moment between the two open. A folder that stays locked is tried ever more rarely, and then is a
// Transient fault.
func (d *Dir) lock(ctx context.Context, document, dir string) (unlock func(), err error) {
	opened, err := d.OpenBelow(document, dir)
	if err != nil {
		return nil, err
	}
	late := time.After(lockWait)
	for pause := lockPoll; ; pause = min(2*pause, lockPollMost) {
		locked, err := flock(opened)
		if locked {
			return func() { opened.Close() }, nil
		}
		if err != nil {
			opened.Close()
			return nil, FileFault(document, err)
		}
		select {
		case <-time.After(pause):
			continue
		case <-ctx.Done():
			err = ctx.Err()
		case <-late:
			err = d.locked(document, dir)
		}
		opened.Close()
		return nil, err
	}
}

// Others have a folder locked for the moment of a rename.
const (
	lockPoll     = 2 * time.Millisecond // the first pause between two tries to lock it
	lockPollMost = 200 * time.Millisecond
	lockWait     = 10 * time.Second // a rename that takes longer hangs
)

// locked is the fault of dir, a folder below d, that stays locked.
func (d *Dir) locked(document, dir string) *placements.Fault {
	return inUse(document, errLocked, "was not written, and stands as before: the folder %q has been locked for %s, by a "+
		"write to one of its files that hangs or by another program. Check the disk or the network drive; the refresh is tried again by itself.",
		path.Join(filepath.Base(d.dir), dir), lockWait)
}

var errLocked = errors.New("the folder stays locked")
