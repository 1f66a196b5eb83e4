package overview

import (
	"cmp"
	"context"
	"slices"

	"mooring/placements"
	"mooring/storage/record"
	"mooring/storage/standing"
	"mooring/web/access"
	"mooring/web/request"
)

// StatsAnswer counts what the lists of the deployment hold. Each number is the length of a list; that of runs, of the list since Since.
type StatsAnswer struct {
	Window     string                `json:"window"`
	Since      string                `json:"since"`
	Until      string                `json:"until"`
	Runs       record.RunCounts      `json:"runs"`
	Placements standing.Counts       `json:"placements"`
	Documents  standing.Counts       `json:"documents"` // with at least one such placement
	Schedules  record.ScheduleCounts `json:"schedules"`
	Hours      []Hour                `json:"hours"`
	Lateness   LatenessAnswer        `json:"lateness"`
}

// Hour is what became of the runs that were made in an hour.
type Hour struct {
	From          string `json:"from"`
	Succeeded     int64  `json:"succeeded"`
	Failed        int64  `json:"failed"`
	Skipped       int64  `json:"skipped"`
	LatenessP50Ms *int64 `json:"latenessP50Ms"` // null: no run of a schedule has ended
	LatenessP99Ms *int64 `json:"latenessP99Ms"`
}

// LatenessAnswer is how long after they were due the runs of schedules began, in ms and up to 10 % too long; null without such a run.
type LatenessAnswer struct {
	P50Ms *int64 `json:"p50Ms"`
	P99Ms *int64 `json:"p99Ms"`
}

// The windows of Stats, and how many hours each has: the present one and those before it.
var (
	windows     = []string{"24h", "7d", "30d"}
	windowHours = []int{24, 7 * 24, 30 * 24}
)

// Stats counts what the lists of the deployment hold, whosever it is, so the caller must be able to read every report.
func (o *API) Stats(ctx context.Context, c *request.Call) (any, error) {
	if err := access.All(c, "The runs, placements and schedules of a deployment"); err != nil {
		return nil, err
	}
	window, err := request.Choice(c, "window", windows, "24h, 7d or 30d")
	if err != nil {
		return nil, err
	}
	window = cmp.Or(window, windows[0])
	runs, err := o.Store.Queue().Runs.Stats(ctx, c.At, windowHours[slices.Index(windows, window)])
	if err != nil {
		return nil, err
	}
	placed, documents, err := o.Store.Standing().Counts(ctx, c.At)
	if err != nil {
		return nil, err
	}
	late := runs.Lateness()
	stats := StatsAnswer{
		Window: window, Since: placements.Time(runs.Since), Until: placements.Time(runs.Until),
		Runs: runs.Runs, Placements: placed, Documents: documents, Schedules: runs.Schedules,
		Hours: make([]Hour, len(runs.Hours)), Lateness: LatenessAnswer{late.Quantile(0.5), late.Quantile(0.99)},
	}
	for i, h := range runs.Hours {
		stats.Hours[i] = Hour{placements.Time(h.From), h.Succeeded, h.Failed, h.Skipped, h.Lateness.Quantile(0.5), h.Lateness.Quantile(0.99)}
	}
	return stats, nil
}
