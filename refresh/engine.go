package refresh

import (
	"cmp"
	"context"
	"log/slog"
	"time"

	"mooring/placements"
	"mooring/refresh/document"
	"mooring/refresh/fault"
	"mooring/refresh/host"
	"mooring/refresh/link"
	"mooring/refresh/notify"
	"mooring/refresh/result"
	"mooring/refresh/site"
	"mooring/refresh/source"
	"mooring/refresh/trace"
	"mooring/refresh/watch"
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

	Observer AgentObserver // nil: none
	Version  string        // of the program, which agents tell

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

// Spreadsheets is a spreadsheet host of a tenant, by its name in the configuration; QuotaUse how much of a quota of its account is left.
type (
	Spreadsheets = site.Provider
	QuotaUse     = site.QuotaUse
)

// LinkAsk is what an add-in says of the document that it has open, and LinkView what is told of where that is.
type (
	LinkAsk  = link.Ask
	LinkView = link.Answer
)

// Tenant is where a tenant's results come from and go to.
type Tenant struct {
	Deployments map[int64]DeploymentSource
	Hosts       []Spreadsheets // names differ
}

// DeploymentSource is one deployment's source. Location is the wall time of its dates.
type DeploymentSource struct {
	Location *time.Location
	Source   source.Source
	MaxBytes source.Size // of a result of Source, encoded; 0: source.DefaultMaxBytes
	Webhooks []notify.Webhook

	Freshness []watch.Freshness // of Source, which is a source.Prober
}

// Engine refreshes placements. It is safe for concurrent use.
type Engine struct {
	queue     *work.Work
	records   *storage.Store // for those who make and change schedules; agents need the queue only
	tenants   map[string]Tenant
	log       *slog.Logger
	tracer    *trace.Tracer
	results   *result.Results
	documents *document.Editor
	gathering *document.Gathering
	calls     *fault.Calls
	sites     *site.Locator
	links     *link.Linker
	crons     cronCache
	present   presence
	outage    fault.Outage
	observe   AgentObserver

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

// origin is where the deployment's results come from.
func (e *Engine) origin(d record.Deployment) (result.Origin, *placements.Fault) {
	dep, ok := e.tenants[d.Tenant].Deployments[d.ID]
	if !ok || dep.Source == nil {
		return result.Origin{}, &placements.Fault{
			Class:   placements.Permanent,
			Message: "this deployment has no source in the configuration: its reports can be placed by add-ins, but not refreshed here",
		}
	}
	return dep.origin(), nil
}

func (d DeploymentSource) origin() result.Origin {
	return result.Origin{Source: d.Source, Location: d.Location, MaxBytes: d.MaxBytes}
}

// Result is a report's table as it would be placed, row 0 being its header. It takes memory until it is closed.
type Result = result.Answer

// ErrNoRoom is why there is no result: the process holds as many as it may.
var ErrNoRoom = result.ErrNoRoom

// Result runs the report's query on behalf of by. The query is cancelled with ctx. The caller closes the result. Errors are
// *placements.Fault; one that wraps ErrNoRoom says that there was no room for the result for as long as the configuration says.
func (e *Engine) Result(ctx context.Context, d record.Deployment, r *storage.Report, by record.Actor) (*Result, error) {
	from, none := e.origin(d)
	if none != nil {
		return nil, none
	}
	t, err := e.results.Alone(ctx, e.question(d, from, r, by))
	if err != nil {
		return nil, fault.Of(err)
	}
	return t, nil
}

// question is a report's query for a client.
func (e *Engine) question(d record.Deployment, from result.Origin, r *storage.Report, by record.Actor) result.Question {
	return result.Question{Deployment: d, From: from, Of: &r.Definition, For: by, Room: e.results.Clients, Patience: e.roomWait}
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

// Reached reports whether an agent reaches the document of p.
func (e *Engine) Reached(tenant string, p placements.Placement) bool {
	return e.sites.Reached(tenant, p)
}

// Remedy says, as the end of a sentence, what makes agents reach the document of p, which none reaches.
func (e *Engine) Remedy(tenant string, p placements.Placement) string {
	return e.sites.Remedy(tenant, p)
}

// Quotas returns the quotas that the spreadsheet hosts of a tenant have, host by host.
func (e *Engine) Quotas(ctx context.Context, tenant string) ([]QuotaUse, error) {
	return e.sites.Quotas(ctx, tenant)
}

// NonceHash is what is kept of a nonce.
func NonceHash(nonce string) string { return host.NonceHash(nonce) }

// DocumentLink returns what is known of where the document is that an id names.
func (e *Engine) DocumentLink(ctx context.Context, tenant, document string) (LinkView, error) {
	return e.links.Document(ctx, tenant, document)
}

// LinkViews tells of documents, each named by a placement in it.
func (e *Engine) LinkViews(ctx context.Context, tenant string, documents []placements.Placement) ([]LinkView, error) {
	return e.links.Views(ctx, tenant, documents)
}

// AskLink looks for the document that an add-in has open, and returns what is known of where it is, as that add-in is answered: it is being
// looked for while a look at what it said is under way. Errors: the *placements.Error CodeLooksLimit.
func (e *Engine) AskLink(ctx context.Context, tenant, document string, ask LinkAsk) (LinkView, error) {
	return e.links.Ask(ctx, tenant, document, ask)
}

// Unlink forgets where the document is that an id names: it is looked for again only when a person asks.
func (e *Engine) Unlink(ctx context.Context, tenant, document string, by record.Actor) (LinkView, error) {
	return e.links.Unlink(ctx, tenant, document, by)
}
