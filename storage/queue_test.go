package storage_test

import (
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"mooring/placements"
	"mooring/storage"
	"mooring/storage/keys"
	"mooring/storage/queue"
	"mooring/storage/record"
	"mooring/storage/work"

	"github.com/google/go-cmp/cmp"
)

func TestStopInEveryState(t *testing.T) {
	eachClockwork(t, "queue", func(c *clockwork) {
		queued := c.manual()
		must(c.T, c.s.Queue().Runs.Stop(c.Context(), c.d(), queued))
		for _, e := range c.take("a") { // whichever of its entries comes first ends it
			a, err := c.q.Queue.Begin(c.Context(), "a", e)
			if errors.Is(err, queue.ErrEnded) {
				continue
			}
			must(c.T, err)
			if !a.Stopped {
				c.Error("a run that was stopped in the queue is worked on")
			}
			must(c.T, c.end(a, placements.RunStopped))
		}

		waiting := c.manual()
		c.again(c.beginNext("a", waiting))
		must(c.T, c.s.Queue().Runs.Stop(c.Context(), c.d(), waiting))
		if slices.ContainsFunc(c.due(), func(d record.Due) bool { return d.RunID == waiting }) {
			c.Error("a stopped run still waits for its next attempt")
		}
		if a := c.beginNext("a", waiting); !a.Stopped {
			c.Error("a run that was stopped between attempts is worked on")
		} else {
			must(c.T, c.end(a, placements.RunStopped))
		}

		running := c.beginNext("a", c.manual())
		if r := c.q.Queue.Renew(c.Context(), running.Pulse())[0]; r.Stop || r.Err != nil {
			c.Errorf("before the stop Renew says %+v", r)
		}
		must(c.T, c.s.Queue().Runs.Stop(c.Context(), c.d(), running.Run.ID))
		if r := c.q.Queue.Renew(c.Context(), running.Pulse())[0]; !r.Stop || r.Err != nil {
			c.Errorf("after the stop Renew says %+v", r)
		}
		must(c.T, c.end(running, placements.RunStopped))

		for _, id := range []string{queued, waiting, running.Run.ID} {
			if got := c.run(id).State; got != placements.RunStopped {
				c.Errorf("run %s is %s", id, got)
			}
			if err := c.s.Queue().Runs.Stop(c.Context(), c.d(), id); !errors.Is(err, queue.ErrEnded) {
				c.Errorf("stopping an ended run: %v", err)
			}
		}
		if err := c.s.Queue().Runs.Stop(c.Context(), c.d(), "none"); !errors.Is(err, storage.ErrNotFound) {
			c.Errorf("stopping no run: %v", err)
		}
		c.depth(0)
	})
}

// Whoever asks again for a stop, impatient, puts nothing into the queue: an agent would begin a run that is not there any more.
func TestARunThatIsStoppedTwiceIsQueuedOnce(t *testing.T) {
	eachClockwork(t, "skip", func(c *clockwork) {
		waiting := c.manual()
		c.again(c.beginNext("a", waiting))
		for range 2 {
			must(c.T, c.s.Queue().Runs.Stop(c.Context(), c.d(), waiting))
			c.depth(1)
		}
		must(c.T, c.end(c.beginNext("a", waiting), placements.RunStopped))
		c.depth(0)
	})
}

func TestAStopThatMeetsAFailingAttemptNeedNotWaitForTheNext(t *testing.T) {
	eachClockwork(t, "skip", func(c *clockwork) {
		a := c.beginNext("a", c.manual())
		must(c.T, c.s.Queue().Runs.Stop(c.Context(), c.d(), a.Run.ID))
		a.Run.State = placements.RunQueued
		must(c.T, c.q.Complete(c.Context(), a, work.Outcome{Ending: queue.Ending{Again: time.Now().Add(time.Hour)}}))
		if b := c.beginNext("b", a.Run.ID); !b.Stopped {
			c.Error("the next attempt does not know of the stop")
		}
	})
}

func TestEveryEntryGoesToOneAgent(t *testing.T) {
	eachClockwork(t, "skip", func(c *clockwork) {
		const runs = 60
		for range runs {
			c.schedule = c.newSchedule().ID
			c.fire(1)
		}
		var mu sync.Mutex
		taken := map[string]int{}
		var group sync.WaitGroup
		for i := range 4 {
			group.Go(func() {
				for list := c.take(agentName(i)); len(list) > 0; list = c.take(agentName(i)) {
					mu.Lock()
					for _, e := range list {
						taken[e.RunID]++
					}
					mu.Unlock()
				}
			})
		}
		group.Wait()
		for id, n := range taken {
			if n != 1 {
				c.Errorf("run %s went to %d agents", id, n)
			}
		}
		if len(taken) != runs {
			c.Errorf("%d runs were taken, want %d", len(taken), runs)
		}
	})
}

// beside is a tenant in the partition of another one.
func beside(tenant string) string {
	name := "beside"
	for keys.Number(name, storage.DefaultPartitions) != keys.Number(tenant, storage.DefaultPartitions) {
		name += "-"
	}
	return name
}

