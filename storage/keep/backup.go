package keep

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"sync"

	"mooring/storage/archive"
	"mooring/storage/backup"
	"mooring/storage/engine"
	"mooring/storage/journal"
	"mooring/storage/keys"
	"mooring/storage/record"
	"mooring/storage/redis"
)

// BackupOptions says what a backup has.
type BackupOptions struct {
	Tenants  []string       // none: all
	Version  string         // of the program
	Process  record.Process // that makes it
	Progress func(tenant string, c backup.Counts)
}

// OpenToBackup is Open for Backup alone: it changes nothing in the storage, and refuses one of another layout, which other processes of
// another version may be using.
func OpenToBackup(ctx context.Context, c engine.Config) (*Keeper, error) {
	s, err := connect(c)
	if err != nil {
		return nil, err
	}
	if err := s.checkToBackup(ctx); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

func (s *Keeper) checkToBackup(ctx context.Context) error {
	if err := s.checkWhole(ctx); err != nil {
		return err
	}
	partitions, err := s.db.Redis.Get(ctx, keys.PartitionCount).Result()
	if errors.Is(err, redis.Nil) {
		return errors.New("there is nothing to back up: this storage was never used")
	}
	if err != nil {
		return redis.Unavailable(err)
	}
	if want := strconv.Itoa(s.db.Partitions); partitions != want {
		return engine.OtherPartitions(partitions, want)
	}
	version, err := s.storedLayout(ctx, false)
	switch {
	case err != nil:
		return err
	case version > presentLayout:
		return laterLayout(version)
	case version < presentLayout:
		return fmt.Errorf("this storage has layout %d, and this program backs up layout %d: stop the servers and agents of the earlier version, "+
			"start mooring serve of this one on it, which brings it to layout %d, and back up then; for a copy of what there is now, "+
			"use Redis' own (SAVE)", version, presentLayout, presentLayout)
	}
	return nil
}

// Backup writes tenants to w while others use the storage, each as it is at one instant, and returns their names and what they have. No
// backup is restored meanwhile: half of it would be in the file.
func (s *Keeper) Backup(ctx context.Context, w io.Writer, o BackupOptions) (tenants []string, sum backup.Counts, err error) {
	leave, err := s.Announce(ctx, o.Process)
	if err != nil {
		return nil, sum, err
	}
	defer leave()
	saver := archive.NewSaver(s.db.Redis, s.db.Partitions, s.db.Log)
	tenants, err = saver.Tenants(ctx)
	if err != nil {
		return nil, sum, err
	}
	for _, name := range o.Tenants {
		if !slices.Contains(tenants, name) {
			return nil, sum, fmt.Errorf("tenant %s has nothing in this storage", name)
		}
	}
	if len(o.Tenants) > 0 {
		tenants = slices.Compact(slices.Sorted(slices.Values(o.Tenants)))
	}
	now, err := s.queue.Clock(ctx)
	if err != nil {
		return nil, sum, err
	}
	out, err := backup.NewWriter(w, backup.Header{Layout: presentLayout, Version: o.Version, Partitions: s.db.Partitions, At: now})
	if err != nil {
		return nil, sum, err
	}
	for _, name := range tenants {
		counts, err := saver.Save(ctx, out, name)
		if err != nil {
			return nil, sum, err
		}
		sum.Add(counts)
		o.Progress(name, counts)
	}
	return tenants, sum, out.Close()
}

// NoteBackup adds to the audit of tenants that who made a backup of them.
func (s *Keeper) NoteBackup(ctx context.Context, tenants []string, who record.Actor) error {
	return s.noteTenants(ctx, tenants, journal.Backup, who)
}

// noteTenants adds to the audit of tenants what was done with each as a whole.
func (s *Keeper) noteTenants(ctx context.Context, tenants []string, verb string, who record.Actor) error {
	for _, name := range tenants {
		var tx engine.Transaction
		entry := journal.Of(who, verb, journal.Asset{Kind: journal.Tenant, ID: name, Name: name})
		tx.Fails(journal.Note(&tx.Txn, s.db.Tenant(name).Audit(), entry))
		if _, err := s.db.Run(ctx, &tx); err != nil {
			return err
		}
	}
	return nil
}

// Announce tells that a process uses the storage, from now until withdraw is called, so that no backup is restored meanwhile. One that is
// being restored is refused.
func (s *Keeper) Announce(ctx context.Context, p record.Process) (withdraw func(), err error) {
	leave, err := s.queue.Agents.Announce(ctx, p)
	if err != nil {
		return nil, err
	}
	if err := s.checkWhole(ctx); err != nil {
		leave()
		return nil, err
	}
	ctx, end := context.WithCancel(context.WithoutCancel(ctx))
	var watching sync.WaitGroup
	watching.Go(func() { s.db.Watch(ctx) })
	return func() {
		end()
		watching.Wait()
		leave()
	}, nil
}
