package refresh

import (
	"context"
	"log/slog"
	"time"

	"mooring/placements"
	"mooring/refresh/catalog"
	"mooring/refresh/fault"
	"mooring/refresh/host"
	"mooring/refresh/link"
	"mooring/refresh/result"
	"mooring/refresh/site"
	"mooring/refresh/source"
	"mooring/refresh/trace"
	"mooring/storage"
	"mooring/storage/record"
	"mooring/storage/work"
)

// LinkAsk is what an add-in says of the document that it has open, and LinkView what is told of where that is.
type (
	LinkAsk  = link.Ask
	LinkView = link.Answer
)

// Engine refreshes placements. It is safe for concurrent use.
type Engine struct {
	queue   *work.Work
	records *storage.Store // for those who make and change schedules; agents need the queue only
	tenants tenants
	log     *slog.Logger
	tracer  *trace.Tracer
	calls   *fault.Calls
	sites   *site.Locator
	links   *link.Linker
	crons   cronCache
	present presence
	outage  *fault.Outage
	observe AgentObserver

	catalogs  catalog.Catalogs
	trials    trials
	attempts  *attempts
	schedules *Scheduler
	clients   *ClientRuns
	bundles   *Bundles

	version    string
	workers    int
	drainLimit time.Duration
	rhythm     Rhythm
}

// Schedules makes schedules and changes them.
func (e *Engine) Schedules() *Scheduler { return e.schedules }

// ClientRuns are the runs that add-ins work on.
func (e *Engine) ClientRuns() *ClientRuns { return e.clients }

// Bundles makes plans of bundles and applies them.
func (e *Engine) Bundles() *Bundles { return e.bundles }

// Timezone is the name of a deployment's time zone; UTC where none is configured.
func (e *Engine) Timezone(d record.Deployment) string {
	if e == nil {
		return time.UTC.String()
	}
	return e.tenants.location(d).String()
}

// Result is a report's table as it would be placed, row 0 being its header. It takes memory until it is closed.
type Result = result.Answer

// Filter is a condition of a report's query.
type Filter = source.Filter

// ErrNoRoom is why there is no result: the process holds as many as it may.
var ErrNoRoom = result.ErrNoRoom

// ParameterFaults are what is wrong with how the query of a report in a deployment names its parameters, at the pointers of the report. Where the
// deployment has no source nothing is said.
func (e *Engine) ParameterFaults(d record.Deployment, of *record.Definition) []placements.Detail {
	from, none := e.tenants.origin(d)
	if none != nil {
		return nil
	}
	return from.ParameterFaults(of)
}

// Result runs the report's query with these values on behalf of by. The query is cancelled with ctx. The caller closes the result. Errors are
// *placements.Fault; one that wraps ErrNoRoom says that there was no room for the result for as long as the configuration says.
func (e *Engine) Result(
	ctx context.Context, d record.Deployment, r *storage.Report, with placements.Arguments, by record.Actor,
) (*Result, error) {
	from, none := e.tenants.origin(d)
	if none != nil {
		return nil, none
	}
	t, err := e.attempts.results.Alone(ctx, e.attempts.question(d, from, r, with, by))
	if err != nil {
		return nil, fault.Of(err)
	}
	return t, nil
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
