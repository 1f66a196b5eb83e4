package refresh

import (
	"cmp"
	"log/slog"

	"mooring/refresh/document"
	"mooring/refresh/fault"
	"mooring/refresh/link"
	"mooring/refresh/result"
	"mooring/refresh/site"
)

// New makes an engine; it does nothing until it is asked to.
func New(c Config) *Engine {
	e := &Engine{
		queue: c.Store.Work(), records: c.Store, tenants: c.Tenants, log: c.Log, tracer: c.Tracer, observe: c.Observer, outage: new(fault.Outage),
		version: c.Version, rhythm: c.Rhythm.withDefaults(),
		workers: cmp.Or(c.Workers, DefaultWorkers), drainLimit: cmp.Or(c.DrainLimit, DefaultDrainLimit),
	}
	if e.log == nil {
		e.log = slog.Default()
	}
	if e.observe == nil {
		e.observe = silent{}
	}
	e.calls = &fault.Calls{Log: e.log, Observe: e.observe, Grace: fault.CallGrace}
	e.sites = &site.Locator{Hosts: map[string][]Spreadsheets{}, Queue: e.queue, Calls: e.calls}
	for name, t := range c.Tenants {
		e.sites.Hosts[name] = t.Hosts
	}
	e.links = &link.Linker{Records: e.records, Queue: e.queue, Sites: e.sites, Log: e.log, Lease: dueLease}
	results := result.NewResults(cmp.Or(c.ResultsInMemory, DefaultResultsInMemory), e.tenants.largest())
	documents := &document.Editor{Queue: e.queue, Records: e.records, Sites: e.sites, Results: results, Log: e.log}
	e.attempts = &attempts{
		queue: e.queue, tenants: e.tenants, log: e.log, tracer: e.tracer, outage: e.outage, silent: new(fault.Silences), observe: e.observe, watch: c.Progress,
		sites: e.sites, results: results, documents: documents, gathering: document.NewGathering(documents), keeper: &keeper{queue: e.queue.Queue},
		runLimit: cmp.Or(c.RunLimit, DefaultRunLimit), roomWait: cmp.Or(c.RoomWait, DefaultRoomWait),
	}
	e.schedules = &Scheduler{queue: e.queue, records: e.records, tenants: e.tenants}
	e.clients = &ClientRuns{queue: e.queue, records: e.records, sites: e.sites, attempts: e.attempts}
	e.bundles = &Bundles{
		queue: e.queue, records: e.records, tenants: e.tenants, attempts: e.attempts, schedules: e.schedules,
		headings: &headings{queue: e.queue, sites: e.sites, calls: e.calls, log: e.log},
	}
	return e
}
