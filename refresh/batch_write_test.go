package refresh

import (
	"testing"

	"mooring/refresh/source"
)

// within is an engine whose results and reads have so many bytes, where one result has at most whole.
func (d *desk) within(size, whole source.Size) *Engine {
	return d.another(func(c *Config) {
		c.ResultsInMemory = size
		for id, dep := range c.Tenants["acme"].Deployments {
			dep.MaxBytes = whole
			c.Tenants["acme"].Deployments[id] = dep
		}
	})
}

// TestFault10ABatchIsWrittenInPartsThatFit has ten blocks of 250 kB in one document, where 1 MiB is read at a time.
func TestFault10ABatchIsWrittenInPartsThatFit(t *testing.T) {
	eachDesk(t, 10, func(d *desk) {
		d.tables.bulk = 250_000
		d.engine = d.within(8<<20, 1<<20)
		runs := d.askAll()
		d.work()
		d.succeeded(runs...)
		if got := d.books.count("book"); got != [4]int{1, 3, 3, 10} {
			d.Errorf("opened, read, written and blocks written: %v, want opened once and four blocks at a time", got)
		}
		for i := range 10 {
			d.shows(i, 1)
		}
		d.freed()
	})
}

// TestFault10RunsWaitForMemory has memory for one result at a time: ten runs in one document end at their first attempt all the same.
func TestFault10RunsWaitForMemory(t *testing.T) {
	eachDesk(t, 10, func(d *desk) {
		d.engine = d.within(1000, 1000)
		runs := d.askAll()
		d.work()
		d.succeeded(runs...)
		for i := range 10 {
			d.shows(i, 1)
		}
		d.freed()
	})
}

// freed checks that nothing of the engine's memory is taken.
func (d *desk) freed() {
	d.Helper()
	if !d.engine.attempts.results.Runs.Idle() {
		d.Error("not all memory was given back")
	}
}
