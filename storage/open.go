package storage

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"sync"
	"time"

	"mooring/storage/changes"
	"mooring/storage/journal"
	"mooring/storage/keys"
	"mooring/storage/queue"
	"mooring/storage/record"
	"mooring/storage/redis"
	"mooring/storage/standing"
	"mooring/storage/tenants"
)

// Open connects to the storage that c names and checks that it answers and was made with c's partition count. An unreachable
// storage is ErrUnavailable.
func Open(ctx context.Context, c Config) (*Store, error) {
	s, err := newStore(c)
	if err != nil {
		return nil, err
	}
	if err := s.makeReady(ctx); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// makeReady makes a storage ready that is new or of an earlier layout.
func (s *Store) makeReady(ctx context.Context) error {
	if err := s.checkWhole(ctx); err != nil {
		return err
	}
	fresh, err := s.fixPartitions(ctx)
	if err != nil {
		return err
	}
	if err := s.fixLayout(ctx, fresh); err != nil {
		return err
	}
	if s.embedded != nil && s.embedded.Unclean() {
		err = s.startedBehind(ctx)
	}
	return err
}

// newStore makes the store of the storage that c names, and does not ask it anything yet.
func newStore(c Config) (*Store, error) {
	e, err := connect(c)
	if err != nil {
		return nil, err
	}
	s := &Store{
		engine:      e,
		Records:     tenants.New(e.rdb, e.hot, e.partitions, e.clock),
		History:     changes.New(e.rdb, e.partitions),
		standing:    standing.New(e.rdb, e.partitions, e.log),
		schedules:   c.Schedules,
		placing:     redis.NewKeyedMutex[placeKey](),
		heads:       newCache[reportRef, *record.ReportHead](maxHeads),
		placed:      newCache[placedRef, *Placed](maxPlaced),
		named:       newCache[string, reportRef](maxHeads),
		definitions: newCache[string, decoded](maxDefinitionBytes),
		sites:       newCache[string, site](maxHeads),
	}
	s.journal = journal.New(e.rdb, e.partitions, e.clock)
	s.work = &Work{queue.New(e.rdb, e.hot, e.partitions, e.log), e, s}
	return s, nil
}

// connect makes the engine of the storage that c names.
func connect(c Config) (*engine, error) {
	e := &engine{
		partitions: cmp.Or(c.Partitions, DefaultPartitions),
		documents:  c.Documents,
		log:        cmp.Or(c.Log, slog.Default()),
		tracer:     c.Tracer,
		now:        time.Now,
		lockWait:   5 * time.Second,
		lockTTL:    10 * time.Second,
		witness:    &witness{id: rand.Text()[:12]},
	}
	if e.partitions < 1 || e.partitions > keys.MaxPartitions {
		return nil, fmt.Errorf("partitions: %d is not between 1 and %d", e.partitions, keys.MaxPartitions)
	}
	if err := e.dial(c); err != nil {
		return nil, err
	}
	hot, err := redis.Pipeline(e.rdb, e.embedded != nil || c.Dial != nil)
	if err != nil {
		return nil, errors.Join(err, e.close())
	}
	e.hot = hot
	return e, nil
}

// dial connects to a server, or to one that it starts in this process.
func (e *engine) dial(c Config) (err error) {
	if c.Address != "" && c.Address != embedded {
		e.rdb, err = redis.Dial(c.Address, c.Dial, c.Observer)
		return err
	}
	if e.embedded, err = redis.StartEmbedded(c.DataDir, e.log); err != nil {
		return err
	}
	e.rdb = e.embedded.Client()
	if c.Observer != nil {
		redis.Observe(e.rdb, c.Observer)
	}
	return nil
}

// fixPartitions stores the partition count at the first start and refuses another one later: with another count every
// tenant's keys would seem to be gone. fresh reports that it is the first start.
func (e *engine) fixPartitions(ctx context.Context) (fresh bool, err error) {
	want := strconv.Itoa(e.partitions)
	fresh, err = e.rdb.SetNX(ctx, keys.PartitionCount, want, 0).Result()
	if fresh || err != nil {
		return fresh, redis.Unavailable(err)
	}
	got, err := e.rdb.Get(ctx, keys.PartitionCount).Result()
	if err != nil {
		return false, redis.Unavailable(err)
	}
	if got != want {
		return false, otherPartitions(got, want)
	}
	return false, nil
}

func otherPartitions(got, want string) error {
	return fmt.Errorf("this storage was made with %s partitions, the configuration says %s: set partitions: %s", got, want, got)
}

// Announce tells that a process uses the storage, from now until withdraw is called, so that no backup is restored meanwhile. One that is
// being restored is refused.
func (s *Store) Announce(ctx context.Context, p record.Process) (withdraw func(), err error) {
	leave, err := s.Queue().Announce(ctx, p)
	if err != nil {
		return nil, err
	}
	if err := s.checkWhole(ctx); err != nil {
		leave()
		return nil, err
	}
	ctx, end := context.WithCancel(context.WithoutCancel(ctx))
	var watching sync.WaitGroup
	watching.Go(func() { s.watch(ctx) })
	return func() {
		end()
		watching.Wait()
		leave()
	}, nil
}
