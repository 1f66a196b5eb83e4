package storage

import (
	"context"
	"embed"
	"errors"
	"strconv"

	"mooring/placements"
	"mooring/storage/engine"
	"mooring/storage/keys"
	"mooring/storage/layout"
	"mooring/storage/record"
	"mooring/storage/record/portable"
	"mooring/storage/redis"
)

// name is a publicId or a slug, and where the asset is found that has it.
type name struct {
	kind, text   string
	lock, index  string
	shown        string // key of the set of assets that show the name without storing it; empty: none do
	recordPrefix string
	lockPrefix   string // of the assets
}

// nameOfReport names a report that stores the id.
func nameOfReport(k keys.DeploymentKeys, id string) name {
	return name{
		kind: "report", text: id, lock: k.PublicIDLock(id), index: k.PublicIDs(),
		recordPrefix: k.ReportPrefix(), lockPrefix: k.Locks().ReportPrefix(),
	}
}

// nameOfWorkbook names a workbook.
func nameOfWorkbook(k keys.DeploymentKeys, slug string) name {
	return name{
		kind: "workbook", text: slug, lock: k.Locks().Slug(slug), index: k.Slugs(),
		recordPrefix: k.WorkbookPrefix(), lockPrefix: k.Locks().WorkbookPrefix(),
	}
}

// named is what a name leads to.
type named struct {
	id     int64 // of the asset, or the one made for a new one
	exists bool
	stored bool // the asset stores the name; it may only show it
	record map[string]string
	placed map[string]string
}

//go:embed lua/*.lua
var luaFiles embed.FS

// lua joins files of the folder lua.
func lua(names ...string) string { return redis.JoinLua(luaFiles, names...) }

// findScript finds what a name leads to.
var findScript = redis.NewScript(lua("find_named"))

// find returns what n leads to. Without a text it leads to a new asset. The error is a *placements.Error for a name that several
// assets show or that another deployment has.
func (s *Names) find(ctx context.Context, k keys.DeploymentKeys, n name) (named, error) {
	if n.text == "" {
		id, err := s.db.Redis.HIncrBy(ctx, k.IDs(), n.kind, 1).Result()
		return named{id: id}, redis.Unavailable(err)
	}
	keys := []string{n.index, k.IDs()}
	if n.shown != "" {
		keys = append(keys, n.shown)
	}
	out, err := findScript.Run(ctx, s.db.Hot, keys, n.text, k.OwnerPrefix(), n.recordPrefix, n.kind).Slice()
	if err != nil {
		return named{}, redis.Unavailable(err)
	}
	how := redis.Text(out[0])
	switch how {
	case "foreign":
		return named{}, layout.PublicIDTaken(k, redis.Text(out[1]), n.text)
	case "ambiguous":
		return named{}, layout.Ambiguous(n.text)
	}
	found := named{exists: how != "new", stored: how == "stored"}
	if found.exists {
		found.record, found.placed = redis.Pairs(out[2]), redis.Pairs(out[3])
	}
	found.id, err = layout.ParseID(redis.Text(out[1]))
	return found, err
}

// lockNamed takes the locks of n and of the asset that it leads to, if there is one, and reads that again.
func (s *Names) lockNamed(ctx context.Context, n name, found *named) (engine.Locks, error) {
	locks := []string{n.lock}
	var hashes []string
	if found.exists {
		record := n.recordPrefix + strconv.FormatInt(found.id, 10)
		locks, hashes = append(locks, n.assetLock(found.id)), []string{record, record + ":placements"}
	}
	h, loaded, err := s.db.LockLoad(ctx, locks, hashes)
	if err != nil || !found.exists {
		return h, err
	}
	if found.record, found.placed = loaded[0], loaded[1]; len(found.record) == 0 {
		s.db.Unlock(ctx, h)
		return engine.Locks{}, engine.ErrOvertaken
	}
	return h, nil
}

func (n name) assetLock(id int64) string { return n.lockPrefix + strconv.FormatInt(id, 10) }

