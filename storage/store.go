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
type deploymentKeys struct{ keys.Deployment }

func (e *engine) deployment(d record.Deployment) deploymentKeys {
	return deploymentKeys{keys.Of(d, e.partitions)}
}

func (e *engine) tenant(name string) keys.Tenant { return keys.OfTenant(name, e.partitions) }

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

// Work returns what agents use of the storage.
func (s *Store) Work() *Work { return s.work }

// Standing returns the lists of placements and spreadsheets of the storage.
func (s *Store) Standing() *standing.Lists { return s.standing }

// Queue returns the runs and events of the storage.
func (s *Store) Queue() *queue.Queue { return s.work.Queue }

// Journal returns the audit and the versions of reports.
func (s *Store) Journal() *journal.Journal { return s.journal }

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

// cache holds values within a bound on their sizes. Arbitrary ones make room for new ones. What is in it may be out of date: who uses it
// checks that, and must not change it.
type cache[K comparable, V any] struct {
	most int // sum of the sizes

	mu     sync.RWMutex
	values map[K]sized[V]
	held   int
}

type sized[V any] struct {
	value V
	size  int
}

func newCache[K comparable, V any](most int) *cache[K, V] {
	return &cache[K, V]{most: most, values: map[K]sized[V]{}}
}

func (c *cache[K, V]) get(key K) (V, bool) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	v, ok := c.values[key]
	return v.value, ok
}

// put holds a value, unless its size is such that it would displace many.
func (c *cache[K, V]) put(key K, value V, size int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.drop(key)
	if size > c.most/16 {
		return
	}
	for old := range c.values {
		if c.held+size <= c.most {
			break
		}
		c.drop(old)
	}
	c.values[key] = sized[V]{value, size}
	c.held += size
}

func (c *cache[K, V]) remove(keys ...K) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, key := range keys {
		c.drop(key)
	}
}

func (c *cache[K, V]) drop(key K) {
	c.held -= c.values[key].size
	delete(c.values, key)
}
