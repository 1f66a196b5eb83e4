package storage

import (
	"context"
	"errors"
	"strconv"

	"mooring/placements"
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

// publicID names a report that stores the id.
func (k deploymentKeys) publicID(id string) name {
	return name{
		kind: "report", text: id, lock: k.PublicIDLock(id), index: k.PublicIDs(),
		recordPrefix: k.ReportPrefix(), lockPrefix: k.ReportLockPrefix(),
	}
}

// slug names a workbook.
func (k deploymentKeys) slug(slug string) name {
	return name{
		kind: "workbook", text: slug, lock: k.SlugLock(slug), index: k.Slugs(),
		recordPrefix: k.WorkbookPrefix(), lockPrefix: k.WorkbookLockPrefix(),
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

// findScript finds what a name leads to.
var findScript = redis.NewScript(lua("find_named"))

// find returns what n leads to. Without a text it leads to a new asset. The error is a *placements.Error for a name that several
// assets show or that another deployment has.
func (s *Store) find(ctx context.Context, k deploymentKeys, n name) (named, error) {
	if n.text == "" {
		id, err := s.rdb.HIncrBy(ctx, k.IDs(), n.kind, 1).Result()
		return named{id: id}, redis.Unavailable(err)
	}
	keys := []string{n.index, k.IDs()}
	if n.shown != "" {
		keys = append(keys, n.shown)
	}
	out, err := findScript.Run(ctx, s.hot, keys, n.text, k.OwnerPrefix(), n.recordPrefix, n.kind).Slice()
	if err != nil {
		return named{}, redis.Unavailable(err)
	}
	how := redis.Text(out[0])
	switch how {
	case "foreign":
		return named{}, k.publicIDTaken(redis.Text(out[1]), n.text)
	case "ambiguous":
		return named{}, ambiguous(n.text)
	}
	found := named{exists: how != "new", stored: how == "stored"}
	if found.exists {
		found.record, found.placed = redis.Pairs(out[2]), redis.Pairs(out[3])
	}
	found.id, err = parseID(redis.Text(out[1]))
	return found, err
}

// lockNamed takes the locks of n and of the asset that it leads to, if there is one, and reads that again.
func (s *Store) lockNamed(ctx context.Context, n name, found *named) (held, error) {
	locks := []string{n.lock}
	var hashes []string
	if found.exists {
		record := n.recordPrefix + strconv.FormatInt(found.id, 10)
		locks, hashes = append(locks, n.assetLock(found.id)), []string{record, record + ":placements"}
	}
	h, loaded, err := s.lockLoad(ctx, locks, hashes)
	if err != nil || !found.exists {
		return h, err
	}
	if found.record, found.placed = loaded[0], loaded[1]; len(found.record) == 0 {
		s.unlock(ctx, h)
		return held{}, errOvertaken
	}
	return h, nil
}

func (n name) assetLock(id int64) string { return n.lockPrefix + strconv.FormatInt(id, 10) }

// byName calls write with what n leads to until it is not overtaken; at last h holds the locks.
func (s *Store) byName(ctx context.Context, k deploymentKeys, n name, write func(found named, h held) error) error {
	var b branch
	return optimistic(func(on basis) error {
		if on == onMemory {
			return errOvertaken
		}
		found, err := s.find(ctx, k, n)
		if err == nil {
			err = b.keep(n, found)
		}
		if err != nil {
			return err
		}
		var h held
		if on == onLock && n.text != "" {
			if h, err = s.lockNamed(ctx, n, &found); err != nil {
				return err
			}
			defer s.unlock(ctx, h)
		}
		return write(found, h)
	})
}

// leadsTo adds the conditions that n still leads to found, and that no other writer is about to change that or the asset: it has its locks,
// or h holds them.
func (n name) leadsTo(tx *txn, k deploymentKeys, found named, h held) {
	if n.text == "" {
		return
	}
	if h.none() {
		if found.exists {
			tx.If("", "GET", n.assetLock(found.id))
		}
		if !found.stored {
			tx.If("", "GET", n.lock)
		}
	} else {
		h.guard(tx)
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

func ambiguous(publicID string) error {
	return placements.Errorf(placements.CodeAmbiguous, "Several reports show the id %s, and nothing was changed: "+
		"assign a publicId of your choice to each by updating it by its id, then use that.", publicID)
}

func branchChanged(n name) error {
	return placements.Errorf(placements.CodeBranchChanged,
		"The %s %s was created or deleted at the same moment, and nothing was changed: send the request again.", n.kind, n.text)
}

// publicIDTaken is the conflict about a publicId that owner has already.
func (k deploymentKeys) publicIDTaken(owner, publicID string) error {
	if _, here := k.Owned(owner); here {
		return placements.Errorf(placements.CodePublicIDTaken,
			"Another report of this deployment has the publicId %s: choose another one, or update that report.", publicID)
	}
	return placements.Errorf(placements.CodeElsewhere,
		"The publicId %s belongs to a report in another deployment: choose another one.", publicID)
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
func (s *Store) claimKey(ctx context.Context, todo *txn, k deploymentKeys, c *record.Schedule, before string) error {
	if c.Key == before {
		return nil
	}
	if err := (record.ScheduleSpec{Key: before}).KeepsKey(c.Key); err != nil {
		return err
	}
	if fault := portable.KeyFault(c.Key); fault != "" {
		return invalid(placements.CodeInvalid, "/key", fault)
	}
	_, taken, err := claimed(ctx, s.rdb, k.ScheduleKeys(), c.Key)
	if err != nil {
		return err
	}
	if taken {
		return KeyTaken(c.Key)
	}
	todo.If("", "HGET", k.ScheduleKeys(), c.Key)
	todo.Then("HSET", k.ScheduleKeys(), c.Key, k.Owner(c.ID))
	return nil
}
