package placements

import (
	"context"
	"strconv"
	"strings"

	"mooring/placements"
	"mooring/storage/record"
	"mooring/storage/standing"
	"mooring/web/access"
	"mooring/web/request"
)

// stance is how people count a placement: it has exactly one, while one that waits also has a status. Beside those of this file it is the
// status of a placement that waits for nothing.
type stance string

// The stances that several statuses and reasons have.
const (
	needsYou stance = "NEEDS_YOU" // it met a conflict, its last run failed, or its file is not there
	waits    stance = "WAITS"     // it goes on by itself
)

// stances are the values of the filter.
var stances = []stance{
	stance(placements.UpToDate), stance(placements.Changed), stance(placements.Unknown), stance(placements.Refreshing), needsYou, waits,
}

// parts are the lists that have the placements of a stance, one after the other, and some that admits leaves out.
func (s stance) parts() []standing.Filter {
	switch s {
	case needsYou:
		return []standing.Filter{{Status: placements.Conflicted}, {Status: placements.Failed}, {Reason: placements.ReasonMissing}}
	case waits:
		return []standing.Filter{
			{Reason: placements.ReasonLocked}, {Reason: placements.ReasonSource}, {Reason: placements.ReasonQuota}, {Reason: placements.ReasonHeld},
		}
	}
	return []standing.Filter{{Status: placements.Status(s)}}
}

// admits reports whether a placement of one of the parts has the stance, by what it waits for.
func (s stance) admits(waitsFor placements.Reason, part standing.Filter) bool {
	return waitsFor == part.Reason || s == waits
}

// waitsFor is what a placement waits for; empty for one that waits for nothing.
func waitsFor(run *placements.LastRun) placements.Reason {
	if run == nil || run.State != placements.RunQueued {
		return ""
	}
	return run.Reason
}

// within are the parts of the stance in the placements that a filter wants.
func (s stance) within(f standing.Filter) []standing.Filter {
	parts := s.parts()
	for i, part := range parts {
		parts[i] = f
		parts[i].Status, parts[i].Reason = part.Status, part.Reason
	}
	return parts
}

// read returns placements of the stance behind a place, which is that in its part behind the part's number.
func (a *API) read(
	ctx context.Context, at record.Deployment, s stance, f standing.Filter, after string, first int,
) (l request.Listed[record.DocumentPlacement], err error) {
	parts := s.within(f)
	n, place := splitPart(after)
	page, err := a.Store.Standing().Placements(ctx, at, parts[n], place, first)
	for _, d := range page.Items {
		if s.admits(waitsFor(d.View.LastRun), parts[n]) {
			l.Items, l.Places = append(l.Items, d), append(l.Places, inPart(n, d.Member))
		}
	}
	l.More, l.End = page.HasNextPage, inPart(n, page.End)
	if !l.More && n+1 < len(parts) {
		l.More, l.End = true, inPart(n+1, "")
	}
	return l, err
}

// inPart is a place in a list of several parts.
func inPart(n int, place string) string { return strconv.Itoa(n) + "/" + place }

// splitPart takes it apart; the beginning is in the first part.
func splitPart(text string) (n int, place string) {
	number, place, _ := strings.Cut(text, "/")
	n, _ = strconv.Atoi(number)
	return n, place
}

// checkPart reports whether text can be a place in the list of a stance.
func (s stance) checkPart(text string) bool {
	number, place, found := strings.Cut(text, "/")
	n, err := strconv.Atoi(number)
	return found && err == nil && n >= 0 && n < len(s.parts()) && (place == "" || standing.CheckPlace(place))
}

// stanceCounts are how many placements there are of each stance.
type stanceCounts struct {
	Total      int64 `json:"total"`
	UpToDate   int64 `json:"upToDate"`
	Changed    int64 `json:"changed"`
	Unknown    int64 `json:"unknown"`
	Refreshing int64 `json:"refreshing"`
	NeedsYou   int64 `json:"needsYou"`
	Waits      int64 `json:"waits"`
}

// countStances counts the placements of the deployment by stance, of which some wait: how many with each status, and how many for a file that is
// not there. nil for a caller who may not read all of them.
func (a *API) countStances(ctx context.Context, c *request.Call, waiting map[placements.Status]int64, missing int64) (*stanceCounts, error) {
	if access.All(c, "The numbers of a deployment") != nil {
		return nil, nil
	}
	placed, _, err := a.Store.Standing().Counts(ctx, c.At)
	if err != nil {
		return nil, err
	}
	but := func(n int64, status placements.Status) int64 { return max(0, n-waiting[status]) } // read at another moment
	return &stanceCounts{
		Total: placed.Total, UpToDate: but(placed.UpToDate, placements.UpToDate), Changed: but(placed.Changed, placements.Changed),
		Unknown: but(placed.Unknown, placements.Unknown), Refreshing: but(placed.Refreshing, placements.Refreshing),
		NeedsYou: but(placed.Conflict+placed.Failed, placements.Failed) + missing, Waits: max(0, placed.Waiting-missing),
	}, nil
}
