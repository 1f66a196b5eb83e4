package redis

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"
)

const (
	// A server in this process cannot be lost; it can only be slow, with a machine under load, since it answers one command at a time.
	embeddedTimeout = 10 * time.Minute

	embeddedTick  = time.Second      // miniredis does not let TTLs pass by itself
	snapshotEvery = 10 * time.Second // what a crash of the process may cost
	snapshotName  = "mooring.snapshot"
)

// Embedded is a Redis inside this process, reached through pipes: it opens no port.
type Embedded struct {
	server *miniredis.Miniredis
	path   string   // of the snapshot; empty: nothing is kept
	lock   *os.File // of the directory; nil: nothing is kept
	log    *slog.Logger
	stop   context.CancelFunc
	done   sync.WaitGroup
	saved  [sha256.Size]byte // digest of the last snapshot
	unsaved
	unclean bool // the process before this one ended without saving
}

// StartEmbedded starts an empty server, or with dir one that holds what the snapshot in dir holds.
func StartEmbedded(dir string, log *slog.Logger) (*Embedded, error) {
	e := &Embedded{server: miniredis.NewMiniRedis(), log: log}
	if dir == "" {
		log.Warn("embedded storage: NOTHING IS KEPT when this process ends; set a data directory or use Redis")
	} else if err := e.load(dir); err != nil {
		return nil, errors.Join(err, e.end())
	} else {
		log.Info("embedded storage: kept as a snapshot; a crash may lose the last seconds", "every", snapshotEvery)
	}
	ctx, stop := context.WithCancel(context.Background())
	e.stop = stop
	e.done.Go(func() { e.run(ctx) })
	return e, nil
}

// Unclean reports whether the process that had the data directory last ended without saving, and may have lost its last seconds.
func (e *Embedded) Unclean() bool { return e.unclean }

// Warnings returns what to know of a storage in this process.
func (e *Embedded) Warnings() []string {
	if e.path == "" {
		return []string{"embedded storage is for trials: it keeps nothing when its process ends, or with serve --data DIR a snapshot; " +
			"name a Redis, such as redis: redis://127.0.0.1:6379"}
	}
	return []string{fmt.Sprintf("embedded storage is for trials: it keeps a snapshot, and a crash may cost the last %s; "+
		"name a Redis, such as redis: redis://127.0.0.1:6379", snapshotEvery)}
}

// load takes dir and restores its snapshot.
func (e *Embedded) load(dir string) (err error) {
	if e.lock, e.unclean, err = lockData(dir); err != nil {
		return err
	}
	e.path, e.isDue = filepath.Join(dir, snapshotName), make(chan struct{}, 1)
	if err := e.restore(); err != nil {
		return fmt.Errorf("snapshot %s: %w", e.path, err)
	}
	e.most.Store(leastGrowth / 2)
	return nil
}

// end ends the server and frees the directory.
func (e *Embedded) end() error {
	e.server.Close()
	if e.lock == nil {
		return nil
	}
	return e.lock.Close()
}

// Client connects through pipes.
func (e *Embedded) Client() UniversalClient {
	rdb := e.client()
	rdb.AddHook(&e.unsaved)
	return rdb
}

// client connects through pipes, to write even what may not be saved.
func (e *Embedded) client() UniversalClient {
	silenceClient()
	return redis.NewClient(&redis.Options{
		Addr:                  "127.0.0.1:0", // it is not dialed, but the client would look up the name of its default
		Dialer:                e.dial,
		ContextTimeoutEnabled: true,
		DialTimeout:           embeddedTimeout,
		ReadTimeout:           embeddedTimeout,
		WriteTimeout:          embeddedTimeout,
		MaxRetries:            -1,
		DisableIdentity:       true,
	})
}

func (e *Embedded) dial(context.Context, string, string) (net.Conn, error) {
	c, err := e.server.Dial()
	if err != nil {
		return nil, err
	}
	return newBufferedConn(c), nil
}

// run drives the server's clock by wall time and saves now and then.
func (e *Embedded) run(ctx context.Context) {
	ticker := time.NewTicker(embeddedTick)
	defer ticker.Stop()
	last, lastSave := time.Now(), time.Time{} // at the first tick: whether there is room is not known, and a start must not depend on it
	for {
		select {
		case <-ctx.Done():
			return
		case <-e.isDue:
			e.keep()
			continue
		case <-ticker.C:
		}
		now := time.Now()
		e.server.FastForward(now.Sub(last))
		last = now
		if now.Sub(lastSave) < snapshotEvery && e.why.Load() == nil {
			continue
		}
		lastSave = now
		e.keep()
	}
}

// keep saves what the server holds, with room for the next snapshot. While that fails writes are refused, and it is tried with each tick:
// what was written since the last snapshot is saved as soon as there is room.
func (e *Embedded) keep() {
	was := e.why.Load()
	e.sent.Store(0)
	err := e.save()
	if err == nil {
		if err = e.reserve(); err != nil {
			e.why.Store(unsavedFor(err)) // before the last save: what was written meanwhile is in it
			err = errors.Join(err, e.save())
		}
	}
	e.why.Store(unsavedFor(err))
	switch {
	case err != nil && was != unsavedFor(err):
		e.log.Error("embedded storage: snapshot not saved, writes are refused until it is", "error", err)
	case err == nil && was != nil:
		e.log.Info("embedded storage: snapshot saved, writes are taken again")
	}
}

// Close stops the clock, saves for the last time and ends the server.
func (e *Embedded) Close() error {
	e.stop()
	e.done.Wait()
	err := e.save()
	if err != nil {
		err = errors.Join(errors.New("embedded storage: last snapshot not saved"), err)
	} else if e.lock != nil {
		err = e.lock.Truncate(0)
	}
	return errors.Join(err, e.end())
}
