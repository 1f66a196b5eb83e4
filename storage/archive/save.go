package archive

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"regexp"
	"slices"
	"strconv"
	"strings"

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
	written, err := c.copyAll(ctx, tracker)
	if err == nil {
		written, err = c.catchUp(ctx, tracker, written)
	}
	if err == nil {
		counts, err = c.finish(ctx, tracker, written)
	}
	if err != nil {
		return counts, err
	}
	return counts, c.out.Tail(counts)
}

// copyAll copies every key but those that were written meanwhile, which it returns: they are copied later anyway. New keys are among them,
// so that their number bounds how long it goes on where they are made faster than a scan passes them.
func (c *tenantCopy) copyAll(ctx context.Context, tracker *redis.Tracker) ([]string, error) {
	later := nameSet{}
	err := redis.EachKeyBeside(ctx, c.rdb, c.prefix, c.prefix+"*", func(names []string) error {
		if err := c.copyKeys(ctx, slices.DeleteFunc(c.kept(names), later.has)); err != nil {
			return err
		}
		return c.note(tracker, later) // as it goes, so that the server keeps none for long
	})
	return later.list(), err
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
		cmds[p.ZCard(ctx, k.Runs().List("all"))] = &n.Runs
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
