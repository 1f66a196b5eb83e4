package archive

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"mooring/storage/backup"
	"mooring/storage/redis"
)

// How a copy becomes one of a single instant. All that it repeats has a bound: it ends however much is written.
const (
	fewKeys      = 200                    // so many are copied while writes are held
	catchUps     = 10                     // how often what was written meanwhile is copied to become few
	lastTries    = 20                     // how often the last of it is tried to be copied while nothing is written
	holdFor      = 500 * time.Millisecond // how long the server holds writes for a try, at most: clients wait for longer
	quietIn      = 10 * time.Second       // how long it is tried on a server that holds none
	breath       = 5 * time.Millisecond   // between such tries
	mostLast     = 50_000                 // keys of a try: with more, more are written than can be copied
	mostWritten  = 1 << 20                // keys that are written while others are copied: their names are in memory
	copiedAtOnce = 500                    // keys after which those that were written are asked for
)

// remedy is what to do about a tenant of which too much is written.
const remedy = "try again when less is written, or nearer to the server"

// nameSet is a set of names of keys.
type nameSet map[string]bool

func (n nameSet) has(name string) bool { return n[name] }

func (n nameSet) add(names []string) {
	for _, name := range names {
		n[name] = true
	}
}

func (n nameSet) list() []string { return slices.Collect(maps.Keys(n)) }

// note adds the keys that were written since it was asked last.
func (c *tenantCopy) note(tracker *redis.Tracker, written nameSet) error {
	names, err := c.changed(tracker)
	written.add(names)
	if err == nil && len(written) > mostWritten {
		err = fmt.Errorf("more than %d keys were written while others were copied: %s", mostWritten, remedy)
	}
	return err
}

// catchUp copies keys that were written, and those that are written meanwhile, as long as they become fewer. It returns the last of them.
func (c *tenantCopy) catchUp(ctx context.Context, tracker *redis.Tracker, written []string) ([]string, error) {
	for n := 0; n < catchUps && len(written) > fewKeys; n++ {
		meanwhile := nameSet{}
		for some := range slices.Chunk(written, copiedAtOnce) {
			if err := errors.Join(c.copyKeys(ctx, some), c.note(tracker, meanwhile)); err != nil {
				return nil, err
			}
		}
		before := len(written)
		if written = meanwhile.list(); len(written) >= before {
			break
		}
	}
	return written, nil
}

// finish copies the last keys that were written, until none was meanwhile, and counts what there is.
func (c *tenantCopy) finish(ctx context.Context, tracker *redis.Tracker, written []string) (counts backup.Counts, err error) {
	began := time.Now()
	for n := 0; n < lastTries || c.refused != nil && time.Since(began) < quietIn; n++ {
		if len(written) > mostLast {
			return counts, fmt.Errorf("%d keys were written while others were copied, and not fewer each time: %s", len(written), remedy)
		}
		if counts, written, err = c.try(ctx, tracker, written); err != nil || len(written) == 0 {
			return counts, err
		}
		if c.refused != nil {
			time.Sleep(breath)
		}
	}
	return counts, c.restless()
}

// try copies keys, and returns those that were written meanwhile: without any, the copy is whole.
func (c *tenantCopy) try(
	ctx context.Context, tracker *redis.Tracker, written []string,
) (counts backup.Counts, meanwhile []string, err error) {
	held := c.hold(ctx, tracker)
	last := nameSet{}
	last.add(written)
	err = c.note(tracker, last)
	if err == nil {
		err = c.copyKeys(ctx, last.list())
	}
	if err == nil {
		counts, err = c.count(ctx)
	}
	if err == nil {
		meanwhile, err = c.changed(tracker)
	}
	if held {
		err = errors.Join(err, tracker.Release())
	}
	return counts, meanwhile, err
}

// hold makes the server hold writes; one that does not is asked no more.
func (c *tenantCopy) hold(ctx context.Context, tracker *redis.Tracker) bool {
	if c.refused != nil {
		return false
	}
	err := tracker.Hold(holdFor)
	if err != nil {
		c.refused = err
		c.log.WarnContext(ctx, "the server does not hold writes for a moment: the copy waits for one in which nothing is written", "error", err)
	}
	return err == nil
}

// restless is the error of a tenant that is written all the time.
func (c *tenantCopy) restless() error {
	if c.refused != nil {
		return fmt.Errorf("it is written all the time, and the server does not hold writes (%w): "+
			"allow its user client|pause and client|unpause, or try again when less is written", c.refused)
	}
	return fmt.Errorf("%d times what changed was too much to copy within %s: %s", lastTries, holdFor, remedy)
}
