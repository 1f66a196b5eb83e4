package storage

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"time"

	"mooring/placements"
	"mooring/storage/redis"
)

// DefaultPartitions is the partition count of a Config that names none.
const DefaultPartitions = 16

// Config says where the data lives.
type Config struct {
	// Address is "embedded" (or empty), redis://…, rediss://…, a comma list of cluster nodes, or
	// redis+sentinel://[user:password@]host:port,…/master[/db].
	Address    string
	Partitions int          // fixed when a storage is first used; 0: DefaultPartitions
	DataDir    string       // embedded only: keeps a snapshot there; empty: nothing is kept
	Log        *slog.Logger // nil: slog.Default()
	// Documents bounds where the reports of each deployment may be placed; a deployment that is missing has no bounds.
	Documents map[Deployment]placements.Documents
	Schedules ScheduleLimits
}

// Store is a connection to the storage. It is safe for concurrent use.
type Store struct {
	rdb         redis.UniversalClient
	hot         redis.Pipelined // rdb for the scripts that every request needs, see Pipeline
	partitions  int
	embedded    *redis.Embedded                // nil unless the storage runs in this process
	heads       *cache[reportRef, *ReportHead] // reports as this process last saw them
	placed      *cache[placedRef, *Placed]     // placements, without their checksums
	named       *cache[string, reportRef]      // the reports of publicIds, by the deployment's prefix and publicId
	definitions *cache[string, decoded]        // by the report's key
	placing     *redis.KeyedMutex[placeKey]    // so that no writer of a placement overtakes another between its decision and its script
	documents   map[Deployment]placements.Documents
	schedules   ScheduleLimits
	log         *slog.Logger
	now         func() time.Time
	lockWait    time.Duration // how long a write waits for its locks
	lockTTL     time.Duration // how long a lock outlives a writer that died
}

// Open connects to the storage that c names and checks that it answers and was made with c's partition count. An unreachable
// storage is ErrUnavailable.
func Open(ctx context.Context, c Config) (*Store, error) {
	s := &Store{
		partitions: c.Partitions,
		log:        c.Log,
		schedules:  c.Schedules,
		now:        time.Now,
		lockWait:   5 * time.Second,
		lockTTL:    10 * time.Second,
		placing:    redis.NewKeyedMutex[placeKey](),
		documents:  c.Documents,

		heads:       newCache[reportRef, *ReportHead](maxHeads),
		placed:      newCache[placedRef, *Placed](maxPlaced),
		named:       newCache[string, reportRef](maxHeads),
		definitions: newCache[string, decoded](maxDefinitionBytes),
	}
	if s.partitions == 0 {
		s.partitions = DefaultPartitions
	}
	if s.partitions < 1 || s.partitions > maxPartitions {
		return nil, fmt.Errorf("partitions: %d is not between 1 and %d", s.partitions, maxPartitions)
	}
	if s.log == nil {
		s.log = slog.Default()
	}
	if err := s.connect(c); err != nil {
		return nil, err
	}
	hot, err := redis.Pipeline(s.rdb, s.embedded != nil)
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	s.hot = hot
	if err := s.fixPartitions(ctx); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

func (s *Store) connect(c Config) error {
	if c.Address != "" && c.Address != "embedded" {
		rdb, err := redis.Dial(c.Address)
		s.rdb = rdb
		return err
	}
	e, err := redis.StartEmbedded(c.DataDir, s.log)
	if err != nil {
		return err
	}
	s.embedded, s.rdb = e, e.Client()
	return nil
}

// fixPartitions stores the partition count at the first start and refuses another one later: with another count every
// tenant's keys would seem to be gone.
func (s *Store) fixPartitions(ctx context.Context) error {
	want := strconv.Itoa(s.partitions)
	fresh, err := s.rdb.SetNX(ctx, partitionsKey, want, 0).Result()
	if err != nil {
		return redis.Unavailable(err)
	}
	if fresh {
		return nil
	}
	got, err := s.rdb.Get(ctx, partitionsKey).Result()
	if err != nil {
		return redis.Unavailable(err)
	}
	if got != want {
		return fmt.Errorf("this storage was made with %s partitions, the configuration says %s: set partitions: %s", got, want, got)
	}
	return nil
}

// Ping asks the storage whether it answers.
func (s *Store) Ping(ctx context.Context) error {
	return redis.Unavailable(s.rdb.Ping(ctx).Err())
}

// Ready asks the storage whether it takes writes, in every partition. ErrFull when it has no room for them.
func (s *Store) Ready(ctx context.Context) error {
	p := s.rdb.Pipeline()
	for n := range s.partitions {
		p.Set(ctx, partitionKeys(n).ready(), "1", time.Minute)
	}
	_, err := p.Exec(ctx)
	return redis.Unavailable(err)
}

// Close ends the connections. An embedded storage with a data directory is saved first.
func (s *Store) Close() error {
	err := s.rdb.Close()
	if s.embedded != nil {
		err = errors.Join(err, s.embedded.Close())
	}
	return err
}

// timestamp is the present time as the wire shows it.
func (s *Store) timestamp() string { return placements.Time(s.now()) }
