package refresh

import (
	"cmp"
	"log/slog"

	"mooring/refresh/document"
	"mooring/refresh/fault"
	"mooring/refresh/link"
	"mooring/refresh/result"
	"mooring/refresh/site"
	"mooring/refresh/source"
)

// New makes an engine; it does nothing until it is asked to.
func New(c Config) *Engine {
	e := &Engine{
		queue: c.Store.Work(), records: c.Store, tenants: c.Tenants, log: c.Log, tracer: c.Tracer, watch: c.Progress, observe: c.Observer,
		version: c.Version, rhythm: c.Rhythm.withDefaults(),
		workers: cmp.Or(c.Workers, DefaultWorkers), runLimit: cmp.Or(c.RunLimit, DefaultRunLimit),
		drainLimit: cmp.Or(c.DrainLimit, DefaultDrainLimit),
	}
	e.results = result.NewResults(cmp.Or(c.ResultsInMemory, DefaultResultsInMemory), largest(c.Tenants))
	e.roomWait = cmp.Or(c.RoomWait, DefaultRoomWait)
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
	e.documents = &document.Editor{Queue: e.queue, Records: e.records, Sites: e.sites, Results: e.results, Log: e.log}
	e.gathering = document.NewGathering(e.documents)
	return e
}

// largest is how large a result may be that one of the deployments gives.
func largest(tenants map[string]Tenant) (whole source.Size) {
	for _, t := range tenants {
		for _, d := range t.Deployments {
			whole = max(whole, d.origin().Most())
		}
	}
	return whole
}
