//go:build unix

package histories

import (
	"crypto/sha256"
	"fmt"
	"net/http"
	"strings"
	"sync"
)

// holding makes requests about the client runs of one placement.
type holding struct {
	report string

	mu   sync.Mutex
	sums map[string][]any // resultChecksums of plans, by the run's id
}

// heldVerbs are chosen from evenly.
var heldVerbs = []verb{begin, begin, renew, get, get, stop, look, planRun, planRun, planRun, complete, complete, complete}

func (w *holding) request(c *client, s *subject) {
	e := &entry{Part: s.part, Do: heldVerbs[c.rand.IntN(len(heldVerbs))]}
	if e.ID = s.id(c.rand); e.ID == "" {
		e.Do = begin
	}
	method, path, body := http.MethodGet, "/refreshes/"+e.ID, any(nil)
	switch e.Do {
	case begin:
		e.ID, method, path = "", http.MethodPost, "/reports/"+w.report+"/refreshes"
		body = map[string]any{"executor": "client", "placementId": "p"}
	case renew:
		method, path, body = http.MethodPut, path+"/lease", map[string]any{"fence": 1}
	case planRun:
		method, path, body = http.MethodPost, path+"/plan", emptySheet
	case complete:
		sum := w.sumOf(c, e.ID)
		if sum == nil {
			return
		}
		method, path, body = http.MethodPost, path+"/complete", map[string]any{"fence": 1, "resultChecksum": sum}
		e.Set = map[string]string{"digest": digestOf(sum)}
	case stop:
		method = http.MethodDelete
	case look:
		e.ID, path = "", "/reports/"+w.report+"?include=resultChecksum"
	}
	a, noted := c.ask(e, method, deployment+path, body)
	if a != nil {
		w.shown(e, a)
		s.told(e.Got["id"])
	}
	if noted {
		s.note(e)
	}
	if e.Do == begin {
		s.told(c.refusedFor)
	}
}

// emptySheet is what a client sends of a sheet on which nothing stands.
var emptySheet = map[string]any{"fence": 1, "anchor": "Sheet1!B2", "extent": map[string]any{"rows": 40, "columns": 4}, "cells": []any{}}

// sumOf is the resultChecksum of a plan of that run, mostly the last one; nil without any.
func (w *holding) sumOf(c *client, run string) any {
	w.mu.Lock()
	defer w.mu.Unlock()
	sums := w.sums[run]
	if len(sums) == 0 {
		return nil
	}
	return sums[len(sums)-1-min(len(sums)-1, c.rand.IntN(4)/3)]
}

// shown sets what an answer shows, and keeps what the run is completed with.
func (w *holding) shown(e *entry, a *answer) {
	switch e.Got = members(a, "state", "code"); {
	case e.Do == begin:
		e.Got = map[string]string{"id": a.is("runId")}
	case e.Do == look:
		list, _ := a.body["externalWorkbookPlacements"].([]any)
		placed, _ := list[0].(map[string]any)
		e.Got = map[string]string{"digest": digestOf(placed["resultChecksum"])}
	case e.Do == planRun && a.status == statusOK:
		sum := a.body["resultChecksum"]
		e.Got = map[string]string{"digest": digestOf(sum)}
		w.mu.Lock()
		defer w.mu.Unlock()
		w.sums[e.ID] = append(w.sums[e.ID], sum)
	}
}

// digestOf is the hash of a result of one chunk; empty without a result.
func digestOf(resultChecksum any) string {
	sum, _ := resultChecksum.(map[string]any)
	chunks, _ := sum["chunks"].([]any)
	if len(chunks) == 0 {
		return ""
	}
	chunk, _ := chunks[0].(map[string]any)
	return text(chunk["hash"])
}

// resultOfTheirOwn is a query whose result is another one each time. One in eight fails, as the sum is too large.
const resultOfTheirOwn = "SELECT CASE abs(random() % 8) WHEN 0 THEN abs(-9223372036854775807 - 1) ELSE hex(randomblob(8)) END AS value"

// heldReport makes a report that is placed in a document, for client runs, and returns its id.
func (c *client) heldReport(publicID, document string) string {
	id := c.insist(http.MethodPut, "/reports/by-public-id/"+publicID, map[string]any{"name": "Held", "sqlQuery": resultOfTheirOwn}).is("id")
	c.insist(http.MethodPut, "/reports/"+id+"/connect-workbook", map[string]any{
		"externalWorkbookId": "held " + document, "host": "SHEETS_A", "placementId": "p", "resultLocation": "Sheet1!B2", "addressOnly": true,
	})
	return id
}

// starting begins client runs of reports, each report's again and again under one Idempotency-Key, which is a part of its own, and stops them, so
// that another one could begin.
type starting struct {
	name string

	mu   sync.Mutex
	runs map[string]string // ids of runs, by their keys
}

func (w *starting) request(c *client, s *subject) {
	known := s.id(c.rand)
	key, report, _ := strings.Cut(known, " ")
	if known == "" || c.rand.IntN(6) == 0 || s.isRetired("key "+key) {
		name := w.name + s.value()
		key, report = "run"+name, c.heldReport(fmt.Sprintf("%x", sha256.Sum256([]byte(name)))[:12], name)
		s.told(key + " " + report)
	}
	w.mu.Lock()
	run := w.runs[key]
	w.mu.Unlock()
	if run != "" && c.rand.IntN(3) == 0 {
		_, _ = c.ask(new(entry), http.MethodDelete, deployment+"/refreshes/"+run, nil) // whatever comes of it, the key has made one run
		return
	}
	e := &entry{Part: "key " + key, Do: create}
	body := map[string]any{"executor": "client", "placementId": "p"}
	a, noted := c.ask(e, http.MethodPost, deployment+"/reports/"+report+"/refreshes", body, "Idempotency-Key", key)
	if a != nil && a.status == statusAccepted {
		e.Got = map[string]string{"id": a.is("runId")}
		w.mu.Lock()
		w.runs[key] = a.is("runId")
		w.mu.Unlock()
	}
	if noted {
		s.note(e)
	}
}
