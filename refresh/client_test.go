package refresh

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/source"
	"mooring/storage"
	"mooring/storage/queue"
	"mooring/storage/record"
	"mooring/storage/storagetest"
)

func eachPane(t *testing.T, test func(p *pane)) {
	t.Helper()
	for name, digests := range map[string]bool{"cells": false, "fingerprints": true} {
		t.Run(name, func(t *testing.T) {
			eachDesk(t, 1, func(d *desk) { test(d.pane(0, digests)) })
		})
	}
}

func TestAClientRefreshesAsAnAgentDoes(t *testing.T) {
	eachPane(t, func(p *pane) {
		run, _ := p.refreshed()
		if run.Executor != record.ExecutorClient || run.RowsWritten != 3 || run.EndedAt == "" || run.Attempt != 1 {
			p.Errorf("the first run: %+v", run)
		}
		p.shows(0, 1)
		if placed := p.placed(); placed.LastRun == nil || placed.LastRun.State != placements.RunSucceeded || placed.ResultChecksum == nil {
			p.Errorf("the placement: %+v", placed)
		}
		p.asked, p.sent = 0, 0
		run, plan := p.refreshed()
		if run.RowsWritten != 0 || written(plan.Patch) != 0 || p.sent != 0 || p.asked != 1 {
			p.Errorf("unchanged: %d rows written, %d sent, %d plans", run.RowsWritten, p.sent, p.asked)
		}
		p.tables.change()
		p.books.enter("book", 1, 0, checksum.Str("mine"))
		queries := p.tables.asked
		run, plan = p.refreshed()
		if n := p.tables.asked - queries; n != 1 || p.asked < 2 && p.digests {
			p.Errorf("%d queries for %d plans", n, p.asked)
		}
		if run.RowsWritten != 1 || plan.EditedCells != 2 || plan.Message == "" {
			p.Errorf("changed: %d rows written, %d edits, %q", run.RowsWritten, plan.EditedCells, plan.Message)
		}
		if got := p.cells()[[2]int{1, 0}]; got != checksum.Str("mine") {
			p.Errorf("the edit became %v", got)
		}
		page, err := p.store.Placements().Edits(p.Context(), deskDeployment, p.reports[0], p.id, "", 10)
		if err != nil || len(page.Items) != 2 {
			p.Errorf("edits: %+v, %v", page, err)
		}
		run = p.agentRuns()
		if run.State != placements.RunSucceeded || run.RowsWritten != 0 {
			p.Errorf("an agent after it: %s, %d rows written (%s)", run.State, run.RowsWritten, run.Error)
		}
	})
}

// Whatever people do to the block, the sheet is the same in the end whether an agent refreshes it or a client.
func TestAClientAndAnAgentMakeTheSameSheet(t *testing.T) {
	t.Parallel()
	for seed := range uint64(20) {
		agents, clients := newDesk(t, storagetest.Open(t, "embedded"), 1), newDesk(t, storagetest.Open(t, "embedded"), 1)
		ours, theirs := agents.pane(0, false), clients.pane(0, seed%2 == 1)
		random := rand.New(rand.NewPCG(seed, 1))
		for range 8 {
			if random.IntN(2) == 0 {
				agents.tables.change()
				clients.tables.change()
			}
			if random.IntN(4) == 0 {
				wide := random.IntN(2) == 0
				agents.tables.wide, clients.tables.wide = wide, wide
			}
			for range random.IntN(3) {
				row, column := random.IntN(4), random.IntN(2)
				cell := []checksum.Cell{{}, checksum.Str("x"), checksum.Num(1), checksum.Num(float64(random.IntN(9)))}[random.IntN(4)]
				agents.books.enter("book", row, column, cell)
				clients.books.enter("book", row, column, cell)
			}
			run := ours.agentRuns()
			must(t, theirs.start())
			plan, err := theirs.plan()
			if conflict := run.ErrorClass == placements.Conflict; conflict || err != nil {
				fault, _ := errors.AsType[*placements.Fault](err)
				if !conflict || fault == nil || fault.Message != run.Error {
					t.Fatalf("seed %d: the agent says %s %q, the client %v", seed, run.State, run.Error, err)
				}
				continue
			}
			theirs.write(plan)
			if _, err := theirs.complete(plan); err != nil {
				t.Fatal(err)
			}
			plan.Close()
			if diff := cmp.Diff(agents.cells(), clients.cells()); diff != "" {
				t.Fatalf("seed %d (-agent +client):\n%s", seed, diff)
			}
			if diff := cmp.Diff(ours.placed().Edits, theirs.placed().Edits, cmp.FilterPath(func(p cmp.Path) bool {
				return p.Last().String() == ".Since"
			}, cmp.Ignore())); diff != "" {
				t.Fatalf("seed %d: edits (-agent +client):\n%s", seed, diff)
			}
		}
	}
}

