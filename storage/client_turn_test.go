package storage_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"mooring/placements"
	"mooring/storage"
	"mooring/storage/queue"
)

// An add-in that plans nothing has the spreadsheet for two minutes at most, however often it renews; the time that plans take is not its own.
func TestARunWithoutAPlanIsShort(t *testing.T) {
	eachClient(t, func(c *clientClock) {
		renew := func(a *queue.Attempt) time.Time {
			c.Helper()
			until, err := c.q.Queue.Clients.Renew(c.Context(), c.d(), a.Run, 1, time.Hour)
			must(c.T, err)
			return until
		}
		a := c.mustStart()
		if until := renew(a); until.After(c.until) {
			c.Errorf("without a plan it is held until %s, at first until %s", until, c.until)
		}
		must(c.T, c.q.Queue.Clients.PlanWithin(c.Context(), a, time.Minute))
		if until := renew(a); !until.Before(c.until) {
			c.Errorf("it is held until %s, longer than until it is to plan", until)
		}
		must(c.T, c.q.Queue.Clients.PlanWithin(c.Context(), a, time.Hour))
		if until := renew(a); until.Before(c.until) {
			c.Errorf("while it is planned it is held until %s, at first until %s", until, c.until)
		}
		must(c.T, c.q.Queue.Clients.PlanWithin(c.Context(), a, -time.Second)) // no other plan was asked for in time
		if _, err := c.q.Queue.Clients.Renew(c.Context(), c.d(), a.Run, 1, time.Hour); !errors.Is(err, storage.ErrLockLost) {
			c.Errorf("after the time for another plan: %v", err)
		}
		must(c.T, c.q.KeepClientPlan(c.Context(), a, c.outcome(a), "digest"))
		must(c.T, c.q.Queue.Clients.PlanWithin(c.Context(), a, -time.Second))
		if until := renew(a); until.Before(c.until) {
			c.Errorf("with a plan it is held until %s, at first until %s", until, c.until)
		}
	})
}

// An agent that waits while an add-in has the spreadsheet has it before any add-in has it again.
func TestAnAgentThatWaitsGoesBeforeTheNextAddIn(t *testing.T) {
	eachClient(t, func(c *clientClock) {
		c.s.SetLocks(20*time.Millisecond, time.Minute)
		a := c.mustStart()
		has := make(chan func())
		go func() {
			_, _, release, err := c.q.LockDocument(c.Context(), c.tenant, "book")
			if err != nil {
				c.Error(err)
			}
			has <- release
		}()
		for waits := []string(nil); len(waits) == 0; {
			var err error
			waits, err = c.s.Client().Keys(c.Context(), "*:lock:turn:book").Result()
			must(c.T, err)
		}
		b, err := c.q.Queue.Clients.Take(c.Context(), c.d(), a.Run, true)
		must(c.T, err)
		must(c.T, c.end(b, placements.RunStopped))
		if _, err := c.start(); !errors.Is(err, storage.ErrBusy) {
			c.Errorf("the add-in goes before the agent: %v", err)
		}
		release := <-has
		if _, err := c.start(); !errors.Is(err, storage.ErrBusy) {
			c.Errorf("while the agent has the document: %v", err)
		}
		release()
		c.mustStart()
	})
}

// Of several agents that wait while an add-in has the spreadsheet, each has it before any add-in has it again; one that has given up keeps
// its turn for a moment only.
func TestEachAgentThatWaitsGoesBeforeTheNextAddIn(t *testing.T) {
	eachClient(t, func(c *clientClock) {
		a := c.mustStart()
		c.s.SetLocks(0, time.Minute)
		lock, turn := c.s.DocumentLockKey(c.tenant, "book"), c.s.DocumentTurnKey(c.tenant, "book")
		try := func(name string) bool {
			c.Helper()
			taken, err := c.q.Queue.TryDocument(c.Context(), queue.Lock{Key: lock, Token: name}, turn, time.Minute)
			must(c.T, err)
			return taken
		}
		free := func() { must(c.T, c.s.Client().Del(c.Context(), lock).Err()) }
		waits := func(when string) {
			c.Helper()
			if _, err := c.start(); !errors.Is(err, storage.ErrBusy) {
				c.Fatalf("%s, an add-in goes before an agent that waits: %v", when, err)
			}
		}
		if try("first") || try("second") {
			c.Fatal("an agent has what an add-in has")
		}
		b, err := c.q.Queue.Clients.Take(c.Context(), c.d(), a.Run, true)
		must(c.T, err)
		must(c.T, c.end(b, placements.RunStopped))
		waits("before the first")
		if !try("first") || try("second") || try("late") {
			c.Fatal("the first agent does not have the spreadsheet alone")
		}
		if left := c.s.Client().PTTL(c.Context(), turn).Val(); left <= 0 || left > 2*time.Second {
			c.Errorf("the turn of an agent that gives up is kept for %s", left)
		}
		free()
		waits("after the first")
		if try("late") {
			c.Fatal("an agent that came later goes before the second")
		}
		if !try("second") {
			c.Fatal("the second agent does not have the spreadsheet")
		}
		free()
		c.mustStart() // though another agent has waited for agents
	})
}

// An agent that waits behind agents takes no turn from add-ins, and one that has given up keeps them waiting for a moment only.
func TestATurnIsOnlyBehindAddIns(t *testing.T) {
	eachClient(t, func(c *clientClock) {
		_, _, release, err := c.q.LockDocument(c.Context(), c.tenant, "book")
		must(c.T, err)
		waits, giveUp := context.WithTimeout(c.Context(), 20*time.Millisecond)
		defer giveUp()
		if _, _, _, err := c.q.LockDocument(waits, c.tenant, "book"); err == nil {
			c.Fatal("two agents have the document")
		}
		release()
		c.s.SetLocks(0, time.Minute)
		c.mustStart()
	})
}
