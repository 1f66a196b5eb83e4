package storage

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strconv"

	"mooring/storage/keys"
	"mooring/storage/record"
	"mooring/storage/redis"
)

// layout is the version of the layout of what is stored:
//
//	1  until keys.Schema existed
//	2  the runs of a deployment are in lists, see keys.DeploymentKeys.RunList, and so are its schedules that are paused
//	3  and so are its placements, see keys.DeploymentKeys.Placed
//	4  and so are the schedules of each report, see keys.DeploymentKeys.ReportSchedules
const layout = 4

// fixLayout brings what is stored to the present layout, one version after the other. A step that was interrupted is done again, and does
// only what is left of it: several processes may start at once. A storage of a later layout is refused.
func (s *Store) fixLayout(ctx context.Context, fresh bool) error {
	version, err := s.storedLayout(ctx, fresh)
	if err != nil {
		return err
	}
	if version > layout {
		return laterLayout(version)
	}
	steps := [...]func(context.Context) error{s.listRunsAndPauses, s.listPlacements, s.listOfReports} // from version 1 on
	for ; version < layout; version++ {
		s.log.InfoContext(ctx, "changing the layout of what is stored", "to", version+1)
		if err := steps[version-1](ctx); err != nil {
			return fmt.Errorf("change to layout %d: %w", version+1, err)
		}
		if err := s.rdb.Set(ctx, keys.Schema, version+1, 0).Err(); err != nil {
			return redis.Unavailable(err)
		}
	}
	return nil
}

func laterLayout(version int) error {
	return fmt.Errorf("this storage has layout %d, and this program knows layouts up to %d: use the version that wrote it, or a later one",
		version, layout)
}

// storedLayout is the version of the layout of what is stored. A fresh storage gets the present one.
func (s *Store) storedLayout(ctx context.Context, fresh bool) (int, error) {
	if fresh {
		return layout, redis.Unavailable(s.rdb.Set(ctx, keys.Schema, layout, 0).Err())
	}
	version, err := s.rdb.Get(ctx, keys.Schema).Int()
	if errors.Is(err, redis.Nil) {
		return 1, nil
	}
	return version, redis.Unavailable(err)
}

// listRunsAndPauses is the step to layout 2.
func (s *Store) listRunsAndPauses(ctx context.Context) error {
	if err := s.listRuns(ctx); err != nil {
		return err
	}
	return s.listSchedules(ctx, (*txn).listPaused)
}

// listPaused adds that c is listed as paused, if it is. One that is not may be paused at this moment: that takes no lock.
func (t *txn) listPaused(k deploymentKeys, c *record.Schedule) {
	if c.Paused {
		t.Then("ZADD", k.PausedSchedules(), c.ID, c.ID)
	}
}

// listOfReports is the step to layout 4.
func (s *Store) listOfReports(ctx context.Context) error {
	return s.listSchedules(ctx, (*txn).listOfReport)
}

// runKey is the form of keys.DeploymentKeys.Run: tenant, deployment and id of the run.
var runKey = regexp.MustCompile(`^mooring:\{p[0-9]+\}:t:([^:]*):d:([0-9]+):run:([^:]+(?::[0-9]+)?)$`)

// listRuns lists the runs that were made before there were lists.
func (s *Store) listRuns(ctx context.Context) error {
	return redis.EachKey(ctx, s.rdb, "mooring:{p*}:t:*:d:*:run:*", "hash", func(names []string) error {
		runs := map[record.Deployment][]string{}
		for _, name := range names {
			part := runKey.FindStringSubmatch(name)
			if part == nil {
				continue // such as the index of a spreadsheet whose name looks like that
			}
			d, err := deploymentOf(part)
			if err != nil {
				return err
			}
			runs[d] = append(runs[d], part[3])
		}
		for d, ids := range runs {
			unreadable := func(err error) { s.log.ErrorContext(ctx, "run is not listed", "error", err) }
			if err := s.work.Adopt(ctx, d, ids, unreadable); err != nil {
				return err
			}
		}
		return nil
	})
}

// scheduleKey is the form of keys.DeploymentKeys.Schedule: tenant, deployment and id of the schedule.
var scheduleKey = regexp.MustCompile(`^mooring:\{p[0-9]+\}:t:([^:]*):d:([0-9]+):schedule:([0-9]+)$`)

