//go:build unix

package histories

import (
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"

	"mooring/cmd/mooring/programtest"
)

// The size of a round: parts are small, so that they can be decided. Clients wait for servers and locks most of the time.
const (
	clients         = 24
	subjectsOfKind  = 18
	requestsOfRound = 9000
)

// requestsForAllVerbs is how many requests have one of each kind that is answered well, whatever is drawn.
const requestsForAllVerbs = 20000

// checkWithin bounds the decision of one part; none comes near it.
const checkWithin = programtest.Patience

// number is that of an environment variable, or other when it is not set.
func number(t *testing.T, name string, other uint64) uint64 {
	t.Helper()
	given := os.Getenv(name)
	if given == "" {
		return other
	}
	n, err := strconv.ParseUint(given, 10, 64)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return n
}

// TestHistories sends MOORING_HISTORIES requests, by default so few that it is no burden, with the seed MOORING_HISTORIES_SEED, and checks
// every part of their history. With an odd seed the storage is a cluster whose primaries and replicas change places, else one Redis. What is
// refused is written to MOORING_HISTORIES_OUT.
func TestHistories(t *testing.T) {
	requests, seed := int(number(t, "MOORING_HISTORIES", 300)), number(t, "MOORING_HISTORIES_SEED", 1)
	dir := os.Getenv("MOORING_HISTORIES_OUT")
	if dir == "" {
		dir = t.TempDir()
	}
	began, total := time.Now(), new(tally)
	rig := newRig(t, seed%2 == 1)
	first := &client{rig: rig, rand: rand.New(rand.NewPCG(seed, 2)), http: &http.Client{}, began: time.Now(), tally: new(tally)}
	first.insist(http.MethodPut, "/reports/by-public-id/"+schedulesReport, map[string]any{"name": "Scheduled"})
	first.faults = newFaults(rig, seed)
	parts, wrong, done := 0, 0, map[verb]int{}
	for round := 0; int(total.sent.Load()) < requests; round++ {
		entries := sendRound(first, round, min(requestsOfRound, requests-int(total.sent.Load())), seed, total)
		for _, v := range decide(entries) {
			parts++
			for _, e := range v.entries {
				if e.isDone() {
					done[e.Do]++
				}
			}
			if v.result != porcupine.Ok {
				wrong++
				text, page := v.write(t, dir)
				t.Errorf("%s: %s, see %s and %s", v.part, v.result, text, page)
			}
		}
	}
	for _, do := range verbs {
		if done[do] == 0 && requests >= requestsForAllVerbs {
			t.Errorf("no request %q was answered well", do)
		}
	}
	counts := first.faults.stop()
	for _, what := range first.faults.missed(total.sent.Load()) {
		t.Errorf("too few faults: %s", what)
	}
	t.Logf("seed %d: %d requests in %.0f s, %d without an answer, %d refused for now; %s; %d parts, %d not linearizable",
		seed, total.sent.Load(), time.Since(began).Seconds(), total.lost.Load(), total.refused.Load(), told(counts), parts, wrong)
}

// sendRound has clients send that many requests about new subjects, and returns the history of each.
func sendRound(first *client, round, requests int, seed uint64, total *tally) (histories [][]*entry) {
	subjects := first.subjects(round)
	before := total.sent.Load()
	var working sync.WaitGroup
	for i := range clients {
		c := &client{
			rig: first.rig, number: i, rand: rand.New(rand.NewPCG(seed, uint64(round*clients+i+3))), http: &http.Client{}, began: first.began, tally: total,
			faults: first.faults,
		}
		c.http.Transport = http.DefaultTransport.(*http.Transport).Clone()
		working.Go(func() {
			defer c.http.CloseIdleConnections()
			for total.sent.Load()-before < int64(requests) {
				if s := subjects[c.rand.IntN(len(subjects))]; !s.isRetired(s.part) {
					s.work.request(c, s)
				}
			}
		})
	}
	working.Wait()
	first.countMade(subjects)
	parts := map[string][]*entry{}
	for _, s := range subjects {
		for _, e := range s.entries {
			parts[e.Part] = append(parts[e.Part], e)
		}
	}
	for _, part := range slices.Sorted(maps.Keys(parts)) {
		histories = append(histories, parts[part])
	}
	return histories
}

// decide checks every history.
func decide(histories [][]*entry) (verdicts []verdict) {
	for _, entries := range histories {
		verdicts = append(verdicts, check(entries, checkWithin))
	}
	return verdicts
}

// TestCheckAgain checks a history that was written to the file MOORING_HISTORY.
func TestCheckAgain(t *testing.T) {
	name := os.Getenv("MOORING_HISTORY")
	if name == "" {
		t.Skip("MOORING_HISTORY names no file")
	}
	v := check(read(t, name), checkWithin)
	if v.result != porcupine.Ok {
		_, page := v.write(t, filepath.Dir(name))
		t.Errorf("%s: %s, drawn in %s", name, v.result, page)
	}
}
