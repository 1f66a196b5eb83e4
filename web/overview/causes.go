package overview

import (
	"cmp"
	"context"
	"slices"
	"time"

	"mooring/placements"
	"mooring/storage/record"
	"mooring/storage/standing"
	"mooring/web/request"
)

// Causes are why placements of a deployment are not refreshed: conflicts first, then failures, then what waits, those of the most placements
// first.
type Causes struct {
	Causes   []*Cause `json:"causes"`   // never nil
	Complete bool     `json:"complete"` // false: there are more placements, or more causes
}

// Cause is what some placements have in common. Those that wait are grouped by what they wait for, conflicts are one cause, and failures are
// grouped by their sentence.
type Cause struct {
	Status        placements.Status `json:"status"` // placements.Conflicted, placements.Failed or standing.Waiting
	Reason        placements.Reason `json:"reason,omitempty"`
	ErrorClass    placements.Class  `json:"errorClass,omitempty"`
	Error         string            `json:"error,omitempty"`         // of the first placement
	Since         string            `json:"since,omitempty"`         // the earliest
	NextAttemptAt string            `json:"nextAttemptAt,omitempty"` // the earliest in the future
	Placements    int               `json:"placements"`
	Documents     int               `json:"documents"`
	First         []Placement       `json:"first"`

	documents map[string]bool
}

// The bounds of Causes.
const (
	maxCaused = 1000 // placements of each status that are looked at
	maxCauses = 30
	maxFirst  = 3 // placements that a cause names
)

// caused are the statuses that have causes, in the order of these.
var caused = []placements.Status{placements.Conflicted, placements.Failed, standing.Waiting}

// Causes groups the placements that failed, met a conflict or wait, and whose reports the caller may read.
func (o *API) Causes(ctx context.Context, c *request.Call) (any, error) {
	g := &causes{now: placements.Time(time.Now()), known: map[string]*Cause{}, Causes: Causes{Causes: []*Cause{}, Complete: true}}
	for _, status := range caused {
		if err := o.addCauses(ctx, c, status, g); err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(g.Causes.Causes, func(a, b *Cause) int {
		return cmp.Or(cmp.Compare(slices.Index(caused, a.Status), slices.Index(caused, b.Status)), cmp.Compare(b.Placements, a.Placements))
	})
	if len(g.Causes.Causes) > maxCauses {
		g.Causes.Causes, g.Complete = g.Causes.Causes[:maxCauses], false
	}
	return g.Causes, nil
}

// addCauses adds the placements of a status to their causes.
func (o *API) addCauses(ctx context.Context, c *request.Call, status placements.Status, g *causes) error {
	after := ""
	for read := 0; read < maxCaused; read += request.MaxPage {
		page, err := o.Store.Standing().Placements(ctx, c.At, standing.Filter{Status: status}, after, request.MaxPage)
		if err != nil {
			return err
		}
		for _, d := range page.Items {
			if c.Caller.Level(d.Definition) < record.MayRead {
				continue
			}
			if err := g.add(status, d); err != nil {
				return err
			}
		}
		if after = page.End; !page.HasNextPage {
			return nil
		}
	}
	g.Complete = false
	return nil
}

// causes is what Causes has found so far.
type causes struct {
	Causes
	now   string
	known map[string]*Cause // by their keys
}

// add adds a placement of a status to its cause. One that waits is also in the list of its status, where it is left out.
func (g *causes) add(status placements.Status, d record.DocumentPlacement) error {
	run := d.View.LastRun
	if run == nil || (status == standing.Waiting) != (run.State == placements.RunQueued && run.Reason != "") {
		return nil
	}
	cause := g.of(status, run)
	cause.Placements++
	if document := d.Placement.WorkbookID; !cause.documents[document] {
		cause.documents[document] = true
		cause.Documents++
	}
	if since := cmp.Or(run.Since, run.EndedAt, run.StartedAt); since != "" && (cause.Since == "" || since < cause.Since) {
		cause.Since = since
	}
	if next := run.NextAttemptAt; next > g.now && (cause.NextAttemptAt == "" || next < cause.NextAttemptAt) {
		cause.NextAttemptAt = next
	}
	if len(cause.First) == maxFirst {
		return nil
	}
	d.View = d.View.WithoutChecksum()
	shown, err := Show(d)
	cause.First = append(cause.First, shown)
	return err
}

// of returns the cause of a run's outcome on a placement of a status.
func (g *causes) of(status placements.Status, run *placements.LastRun) *Cause {
	cause := &Cause{Status: status, ErrorClass: run.ErrorClass, Error: run.Error, First: []Placement{}, documents: map[string]bool{}}
	key := string(status)
	switch status {
	case standing.Waiting:
		cause.Reason = run.Reason
		key += " " + string(run.Reason)
	case placements.Failed:
		key += " " + string(run.ErrorClass) + " " + run.Error
	}
	if g.known[key] == nil {
		g.known[key] = cause
		g.Causes.Causes = append(g.Causes.Causes, cause)
	}
	return g.known[key]
}
