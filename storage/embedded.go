package storage

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"path/filepath"
	"sync"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"
)

const (
	// A server in this process cannot be lost; it can only be slow, with a machine under load, since it answers one command at a time.
	embeddedTimeout = 30 * time.Second

	embeddedTick  = time.Second      // miniredis does not let TTLs pass by itself
	snapshotEvery = 10 * time.Second // what a crash of the process may cost
	snapshotName  = "mooring.snapshot"
)

// embedded is a Redis inside this process, reached through pipes: it opens no port.
type embedded struct {
	server *miniredis.Miniredis
	path   string // of the snapshot; empty: nothing is kept
	log    *slog.Logger
	stop   context.CancelFunc
	done   sync.WaitGroup
	saved  [sha256.Size]byte // digest of the last snapshot
}

// startEmbedded starts an empty server, or with dir one that holds what the snapshot in dir holds.
func startEmbedded(dir string, log *slog.Logger) (*embedded, error) {
	e := &embedded{server: miniredis.NewMiniRedis(), log: log}
	if dir == "" {
		log.Warn("embedded storage: NOTHING IS KEPT when this process ends; set a data directory or use Redis")
	} else {
		e.path = filepath.Join(dir, snapshotName)
		log.Info("embedded storage: kept as a snapshot; a crash may lose the last seconds", "every", snapshotEvery)
		if err := e.restore(); err != nil {
			e.server.Close()
			return nil, fmt.Errorf("snapshot %s: %w", e.path, err)
		}
	}
	ctx, stop := context.WithCancel(context.Background())
	e.stop = stop
	e.done.Go(func() { e.run(ctx) })
	return e, nil
}

// client connects through pipes.
func (e *embedded) client() *redis.Client {
	silenceClient()
	return redis.NewClient(&redis.Options{
		Addr:                  "127.0.0.1:0", // nobody dials it, but the client would look up the name of its default
		Dialer:                e.dial,
		ContextTimeoutEnabled: true,
		ReadTimeout:           embeddedTimeout,
		WriteTimeout:          embeddedTimeout,
		MaxRetries:            -1,
		DisableIdentity:       true,
	})
}

func (e *embedded) dial(context.Context, string, string) (net.Conn, error) {
	c, err := e.server.Dial()
	if err != nil {
		return nil, err
	}
	return newBufferedConn(c), nil
}

// run drives the server's clock by wall time and saves now and then.
func (e *embedded) run(ctx context.Context) {
	ticker := time.NewTicker(embeddedTick)
	defer ticker.Stop()
	last, lastSave := time.Now(), time.Now()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		now := time.Now()
		e.server.FastForward(now.Sub(last))
		last = now
		if now.Sub(lastSave) < snapshotEvery {
			continue
		}
		lastSave = now
		if err := e.save(); err != nil {
			e.log.Error("embedded storage: snapshot not saved", "error", err)
		}
	}
}

// close stops the clock, saves for the last time and ends the server.
func (e *embedded) close() error {
	e.stop()
	e.done.Wait()
	err := e.save()
	e.server.Close()
	if err != nil {
		return errors.Join(errors.New("embedded storage: last snapshot not saved"), err)
	}
	return nil
}
