package storage_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/redis/go-redis/v9"

	"mooring/placements"
	"mooring/storage"
	"mooring/storage/record"
)

// copyOf copies the files of a directory into a new one.
func copyOf(t *testing.T, dir string) string {
	t.Helper()
	to := t.TempDir()
	if err := os.CopyFS(to, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	return to
}

func snapshotIn(dir string) string { return filepath.Join(dir, "mooring.snapshot") }

func TestSnapshotKeepsEverything(t *testing.T) {
	dir := t.TempDir()
	s, _ := openEmbedded(t, dir)
	in := withPublicID(named("Sales", "select '\x00\xff'"), chosen)
	in.ExternalWorkbookID, in.ResultLocation = placements.Sent("book"), placements.Sent("S!A1")
	r := create(t, s, shop, in)
	create(t, s, shop, named("loose", ""))
	rdb := s.Client()
	binary := string([]byte{0, 255, 10, 13, 0})
	if err := rdb.Set(t.Context(), "mooring:bytes", binary, 0).Err(); err != nil {
		t.Fatal(err)
	}
	if err := rdb.ZAdd(t.Context(), "mooring:scores", redis.Z{Score: 1_760_000_000_123, Member: "a"}, redis.Z{Score: 0.5, Member: "b"}).Err(); err != nil {
		t.Fatal(err)
	}
	if err := rdb.RPush(t.Context(), "mooring:list", "z", "", "a").Err(); err != nil {
		t.Fatal(err)
	}
	if err := rdb.Set(t.Context(), "mooring:hour", "x", time.Hour).Err(); err != nil {
		t.Fatal(err)
	}
	if err := rdb.Set(t.Context(), "mooring:moment", "x", time.Millisecond).Err(); err != nil {
		t.Fatal(err)
	}
	want := load(t, s, shop, r.ID)
	closeStore(t, s)

	s, _ = openEmbedded(t, dir)
	defer closeStore(t, s)
	rdb = s.Client()
	wantSame(t, want, load(t, s, shop, r.ID))
	if got := upsert(t, s, shop, chosen, record.ReportInput{}); got.ID != r.ID {
		t.Errorf("the publicId leads to %d", got.ID)
	}
	if next := create(t, s, shop, named("next", "")); next.ID != r.ID+2 {
		t.Errorf("the next report is %d", next.ID)
	}
	if got := rdb.Get(t.Context(), "mooring:bytes").Val(); got != binary {
		t.Errorf("bytes %q", got)
	}
	if got := rdb.LRange(t.Context(), "mooring:list", 0, -1).Val(); !cmp.Equal(got, []string{"z", "", "a"}) {
		t.Errorf("list %q", got)
	}
	if got := rdb.ZScore(t.Context(), "mooring:scores", "a").Val(); got != 1_760_000_000_123 {
		t.Errorf("score %f", got)
	}
	if ttl := rdb.TTL(t.Context(), "mooring:hour").Val(); ttl < 59*time.Minute || ttl > time.Hour {
		t.Errorf("time to live %v", ttl)
	}
	if n := rdb.Exists(t.Context(), "mooring:moment").Val(); n != 0 {
		t.Error("what expired meanwhile is back")
	}
}

func TestSnapshotDeliversUnfinishedWorkAgain(t *testing.T) {
	dir := t.TempDir()
	s, _ := openEmbedded(t, dir)
	rdb := s.Client()
	const stream, group = "mooring:work", "agents"
	for _, id := range []string{"5-0", "5-1", "7-0", "8-0"} {
		if err := rdb.XAdd(t.Context(), &redis.XAddArgs{Stream: stream, ID: id, Values: []string{"run", id}}).Err(); err != nil {
			t.Fatal(err)
		}
	}
	if err := rdb.XGroupCreate(t.Context(), stream, group, "0").Err(); err != nil {
		t.Fatal(err)
	}
	read := func(rdb redis.UniversalClient) (ids []string) {
		t.Helper()
		streams, err := rdb.XReadGroup(t.Context(), &redis.XReadGroupArgs{Group: group, Consumer: "c", Streams: []string{stream, ">"}, Count: 3, Block: -1}).Result()
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range streams[0].Messages {
			ids = append(ids, m.ID)
		}
		return ids
	}
	if got := read(rdb); len(got) != 3 {
		t.Fatalf("read %v", got)
	}
	if err := rdb.XAck(t.Context(), stream, group, "5-0").Err(); err != nil {
		t.Fatal(err)
	}
	closeStore(t, s)

	s, _ = openEmbedded(t, dir)
	defer closeStore(t, s)
	if got := read(s.Client()); !cmp.Equal(got, []string{"5-1", "7-0", "8-0"}) {
		t.Errorf("after the restart: %v, want what was not acknowledged and what was not read", got)
	}
}

func TestDamagedSnapshotIsRefusedAndKept(t *testing.T) {
	whole := t.TempDir()
	s, _ := openEmbedded(t, whole)
	create(t, s, shop, named("Sales", ""))
	closeStore(t, s)
	good, err := os.ReadFile(snapshotIn(whole))
	if err != nil {
		t.Fatal(err)
	}
	flipped := append([]byte{}, good...)
	flipped[len(flipped)-10] ^= 1
	for name, content := range map[string][]byte{
		"empty": {}, "cut short": good[:len(good)-1], "only the head": good[:30], "one bit flipped": flipped, "something else": []byte("REDIS0011"),
		"of a later version": append([]byte("mooring snapshot 2\n"), good[19:]...), "longer": append(append([]byte{}, good...), 0),
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.WriteFile(snapshotIn(dir), content, 0o600); err != nil {
				t.Fatal(err)
			}
			_, err := storage.Open(t.Context(), storage.Config{DataDir: dir, Log: quiet})
			if err == nil || !strings.Contains(err.Error(), snapshotIn(dir)) || !strings.Contains(err.Error(), "damaged") {
				t.Errorf("error %v", err)
			}
			if after, err := os.ReadFile(snapshotIn(dir)); !cmp.Equal(after, content) || err != nil {
				t.Errorf("the file was touched: %v", err)
			}
		})
	}
}

func TestSaveThatDiedHalfwayIsIgnored(t *testing.T) {
	dir := t.TempDir()
	s, _ := openEmbedded(t, dir)
	r := create(t, s, shop, named("Sales", ""))
	closeStore(t, s)
	if err := os.WriteFile(snapshotIn(dir)+".123", []byte("mooring snapshot 1\nhalf"), 0o600); err != nil {
		t.Fatal(err)
	}
	s, _ = openEmbedded(t, dir)
	defer closeStore(t, s)
	if got := load(t, s, shop, r.ID); got.Name != "Sales" {
		t.Errorf("read %+v", got)
	}
}

func TestSnapshotThatCannotBeWrittenIsAnError(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	s, _ := openEmbedded(t, dir)
	create(t, s, shop, named("Sales", ""))
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err == nil || !strings.Contains(err.Error(), "snapshot") {
		t.Errorf("close: %v", err)
	}
}
