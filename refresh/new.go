package refresh

import (
	"cmp"
	"log/slog"

	"mooring/refresh/fault"
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
	e.rooms = newRooms(cmp.Or(c.ResultsInMemory, DefaultResultsInMemory), c.Tenants)
	e.roomWait = cmp.Or(c.RoomWait, DefaultRoomWait)
	if e.log == nil {
		e.log = slog.Default()
	}
	if e.observe == nil {
		e.observe = silent{}
	}
	e.calls.Log, e.calls.Observe, e.calls.Grace = e.log, e.observe, fault.CallGrace
	return e
}

// newRooms divides size between both. Where half of it does not hold the largest result, both share all of it.
func newRooms(size source.Size, tenants map[string]Tenant) rooms {
	var whole source.Size
	for _, t := range tenants {
		for _, d := range t.Deployments {
			whole = max(whole, d.maxBytes())
		}
	}
	if size/2 < whole {
		both := newRoom(int(size), int(whole))
		return rooms{both, both}
	}
	return rooms{newRoom(int(size/2), int(whole)), newRoom(int(size-size/2), int(whole))}
}
