package keep

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strconv"

	"mooring/storage/engine"
	"mooring/storage/keys"
	"mooring/storage/layout"
	"mooring/storage/queue"
	"mooring/storage/record"
	"mooring/storage/redis"
)

// presentLayout is the version of the layout of what is stored:
//
//	1  until keys.Schema existed
//	2  the runs of a deployment are in lists, see keys.RunKeys.List, and so are its schedules that are paused
//	3  and so are its placements, see keys.DeploymentKeys.Placed
//	4  and so are the schedules of each report, see keys.DeploymentKeys.ReportSchedules
const presentLayout = 4

// Keeper looks after the storage as a whole: its layout, backups and restores.
type Keeper struct {
	db     *engine.DB
	reader *layout.Reader
	queue  *queue.Queue
}

// NewKeeper returns the keeper of a storage.
func NewKeeper(db *engine.DB, reader *layout.Reader, queue *queue.Queue) *Keeper {
	return &Keeper{db, reader, queue}
}

// connect returns the keeper of the storage that c names, and does not ask it anything yet.
func connect(c engine.Config) (*Keeper, error) {
	db, err := engine.Connect(c)
	if err != nil {
		return nil, err
	}
	return NewKeeper(db, layout.NewReader(db), queue.New(db.Redis, db.Hot, db.Partitions, db.Log)), nil
}

// Close ends the connections.
func (s *Keeper) Close() error { return s.db.Close() }

// MakeReady makes a storage ready that is new or of an earlier layout.
func (s *Keeper) MakeReady(ctx context.Context) error {
	if err := s.checkWhole(ctx); err != nil {
		return err
	}
	fresh, err := s.db.FixPartitions(ctx)
	if err != nil {
		return err
	}
	if err := s.FixLayout(ctx, fresh); err != nil {
		return err
	}
	if s.db.Embedded != nil && s.db.Embedded.Unclean() {
		err = s.db.StartedBehind(ctx)
	}
	return err
}

// FixLayout brings what is stored to the present layout, one version after the other. A step that was interrupted is done again, and does
// only what is left of it: several processes may start at once. A storage of a later layout is refused.
func (s *Keeper) FixLayout(ctx context.Context, fresh bool) error {
	version, err := s.storedLayout(ctx, fresh)
	if err != nil {
		return err
	}
	if version > presentLayout {
		return laterLayout(version)
	}
	steps := [...]func(context.Context) error{s.listRunsAndPauses, s.listPlacements, s.listOfReports} // from version 1 on
	for ; version < presentLayout; version++ {
		s.db.Log.InfoContext(ctx, "changing the layout of what is stored", "to", version+1)
		if err := steps[version-1](ctx); err != nil {
			return fmt.Errorf("change to layout %d: %w", version+1, err)
		}
		if err := s.db.Redis.Set(ctx, keys.Schema, version+1, 0).Err(); err != nil {
			return redis.Unavailable(err)
		}
	}
	return nil
}

func laterLayout(version int) error {
	return fmt.Errorf("this storage has layout %d, and this program knows layouts up to %d: use the version that wrote it, or a later one",
		version, presentLayout)
}

// storedLayout is the version of the layout of what is stored. A fresh storage gets the present one.
func (s *Keeper) storedLayout(ctx context.Context, fresh bool) (int, error) {
	if fresh {
		return presentLayout, redis.Unavailable(s.db.Redis.Set(ctx, keys.Schema, presentLayout, 0).Err())
	}
	version, err := s.db.Redis.Get(ctx, keys.Schema).Int()
	if errors.Is(err, redis.Nil) {
		return 1, nil
	}
	return version, redis.Unavailable(err)
}

// listRunsAndPauses is the step to layout 2.
func (s *Keeper) listRunsAndPauses(ctx context.Context) error {
	if err := s.listRuns(ctx); err != nil {
		return err
	}
	return s.listSchedules(ctx, listPaused)
}

// listPaused adds that c is listed as paused, if it is. One that is not may be paused at this moment: that takes no lock.
func listPaused(to *layout.Recorder, c *record.Schedule) {
	if c.Paused {
		to.Tx.Then("ZADD", to.Keys.PausedSchedules(), c.ID, c.ID)
	}
}

// listOfReports is the step to layout 4.
func (s *Keeper) listOfReports(ctx context.Context) error {
	return s.listSchedules(ctx, (*layout.Recorder).ListOfReport)
}

// runKey is the form of keys.RunKeys.Record: tenant, deployment and id of the run.
var runKey = regexp.MustCompile(`^mooring:\{p[0-9]+\}:t:([^:]*):d:([0-9]+):run:([^:]+(?::[0-9]+)?)$`)

