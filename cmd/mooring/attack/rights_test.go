//go:build unix

package attack

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"mooring/storage/record/recordtest"
	"mooring/web/webtest"
)

// The numbers under which what the table of rights says is counted.
const (
	numberNarrow = 6  // narrow tokens
	numberSmall  = 11 // headers
)

// newWorld makes the table's assets anew, with their documents, and waits for the runs. Names and rows of the hidden report are secret.
func (a *attacker) newWorld() *webtest.World {
	a.t.Helper()
	a.worlds++
	for _, name := range webtest.Documents(a.worlds) {
		a.workbook(name, map[string]string{"A1": "of " + name})
	}
	w, err := webtest.Make(a.worlds, "SELECT item FROM sales ORDER BY item", a.in, a.sendAs)
	if err != nil {
		a.t.Fatal(err)
	}
	a.awaitRuns()
	return w
}

// worldAfter is a new world after something of the one before was used up. Devices are few: they are approved at a bounded rate.
func (a *attacker) worldAfter(used *webtest.World, right recordtest.Right) *webtest.World {
	a.t.Helper()
	switch right.Operation {
	case "endDevice":
		_, a.in.Device = a.pair(nil)
	case "endKey":
		a.newKey()
	}
	used.Remove()
	return a.newWorld()
}

// awaitRuns waits until no run is left to do.
func (a *attacker) awaitRuns() {
	a.t.Helper()
	until(a.t, "all runs end", func() bool {
		for _, state := range []string{"RUNNING", "QUEUED"} {
			for d := 1; d <= 3; d++ {
				list := a.must("an administrator", "GET", fmt.Sprintf("/api/v1/deployments/%d/refreshes?state=%s&first=1", d, state), "")
				if !strings.Contains(list.text, `"items":[]`) {
					return false
				}
			}
		}
		return true
	})
}

// attackRights has everybody ask for everything of everybody. What they may not have is asked for on assets that must stay as they are; for what is
// done for somebody there is one who asks, which shows that a request was refused for who asked.
func (a *attacker) attackRights() {
	a.attackOwner()
	w := a.newWorld()
	before := a.snapshot()
	for _, right := range recordtest.Rights() {
		if right.Takes == recordtest.Nothing {
			continue
		}
		q, err := w.Request(a.routes, right)
		if err != nil {
			a.t.Fatal(err)
		}
		a.tries(0, "asked without a token", a.ask(nil, right, q))
		done := a.askEverybody(right, q)
		if q.Method == http.MethodGet || q.Method == http.MethodHead {
			continue
		}
		now := a.snapshot()
		var faults []string
		if now != before {
			faults = append(faults, fmt.Sprintf("%s changed: %s", q, firstDifference(before, now)))
		}
		a.tries(0, "what was refused has changed nothing", faults)
		if before = now; done && right.Consumes() {
			w = a.worldAfter(w, right)
			before = a.snapshot()
		}
	}
	a.control()
}

// askEverybody has each of the people send a request, except those who may have it changed, and reports whether it was done for one.
func (a *attacker) askEverybody(right recordtest.Right, q webtest.Request) (done bool) {
	people := recordtest.People()
	for i := range people {
		p := &people[i]
		number, what := 0, "everybody × every operation × whose"
		if p.Bound != nil {
			number, what = numberNarrow, "narrow tokens × every operation × whose"
		}
		if right.Answer(p) == recordtest.Done && q.Method != http.MethodGet && q.Method != http.MethodHead {
			continue // it would change what the others are refused
		}
		faults := a.ask(p, right, q)
		done = done || len(faults) > 0
		a.tries(number, what, faults)
	}
	return done
}

// ask asks as a person, or without a token, and returns what is wrong with the answer.
func (a *attacker) ask(p *recordtest.Person, right recordtest.Right, q webtest.Request) (faults []string) {
	name := ""
	if p != nil {
		name = p.Name
	}
	got := a.send(name, q.Method, q.Path, q.Body)
	want := right.Answer(p)
	if answer := webtest.AnswerOf(got.status, got.code); answer != want {
		faults = append(faults, fmt.Sprintf("%s: %s: %s, want %s: %.300s", name, q, answer, want, got.text))
	}
	faults = append(faults, a.takeLeaks()...)
	if h := got.header; strings.HasPrefix(q.Path, "/api/") && (!strings.Contains(h.Get("Cache-Control"), "no-store") || h.Get("X-Content-Type-Options") != "nosniff") {
		a.try(numberSmall, "answers with no-store and nosniff", fmt.Sprintf("%s: Cache-Control %q, X-Content-Type-Options %q",
			q, h.Get("Cache-Control"), h.Get("X-Content-Type-Options")))
	} else {
		a.try(numberSmall, "answers with no-store and nosniff", "")
	}
	return faults
}

// control has each request that changes something sent by somebody who may.
func (a *attacker) control() {
	w := a.newWorld()
	people := recordtest.People()
	for i, right := range recordtest.Rights() {
		who := slices.IndexFunc(people, func(p recordtest.Person) bool { return right.Answer(&p) == recordtest.Done })
		if right.Takes == recordtest.Nothing || who < 0 || !a.whole && i%10 != 0 {
			continue
		}
		q, err := w.Request(a.routes, right)
		if err != nil {
			a.t.Fatal(err)
		}
		faults := a.ask(&people[who], right, q)
		if right.Consumes() && len(faults) == 0 {
			w = a.worldAfter(w, right)
		}
		a.tries(0, "what who may asks for is done", faults)
	}
}
