package storage

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"mooring/placements"
	"mooring/storage/record"
	"mooring/storage/redis"
)

// fieldRun is the field of a run's hash that holds its JSON.
const fieldRun = "run"

// The fields of a run's hash beside its JSON. The scripts write them; they say more than the JSON while the run has not ended.
const (
	fieldState   = "state"
	fieldFence   = "fence"
	fieldStarted = "startedAt"
)

// Run returns a run; ErrNotFound.
func (s *Store) Run(ctx context.Context, d Deployment, id string) (*record.Run, error) {
	hash, err := s.rdb.HGetAll(ctx, s.deployment(d).run(id)).Result()
	if err != nil {
		return nil, redis.Unavailable(err)
	}
	return liveRun(id, hash)
}

// liveRun is a run as it stands now.
func liveRun(id string, hash map[string]string) (*record.Run, error) {
	if len(hash) == 0 {
		return nil, ErrNotFound
	}
	run, err := readRun(id, hash[fieldRun])
	if err != nil || run.EndedAt != "" {
		return run, err
	}
	run.State = placements.RunState(hash[fieldState])
	run.Attempt, _ = strconv.Atoi(hash[fieldFence])
	if at := unixMilli(hash[fieldStarted]); !at.IsZero() {
		run.StartedAt = placements.Time(at)
	}
	return run, nil
}

// Runs lists the runs of a report, the latest first.
func (s *Store) Runs(ctx context.Context, d Deployment, reportID int64) ([]*record.Run, error) {
	k := s.deployment(d)
	return s.history(ctx, k, k.reportRuns(reportID))
}

// ScheduleRuns lists the runs of a schedule, the latest first. They outlive it.
func (s *Store) ScheduleRuns(ctx context.Context, d Deployment, scheduleID int64) ([]*record.Run, error) {
	k := s.deployment(d)
	return s.history(ctx, k, k.scheduleRuns(scheduleID))
}

// history reads the runs that a history lists; those that are forgotten already are left out.
func (s *Store) history(ctx context.Context, k deploymentKeys, key string) ([]*record.Run, error) {
	ids, err := s.rdb.ZRevRange(ctx, key, 0, -1).Result()
	if err != nil {
		return nil, redis.Unavailable(err)
	}
	p := s.rdb.Pipeline()
	hashes := make([]*redis.MapStringStringCmd, len(ids))
	for i, id := range ids {
		hashes[i] = p.HGetAll(ctx, k.run(id))
	}
	if _, err := p.Exec(ctx); err != nil {
		return nil, redis.Unavailable(err)
	}
	runs := make([]*record.Run, 0, len(ids))
	for i, hash := range hashes {
		run, err := liveRun(ids[i], hash.Val())
		if errors.Is(err, ErrNotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		runs = append(runs, run)
	}
	return runs, nil
}

// storedRun is the JSON of a run as it is stored: beside what is shown, it has the rights of who asked for it.
type storedRun struct {
	*record.Run
	RequestedBy record.KeptActor `json:"requestedBy"`
}

func encodeRun(run *record.Run) (string, error) {
	return record.Encode(storedRun{run, record.Keep(run.RequestedBy)})
}

func readRun(id, text string) (*record.Run, error) {
	stored := storedRun{Run: new(record.Run)}
	if err := json.Unmarshal([]byte(text), &stored); err != nil {
		return nil, fmt.Errorf("run %s: %w", id, err)
	}
	stored.Run.RequestedBy = stored.RequestedBy.Restored()
	return stored.Run, nil
}
