package storage

import (
	"context"
	"errors"

	"mooring/storage/changes"
	"mooring/storage/code"
	"mooring/storage/engine"
	"mooring/storage/journal"
	"mooring/storage/keep"
	"mooring/storage/layout"
	"mooring/storage/queue"
	"mooring/storage/record"
	"mooring/storage/redis"
	"mooring/storage/standing"
	"mooring/storage/tenants"
	"mooring/storage/work"
)

// What is kept below, in the words of those who open a storage and read it.
type (
	Config = engine.Config // says where the data lives
	Tracer = engine.Tracer // times transactions
	Report = layout.Report
	Placed = layout.Placed
)

// DefaultPartitions is the partition count of a Config that names none.
const DefaultPartitions = engine.DefaultPartitions

// CheckAddress returns what is wrong with an address of a Config, without a password in it, and connects to nothing.
func CheckAddress(address string) error { return engine.CheckAddress(address) }

// Store keeps the records: what clients read and write. It is safe for concurrent use.
type Store struct {
	db         *engine.DB
	tenants    *tenants.Records
	history    *changes.History
	standing   *standing.Lists
	journal    *journal.Journal
	reader     *layout.Reader
	memory     *layout.Memory
	sites      *layout.Sites
	reports    *Reports
	placements *Placements
	workbooks  *Workbooks
	schedules  *Schedules
	links      *work.Links
	plans      *code.Plans
	imports    *keep.Imports
	work       *work.Work
	keeper     *keep.Keeper
}

// Reports keeps reports.
type Reports struct {
	db     *engine.DB
	reads  *redis.Together[storedKeys, storedReport]
	reader *layout.Reader
	sites  *layout.Sites
	memory *layout.Memory
	names  *Names
}

// Placements keeps where reports are placed.
type Placements struct {
	db      *engine.DB
	reader  *layout.Reader
	sites   *layout.Sites
	memory  *layout.Memory
	placing *redis.KeyedMutex[placeKey] // no writer of a placement overtakes another between decision and script
}

// placeKey is what writers of placements go one after the other for: a report, and a placement's address or id in it.
type placeKey struct {
	deployment string // the prefix of its keys
	report     int64
	place      string
}

// Workbooks keeps workbooks.
type Workbooks struct {
	db    *engine.DB
	names *Names
}

// Schedules keeps schedules.
type Schedules struct {
	db     *engine.DB
	limits record.ScheduleLimits
}

// Names finds assets by name.
type Names struct{ db *engine.DB }

// Reports returns the reports.
func (s *Store) Reports() *Reports { return s.reports }

// Placements returns where reports are placed.
func (s *Store) Placements() *Placements { return s.placements }

// Workbooks returns the workbooks.
func (s *Store) Workbooks() *Workbooks { return s.workbooks }

// Schedules returns the schedules.
func (s *Store) Schedules() *Schedules { return s.schedules }

// Plans returns the plans of what is kept as code.
func (s *Store) Plans() *code.Plans { return s.plans }

// Imports returns what takes over the placements of another service.
func (s *Store) Imports() *keep.Imports { return s.imports }

// Links returns what is known of where documents are.
func (s *Store) Links() *work.Links { return s.links }

// Sites returns the ids of documents that have a link.
func (s *Store) Sites() *layout.Sites { return s.sites }

// Tenants returns the settings of tenants, their tokens and their idempotent requests.
func (s *Store) Tenants() *tenants.Records { return s.tenants }

// History returns what runs changed in blocks.
func (s *Store) History() *changes.History { return s.history }

// Work returns what agents use of the storage.
func (s *Store) Work() *work.Work { return s.work }

// Standing returns the lists of placements and spreadsheets of the storage.
func (s *Store) Standing() *standing.Lists { return s.standing }

// Announce tells that a process uses the storage, from now until withdraw is called, so that no backup is restored meanwhile. One that is
// being restored is refused.
func (s *Store) Announce(ctx context.Context, p record.Process) (withdraw func(), err error) {
	return s.keeper.Announce(ctx, p)
}

// Queue returns the runs and events of the storage.
func (s *Store) Queue() *queue.Queue { return s.work.Queue }

// Journal returns the audit and the versions of reports.
func (s *Store) Journal() *journal.Journal { return s.journal }

// Close ends the connections. An embedded storage with a data directory is saved first.
func (s *Store) Close() error { return s.db.Close() }

// Open connects to the storage that c names and checks that it answers and was made with c's partition count. An unreachable
// storage is ErrUnavailable.
func Open(ctx context.Context, c engine.Config) (*Store, error) {
	s, err := newStore(c)
	if err != nil {
		return nil, err
	}
	if err := s.keeper.MakeReady(ctx); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// newStore makes the store of the storage that c names, and does not ask it anything yet.
func newStore(c engine.Config) (*Store, error) {
	e, err := engine.Connect(c)
	if err != nil {
		return nil, err
	}
	s := &Store{
		db:       e,
		tenants:  tenants.New(e.Redis, e.Hot, e.Partitions, e.Clock),
		history:  changes.New(e.Redis, e.Partitions),
		standing: standing.New(e.Redis, e.Partitions, e.Log),
		journal:  journal.New(e.Redis, e.Partitions, e.Clock),
		reader:   layout.NewReader(e),
		sites:    layout.NewSites(e, c.Documents),
	}
	names, q := &Names{db: e}, queue.New(e.Redis, e.Hot, e.Partitions, e.Log)
	s.memory = layout.NewMemory(s.reader)
	s.reports = &Reports{db: e, reads: newReads(e), reader: s.reader, sites: s.sites, memory: s.memory, names: names}
	s.placements = &Placements{db: e, reader: s.reader, sites: s.sites, memory: s.memory, placing: redis.NewKeyedMutex[placeKey]()}
	s.workbooks = &Workbooks{db: e, names: names}
	s.schedules = &Schedules{db: e, limits: c.Schedules}
	s.links = work.NewLinks(e, s.reader, s.sites)
	s.plans = code.NewPlans(e, s.reader, s.sites, s.memory, c.Schedules)
	s.imports = keep.NewImports(e, s.reader, s.sites)
	s.work = work.New(e, s.reader, s.sites, q)
	s.keeper = keep.NewKeeper(e, s.reader, q)
	return s, nil
}
