package engine

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"time"

	"mooring/placements"
	"mooring/storage/keys"
	"mooring/storage/record"
	"mooring/storage/redis"
)

// DefaultPartitions is the partition count of a Config that names none.
const DefaultPartitions = 16

// Config says where the data lives.
type Config struct {
	// Address is "embedded" (or empty), redis://…, rediss://…, a comma list of cluster nodes, or
	// redis+sentinel://[user:password@]host:port,…/master[/db].
	//
	// All but the first take options after a "?": dial_timeout, how long a connection may take, 2s by default; read_timeout, how long
	// a server may be silent, a wait for a free connection included, 3s; and write_timeout, how long it may take nothing of what it is
	// sent, by default as read_timeout. They are durations such as 500ms, or numbers of seconds.
	Address    string
	Partitions int    // fixed when a storage is first used; 0: DefaultPartitions
	DataDir    string // embedded only: keeps a snapshot there; empty: nothing is kept
	// Dial opens the connections to a server that is not embedded, which are used for one command at a time; nil: over the network.
	Dial   redis.Dialer
	Log    *slog.Logger // nil: slog.Default()
	Tracer Tracer       // nil: none
	// Documents bounds where the reports of each deployment may be placed; a deployment that is missing has no bounds.
	Documents map[record.Deployment]placements.Documents
	Schedules record.ScheduleLimits
	Observer  redis.Observer // of what is said to Redis; nil: none
}

// Tracer times transactions.
type Tracer interface {
	// Transaction begins a transaction of ctx; end is told how it went.
	Transaction(ctx context.Context) (end func(error))
}

// DB is what all rooms of the storage stand on: the connection, whose keys are whose, and how long things may take.
type DB struct {
	Redis      redis.UniversalClient
	Hot        redis.Pipelined // rdb for the scripts that every request needs, see Pipeline
	Partitions int
	Embedded   *redis.Embedded // nil unless the storage runs in this process
	Log        *slog.Logger
	tracer     Tracer // nil: none
	Now        func() time.Time
	LockWait   time.Duration // how long a write waits for its locks
	LockTTL    time.Duration // how long a lock outlives a writer that died
	witness    *witness
}

// Embedded is the address of a storage in this process.
const Embedded = "embedded"

// CheckAddress returns what is wrong with an address of a Config, without a password in it, and connects to nothing.
func CheckAddress(address string) error {
	if address == "" || address == Embedded {
		return nil
	}
	return redis.CheckAddress(address)
}

// Connect opens the storage that c names.
func Connect(c Config) (*DB, error) {
	e := &DB{
		Partitions: cmp.Or(c.Partitions, DefaultPartitions),
		Log:        cmp.Or(c.Log, slog.Default()),
		tracer:     c.Tracer,
		Now:        time.Now,
		LockWait:   5 * time.Second,
		LockTTL:    10 * time.Second,
		witness:    &witness{id: rand.Text()[:12]},
	}
	if e.Partitions < 1 || e.Partitions > keys.MaxPartitions {
		return nil, fmt.Errorf("partitions: %d is not between 1 and %d", e.Partitions, keys.MaxPartitions)
	}
	if err := e.dial(c); err != nil {
		return nil, err
	}
	hot, err := redis.Pipeline(e.Redis, e.Embedded != nil || c.Dial != nil)
	if err != nil {
		return nil, errors.Join(err, e.Close())
	}
	e.Hot = hot
	return e, nil
}

// dial connects to a server, or to one that it starts in this process.
func (e *DB) dial(c Config) (err error) {
	if c.Address != "" && c.Address != Embedded {
		e.Redis, err = redis.Dial(c.Address, c.Dial, c.Observer)
		return err
	}
	if e.Embedded, err = redis.StartEmbedded(c.DataDir, e.Log); err != nil {
		return err
	}
	e.Redis = e.Embedded.Client()
	if c.Observer != nil {
		redis.Observe(e.Redis, c.Observer)
	}
	return nil
}

// FixPartitions stores the partition count at the first start and refuses another one later: with another count every
// tenant's keys would seem to be gone. fresh reports that it is the first start.
func (e *DB) FixPartitions(ctx context.Context) (fresh bool, err error) {
	want := strconv.Itoa(e.Partitions)
	fresh, err = e.Redis.SetNX(ctx, keys.PartitionCount, want, 0).Result()
	if fresh || err != nil {
		return fresh, redis.Unavailable(err)
	}
	got, err := e.Redis.Get(ctx, keys.PartitionCount).Result()
	if err != nil {
		return false, redis.Unavailable(err)
	}
	if got != want {
		return false, OtherPartitions(got, want)
	}
	return false, nil
}

// OtherPartitions is the error of a storage that was made with another partition count.
func OtherPartitions(got, want string) error {
	return fmt.Errorf("this storage was made with %s partitions, the configuration says %s: set partitions: %s", got, want, got)
}

// Deployment makes the keys of a deployment.
func (e *DB) Deployment(d record.Deployment) keys.DeploymentKeys {
	return keys.Of(d, e.Partitions)
}

// Tenant makes the keys of a tenant.
func (e *DB) Tenant(name string) keys.TenantKeys { return keys.OfTenant(name, e.Partitions) }

// Close ends the connections. An embedded storage with a data directory is saved first.
func (e *DB) Close() error {
	err := e.Redis.Close()
	if e.Embedded != nil {
		err = errors.Join(err, e.Embedded.Close())
	}
	return err
}

// Clock is the present time.
func (e *DB) Clock() time.Time { return e.Now() }

// Timestamp is the present time as the wire shows it.
func (e *DB) Timestamp() string { return placements.Time(e.Now()) }
