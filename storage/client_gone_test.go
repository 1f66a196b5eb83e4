package storage_test

import (
	"errors"
	"testing"

	"mooring/placements"
	"mooring/storage"
	"mooring/storage/queue"
	"mooring/storage/record"
	"mooring/storage/record/portable"
	"mooring/storage/storagetest"
)

// applying makes the clockwork's report one that a project has placed, under the id of p1's document.
func (c *clientClock) applying() (placement string) {
	c.Helper()
	applied(c.T, c.s, project(c.T, sales, `placement book/Data!H1 {"report":"SalesRegion1","document":"book","sheet":"Data","anchor":"H1"}`))
	r, err := c.s.Reports().ByPublicID(c.Context(), shop, "SalesRegion1")
	must(c.T, err)
	c.report = r
	return r.Placements[0].ID
}

// waysToGo are the ways in which a placement ends, each with its id.
var waysToGo = map[string]func(c *clientClock) (placement string, remove func() error){
	"disconnect": func(c *clientClock) (string, func() error) {
		return "p1", func() error {
			_, _, err := c.s.Placements().Disconnect(c.Context(), c.d(), c.report.ID, placements.Target{PlacementID: "p1"}, ada, nil, false)
			return err
		}
	},
	"the report is deleted": func(c *clientClock) (string, func() error) {
		return "p1", func() error { return c.s.Reports().Delete(c.Context(), c.d(), c.report.ID, ada, anyone) }
	},
	"with its schedules": func(c *clientClock) (string, func() error) {
		schedule := c.newSchedule()
		return "p1", func() error { return c.s.Reports().Delete(c.Context(), c.d(), c.report.ID, ada, anyone, schedule) }
	},
	"a plan disconnects it": func(c *clientClock) (string, func() error) {
		return c.applying(), c.prune(sales)
	},
	"a plan deletes the report": func(c *clientClock) (string, func() error) {
		return c.applying(), c.prune(`workbook other {}`)
	},
	"a plan places another report there": func(c *clientClock) (string, func() error) {
		return c.applying(), c.prune(sales, `report SalesRegion2 {"name":"Other","sqlQuery":"select 3"}`,
			`placement book/Data!H1 {"report":"SalesRegion2","document":"book","sheet":"Data","anchor":"H1"}`)
	},
}

// prune applies what is left of the project.
func (c *clientClock) prune(assets ...string) func() error {
	b := project(c.T, assets...)
	b.Prune = &portable.Prune{}
	return func() error { applied(c.T, c.s, b); return nil }
}

func TestAPlacementThatGoesEndsTheRunOfItsAddIn(t *testing.T) {
	for name, way := range waysToGo {
		t.Run(name, func(t *testing.T) {
			eachClient(t, func(c *clientClock) {
				placement, remove := way(c)
				a, err := c.startOn(placement)
				must(c.T, err)
				must(c.T, remove())
				if who, err := c.q.DocumentWriter(c.Context(), c.tenant, "book"); who != "" || err != nil {
					c.Errorf("the document is held by %q, %v", who, err)
				}
				if _, err := c.resume(a); !errors.Is(err, storage.ErrLockLost) {
					c.Errorf("its add-in goes on: %v", err)
				}
				b := c.beginNext("agent", a.Run.ID)
				if !b.Stopped {
					c.Error("the agent that ends it is not told to stop")
				}
				must(c.T, c.end(b, placements.RunStopped))
				if state := c.run(a.Run.ID).State; state != placements.RunStopped {
					c.Errorf("the run is %s", state)
				}
				c.depth(0)
				for _, due := range c.dueRuns() {
					c.Errorf("%v is due afterwards", due)
				}
				if _, err := c.startOn(placement); !errors.Is(err, storage.ErrNotFound) {
					c.Errorf("a run on what is gone: %v", err)
				}
			})
		})
	}
}

func TestAPlacementThatGoesLeavesTheRunsOfOthers(t *testing.T) {
	eachClient(t, func(c *clientClock) {
		other := c.connect("Data!H1")
		a, err := c.startOn(other.ID)
		must(c.T, err)
		all := c.manual()
		_, _, err = c.s.Placements().Disconnect(c.Context(), c.d(), c.report.ID, placements.Target{PlacementID: "p1"}, ada, nil, false)
		must(c.T, err)
		if _, err := c.resume(a); err != nil {
			c.Errorf("the add-in of another placement: %v", err)
		}
		if c.beginNext("agent", all).Stopped {
			c.Error("the run of all placements is to stop")
		}
	})
}

func TestAPlacementThatGoesEndsTheRunsOfAgents(t *testing.T) {
	eachClient(t, func(c *clientClock) {
		run := func(placement string) string {
			run := &record.Run{ReportID: c.report.ID, PlacementID: placement, Placements: []record.RunPlacement{}}
			must(c.T, storagetest.Enqueue(c.Context(), c.q, c.d(), run))
			return run.ID
		}
		other := c.connect("Data!H1")
		works := c.beginNext("agent", run(other.ID))
		waits := run("p1")
		c.again(c.beginNext("agent", waits))
		must(c.T, c.s.Reports().Delete(c.Context(), c.d(), c.report.ID, ada, anyone))
		if r := c.q.Queue.Renew(c.Context(), works.Pulse())[0]; !r.Stop || r.Err != nil {
			c.Errorf("the agent at work is told to stop: %+v", r)
		}
		must(c.T, c.end(works, placements.RunStopped))
		ends := c.beginNext("agent", waits)
		if !ends.Stopped {
			c.Error("the run that waits is not to stop")
		}
		must(c.T, c.end(ends, placements.RunStopped))
		for _, due := range c.dueRuns() {
			c.Errorf("%v is due afterwards", due)
		}
		c.depth(0)
	})
}

// startOn begins a run of the client on a placement of the clockwork's report.
func (c *clientClock) startOn(placement string) (*queue.Attempt, error) {
	run := &record.Run{
		ReportID: c.report.ID, PlacementID: placement, ExternalWorkbookID: "book", Executor: record.ExecutorClient,
		RequestedBy: record.Actor{ID: ada.ID}, Placements: []record.RunPlacement{},
	}
	a, _, err := c.q.StartClient(c.Context(), c.d(), run, queue.ClientLease)
	return a, err
}