func TestARunDoesNotWaitForAllOfADeploymentThatAsksForVeryMany(t *testing.T) {
	eachClockwork(t, "skip", func(c *clockwork) {
		const many = 300
		for range many {
			c.schedule = c.newSchedule().ID
			c.fire(1)
		}
		other := newClockwork(c.T, c.s, record.Deployment{Tenant: beside(c.tenant), ID: 1}, "skip")
		want, taken, before := other.manual(), 0, -1
		for list := c.takeSome("a"); len(list) > 0; list = c.takeSome("a") {
			for _, e := range list {
				if e.RunID == want {
					before = taken
				}
				taken++
				must(c.T, c.end(c.begin("a", e), placements.RunSucceeded))
			}
		}
		if before < 0 || before > many/2 || taken != many+1 {
			c.Errorf("%d runs of %d were taken before that of the other deployment, and %d in all", before, many, taken)
		}
		if depth, err := c.q.Queue.Depth(c.Context()); depth != 0 || err != nil {
			c.Errorf("%d entries are left in the queues, %v", depth, err)
		}
	})
}

// takeSome gives agent about one entry of each partition.
func (c *clockwork) takeSome(agent string) []queue.Entry {
	c.Helper()
	list, err := c.q.Queue.Take(c.Context(), agent, storage.DefaultPartitions, -1)
	must(c.T, err)
	return list
}

func TestOrphansAreFoundBehindAnyNumberOfLivingEntries(t *testing.T) {
	eachClockwork(t, "skip", func(c *clockwork) {
		const living = 500
		for range living + 1 {
			c.schedule = c.newSchedule().ID
			c.fire(1)
		}
		list := c.takeAll("dead")
		orphan := list[living]
		c.s.Age(c.T, orphan, time.Hour)
		found, err := c.q.Queue.Orphans(c.Context(), "b", 30*time.Minute, time.Now().Add(time.Hour), 8)
		must(c.T, err)
		if len(found) != 1 || found[0].RunID != orphan.RunID {
			c.Errorf("orphans are %v, want run %s alone", found, orphan.RunID)
		}
	})
}

func TestEntriesAreNotTakenOnWhatWasKnownTooLongAgo(t *testing.T) {
	eachClockwork(t, "skip", func(c *clockwork) {
		c.manual()
		c.take("silent")
		now, err := c.q.Queue.Clock(c.Context())
		must(c.T, err)
		if list, err := c.q.Queue.Orphans(c.Context(), "b", 0, now.Add(-time.Second), 8); err != nil || len(list) > 0 {
			c.Errorf("%v are taken, %v", list, err)
		}
	})
}

func (c *clockwork) takeAll(agent string) []queue.Entry {
	c.Helper()
	var all []queue.Entry
	for list := c.take(agent); len(list) > 0; list = c.take(agent) {
		all = append(all, list...)
	}
	return all
}

func TestLeavingAnAgentLosesNothing(t *testing.T) {
	eachClockwork(t, "skip", func(c *clockwork) {
		id := c.manual()
		c.take("a")
		must(c.T, c.q.Queue.Leave(c.Context(), "a"))
		list, err := c.q.Queue.Orphans(c.Context(), "b", 10*time.Minute, time.Now().Add(time.Hour), 9)
		must(c.T, err)
		if len(list) != 1 || list[0].RunID != id {
			c.Fatalf("the entry of an agent that left is not found at once: %v", list)
		}
		must(c.T, c.end(c.begin("b", c.orphan("b")[0]), placements.RunSucceeded))
		must(c.T, c.q.Queue.Leave(c.Context(), "b"))
		if got := c.s.Consumers(c.T, c.d()); len(got) > 1 || len(got) == 1 && got[0] != "a" {
			c.Errorf("consumers %v are left, want those with entries only", got)
		}
	})
}

func TestConsumersOfDeadAgentsAreForgotten(t *testing.T) {
	eachClockwork(t, "skip", func(c *clockwork) {
		if strings.HasSuffix(c.Name(), "/embedded") {
			c.Skip("the embedded server counts entries that others claimed as the first one's; it has one agent")
		}
		c.manual()
		c.take("dead")
		c.orphan("working")
		must(c.T, c.q.Queue.ForgetDead(c.Context(), time.Hour))
		if diff := cmp.Diff([]string{"dead", "working"}, c.s.Consumers(c.T, c.d())); diff != "" {
			c.Errorf("consumers after a moment (-want +got):\n%s", diff)
		}
		must(c.T, c.q.Queue.ForgetDead(c.Context(), 0))
		if diff := cmp.Diff([]string{"working"}, c.s.Consumers(c.T, c.d())); diff != "" {
			c.Errorf("consumers when the dead is dead for long (-want +got):\n%s", diff)
		}
		must(c.T, c.q.Queue.ForgetDead(c.Context(), 0))
		_, err := c.q.Queue.Take(c.Context(), "dead", 1, time.Millisecond) // it was not dead
		must(c.T, err)
	})
}
