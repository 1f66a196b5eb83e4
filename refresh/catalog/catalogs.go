package catalog

import (
	"context"
	"fmt"
	"sync"
	"time"

	"mooring/placements"
	"mooring/refresh/fault"
	"mooring/refresh/result"
	"mooring/refresh/source"
	"mooring/storage/record"
)

const (
	// keptFor is how long a listing is good, and renewedAfter how old one must be that is asked for anew.
	keptFor      = 10 * time.Minute
	renewedAfter = time.Minute
	// askedFor is how long a source may take.
	askedFor = time.Minute
	// mostFields bounds what all listings of a process hold, about 100 bytes each.
	mostFields = 1_000_000
)

// Catalogs keeps the listings of a process. The zero value is empty. It is safe for concurrent use.
type Catalogs struct {
	mu   sync.Mutex
	kept map[key]*ask
}

// key names what a listing depends on: the source, which is that of a deployment, and who it is listed for.
type key struct {
	deployment record.Deployment
	behalf     string // see result.Behalf
}

// ask is a listing, or one that a source is being asked for.
type ask struct {
	begun   time.Time
	done    chan struct{} // closed once one of the others is set
	listing *Inventory
	err     error
}

func (a *ask) ended() bool {
	select {
	case <-a.done:
		return true
	default:
		return false
	}
}

// Get returns what the deployment's source lists for by, as of ten minutes ago at the earliest; fresh: of one minute. Errors:
// source.ErrUnlisted, *placements.Fault.
func (c *Catalogs) Get(ctx context.Context, d record.Deployment, from source.Source, by record.Actor, fresh bool) (*Inventory, error) {
	lister, ok := from.(source.Catalog)
	if !ok {
		return nil, source.ErrUnlisted
	}
	k := key{d, result.Behalf(source.Personal(from), placements.RunAs{UID: by.ID, Email: by.Email, Roles: by.Roles})}
	a, isNew := c.begin(k, fresh)
	if isNew {
		go c.run(context.WithoutCancel(ctx), k, a, lister, result.UserOf(d, by))
	}
	select {
	case <-a.done:
		return a.listing, a.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// begin returns the listing that is good enough, or a new one, which the caller is to run.
func (c *Catalogs) begin(k key, fresh bool) (a *ask, isNew bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	good := keptFor
	if fresh {
		good = renewedAfter
	}
	if old := c.kept[k]; old != nil && (!old.ended() || time.Since(old.begun) < good) {
		return old, false
	}
	if c.kept == nil {
		c.kept = map[key]*ask{}
	}
	a = &ask{begun: time.Now(), done: make(chan struct{})}
	c.kept[k] = a
	return a, true
}

// run asks the source. A failure is told to those who wait, and not kept.
func (c *Catalogs) run(ctx context.Context, k key, a *ask, from source.Catalog, u source.User) {
	ctx, cancel := context.WithTimeoutCause(ctx, askedFor, &placements.Fault{
		Class: placements.Transient, Message: fmt.Sprintf("the source did not say within %s what it has; try again", askedFor),
	})
	defer cancel()
	a.listing, a.err = list(ctx, from, u)
	if cause := context.Cause(ctx); a.err != nil && cause != nil {
		a.err = cause
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if a.err != nil && c.kept[k] == a {
		delete(c.kept, k)
	}
	close(a.done)
	c.bound()
}

// list asks the source. A panic of it is an error.
func list(ctx context.Context, from source.Catalog, u source.User) (l *Inventory, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fault.Of(fmt.Errorf("catalog panicked: %v", p))
		}
	}()
	datasets, err := from.Catalog(ctx, u)
	if err != nil {
		return nil, err
	}
	return newInventory(datasets), nil
}

// bound drops what is too old, and then the oldest until the rest is within bounds.
func (c *Catalogs) bound() {
	fields := 0
	for k, a := range c.kept {
		switch {
		case !a.ended():
		case time.Since(a.begun) >= keptFor:
			delete(c.kept, k)
		default:
			fields += a.listing.fields
		}
	}
	for fields > mostFields && len(c.kept) > 1 {
		var oldest key
		for k, a := range c.kept {
			if of := c.kept[oldest]; a.ended() && (of == nil || a.begun.Before(of.begun)) {
				oldest = k
			}
		}
		fields -= c.kept[oldest].listing.fields
		delete(c.kept, oldest)
	}
}
