package keep

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"mooring/placements"
	"mooring/storage/archive"
	"mooring/storage/backup"
	"mooring/storage/engine"
	"mooring/storage/journal"
	"mooring/storage/keys"
	"mooring/storage/record"
	"mooring/storage/redis"
)

// Restored says what a restore did.
type Restored struct {
	*backup.Contents
	Devices int // signed out
	Runs    int // that had not ended
}

// begun is what keys.Restoring has.
type begun struct {
	Digest  string   `json:"digest"` // of the file
	Tenants []string `json:"tenants"`
	At      string   `json:"at"`
}

// begunRestore returns the restore that has not ended, if there is one.
func (s *Keeper) begunRestore(ctx context.Context) (b begun, found bool, err error) {
	text, err := s.db.Redis.Get(ctx, keys.Restoring).Result()
	if errors.Is(err, redis.Nil) {
		return b, false, nil
	}
	if err != nil {
		return b, false, redis.Unavailable(err)
	}
	return b, true, json.Unmarshal([]byte(text), &b)
}

// Restore writes the tenants of a file, of that size, into a storage that no process uses and that has none, or not those where they are
// replaced. The file is checked as a whole before anything is changed: backup.ErrRefused. A restore that was interrupted is done by another
// one with the same file; until then no process starts.
func Restore(ctx context.Context, c engine.Config, file io.ReaderAt, size int64, o RestoreOptions) (*Restored, error) {
	contents, err := backup.Check(file, size)
	if err != nil {
		return nil, err
	}
	if contents.Layout > presentLayout {
		return nil, fmt.Errorf("%w: version %s wrote it in layout %d, and this version knows layouts up to %d: use that version or a later one",
			backup.ErrRefused, contents.Version, contents.Layout, presentLayout)
	}
	s, err := connect(c)
	if err != nil {
		return nil, err
	}
	r := &restorer{keeper: s, options: o, contents: contents}
	err = r.restore(ctx, file, size)
	if err = errors.Join(err, s.Close()); err != nil {
		return nil, err
	}
	return &Restored{contents, r.devices, int(r.stopped.Load())}, nil
}

// restore does all that Restore does once the file is known to be good.
func (r *restorer) restore(ctx context.Context, file io.ReaderAt, size int64) error {
	if _, err := r.keeper.db.FixPartitions(ctx); err != nil {
		return err
	}
	leave, err := r.keeper.queue.Agents.Announce(ctx, r.options.Process) // to another restore, and to a backup
	if err != nil {
		return err
	}
	defer leave()
	if err := r.checkAlone(ctx); err != nil {
		return err
	}
	if r.at, err = r.keeper.queue.Clock(ctx); err != nil {
		return err
	}
	occupied, err := r.admit(ctx)
	if err != nil {
		return err
	}
	if err := r.begin(ctx); err != nil {
		return err
	}
	if occupied {
		if err := r.clear(ctx); err != nil {
			return err
		}
	}
	loader := archive.NewLoader(ctx, r.keeper.db.Redis, r.keeper.db.Partitions, r.at, r.options.Progress)
	if _, err := backup.Read(file, size, loader); err != nil {
		return err
	}
	r.devices = loader.Devices()
	if err := r.settle(ctx); err != nil {
		return err
	}
	if err := r.keeper.FixLayout(ctx, false); err != nil {
		return err
	}
	if err := r.keeper.noteTenants(ctx, r.contents.Tenants, journal.Restore, r.options.Who); err != nil {
		return err
	}
	return redis.Unavailable(r.keeper.db.Redis.Del(ctx, keys.Restoring).Err())
}

