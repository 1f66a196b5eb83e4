package storage_test

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"mooring/placements"
	"mooring/storage"
	"mooring/storage/archive"
	"mooring/storage/backup"
	"mooring/storage/keep"
	"mooring/storage/keys"
	"mooring/storage/record"
	"mooring/storage/storagetest"
)

// documentedLogin is the login that the operating page asks for, which may not hold writes.
const documentedLogin = "user mooring on >secret ~mooring:* &* +@all -@admin -@dangerous +info +config|get"

// A server that holds no writes is waited for until nothing is written for a moment; where there is no such moment the backup ends and says
// what to do.
func TestABackupOfAServerThatHoldsNoWrites(t *testing.T) {
	server := storagetest.Server(t, documentedLogin)
	at := storage.Config{Address: storagetest.Addr("redis://mooring:secret@" + server)}
	s := storagetest.Open(t, at.Address)
	create(t, s, shop, named("Old", "select 1"))
	prefix := keys.OfTenant(shop.Tenant, storage.DefaultPartitions).Prefix
	write := func(pause time.Duration) (stop func()) {
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			for n := 0; ctx.Err() == nil; n++ {
				p := s.Client().TxPipeline()
				p.HSet(ctx, prefix+"left", "n", n)
				p.HSet(ctx, prefix+"right", "n", n)
				_, _ = p.Exec(ctx)
				time.Sleep(pause)
			}
		}()
		return func() { cancel(); <-ended }
	}

	stop := write(300 * time.Millisecond)
	file := backedUp(t, at)
	stop()
	wantBothSides(t, prefix, file)

	for range 6 {
		defer write(0)()
	}
	c := at
	c.Log = quiet
	from, err := keep.OpenToBackup(t.Context(), c)
	must(t, err)
	defer from.Close()
	for range 3 {
		var file bytes.Buffer
		_, _, err = from.Backup(t.Context(), &file, keep.BackupOptions{Progress: func(string, backup.Counts) {}})
		switch {
		case err == nil: // a moment may be found even so
			wantBothSides(t, prefix, file.Bytes())
		case !strings.Contains(err.Error(), "client|pause"):
			t.Error(err)
		}
		t.Logf("written all the time: %v", err)
	}
}

// wantBothSides checks that a file has what was written in one step.
func wantBothSides(t *testing.T, prefix string, file []byte) {
	t.Helper()
	target := storagetest.Redis(t)
	_, err := restore(t.Context(), storage.Config{Address: target}, file, restoring(false))
	must(t, err)
	dump := storagetest.Open(t, target).Dump(t)
	if left, right := dump[prefix+"left"]["n"], dump[prefix+"right"]["n"]; left != right || left == "" {
		t.Errorf("%q and %q", left, right)
	}
}

// New keys may appear as fast as the server makes them: a backup ends, and is of one instant.
func TestABackupEndsThoughKeysAppear(t *testing.T) {
	source := storagetest.Redis(t)
	s := storagetest.Open(t, source)
	create(t, s, shop, named("Old", "select 1"))
	from, err := keep.OpenToBackup(t.Context(), storage.Config{Address: source, Log: quiet})
	must(t, err)
	defer from.Close()
	prefix := keys.OfTenant(shop.Tenant, storage.DefaultPartitions).Prefix
	make50 := redis.NewScript(`
for _ = 1, 50 do
  local n = redis.call('HINCRBY', KEYS[1], 'n', 1)
  redis.call('HSET', KEYS[1] .. ':' .. n, 'n', n)
end
return 1`)
	made := func() string { return s.Client().HGet(t.Context(), prefix+"made", "n").Val() }
	for _, pause := range []time.Duration{20 * time.Millisecond, 0} { // and then as fast as it goes
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			for ; ctx.Err() == nil; time.Sleep(pause) {
				_ = make50.Run(ctx, s.Client(), []string{prefix + "made"}).Err()
			}
		}()
		time.Sleep(100 * time.Millisecond)
		began, before := time.Now(), made()
		var file bytes.Buffer
		_, _, err := from.Backup(t.Context(), &file, keep.BackupOptions{Progress: func(string, backup.Counts) {}})
		t.Logf("%s keys became %s in %s: %v", before, made(), time.Since(began), err)
		stop()
		<-ended
		switch {
		case err == nil:
			wantAllMade(t, prefix, file.Bytes())
		case pause > 0, !strings.Contains(err.Error(), "try again when less is written"):
			t.Error(err)
		}
	}
}

