package refresh

import (
	"cmp"
	"context"
	"log/slog"
	"math"
	"time"

	"mooring/placements"
	"mooring/refresh/host"
	"mooring/refresh/probe"
	"mooring/refresh/source"
	"mooring/refresh/trace"
	"mooring/storage"
	"mooring/storage/record"
	"mooring/storage/work"
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
	queue      *work.Work
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

// Freshness is how a deployment's source is asked whether its data has changed, when, and what is refreshed then.
type Freshness struct {
	source.Probe
	probe.Timing
	Schedules []string // that run at a change, by their keys; none: every one that is not paused
}

// Rhythm is how often an agent that has nothing to do looks for something. A zero field takes that of DefaultRhythm.
type Rhythm struct {
	Take  time.Duration // how long one look into the queues waits
	Due   time.Duration // how long a new due time may go unnoticed
	Sweep time.Duration // how often the entries of dead agents are looked for
	Beat  time.Duration // how often an agent tells that it is there
}

// DefaultRhythm returns the rhythm of a Config that sets none.
func DefaultRhythm() Rhythm {
	return Rhythm{Take: 500 * time.Millisecond, Due: 100 * time.Millisecond, Sweep: 2 * time.Second, Beat: 2 * time.Second}
}

// withDefaults returns r without zero fields.
func (r Rhythm) withDefaults() Rhythm {
	d := DefaultRhythm()
	return Rhythm{
		Take: cmp.Or(r.Take, d.Take), Due: cmp.Or(r.Due, d.Due), Sweep: cmp.Or(r.Sweep, d.Sweep), Beat: cmp.Or(r.Beat, d.Beat),
	}
}

// timezone is that of a deployment; empty for UTC.
func (e *Engine) timezone(d record.Deployment) string {
	if at := e.tenants[d.Tenant].Deployments[d.ID].Location; at != nil {
		return at.String()
	}
	return ""
}

// location is the time zone of a deployment; UTC if none is configured.
func (e *Engine) location(d record.Deployment) *time.Location {
	if at := e.tenants[d.Tenant].Deployments[d.ID].Location; at != nil {
		return at
	}
	return time.UTC
}

// mayOpen reports whether an agent may open the document of p (decisions.md §3, Whose document it is): the configuration names it, or who
// placed the report there might edit the report. What was placed before that was recorded counts too, and so may, once there is one, a
// proof that the document was open in a user's pane: it would be checked here.
func (e *Engine) mayOpen(d record.Deployment, p placements.Placement) bool {
	return p.Placer != placements.PlacedByReader || e.queue.Sites.Admitted(d, p)
}