// admit checks that the storage may get what the file has, and reports whether it has something of it, or of what an interrupted restore
// left.
func (r *restorer) admit(ctx context.Context) (occupied bool, err error) {
	b, found, err := r.keeper.begunRestore(ctx)
	if err != nil {
		return false, err
	}
	if found && b.Digest != r.contents.Digest {
		for _, name := range b.Tenants {
			if !slices.Contains(r.contents.Tenants, name) {
				return false, fmt.Errorf("the restore of another backup that began at %s has not ended, and this one has not its tenant %s: "+
					"restore that one again",
					b.At, name)
			}
		}
	}
	if r.found, err = archive.NewSaver(r.keeper.db.Redis, r.keeper.db.Partitions, r.keeper.db.Log).Tenants(ctx); err != nil || len(r.found) == 0 {
		return false, err
	}
	if r.layout, err = r.keeper.storedLayout(ctx, false); err != nil {
		return false, err
	}
	if r.layout > presentLayout {
		return false, laterLayout(r.layout)
	}
	if !r.options.Replace && (!found || b.Digest != r.contents.Digest) {
		return false, fmt.Errorf("this storage has tenants (%s): restore to an empty one, or replace those that the backup has by --replace",
			strings.Join(r.found, ", "))
	}
	return true, nil
}

// begin notes that the restore has begun, so that no process starts, and then checks that none has started.
func (r *restorer) begin(ctx context.Context) error {
	text, err := record.Encode(begun{r.contents.Digest, r.contents.Tenants, placements.Time(r.at)})
	if err != nil {
		return err
	}
	before, err := r.keeper.db.Redis.Get(ctx, keys.Restoring).Result()
	if err != nil && !errors.Is(err, redis.Nil) {
		return redis.Unavailable(err)
	}
	if err := r.keeper.db.Redis.Set(ctx, keys.Restoring, text, 0).Err(); err != nil {
		return redis.Unavailable(err)
	}
	alone := r.checkAlone(ctx)
	if alone == nil {
		return r.beginLayout(ctx)
	}
	// Nothing was changed yet: the processes go on, and so may others.
	undo := r.keeper.db.Redis.Del(ctx, keys.Restoring).Err()
	if before != "" {
		undo = r.keeper.db.Redis.Set(ctx, keys.Restoring, before, 0).Err()
	}
	return errors.Join(alone, redis.Unavailable(undo))
}

// checkAlone refuses a storage that another process uses.
func (r *restorer) checkAlone(ctx context.Context) error {
	alive, err := r.keeper.queue.Agents.Processes(ctx)
	if err != nil {
		return err
	}
	var names []string
	for _, p := range alive {
		if p.ID != r.options.Process.ID {
			names = append(names, p.String())
		}
	}
	if len(names) == 0 {
		return nil
	}
	return fmt.Errorf("this storage is in use by %s: stop it first; one that was killed counts for 10 seconds", strings.Join(names, ", "))
}

// beginLayout makes the layout of the storage the older one of what it has and what it gets, from which all of it is brought to the present
// one.
func (r *restorer) beginLayout(ctx context.Context) error {
	older := r.contents.Layout
	if len(r.found) > 0 {
		older = min(older, r.layout)
	}
	return redis.Unavailable(r.keeper.db.Redis.Set(ctx, keys.Schema, older, 0).Err())
}

// clear takes the tenants of the file out of the storage.
func (r *restorer) clear(ctx context.Context) error {
	names := map[string]bool{}
	for _, name := range r.contents.Tenants {
		names[name] = true
	}
	if err := r.keeper.queue.ForgetTenants(ctx, names); err != nil {
		return err
	}
	return archive.Clear(ctx, r.keeper.db.Redis, r.keeper.db.Partitions, r.contents.Tenants, r.at)
}

// checkWhole refuses a storage of which a restore has not ended.
func (s *Keeper) checkWhole(ctx context.Context) error {
	begun, found, err := s.begunRestore(ctx)
	if err != nil || !found {
		return err
	}
	return fmt.Errorf("the restore of %s that began at %s has not ended, so that this storage is not whole: "+
		"run mooring restore with that backup again",
		strings.Join(begun.Tenants, ", "), begun.At)
}
