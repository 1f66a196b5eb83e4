package placements

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

// causeList is why placements of a deployment are not refreshed: conflicts first, then failures, then what waits, those of the most placements
// first.
type causeList struct {
	Causes   []*cause `json:"causes"`   // never nil
	Complete bool     `json:"complete"` // false: there are more placements, or more causes
	// Stances count all placements; nil for a caller who may not read all, and where not all that wait were looked at.
	Stances *stanceCounts `json:"stances,omitempty"`
}

// cause is what some placements have in common. Those that wait are grouped by what they wait for, conflicts by which run ends them, and
// failures by their sentence.
type cause struct {
	Status        placements.Status `json:"status"` // placements.Conflicted, placements.Failed or standing.Waiting
	Reason        placements.Reason `json:"reason,omitempty"`
	ErrorClass    placements.Class  `json:"errorClass,omitempty"`
	Error         string            `json:"error,omitempty"`         // of the first placement
	Since         string            `json:"since,omitempty"`         // the earliest
	NextAttemptAt string            `json:"nextAttemptAt,omitempty"` // the earliest in the future
	Placements    int               `json:"placements"`
	Documents     int               `json:"documents"`
	First         []placement       `json:"first"`

	documents map[string]bool
}

// The bounds of a causeList.
const (
	maxCaused = 1000 // placements of each status that are looked at
	maxCauses = 30
	maxFirst  = 3 // placements that a cause names
)

// caused are the statuses that have causes, in the order of these.
var caused = []placements.Status{placements.Conflicted, placements.Failed, standing.Waiting}

// causes groups the placements that failed, met a conflict or wait, and whose reports the caller may read.
func (a *API) causes(ctx context.Context, c *request.Call) (any, error) {
	g := &grouping{
		now: placements.Time(time.Now()), known: map[string]*cause{}, waiting: map[placements.Status]int64{}, out: causeList{Causes: []*cause{}, Complete: true},
	}
	for _, status := range caused {
		if err := a.addCauses(ctx, c, status, g); err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(g.out.Causes, func(one, other *cause) int {
		return cmp.Or(cmp.Compare(slices.Index(caused, one.Status), slices.Index(caused, other.Status)), cmp.Compare(other.Placements, one.Placements))
	})
	if len(g.out.Causes) > maxCauses {
		g.out.Causes, g.out.Complete = g.out.Causes[:maxCauses], false
	}
	if !g.unseen {
		var err error
		if g.out.Stances, err = a.countStances(ctx, c, g.waiting, g.missing); err != nil {
			return nil, err
		}
	}
	return g.out, nil
}

// addCauses adds the placements of a status to their causes.
func (a *API) addCauses(ctx context.Context, c *request.Call, status placements.Status, g *grouping) error {
	after := ""
	for read := 0; read < maxCaused; read += request.MaxPage {
		page, err := a.Store.Standing().Placements(ctx, c.At, standing.Filter{Status: status}, after, request.MaxPage)
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
	g.out.Complete = false
	g.unseen = g.unseen || status == standing.Waiting
	return nil
}

// grouping is what causes has found so far.
type grouping struct {
	out   causeList
	now   string
	known map[string]*cause // by their keys

	unseen  bool                        // there are more placements that wait than were looked at
	waiting map[placements.Status]int64 // those that wait, by status
	missing int64                       // of them, for a file that is not there
}

// add adds a placement of a status to its cause. One that waits is also in the list of its status, where it is left out.
func (g *grouping) add(status placements.Status, d record.DocumentPlacement) error {
	run := d.View.LastRun
	if run == nil || (status == standing.Waiting) != (waitsFor(run) != "") {
		return nil
	}
	if status == standing.Waiting {
		g.waiting[d.View.Status(d.Definition)]++
		if run.Reason == placements.ReasonMissing {
			g.missing++
		}
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
	shown, err := granted(d)
	cause.First = append(cause.First, shown)
	return err
}

// clash says what ends the conflict that a run met: a run that moves rows out of the way, one that writes over, other values, or none of these.
func clash(run *placements.LastRun) string {
	switch c := run.Clash; {
	case c != nil && c.Room != nil && c.Room.ShiftRows:
		return " room"
	case c != nil && c.Overwrite:
		return " overwrite"
	case c != nil && c.Values:
		return " values"
	}
	return ""
}

// of returns the cause of a run's outcome on a placement of a status.
func (g *grouping) of(status placements.Status, run *placements.LastRun) *cause {
	found := &cause{Status: status, ErrorClass: run.ErrorClass, Error: run.Error, First: []placement{}, documents: map[string]bool{}}
	key := string(status)
	switch status {
	case standing.Waiting:
		found.Reason = run.Reason
		key += " " + string(run.Reason)
	case placements.Conflicted:
		key += clash(run)
	case placements.Failed:
		key += " " + string(run.ErrorClass) + " " + run.Error
	}
	if g.known[key] == nil {
		g.known[key] = found
		g.out.Causes = append(g.out.Causes, found)
	}
	return g.known[key]
}
