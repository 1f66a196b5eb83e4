package refresh

import (
	"cmp"
	"context"
	"log/slog"
	"math"
	"time"

	"mooring/placements"
	"mooring/refresh/host"
	"mooring/refresh/source"
	"mooring/refresh/trace"
	"mooring/storage"
	"mooring/storage/record"
)

// Config is what an engine works with.
type Config struct {
	Store   *storage.Store
	Tenants map[string]Tenant
	Log     *slog.Logger // nil: slog.Default()
	Tracer  *trace.Tracer

	Workers    int           // runs at work at once; 0: DefaultWorkers
	RunLimit   time.Duration // how long an attempt may query and write; 0: DefaultRunLimit
	DrainLimit time.Duration // how long a shutdown waits for the runs at work; 0: DefaultDrainLimit

	ResultsInMemory source.Size   // all results at one time, encoded; 0: DefaultResultsInMemory
	RoomWait        time.Duration // how long Result waits for room among them; 0: DefaultRoomWait

	Rhythm Rhythm // of agents

	Observer Observer // nil: none
	Version  string   // of the program, which agents tell

	// Progress, when set, is told what a run at work does, a line at a time.
	Progress func(runID, line string)
}

// The limits of a Config that sets none.
const (
	DefaultWorkers    = 32
	DefaultRunLimit   = 15 * time.Minute
	DefaultDrainLimit = 20 * time.Second

	DefaultResultsInMemory = 1 << 30
	DefaultRoomWait        = 10 * time.Second
)

// Tenant is where a tenant's results come from and go to.
type Tenant struct {
	Deployments map[int64]Deployment
	Hosts       []Spreadsheets // names differ
}

// Deployment is one deployment's source. Location is the wall time of its dates.
type Deployment struct {
	Location *time.Location
	Source   source.Source
	MaxBytes source.Size // of a result of Source, encoded; 0: source.DefaultMaxBytes
	Webhooks []Webhook

	Freshness []Freshness // of Source, which is a source.Prober
}

func (d Deployment) maxBytes() source.Size { return cmp.Or(d.MaxBytes, source.DefaultMaxBytes) }

// Engine refreshes placements. It is safe for concurrent use.
type Engine struct {
	queue      *storage.Work
	records    *storage.Store // for those who make and change schedules; agents need the queue only
	tenants    map[string]Tenant
	log        *slog.Logger
	tracer     *trace.Tracer
	queries    queries
	kept       keptResults
	rooms      rooms
	documents  documents
	calls      calls
	crons      cronCache
	present    presence
	outage     outage
	identities identities
	observe    Observer

	version              string
	workers              int
	runLimit, drainLimit time.Duration
	roomWait             time.Duration
	rhythm               Rhythm
	watch                func(runID, line string)
}

// New makes an engine; it does nothing until it is asked to.
func New(c Config) *Engine {
	e := &Engine{
		queue: c.Store.Work(), records: c.Store, tenants: c.Tenants, log: c.Log, tracer: c.Tracer, watch: c.Progress, observe: c.Observer,
		version: c.Version, rhythm: c.Rhythm.withDefaults(),
		workers: cmp.Or(c.Workers, DefaultWorkers), runLimit: cmp.Or(c.RunLimit, DefaultRunLimit),
		drainLimit: cmp.Or(c.DrainLimit, DefaultDrainLimit),
	}
	e.rooms = newRooms(cmp.Or(c.ResultsInMemory, DefaultResultsInMemory), c.Tenants)
	e.roomWait = cmp.Or(c.RoomWait, DefaultRoomWait)
	if e.log == nil {
		e.log = slog.Default()
	}
	if e.observe == nil {
		e.observe = silent{}
	}
	e.calls.log, e.calls.observe, e.calls.grace = e.log, e.observe, callGrace
	return e
}

// progress is where the lines of a run at work go.
func (e *Engine) progress(run *record.Run) func(string) {
	return func(line string) {
		if e.watch != nil {
			e.watch(run.ID, line)
		}
	}
}

// source is where the deployment's results come from.
func (e *Engine) source(d record.Deployment) (Deployment, *placements.Fault) {
	dep, ok := e.tenants[d.Tenant].Deployments[d.ID]
	if !ok || dep.Source == nil {
		return Deployment{}, &placements.Fault{
			Class:   placements.Permanent,
			Message: "this deployment has no source in the configuration: its reports can be placed by add-ins, but not refreshed here",
		}
	}
	return dep, nil
}

// QuotaUse is how much of a quota of a host's account is left.
type QuotaUse struct {
	host.Quota
	Host         placements.Host
	Spreadsheets string // the name of the host
	Left         int    // requests that can be made now; an account may be shared with other tenants
}

// Quotas returns the quotas that the spreadsheet hosts of a tenant have, host by host.
func (e *Engine) Quotas(ctx context.Context, tenant string) ([]QuotaUse, error) {
	var list []QuotaUse
	var accounts []string
	for _, h := range e.tenants[tenant].Hosts {
		limited, ok := h.Host.(host.Limited)
		if !ok {
			continue
		}
		for _, q := range limited.Quotas() {
			if q.PerMinute > 0 {
				q.Account = h.budget(q.Account)
				list, accounts = append(list, QuotaUse{Quota: q, Host: h.Kind, Spreadsheets: h.Name}), append(accounts, q.Account)
			}
		}
	}
	if len(list) == 0 {
		return nil, nil
	}
	used, err := e.queue.QuotasUsed(ctx, accounts...)
	if err != nil {
		return nil, err
	}
	for i, part := range used {
		list[i].Left = int(math.Floor(float64(list[i].PerMinute)*(1-part) + 1e-9))
	}
	return list, nil
}