// listRuns lists the runs that were made before there were lists.
func (s *Keeper) listRuns(ctx context.Context) error {
	unreadable := func(err error) { s.db.Log.ErrorContext(ctx, "run is not listed", "error", err) }
	return s.eachHash(ctx, "mooring:{p*}:t:*:d:*:run:*", runKey, func(d record.Deployment, ids []string) error {
		return s.queue.Runs.Adopt(ctx, d, ids, unreadable)
	})
}

// eachHash calls list with the hashes whose keys are of a form, page by page: for each deployment with the last part of their keys.
func (s *Keeper) eachHash(ctx context.Context, like string, form *regexp.Regexp, list func(d record.Deployment, last []string) error) error {
	return redis.EachKey(ctx, s.db.Redis, like, "hash", func(names []string) error {
		found := map[record.Deployment][]string{}
		for _, name := range names {
			part := form.FindStringSubmatch(name)
			if part == nil {
				continue // such as the index of a spreadsheet whose name looks like that
			}
			d, err := deploymentOf(part)
			if err != nil {
				return err
			}
			found[d] = append(found[d], part[3])
		}
		for d, last := range found {
			if err := list(d, last); err != nil {
				return err
			}
		}
		return nil
	})
}

// eachNumbered is eachHash one by one, for keys that end in a number.
func (s *Keeper) eachNumbered(ctx context.Context, like string, form *regexp.Regexp, list func(k keys.DeploymentKeys, id int64) error) error {
	return s.eachHash(ctx, like, form, func(d record.Deployment, last []string) error {
		for _, text := range last {
			id, err := layout.ParseID(text)
			if err != nil {
				return fmt.Errorf("a key like %s of deployment %d: %w", like, d.ID, err)
			}
			if err := list(s.db.Deployment(d), id); err != nil {
				return err
			}
		}
		return nil
	})
}

// scheduleKey is the form of keys.DeploymentKeys.Schedule: tenant, deployment and id of the schedule.
var scheduleKey = regexp.MustCompile(`^mooring:\{p[0-9]+\}:t:([^:]*):d:([0-9]+):schedule:([0-9]+)$`)

// listSchedules lists all schedules as list does.
func (s *Keeper) listSchedules(ctx context.Context, list func(*layout.Recorder, *record.Schedule)) error {
	return s.eachNumbered(ctx, "mooring:{p*}:t:*:d:*:schedule:*", scheduleKey, func(k keys.DeploymentKeys, id int64) error {
		return s.adoptSchedule(ctx, k, id, list)
	})
}

// adoptSchedule lists a schedule as list does. Other processes may write already.
func (s *Keeper) adoptSchedule(
	ctx context.Context, k keys.DeploymentKeys, id int64, list func(*layout.Recorder, *record.Schedule),
) error {
	of := engine.WriteSubject{Locks: []string{k.Locks().Schedule(id)}, Hashes: []string{k.Schedule(id)}, Same: layout.ScheduleFields()}
	return s.db.Change(ctx, of, func(tx *engine.Transaction, hashes []map[string]string) error {
		c, err := layout.ReadSchedule(k, id, hashes[0])
		switch {
		case errors.Is(err, record.ErrNotFound): // deleted meanwhile
		case err != nil:
			s.db.Log.ErrorContext(ctx, "schedule is not listed", "tenant", k.Name, "deployment", k.ID, "schedule", id, "error", err)
		default:
			list(layout.NewRecorder(s.db, tx, k, record.Actor{}), c)
		}
		return nil
	})
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
func (s *Keeper) listPlacements(ctx context.Context) error {
	return s.eachNumbered(ctx, "mooring:{p*}:t:*:d:*:report:*:placements", placementsKey, func(k keys.DeploymentKeys, report int64) error {
		return s.changePlacements(ctx, k, report, unchanged)
	})
}

func unchanged(*layout.Recorder, *layout.Report, *layout.Placed) {}

// changePlacements changes the placements of a report as change does, and lists them. It holds the report's lock, since other processes may
// write already.
func (s *Keeper) changePlacements(
	ctx context.Context, k keys.DeploymentKeys, report int64, change func(*layout.Recorder, *layout.Report, *layout.Placed),
) error {
	read := false
	err := s.reader.Change(ctx, k, report, record.Actor{}, nil, func(to *layout.Recorder, r *layout.Report) error {
		read = true
		for i := range r.Placements {
			change(to, r, &r.Placements[i])
			to.ListPlacement(r, &r.Placements[i])
		}
		return nil
	})
	if err != nil && !read && !errors.Is(err, redis.ErrUnavailable) && !errors.Is(err, engine.ErrBusy) {
		s.db.Log.ErrorContext(ctx, "placements are not listed", "tenant", k.Name, "deployment", k.ID, "report", report, "error", err)
		return nil
	}
	return err
}
