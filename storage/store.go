package storage

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"mooring/placements"
	"mooring/storage/changes"
	"mooring/storage/journal"
	"mooring/storage/keys"
	"mooring/storage/queue"
	"mooring/storage/record"
	"mooring/storage/redis"
	"mooring/storage/standing"
	"mooring/storage/tenants"
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

// CheckAddress returns what is wrong with an address of a Config, without a password in it, and connects to nothing.
func CheckAddress(address string) error {
	if address == "" || address == embedded {
		return nil
	}
	return redis.CheckAddress(address)
}

// embedded is the address of a storage in this process.
const embedded = "embedded"

// Tracer times transactions.
type Tracer interface {
	// Transaction begins a transaction of ctx; end is told how it went.
	Transaction(ctx context.Context) (end func(error))
}

// engine is what Store and Work stand on: the connection, whose keys are whose, and how long things may take.
type engine struct {
	rdb        redis.UniversalClient
	hot        redis.Pipelined // rdb for the scripts that every request needs, see Pipeline
	partitions int
	embedded   *redis.Embedded // nil unless the storage runs in this process
	documents  map[record.Deployment]placements.Documents
	log        *slog.Logger
	tracer     Tracer // nil: none
	now        func() time.Time
	lockWait   time.Duration // how long a write waits for its locks
	lockTTL    time.Duration // how long a lock outlives a writer that died
	witness    *witness
}

// deploymentKeys makes the keys of one deployment, and names its assets in indexes.
type deploymentKeys struct{ keys.DeploymentKeys }

func (e *engine) deployment(d record.Deployment) deploymentKeys {
	return deploymentKeys{keys.Of(d, e.partitions)}
}

func (e *engine) tenant(name string) keys.TenantKeys { return keys.OfTenant(name, e.partitions) }

// Store keeps the records: what clients read and write. It is safe for concurrent use.
type Store struct {
	*engine
	*tenants.Records
	*changes.History
	work        *Work
	standing    *standing.Lists
	journal     *journal.Journal
	heads       *cache[reportRef, *record.ReportHead] // reports as this process last saw them
	placed      *cache[placedRef, *Placed]            // placements, without their checksums
	named       *cache[string, reportRef]             // the reports of publicIds, by the deployment's prefix and publicId
	definitions *cache[string, decoded]               // by the report's key
	sites       *cache[string, site]                  // where documents are, by the tenant's prefix and an id of the document
	placing     *redis.KeyedMutex[placeKey]           // no writer of a placement overtakes another between decision and script
	schedules   record.ScheduleLimits
}

// Work returns what agents use of the storage.
func (s *Store) Work() *Work { return s.work }

// Standing returns the lists of placements and spreadsheets of the storage.
func (s *Store) Standing() *standing.Lists { return s.standing }

// Queue returns the runs and events of the storage.
func (s *Store) Queue() *queue.Queue { return s.work.Queue }

// Journal returns the audit and the versions of reports.
func (s *Store) Journal() *journal.Journal { return s.journal }

// Close ends the connections. An embedded storage with a data directory is saved first.
func (s *Store) Close() error { return s.close() }

func (e *engine) close() error {
	err := e.rdb.Close()
	if e.embedded != nil {
		err = errors.Join(err, e.embedded.Close())
	}
	return err
}

func (e *engine) clock() time.Time { return e.now() }

// timestamp is the present time as the wire shows it.
func (e *engine) timestamp() string { return placements.Time(e.now()) }

// Work is what agents use: the queue, the reports and blocks of spreadsheets that its runs refresh, who may write them, and what an attempt
// leaves. It is safe for concurrent use.
type Work struct {
	*queue.Queue
	*engine
	records *Store
}

// witness notices that a storage lost writes which it had acknowledged to this process: a Redis after a power loss, whose disk had not got
// its last second, or a replica that took over. Each process counts behind its own writes, and finds a lower count there then.
type witness struct {
	id string // of the process

	mu    sync.Mutex
	left  map[string]sighting // by key
	empty bool                // it was found empty, and that was told
}

// sighting is the highest count that was acknowledged.
type sighting struct {
	count int64
	at    time.Time
}
