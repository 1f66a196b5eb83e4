package queue

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"mooring/placements"
	"mooring/storage/keys"
	"mooring/storage/record"
	"mooring/storage/redis"
)

// statsScript counts what the lists of a deployment hold.
var statsScript = redis.NewScript(redis.NowLua + Lua("stats"))

// Stats counts what the lists of a deployment's runs and schedules hold, the runs of so many hours, of which the last is the present one.
func (q *Runs) Stats(ctx context.Context, d record.Deployment, hours int) (*record.Stats, error) {
	k, s := q.db.deployment(d), &record.Stats{Hours: make([]record.HourStats, hours)}
	names, counts := counted(k, s)
	out, err := statsScript.Run(ctx, q.db.rdb, names, hours, k.Runs().Lateness("")).Slice()
	if err != nil {
		return nil, redis.Unavailable(err)
	}
	s.Since, s.Until = unixMilli(redis.Text(out[0])), unixMilli(redis.Text(out[1]))
	for i, n := range append(integers(out[2]), integers(out[7])...) {
		*counts[i] = n
	}
	succeeded, failed, skipped := integers(out[3]), integers(out[4]), integers(out[5])
	for i := range s.Hours {
		s.Hours[i] = record.HourStats{
			From: s.Since.Add(time.Duration(i) * time.Hour), Succeeded: succeeded[i], Failed: failed[i], Skipped: skipped[i], Lateness: record.Lateness{},
		}
	}
	days, _ := out[6].([]any)
	for _, day := range days {
		if err := addLateness(s, redis.Pairs(day)); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// counted are the lists that statsScript counts, each with where its number goes.
func counted(k keys.DeploymentKeys, s *record.Stats) (names []string, counts []*int64) {
	add := func(name string, count *int64) { names, counts = append(names, name), append(counts, count) }
	ended := func(state placements.RunState) string { return k.Runs().List("state:" + string(state)) }
	add(k.Runs().List("all"), &s.Runs.Total)
	add(ended(placements.RunSucceeded), &s.Runs.Succeeded)
	add(ended(placements.RunFailed), &s.Runs.Failed)
	add(ended(record.RunConflict), &s.Runs.Conflict)
	add(ended(placements.RunSkipped), &s.Runs.Skipped)
	add(ended(placements.RunSuperseded), &s.Runs.Superseded)
	add(k.Schedules(), &s.Schedules.Total)
	add(k.PausedSchedules(), &s.Schedules.Paused)
	return names, counts
}

// integers are the numbers of a reply.
func integers(reply any) (list []int64) {
	all, _ := reply.([]any)
	for _, one := range all {
		n, _ := one.(int64)
		list = append(list, n)
	}
	return list
}

// addLateness adds the counts of a day, see keys.DeploymentKeys.Lateness, to its hours.
func addLateness(s *record.Stats, day map[string]string) error {
	first := s.Since.Unix() / int64(time.Hour/time.Second)
	for field, text := range day {
		at, name, _ := strings.Cut(field, ":")
		hour, err := strconv.ParseInt(at, 10, 64)
		bucket, err2 := strconv.Atoi(name)
		n, err3 := strconv.ParseInt(text, 10, 64)
		if err := errors.Join(err, err2, err3); err != nil {
			return fmt.Errorf("lateness: field %q: %w", field, err)
		}
		if i := hour - first; i >= 0 && i < int64(len(s.Hours)) {
			s.Hours[i].Lateness[bucket] += n
		}
	}
	return nil
}

// lateness is the bucket in which it counts how late a run began; empty for one that no tick of a schedule made.
func lateness(run *record.Run) string {
	started, err := time.Parse(time.RFC3339, run.StartedAt)
	if err != nil || run.Due.IsZero() {
		return ""
	}
	return strconv.Itoa(record.LatenessBucket(started.Sub(run.Due)))
}