// listSchedules lists all schedules as list does.
func (s *Store) listSchedules(ctx context.Context, list func(*txn, deploymentKeys, *record.Schedule)) error {
	return redis.EachKey(ctx, s.rdb, "mooring:{p*}:t:*:d:*:schedule:*", "hash", func(names []string) error {
		for _, name := range names {
			part := scheduleKey.FindStringSubmatch(name)
			if part == nil {
				continue // such as the index of a spreadsheet whose name looks like that
			}
			d, err := deploymentOf(part)
			id, err2 := strconv.ParseInt(part[3], 10, 64)
			if err = errors.Join(err, err2); err != nil {
				return fmt.Errorf("key %q: %w", name, err)
			}
			if err := s.adoptSchedule(ctx, s.deployment(d), id, list); err != nil {
				return err
			}
		}
		return nil
	})
}

// adoptSchedule lists a schedule as list does. It holds the schedule's lock, since other processes may write already.
func (s *Store) adoptSchedule(
	ctx context.Context, k deploymentKeys, id int64, list func(*txn, deploymentKeys, *record.Schedule),
) error {
	h, loaded, err := s.lockLoad(ctx, []string{k.ScheduleLock(id)}, []string{k.Schedule(id)})
	if err != nil {
		return err
	}
	defer s.unlock(ctx, h)
	c, err := readSchedule(k, id, loaded[0])
	if errors.Is(err, ErrNotFound) {
		return nil // deleted meanwhile
	}
	if err != nil {
		s.log.ErrorContext(ctx, "schedule is not listed", "tenant", k.Name, "deployment", k.ID, "schedule", id, "error", err)
		return nil
	}
	var tx txn
	list(&tx, k, c)
	return s.commit(ctx, h, &tx)
}

// deploymentOf reads the deployment of a key from its parts, of which the first two are the tenant and the deployment's id.
func deploymentOf(part []string) (record.Deployment, error) {
	tenant, err := url.QueryUnescape(part[1])
	id, err2 := strconv.ParseInt(part[2], 10, 64)
	if err = errors.Join(err, err2); err != nil {
		return record.Deployment{}, fmt.Errorf("key %q: %w", part[0], err)
	}
	return record.Deployment{Tenant: tenant, ID: id}, nil
}

// placementsKey is the form of keys.DeploymentKeys.Placements: tenant, deployment and report.
var placementsKey = regexp.MustCompile(`^mooring:\{p[0-9]+\}:t:([^:]*):d:([0-9]+):report:([0-9]+):placements$`)

// listPlacements lists the placements that were recorded before there were lists.
func (s *Store) listPlacements(ctx context.Context) error {
	return redis.EachKey(ctx, s.rdb, "mooring:{p*}:t:*:d:*:report:*:placements", "hash", func(names []string) error {
		for _, name := range names {
			part := placementsKey.FindStringSubmatch(name)
			if part == nil {
				continue // such as the index of a spreadsheet whose name looks like that
			}
			d, err := deploymentOf(part)
			if err != nil {
				return err
			}
			report, err := parseID(part[3])
			if err != nil {
				return fmt.Errorf("key %q: %w", name, err)
			}
			if err := s.changePlacements(ctx, s.deployment(d), report, unchanged); err != nil {
				return err
			}
		}
		return nil
	})
}

func unchanged(*txn, deploymentKeys, *Report, *Placed) {}

// changePlacements changes the placements of a report as change does, and lists them. It holds the report's lock, since other processes may
// write already.
func (s *Store) changePlacements(
	ctx context.Context, k deploymentKeys, report int64, change func(*txn, deploymentKeys, *Report, *Placed),
) error {
	h, r, err := s.lockReport(ctx, k, report)
	switch {
	case errors.Is(err, ErrUnavailable), errors.Is(err, ErrBusy):
		return err
	case err != nil:
		s.log.ErrorContext(ctx, "placements are not listed", "tenant", k.Name, "deployment", k.ID, "report", report, "error", err)
		return nil
	}
	defer s.unlock(ctx, h)
	var tx txn
	for i := range r.Placements {
		change(&tx, k, r, &r.Placements[i])
		tx.stand(k, r, &r.Placements[i])
	}
	return s.commit(ctx, h, &tx)
}