// wantAllMade checks that a file has every key that it says was made.
func wantAllMade(t *testing.T, prefix string, file []byte) {
	t.Helper()
	target := storagetest.Redis(t)
	if _, err := restore(t.Context(), storage.Config{Address: target}, file, restoring(false)); err != nil {
		t.Fatal(err)
	}
	rdb := storagetest.Open(t, target).Client()
	made, err := rdb.HGet(t.Context(), prefix+"made", "n").Int()
	if found := len(rdb.Keys(t.Context(), prefix+"made:*").Val()); made != found || made == 0 || err != nil {
		t.Errorf("%d made, %d found: %v", made, found, err)
	}
}

// A file of an earlier layout is brought to the present one, and one of a later one is refused before anything is changed.
func TestABackupOfAnotherLayout(t *testing.T) {
	for n, stored := range map[int][]byte{1: layout1, 2: layout2, 3: layout3} {
		source, rdb := ofLayout(t, stored)
		target := storagetest.Redis(t)
		file := savedAs(t, rdb, n)
		if _, err := keep.OpenToBackup(t.Context(), storage.Config{Address: source}); err == nil ||
			!strings.Contains(err.Error(), "start mooring serve of this one on it") {
			t.Errorf("a backup of layout %d: %v", n, err)
		}
		done, err := restore(t.Context(), storage.Config{Address: target}, file, restoring(false))
		must(t, err)
		migrated, restored := storagetest.Open(t, source), storagetest.Open(t, target)
		want, got := migrated.Dump(t), restored.Dump(t)
		checkIndex(t, got)
		if a, b := len(want[migrated.StandingKey(shop)]), len(got[restored.StandingKey(shop)]); a != b {
			t.Errorf("layout %d: %d placements are listed, want %d", n, b, a)
		}
		runs := func(s *storage.Store, state placements.RunState) int {
			return len(listed(t, s, shop, record.RunFilter{State: state}))
		}
		open := runs(migrated, placements.RunQueued) + runs(migrated, placements.RunRunning)
		all, stopped := runs(restored, ""), runs(restored, placements.RunStopped)
		if all != runs(migrated, "") || stopped != open || done.Runs < open {
			t.Errorf("layout %d: %d runs, want %d; %d of %d stopped, %d in all", n, all, runs(migrated, ""), stopped, open, done.Runs)
		}
		if open := runs(restored, placements.RunQueued) + runs(restored, placements.RunRunning); open != 0 {
			t.Errorf("layout %d: %d runs are under way", n, open)
		}
		if got["mooring:schema"] == nil || fmt.Sprint(got["mooring:schema"]) != fmt.Sprint(want["mooring:schema"]) {
			t.Errorf("layout %d became %v", n, got["mooring:schema"])
		}

		empty := storagetest.Redis(t)
		_, err = restore(t.Context(), storage.Config{Address: empty}, savedAs(t, rdb, 99), restoring(false))
		if err == nil || !strings.Contains(err.Error(), "in layout 99") {
			t.Errorf("a later layout: %v", err)
		}
		left := storagetest.Client(t, empty)
		if n := left.DBSize(t.Context()).Val(); n != 0 {
			t.Errorf("a refused file left %d keys", n)
		}
	}
}

// savedAs returns a file of a storage that says that it is of a layout.
func savedAs(t *testing.T, rdb *redis.Client, layout int) []byte {
	t.Helper()
	var file bytes.Buffer
	out, err := backup.NewWriter(&file, backup.Header{Layout: layout, Version: "v0", Partitions: storage.DefaultPartitions, At: time.Now()})
	must(t, err)
	saver := archive.NewSaver(rdb, storage.DefaultPartitions, quiet)
	names, err := saver.Tenants(t.Context())
	must(t, err)
	if !slices.Contains(names, shop.Tenant) {
		t.Fatalf("tenants %v", names)
	}
	for _, name := range names {
		_, err := saver.Save(t.Context(), out, name)
		must(t, err)
	}
	must(t, out.Close())
	return file.Bytes()
}