// A pane that is killed once it has written leaves the service's own rows: what stands then is neither lost nor taken for a person's.
func TestAClientThatDiesOnceItHasWritten(t *testing.T) {
	t.Parallel()
	eachPane(t, func(p *pane) {
		p.refreshed()
		for _, next := range []string{"agent", "client"} {
			p.tables.change()
			must(p.T, p.start())
			plan, err := p.plan()
			must(p.T, err)
			p.write(plan)
			plan.Close()
			died := p.lease.RunID
			p.lapse()
			p.books.enter("book", 2, 0, checksum.Str("typed "+next))
			p.tables.change()
			switch next {
			case "agent":
				if run := p.agentRuns(); run.State != placements.RunSucceeded || len(run.Placements[0].EditedRows) != 1 {
					p.Errorf("an agent after it: %+v", run)
				}
			case "client":
				if _, plan := p.refreshed(); plan.EditedRows != 1 {
					p.Errorf("a client after it: %d edited rows, %s", plan.EditedRows, plan.Message)
				}
			}
			if got := p.cells()[[2]int{2, 0}]; got != checksum.Str("typed "+next) {
				p.Errorf("after it an %s made the edit %v", next, got)
			}
			if got, want := p.cells()[[2]int{1, 1}], checksum.Num(float64(p.tables.version)); got != want {
				p.Errorf("after it an %s left %v, want %v", next, got, want)
			}
			p.work()
			if run := p.desk.run(died); next == "client" && (run.State != placements.RunFailed || run.ErrorClass != placements.Permanent) {
				p.Errorf("the run of the client that died is %s (%s)", run.State, run.Error)
			}
		}
	})
}

func TestALostLeaseSettlesNothing(t *testing.T) {
	t.Parallel()
	eachPane(t, func(p *pane) {
		p.refreshed()
		before := p.placed()
		p.tables.change()
		must(p.T, p.start())
		plan, err := p.plan()
		must(p.T, err)
		defer plan.Close()
		p.lapse()
		_, err = p.complete(plan)
		wantCode(p.T, "complete", err, placements.CodeLeaseLost)
		_, err = p.plan()
		wantCode(p.T, "plan", err, placements.CodeLeaseLost)
		_, err = p.engine.ClientRuns().Renew(p.Context(), p.step())
		wantCode(p.T, "renew", err, placements.CodeLeaseLost)
		if after := p.placed(); after.RefreshedAt != before.RefreshedAt || after.Rev != before.Rev {
			p.Errorf("something was settled: %+v", after)
		}
		must(p.T, p.agentDue())
		if run := p.desk.run(p.lease.RunID); run.State != placements.RunFailed || run.Attempt != 1 {
			p.Errorf("an agent left the run %s after attempt %d", run.State, run.Attempt)
		}
		if last := p.placed().LastRun; last == nil || last.State != placements.RunFailed {
			p.Errorf("the placement shows %+v", last)
		}
	})
}

// agentDue lets an agent take what is due and end it.
func (p *pane) agentDue() error {
	a := p.agent(p.engine, "a")
	if err := a.dispatchDue(p.Context()); err != nil {
		return err
	}
	p.work()
	return nil
}

func TestTwoClientsAtOnce(t *testing.T) {
	t.Parallel()
	storagetest.Each(t, func(t *testing.T, s *storage.Store) {
		d := newDesk(t, s, 2)
		one, other, beside := d.pane(0, false), d.pane(0, true), d.pane(1, false)
		must(t, one.start())
		for name, p := range map[string]*pane{"the same block": other, "another block of the document": beside} {
			err := p.start()
			wantCode(t, name, err, placements.CodeRunning)
			if details := placements.DetailsOf(err); len(details) != 1 || details[0].RunID != one.lease.RunID {
				t.Errorf("%s: %v does not name the run", name, details)
			}
		}
		plan, err := one.plan()
		must(t, err)
		one.write(plan)
		_, err = one.complete(plan)
		must(t, err)
		plan.Close()
		beside.refreshed()
		other.refreshed()
		must(t, one.start())
		one.lapse() // no agent works here: the next client ends the run
		other.refreshed()
		if run := d.run(one.lease.RunID); run.State != placements.RunFailed {
			t.Errorf("the run of the client that is gone is %s", run.State)
		}
	})
}

func TestAnAgentWaitsForAClient(t *testing.T) {
	eachPane(t, func(p *pane) {
		must(p.T, p.start())
		id := p.ask(0, Request{})
		a := p.agent(p.engine, "a")
		p.take(a, 32)
		p.waiting(p.engine, 1)
		plan, err := p.plan()
		must(p.T, err)
		p.write(plan)
		if _, err := p.complete(plan); err != nil {
			p.Error(err)
		}
		plan.Close()
		a.running.Wait()
		p.succeeded(id)
		if got := p.books.count("book"); got[2] != 0 {
			p.Errorf("the agent wrote %d times what the client had written", got[2])
		}
	})
}

