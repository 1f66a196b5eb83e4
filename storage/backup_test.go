package storage_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mooring/placements"
	"mooring/storage"
	"mooring/storage/backup"
	"mooring/storage/keep"
	"mooring/storage/keys"
	"mooring/storage/queue"
	"mooring/storage/record"
	"mooring/storage/storagetest"
)

// backedUp returns a backup of a storage.
func backedUp(t testing.TB, c storage.Config, tenants ...string) []byte {
	t.Helper()
	c.Log = quiet
	s, err := keep.OpenToBackup(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var file bytes.Buffer
	done, _, err := s.Backup(t.Context(), &file, keep.BackupOptions{
		Tenants: tenants, Version: "v1", Progress: func(string, backup.Counts) {},
	})
	if err == nil {
		err = s.NoteBackup(t.Context(), done, record.Actor{})
	}
	if err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

// atSeven fires tomorrow.
func atSeven(_ *record.Schedule, after time.Time) (record.Tick, error) {
	at := after.Truncate(24 * time.Hour).Add(31 * time.Hour)
	return record.Tick{At: at, Due: at}, nil
}

func restoring(replace bool) keep.RestoreOptions {
	return keep.RestoreOptions{
		Replace: replace, Next: atSeven, Progress: func(string, backup.Counts) {},
		Process: record.Process{ID: "restore", Command: "restore", Host: "box"},
	}
}

func restore(ctx context.Context, c storage.Config, file []byte, o keep.RestoreOptions) (*keep.Restored, error) {
	c.Log = quiet
	return keep.Restore(ctx, c, bytes.NewReader(file), int64(len(file)), o)
}

// comparable is what of a storage must be the same after it was restored: by the keys behind those of partitions, with what a restore does
// to them done.
func comparable(t *testing.T, dump map[string]map[string]string) map[string]map[string]string {
	t.Helper()
	same := map[string]map[string]string{}
	for key, content := range dump {
		_, name, ours := strings.Cut(key, ":t:")
		_, rest, _ := strings.Cut(name, ":")
		is := keys.BackupOf(rest)
		if !ours || is == keys.LeftOut || is == keys.SignedIn || strings.Contains(rest, "standing") || strings.Contains(rest, "status:") ||
			strings.HasSuffix(rest, "runs:open") || strings.HasSuffix(rest, "runs:state:STOPPED") || strings.HasSuffix(rest, ":documents") {
			continue // what changes with the states of runs: checkIndex compares it with what it follows from
		}
		content = maps.Clone(content)
		stopped := slices.Contains([]string{"STOPPED", "QUEUED", "RUNNING"}, content["state"])
		for field, text := range content {
			switch slot, placed := strings.CutPrefix(field, "p:"); {
			case placed && strings.HasSuffix(rest, ":placements"):
				p, _, _, err := record.DecodePlacement(slot, text)
				if err != nil {
					t.Fatal(err)
				}
				p.RestoredAt, p.AsOf = "", "" // see wantSettled
				shown, _ := record.Encode(p)
				facts, _ := record.Encode(p.Facts)
				content[field] = shown + facts
			case strings.HasPrefix(field, "a:"):
				content[field], _, _ = strings.Cut(text, "\t") // the revision is new
			case strings.Contains(rest, ":run:") && stopped,
				strings.HasPrefix(field, "r:") && (strings.Contains(text, "STOPPED") || strings.Contains(text, "RUNNING")),
				strings.Contains(rest, ":schedule:") && (field == "next" || field == "active"),
				strings.Contains(text, "tenant.restore"), strings.Contains(text, "tenant.backup"):
				delete(content, field)
			}
		}
		if len(content) > 0 {
			same[name] = content
		}
	}
	return same
}

var full = storagetest.Amounts{Deployment: shop, Reports: 60, Placements: 400, Documents: 40, Runs: 3001, Schedules: 20}

// What is restored to another storage, with another number of partitions, is what was there; its indexes are those that follow from it; no
// run and no placement waits for what was under way.
func TestARestoredStorageIsTheOneThatWasBackedUp(t *testing.T) {
	source, target := storagetest.Redis(t), storagetest.Redis(t)
	storagetest.Fill(t, source, full)
	from := storagetest.Open(t, source)
	everything(t, from, "other:tenant*")
	if buckets := from.Client().Keys(t.Context(), "*rate:*").Val(); len(buckets) > 0 {
		from.Client().Del(t.Context(), buckets...) // they expire at any moment
	}
	file := backedUp(t, storage.Config{Address: source})
	at := storage.Config{Address: target, Partitions: 3}
	done, err := restore(t.Context(), at, file, restoring(false))
	if err != nil {
		t.Fatal(err)
	}
	if want := (backup.Counts{Reports: 61, Placements: 400, Runs: 3003, Schedules: 20}); done.Counts.Reports != want.Reports ||
		done.Counts.Placements != want.Placements || done.Counts.Schedules != want.Schedules || done.Runs == 0 {
		t.Errorf("%+v, want %+v", done, want)
	}
	at.Log = quiet
	to, err := storage.Open(t.Context(), at)
	if err != nil {
		t.Fatal(err)
	}
	defer to.Close()
	dump := to.Dump(t)
	checkIndex(t, dump)
	if diff := cmp.Diff(comparable(t, from.Dump(t)), comparable(t, dump)); diff != "" {
		t.Errorf("(-backed up +restored):\n%.9000s", diff)
	}
	wantSettled(t, from.Dump(t), dump)
}

// wantSettled checks that nothing is under way, and that what may have been written since the backup is marked and of no known age.
func wantSettled(t *testing.T, from, to map[string]map[string]string) {
	t.Helper()
	ended, marked, due := 0, 0, 0
	for key, content := range to {
		if strings.Contains(key, ":run:") && (content["state"] == "QUEUED" || content["state"] == "RUNNING") {
			t.Errorf("%s is %s", key, content["state"])
		}
		if strings.HasSuffix(key, ":runs:open") && len(content) > 0 || strings.HasSuffix(key, "status:REFRESHING") {
			t.Errorf("%s: %v", key, content)
		}
		if strings.Contains(key, ":run:") && strings.Contains(content["run"], queue.Interrupted) {
			ended++
		}
		for field, text := range content {
			if strings.HasSuffix(key, ":placements") && strings.HasPrefix(field, "p:") && strings.Contains(text, `"restoredAt"`) {
				marked++
				if strings.Contains(text, `"asOf"`) {
					t.Errorf("%s %s says how old what stands there is: %s", key, field, text)
				}
			}
		}
		if strings.HasSuffix(key, "}:due") {
			due += len(content)
		}
	}
	written, open, aged := 0, 0, 0
	for key, content := range from {
		if strings.Contains(key, ":run:") && (content["state"] == "QUEUED" || content["state"] == "RUNNING") {
			open++
		}
		for field, text := range content {
			if strings.HasSuffix(key, ":placements") && strings.HasPrefix(field, "p:") && strings.Contains(text, `"queryChecksum"`) {
				written++
				if strings.Contains(text, `"asOf"`) {
					aged++
				}
			}
		}
	}
	if aged == 0 {
		t.Error("the backup has no placement whose age is known")
	}
	if ended != open || open == 0 || marked != written || written == 0 || due != 20 {
		t.Errorf("%d of %d runs ended, %d of %d placements marked, %d due", ended, open, marked, written, due)
	}
}

// Writers change two keys in one step all the time, and always so that their sum stays: a backup never has it otherwise.
func TestABackupIsOfOneInstant(t *testing.T) {
	source := storagetest.Redis(t)
	s := storagetest.Open(t, source)
	storagetest.Fill(t, source, storagetest.Amounts{Deployment: shop, Reports: 30, Placements: 100, Documents: 20, Runs: 300})
	prefix := keys.OfTenant(shop.Tenant, storage.DefaultPartitions).Prefix
	const pairs = 500
	ctx, stop := context.WithCancel(t.Context())
	var group sync.WaitGroup
	var written atomic.Int64
	for w := range 8 {
		group.Go(func() {
			for n := w; ctx.Err() == nil; n += 8 {
				p := s.Client().TxPipeline() // a step of two keys far apart, some of them new
				a, b := prefix+"left:"+strconv.Itoa(n*7%pairs), prefix+"right:"+strconv.Itoa(n*7%pairs)
				p.HIncrBy(ctx, a, "n", 1)
				p.HIncrBy(ctx, b, "n", -1)
				p.HSet(ctx, prefix+"last:"+strconv.Itoa(n%5000), "n", n)
				p.HSet(ctx, prefix+"list", strconv.Itoa(n%5000), n)
				if _, err := p.Exec(ctx); err == nil {
					written.Add(1)
				}
				time.Sleep(time.Millisecond)
			}
		})
	}
	group.Go(func() {
		for ; ctx.Err() == nil; time.Sleep(time.Millisecond) {
			_, _ = s.Reports().Create(ctx, shop, record.ReportInput{Name: placements.Sent("new"), SQLQuery: placements.Sent("select 1")}, ada)
		}
	})
	for range 2 {
		before := written.Load()
		file := backedUp(t, storage.Config{Address: source})
		t.Logf("%d steps while %d bytes were backed up", written.Load()-before, len(file))
		target := storagetest.Redis(t)
		if _, err := restore(t.Context(), storage.Config{Address: target}, file, restoring(false)); err != nil {
			t.Fatal(err)
		}
		wantInvariants(t, storagetest.Open(t, target))
	}
	stop()
	group.Wait()
}

func wantInvariants(t *testing.T, s *storage.Store) {
	t.Helper()
	dump := s.Dump(t)
	checkIndex(t, dump)
	prefix := keys.OfTenant(shop.Tenant, storage.DefaultPartitions).Prefix
	lasts, pairs := 0, 0
	for key, content := range dump {
		name := strings.TrimPrefix(key, prefix)
		if left, is := strings.CutPrefix(name, "left:"); is {
			pairs++
			if right := dump[prefix+"right:"+left]["n"]; "-"+content["n"] != right {
				t.Errorf("pair %s: %s and %s", left, content["n"], right)
			}
		}
		if n, is := strings.CutPrefix(name, "last:"); is {
			lasts++
			if dump[prefix+"list"][n] != content["n"] {
				t.Errorf("%s: %s, and %s in the list", n, content["n"], dump[prefix+"list"][n])
			}
		}
	}
	if listed := len(dump[prefix+"list"]); listed != lasts || pairs == 0 || lasts == 0 {
		t.Errorf("%d listed, %d there, %d pairs", listed, lasts, pairs)
	}
	created, reports := 0, dump[keys.Of(shop, storage.DefaultPartitions).Reports()]
	audit := dump[keys.Of(shop, storage.DefaultPartitions).Audit()]
	for _, entry := range audit {
		if strings.Contains(entry, "report.create") {
			created++
		}
	}
	if created != len(reports) {
		t.Errorf("%d reports and %d of them in the audit", len(reports), created)
	}
}

func TestARestoreNeedsAnEmptyStorageThatIsNotInUse(t *testing.T) {
	source, target := storagetest.Redis(t), storagetest.Redis(t)
	s := storagetest.Open(t, source)
	create(t, s, shop, named("Old", "select 1"))
	file := backedUp(t, storage.Config{Address: source})
	at := storage.Config{Address: target}
	to := storagetest.Open(t, target) // initialised, and empty
	leave, err := to.Announce(t.Context(), record.Process{ID: "x", Command: "serve", Host: "box", PID: 7})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := restore(t.Context(), at, file, restoring(false)); err == nil || !strings.Contains(err.Error(), "mooring serve on box (pid 7)") {
		t.Errorf("in use: %v", err)
	}
	leave()
	if _, err := restore(t.Context(), at, file, restoring(false)); err != nil {
		t.Fatal(err)
	}
	create(t, to, shop, named("New", "select 2"))
	create(t, to, record.Deployment{Tenant: "bystander", ID: 1}, named("Mine", "select 3"))
	before := to.Dump(t)
	if _, err := restore(t.Context(), at, file, restoring(false)); err == nil || !strings.Contains(err.Error(), "--replace") {
		t.Errorf("occupied: %v", err)
	}
	if diff := cmp.Diff(before, to.Dump(t)); diff != "" {
		t.Errorf("a refused restore changed something: %s", diff)
	}
	if _, err := restore(t.Context(), at, file, restoring(true)); err != nil {
		t.Fatal(err)
	}
	if r := create(t, to, shop, named("Next", "select 4")); r.ID != 3 {
		t.Errorf("a report has the id %d, which another one may have had", r.ID)
	}
	page, err := pageOf(9, to.Reports().List(t.Context(), shop, record.ListQuery{First: 9}, everyReport))
	if err != nil || len(page.Items) != 2 || page.Items[0].Name != "Old" {
		t.Errorf("%v %v", page, err)
	}
	if _, err := to.Reports().Get(t.Context(), record.Deployment{Tenant: "bystander", ID: 1}, 1); err != nil {
		t.Errorf("another tenant: %v", err)
	}
}

// Two restores at a time would each take out what the other one loads, and a backup would have half of what is loaded.
func TestARestoreIsAlone(t *testing.T) {
	source, target := storagetest.Redis(t), storagetest.Redis(t)
	s := storagetest.Open(t, source)
	create(t, s, shop, named("Old", "select 1"))
	file := backedUp(t, storage.Config{Address: source})
	at, o := storage.Config{Address: target, Log: quiet}, restoring(false)
	o.Progress = func(string, backup.Counts) {
		again := restoring(true)
		again.Process.ID = "another"
		if _, err := restore(t.Context(), at, file, again); err == nil || !strings.Contains(err.Error(), "in use by mooring restore on box") {
			t.Errorf("a second restore: %v", err)
		}
		if _, err := keep.OpenToBackup(t.Context(), at); err == nil || !strings.Contains(err.Error(), "has not ended") {
			t.Errorf("a backup: %v", err)
		}
	}
	if _, err := restore(t.Context(), at, file, o); err != nil {
		t.Fatal(err)
	}
	to, err := keep.OpenToBackup(t.Context(), at)
	if err != nil {
		t.Fatal(err)
	}
	defer to.Close()
	_, _, err = to.Backup(t.Context(), io.Discard, keep.BackupOptions{
		Process: record.Process{ID: "b", Command: "backup"},
		Progress: func(string, backup.Counts) {
			if _, err := restore(t.Context(), at, file, restoring(true)); err == nil || !strings.Contains(err.Error(), "in use by mooring backup") {
				t.Errorf("a restore beside a backup: %v", err)
			}
		},
	})
	if err != nil {
		t.Error(err)
	}
}

func TestWhatWasRevokedStaysRevoked(t *testing.T) {
	source, target := storagetest.Redis(t), storagetest.Redis(t)
	from, to := storagetest.Open(t, source), storagetest.Open(t, target)
	soon, later := time.Now().Add(time.Hour).Truncate(time.Second), time.Now().Add(2*time.Hour).Truncate(time.Second)
	device := func(s *storage.Store, id string) {
		if err := s.Tenants().AddDevice(t.Context(), "ada", &record.Device{ID: id, Tenant: shop.Tenant, Expires: later}); err != nil {
			t.Fatal(err)
		}
	}
	revoke := func(s *storage.Store, id string, until time.Time) {
		if err := s.Tenants().Revoke(t.Context(), shop.Tenant, id, until, ada); err != nil {
			t.Fatal(err)
		}
	}
	key := func(s *storage.Store, id string) *record.Key {
		k := &record.Key{ID: id, Owner: "ada", Expires: later}
		if err := s.Tenants().AddKey(t.Context(), shop.Tenant, k, ada); err != nil {
			t.Fatal(err)
		}
		return k
	}
	create(t, from, shop, named("R", "select 1"))
	revoke(from, "a", soon)
	revoke(from, "both", later)
	device(from, "D1")
	key(from, "made before")
	ended := key(from, "ended since")
	key(to, "made since")
	if err := to.Tenants().EndKey(t.Context(), shop.Tenant, key(to, ended.ID), ada); err != nil {
		t.Fatal(err)
	}
	revoke(to, "b", soon)
	revoke(to, "both", soon)
	device(to, "D2")
	file := backedUp(t, storage.Config{Address: source})
	done, err := restore(t.Context(), storage.Config{Address: target}, file, restoring(true))
	if err != nil || done.Devices != 1 {
		t.Fatal(done, err)
	}
	list, err := to.Tenants().Revocations(t.Context(), shop.Tenant)
	got := map[string]time.Time{}
	for _, r := range list {
		got[r.TokenID] = r.Until
	}
	want := map[string]time.Time{"a": soon.UTC(), "b": soon.UTC(), "both": later.UTC(), "D1": later.UTC(), "D2": later.UTC(), ended.ID: later.UTC()}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Error(diff, err)
	}
	known := map[string]bool{}
	made, err := to.Tenants().Keys(t.Context(), shop.Tenant)
	for _, k := range made {
		known[k.ID] = true
	}
	if err != nil || !known["made before"] || !known["made since"] {
		t.Errorf("a key that is good is not known: %v, %v", known, err)
	}
	for _, id := range []string{"D1", "D2"} {
		if _, found, err := to.Tenants().Device(t.Context(), shop.Tenant, id); found || err != nil {
			t.Errorf("device %s: %t, %v", id, found, err)
		}
	}
	var verbs []string
	for key, content := range to.Dump(t) {
		if strings.HasSuffix(key, ":acme:audit") || strings.HasSuffix(key, shop.Tenant+":audit") {
			verbs = slices.AppendSeq(verbs, maps.Values(content))
		}
	}
	if text := strings.Join(verbs, "\n"); !strings.Contains(text, "tenant.restore") {
		t.Errorf("audit: %s", text)
	}
}

// A restore that dies at any moment leaves a storage that does not start, until it is done again.
func TestARestoreThatDiesIsDoneAgain(t *testing.T) {
	source := storagetest.Redis(t)
	storagetest.Fill(t, source, storagetest.Amounts{Deployment: shop, Reports: 20, Placements: 50, Documents: 9, Runs: 200, Schedules: 5})
	from := storagetest.Open(t, source)
	file := backedUp(t, storage.Config{Address: source})
	want := comparable(t, from.Dump(t))
	died := 0
	for _, tenants := range []int{1, 2, 4, 8} {
		target := storagetest.Redis(t)
		ctx, die := context.WithCancel(t.Context())
		o, calls := restoring(false), 0
		o.Next = func(c *record.Schedule, after time.Time) (record.Tick, error) {
			if calls++; calls == tenants {
				die()
			}
			return atSeven(c, after)
		}
		if tenants == 8 { // more than there are schedules
			o.Progress = func(string, backup.Counts) { die() }
		}
		at := storage.Config{Address: target, Log: slog.New(slog.DiscardHandler)}
		if _, err := restore(ctx, at, file, o); errors.Is(err, context.Canceled) {
			died++
		}
		if _, err := storage.Open(t.Context(), at); err == nil || !strings.Contains(err.Error(), "has not ended") {
			t.Errorf("a storage that is not whole starts: %v", err)
		}
		if _, err := restore(t.Context(), at, file, restoring(false)); err != nil {
			t.Fatal(err)
		}
		dump := storagetest.Open(t, target).Dump(t)
		checkIndex(t, dump)
		if diff := cmp.Diff(want, comparable(t, dump)); diff != "" {
			t.Errorf("(-backed up +restored):\n%.5000s", diff)
		}
		die()
	}
	if died != 4 {
		t.Errorf("%d died", died)
	}
}

func TestBackupOfAClusterAndBack(t *testing.T) {
	cluster, single := storagetest.Cluster(t), storagetest.Redis(t)
	s := storagetest.Open(t, cluster)
	for i := range 12 {
		everything(t, s, "tenant"+strconv.Itoa(i))
	}
	file := backedUp(t, storage.Config{Address: cluster})
	if _, err := restore(t.Context(), storage.Config{Address: single, Partitions: 5}, file, restoring(false)); err != nil {
		t.Fatal(err)
	}
	back := backedUp(t, storage.Config{Address: single, Partitions: 5})
	if _, err := restore(t.Context(), storage.Config{Address: cluster}, back, restoring(true)); err != nil {
		t.Fatal(err)
	}
	s.OnTwoSlots(func(problem string) { t.Error(problem) })
	contents, err := backup.Check(bytes.NewReader(back), int64(len(back)))
	if err != nil || len(contents.Tenants) != 12 {
		t.Fatal(contents, err)
	}
	for _, name := range contents.Tenants {
		page, err := pageOf(9, s.Reports().List(t.Context(), record.Deployment{Tenant: name, ID: 1}, record.ListQuery{First: 9}, everyReport))
		if err != nil || len(page.Items) != 1 || page.Items[0].Name != "x" {
			t.Errorf("%s: %v %v", name, page, err)
		}
	}
}
