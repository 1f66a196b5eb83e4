package archive

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"regexp"
	"strconv"
	"strings"
	"time"

	"mooring/storage/backup"
	"mooring/storage/keys"
	"mooring/storage/record"
	"mooring/storage/redis"
)

// tenantKey is the form of a tenant's keys: the tenant, and the name behind its prefix.
var tenantKey = regexp.MustCompile(`^mooring:\{p[0-9]+\}:t:([^:]*):(?s:(.*))$`)

// Saver copies tenants out of a storage.
type Saver struct {
	rdb        redis.UniversalClient
	partitions int
	log        *slog.Logger
	refused    error // why the server holds no writes
}

// NewSaver returns a saver of a storage with that many partitions.
func NewSaver(rdb redis.UniversalClient, partitions int, log *slog.Logger) *Saver {
	return &Saver{rdb: rdb, partitions: partitions, log: log}
}

// Tenants returns the names of the tenants of which the storage has anything.
func (s *Saver) Tenants(ctx context.Context) ([]string, error) { return tenantsOf(ctx, s.rdb) }

// How a copy becomes one of a single instant.
const (
	fewKeys   = 200                    // so many are copied while writes are held
	catchUps  = 10                     // how often what changed meanwhile is copied to become few
	lastTries = 20                     // how often the last of it is tried to be copied while nothing is written
	holdFor   = 500 * time.Millisecond // how long the server holds writes for a try, at most: clients wait for longer
)

// tenantCopy is a tenant that is being copied.
type tenantCopy struct {
	*Saver
	name        string
	prefix      string // of its keys
	out         *backup.Writer
	deployments map[string]bool
	streams     map[string]string // the last entry of each that was copied
}

// Save writes a tenant as it is at one instant, while others go on writing. First all its keys are copied, then those that were written
// meanwhile, again and again, until none was: then all copies are of that moment. Writes are held for the last few.
func (s *Saver) Save(ctx context.Context, out *backup.Writer, tenant string) (backup.Counts, error) {
	k := keys.OfTenant(tenant, s.partitions)
	c := &tenantCopy{s, tenant, k.Prefix, out, map[string]bool{}, map[string]string{}}
	tracker, err := redis.Track(ctx, s.rdb, k.Prefix)
	if err != nil {
		return backup.Counts{}, fmt.Errorf("tenant %s: %w", tenant, err)
	}
	counts, err := c.save(ctx, tracker)
	if err = errors.Join(err, tracker.Close()); err != nil {
		return counts, fmt.Errorf("tenant %s: %w", tenant, err)
	}
	return counts, nil
}

func (c *tenantCopy) save(ctx context.Context, tracker *redis.Tracker) (counts backup.Counts, err error) {
	if err := c.out.Tenant(c.name); err != nil {
		return counts, err
	}
	changed, err := c.copyAll(ctx, tracker)
	for n := 0; err == nil && n < catchUps && len(changed) > fewKeys; n++ {
		if err = c.copyKeys(ctx, changed); err == nil {
			changed, err = c.changed(tracker)
		}
	}
	if err != nil {
		return counts, err
	}
	if counts, err = c.finish(ctx, tracker, changed); err != nil {
		return counts, err
	}
	return counts, c.out.Tail(counts)
}

// copyAll copies every key, and returns those that were written meanwhile.
func (c *tenantCopy) copyAll(ctx context.Context, tracker *redis.Tracker) ([]string, error) {
	later := map[string]bool{}
	err := redis.EachKeyBeside(ctx, c.rdb, c.prefix, c.prefix+"*", func(names []string) error {
		if err := c.copyKeys(ctx, c.kept(names)); err != nil {
			return err
		}
		changed, err := c.changed(tracker) // as it goes, so that the server keeps none for long
		for _, name := range changed {
			later[name] = true
		}
		return err
	})
	names := make([]string, 0, len(later))
	for name := range later {
		names = append(names, name)
	}
	return names, err
}

// finish copies the last keys that changed, until nothing was written meanwhile, and counts what there is.
func (c *tenantCopy) finish(ctx context.Context, tracker *redis.Tracker, changed []string) (counts backup.Counts, err error) {
	for range lastTries {
		held := c.hold(ctx, tracker)
		since, err := c.changed(tracker)
		if err == nil {
			err = c.copyKeys(ctx, union(changed, since))
		}
		if err == nil {
			counts, err = c.count(ctx)
		}
		if err == nil {
			changed, err = c.changed(tracker)
		}
		if held {
			err = errors.Join(err, tracker.Release())
		}
		if err != nil || len(changed) == 0 {
			return counts, err
		}
	}
	return counts, c.restless()
}

// hold makes the server hold writes; one that does not is asked no more.
func (c *tenantCopy) hold(ctx context.Context, tracker *redis.Tracker) bool {
	if c.refused != nil {
		return false
	}
	err := tracker.Hold(holdFor)
	if err != nil {
		c.refused = err
		c.log.WarnContext(ctx, "the server does not hold writes for a moment: the copy waits for one in which nothing is written", "error", err)
	}
	return err == nil
}

// restless is the error of a tenant that is written all the time.
func (c *tenantCopy) restless() error {
	if c.refused != nil {
		return fmt.Errorf("it is written all the time, and the server does not hold writes (%w): "+
			"allow its user CLIENT PAUSE, or try again when less is written", c.refused)
	}
	return fmt.Errorf("%d times what changed was too much to copy within %s: "+
		"try again when less is written, or nearer to the server", lastTries, holdFor)
}

// changed returns the keys that are kept and were written since it was asked last.
func (c *tenantCopy) changed(tracker *redis.Tracker) ([]string, error) {
	names, err := tracker.Changed()
	return c.kept(names), err
}

// kept returns those of some keys that a file has.
func (c *tenantCopy) kept(names []string) []string {
	var kept []string
	for _, name := range names {
		rest, ours := strings.CutPrefix(name, c.prefix)
		if !ours {
			continue
		}
		if id := keys.DeploymentOf(rest); id != "" {
			c.deployments[id] = true
		}
		if is := keys.BackupOf(rest); is != keys.LeftOut && is != keys.Index {
			kept = append(kept, name)
		}
	}
	return kept
}

func union(a, b []string) []string {
	all := map[string]bool{}
	var list []string
	for _, names := range [][]string{a, b} {
		for _, name := range names {
			if !all[name] {
				all[name] = true
				list = append(list, name)
			}
		}
	}
	return list
}

// count counts what the tenant has, from its indexes.
func (c *tenantCopy) count(ctx context.Context) (n backup.Counts, err error) {
	p := c.rdb.Pipeline()
	cmds := map[*redis.IntCmd]*int64{}
	for id := range c.deployments {
		d, err := strconv.ParseInt(id, 10, 64)
		if err != nil {
			continue
		}
		k := keys.Of(record.Deployment{Tenant: c.name, ID: d}, c.partitions)
		cmds[p.ZCard(ctx, k.Reports())] = &n.Reports
		cmds[p.ZCard(ctx, k.Workbooks())] = &n.Workbooks
		cmds[p.ZCard(ctx, k.Placed("all"))] = &n.Placements
		cmds[p.ZCard(ctx, k.Schedules())] = &n.Schedules
		cmds[p.ZCard(ctx, k.RunList("all"))] = &n.Runs
	}
	if len(cmds) == 0 {
		return n, nil
	}
	_, err = p.Exec(ctx)
	for cmd, into := range cmds {
		*into += cmd.Val()
	}
	return n, redis.Unavailable(err)
}