func TestAClientWaitsForAnAgent(t *testing.T) {
	eachPane(t, func(p *pane) {
		release := p.lock("book")
		started := make(chan error)
		go func() { started <- p.start() }()
		release()
		must(p.T, <-started)
	})
}

func TestStepsOfAClientRunAreChecked(t *testing.T) {
	eachPane(t, func(p *pane) {
		must(p.T, p.start())
		plan, err := p.plan()
		must(p.T, err)
		defer plan.Close()
		wrong := p.step()
		wrong.Fence++
		_, err = p.engine.ClientRuns().Complete(p.Context(), wrong, plan.Checksum, Uncovered{})
		wantCode(p.T, "another fence", err, placements.CodeLeaseLost)
		stranger := p.step()
		stranger.By = record.Actor{ID: 8, Actions: []string{record.ActionAll}}
		_, err = p.engine.ClientRuns().Complete(p.Context(), stranger, plan.Checksum, Uncovered{})
		wantCode(p.T, "another user", err, placements.CodeForbidden)
		_, err = p.engine.ClientRuns().Renew(p.Context(), stranger)
		wantCode(p.T, "another user's lease", err, placements.CodeForbidden)
		_, err = p.engine.ClientRuns().Plan(p.Context(), stranger, p.sheet(nil))
		wantCode(p.T, "another user's plan", err, placements.CodeForbidden)
		_, err = p.engine.ClientRuns().Complete(p.Context(), p.step(), checksum.ResultChecksum{V: 2}, Uncovered{})
		wantCode(p.T, "another digest", err, placements.CodeDigest)
		p.write(plan)
		first, err := p.complete(plan)
		must(p.T, err)
		again, err := p.complete(plan)
		must(p.T, err)
		if diff := cmp.Diff(first, again); diff != "" {
			p.Errorf("completed again (-first +again):\n%s", diff)
		}
		_, err = p.engine.ClientRuns().Complete(p.Context(), p.step(), checksum.ResultChecksum{V: 2}, Uncovered{})
		wantCode(p.T, "another digest of a run that has ended", err, placements.CodeLeaseLost)
	})
}

func TestAClientCompletesNothingThatIsNotPlanned(t *testing.T) {
	eachPane(t, func(p *pane) {
		must(p.T, p.start())
		_, err := p.engine.ClientRuns().Complete(p.Context(), p.step(), checksum.ResultChecksum{V: 2}, Uncovered{})
		wantCode(p.T, "without a plan", err, placements.CodeDigest)
	})
}

// meanwhile is a source at which something happens during a query, which then fails.
type meanwhile struct {
	source.Source
	happens func()
}

func (s *meanwhile) Query(context.Context, source.Query, *checksum.Builder) ([]source.Column, error) {
	s.happens()
	return nil, &placements.Fault{Class: placements.Permanent, Message: "no such table"}
}

// A run that ended during its plan was not ended by that: its add-in is told that it has the run no more.
func TestAPlanOfARunThatHasEndedSaysSo(t *testing.T) {
	eachPane(t, func(p *pane) {
		stops := &meanwhile{Source: p.tables}
		p.engine = p.another(func(c *Config) {
			c.Tenants["acme"].Deployments[1] = DeploymentSource{Source: stops, Location: time.UTC}
		})
		must(p.T, p.start())
		stops.happens = func() { must(p.T, p.engine.Stop(p.Context(), deskDeployment, p.step().Run)) }
		_, err := p.engine.ClientRuns().Plan(p.Context(), p.step(), p.sheet(nil))
		wantCode(p.T, "a plan during which the run was stopped", err, placements.CodeLeaseLost)
		if run := p.step().Run; run.State != placements.RunStopped {
			p.Errorf("the run is %s", run.State)
		}
		must(p.T, p.start())
		stops.happens = func() {}
		_, err = p.engine.ClientRuns().Plan(p.Context(), p.step(), p.sheet(nil))
		if f, ok := errors.AsType[*placements.Fault](err); !ok || f.Class != placements.Permanent {
			p.Errorf("a plan that ends its run: %v", err)
		}
		if run := p.step().Run; run.State != placements.RunFailed {
			p.Errorf("the run is %s", run.State)
		}
	})
}