// byName calls write with what n leads to until it is not overtaken; at last h holds the locks.
func (s *Names) byName(ctx context.Context, k keys.DeploymentKeys, n name, write func(found named, h engine.Locks) error) error {
	var b branch
	return engine.Optimistic(func(on engine.Basis) error {
		if on == engine.OnMemory {
			return engine.ErrOvertaken
		}
		found, err := s.find(ctx, k, n)
		if err == nil {
			err = b.keep(n, found)
		}
		if err != nil {
			return err
		}
		var h engine.Locks
		if on == engine.OnLock && n.text != "" {
			if h, err = s.lockNamed(ctx, n, &found); err != nil {
				return err
			}
			defer s.db.Unlock(ctx, h)
		}
		return write(found, h)
	})
}

// leadsTo adds the conditions that n still leads to found, and that no other writer is about to change that or the asset: it has its locks,
// or h holds them.
func (n name) leadsTo(tx *engine.Transaction, k keys.DeploymentKeys, found named, h engine.Locks) {
	if n.text == "" {
		return
	}
	if h.None() {
		if found.exists {
			tx.If("", "GET", n.assetLock(found.id))
		}
		if !found.stored {
			tx.If("", "GET", n.lock)
		}
	} else {
		h.Guard(tx)
	}
	if found.stored {
		tx.If(k.Owner(found.id), "HGET", n.index, n.text)
		return
	}
	tx.If("", "HGET", n.index, n.text)
	if found.exists {
		tx.If(1, "SCARD", n.shown)
		tx.If(1, "SISMEMBER", n.shown, found.id)
	} else if n.shown != "" {
		tx.If(0, "SCARD", n.shown)
	}
}

// branch is what an upsert does, once it has been decided: it creates an asset, or updates the one of an id.
type branch struct {
	decided bool
	update  int64 // 0: creates
}

// keep decides b, or returns the *placements.Error that found is another branch: the access check of the first would not hold for it.
func (b *branch) keep(n name, found named) error {
	now := branch{decided: true}
	if found.exists {
		now.update = found.id
	}
	if b.decided && *b != now {
		return branchChanged(n)
	}
	*b = now
	return nil
}

func branchChanged(n name) error {
	return placements.Errorf(placements.CodeBranchChanged,
		"The %s %s was created or deleted at the same moment, and nothing was changed: send the request again.", n.kind, n.text)
}

// claimed reads an index entry "<deployment>:<id>"; ok is false when there is none.
func claimed(ctx context.Context, rdb redis.Cmdable, index, name string) (owner string, ok bool, err error) {
	owner, err = rdb.HGet(ctx, index, name).Result()
	if errors.Is(err, redis.Nil) {
		return "", false, nil
	}
	return owner, err == nil, redis.Unavailable(err)
}

// KeyTaken is the refusal of a key that another schedule has.
func KeyTaken(key string) error {
	return placements.Errorf(placements.CodeKeyTaken,
		"Another schedule of this deployment has the key %s: choose another one, or update that schedule.", key)
}

// claimKey claims the key of a schedule that had another one, empty for none: a key is assigned once.
func (s *Schedules) claimKey(ctx context.Context, to *layout.Recorder, c *record.Schedule, before string) error {
	if c.Key == before {
		return nil
	}
	if err := (record.ScheduleSpec{Key: before}).KeepsKey(c.Key); err != nil {
		return err
	}
	if fault := portable.KeyFault(c.Key); fault != "" {
		return invalid(placements.CodeInvalid, "/key", fault)
	}
	_, taken, err := claimed(ctx, s.db.Redis, to.Keys.ScheduleKeys(), c.Key)
	if err != nil {
		return err
	}
	if taken {
		return KeyTaken(c.Key)
	}
	to.Tx.If("", "HGET", to.Keys.ScheduleKeys(), c.Key)
	to.Tx.Then("HSET", to.Keys.ScheduleKeys(), c.Key, to.Keys.Owner(c.ID))
	return nil
}