// Between the plan and its end the report is edited: what the client wrote is settled, as of the query before.
func TestAReportThatIsEditedBetweenPlanAndComplete(t *testing.T) {
	eachPane(t, func(p *pane) {
		must(p.T, p.start())
		plan, err := p.plan()
		must(p.T, err)
		_, err = p.store.Reports().Update(p.Context(), deskDeployment, p.reports[0], record.ReportInput{SQLQuery: placements.Sent("q9")},
			record.Actor{ID: 7, Actions: []string{record.ActionAll}}, func(*storage.Report) error { return nil })
		must(p.T, err)
		p.write(plan)
		plan.Close()
		if run, err := p.complete(plan); err != nil || run.State != placements.RunSucceeded {
			p.Errorf("complete: %+v, %v", run, err)
		}
		r, err := p.store.Reports().Get(p.Context(), deskDeployment, p.reports[0])
		must(p.T, err)
		if placed := p.placed(); placed.QueryChecksum == "" || placed.QueryChecksum == r.CurrentChecksum {
			p.Errorf("the placement is up to date with %q", placed.QueryChecksum)
		}
		must(p.T, p.start())
	})
}

// A placement that is disconnected ends its run: no plan is made of it any more, and none is settled.
func TestADisconnectedPlacementEndsTheRunOfItsClient(t *testing.T) {
	for name, planned := range map[string]bool{"before the plan": false, "after the plan": true} {
		t.Run(name, func(t *testing.T) {
			eachPane(t, func(p *pane) {
				must(p.T, p.start())
				if planned {
					plan, err := p.plan()
					must(p.T, err)
					p.disconnect()
					p.write(plan)
					plan.Close()
					_, err = p.complete(plan)
					wantCode(p.T, "complete", err, placements.CodeLeaseLost)
				} else {
					p.disconnect()
					_, err := p.plan()
					wantCode(p.T, "the plan", err, placements.CodeLeaseLost)
				}
				if placed := p.placed(); placed.ID != "" {
					p.Errorf("it is back: %+v", placed)
				}
			})
		})
	}
}

func TestAClientRefreshesOnlyItsUsersPlacement(t *testing.T) {
	eachPane(t, func(p *pane) {
		p.connectAs(0, "Data!A1", 8)
		wantCode(p.T, "another person's", p.start(), placements.CodeNotPlacer)
	})
}

func TestAConflictEndsAClientRun(t *testing.T) {
	eachPane(t, func(p *pane) {
		p.refreshed()
		p.books.enter("book", 1, 1, checksum.Str("mine"))
		must(p.T, p.start(placements.Stop))
		_, err := p.plan()
		if f, ok := errors.AsType[*placements.Fault](err); !ok || f.Class != placements.Conflict {
			p.Fatalf("the plan: %v", err)
		}
		if run := p.desk.run(p.lease.RunID); run.State != placements.RunFailed || run.ErrorClass != placements.Conflict || run.Error == "" {
			p.Errorf("the run: %+v", run)
		}
		if last := p.placed().LastRun; last.ErrorClass != placements.Conflict {
			p.Errorf("the placement shows %+v", last)
		}
		run, _ := p.refreshed(placements.Overwrite)
		if len(run.Placements[0].Overwritten) != 1 {
			p.Errorf("overwritten: %+v", run.Placements)
		}
	})
}

func TestAClientRunIsStopped(t *testing.T) {
	eachPane(t, func(p *pane) {
		must(p.T, p.start())
		plan, err := p.plan()
		must(p.T, err)
		defer plan.Close()
		must(p.T, p.engine.Stop(p.Context(), deskDeployment, p.step().Run))
		if run := p.desk.run(p.lease.RunID); run.State != placements.RunStopped || run.EndedAt == "" {
			p.Errorf("the run is %s", run.State)
		}
		if last := p.placed().LastRun; last.State != placements.RunStopped {
			p.Errorf("the placement shows %+v", last)
		}
		_, err = p.complete(plan)
		wantCode(p.T, "complete", err, placements.CodeLeaseLost)
		if err := p.engine.Stop(p.Context(), deskDeployment, p.step().Run); !errors.Is(err, queue.ErrEnded) {
			p.Errorf("stopped again: %v", err)
		}
		p.refreshed()
	})
}

func TestALeaseIsRenewedWithinTheRunLimit(t *testing.T) {
	eachPane(t, func(p *pane) {
		must(p.T, p.start())
		first := p.lease.Until
		lease, err := p.engine.ClientRuns().Renew(p.Context(), p.step())
		if err != nil || lease.Until.Before(first) || lease.Fence != p.lease.Fence {
			p.Errorf("renewed: %+v, %v; it ended at %s", lease, err, first)
		}
		p.engine = p.another(func(c *Config) { c.RunLimit = 1 })
		_, err = p.engine.ClientRuns().Renew(p.Context(), p.step())
		wantCode(p.T, "beyond the limit", err, placements.CodeLeaseLost)
	})
}
