package web

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/redis/go-redis/v9"

	"mooring/refresh"
	"mooring/storage/storagetest"
)

// operator is who breaks and mends a redis-server.
type operator struct {
	*testing.T
	*redis.Client
}

// do has the server run a command.
func (o operator) do(command string) {
	o.Helper()
	args := []any{}
	for word := range strings.FieldsSeq(command) {
		args = append(args, strings.ReplaceAll(word, "_", " "))
	}
	if err := o.Do(context.Background(), args...).Err(); err != nil {
		o.Fatalf("%s: %v", command, err)
	}
}

// until waits until a section of INFO has a line.
func (o operator) until(section, line string) {
	o.Helper()
	for deadline := time.Now().Add(storagetest.Patience); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		if strings.Contains(o.Info(context.Background(), section).Val(), line) {
			return
		}
	}
	o.Fatalf("INFO %s never has %s", section, line)
}

// snapshotInTheWay is a folder where the server wants to save: it cannot replace it.
func (o operator) snapshotInTheWay() string {
	return filepath.Join(o.ConfigGet(context.Background(), "dir").Val()["dir"], "dump.rdb")
}

// stored is the content of every key that lasts.
func (o operator) stored() map[string]string {
	o.Helper()
	content := map[string]string{}
	keys, err := o.Keys(context.Background(), "*").Result()
	if err != nil {
		o.Fatal(err)
	}
	for _, key := range keys {
		switch {
		case o.TTL(context.Background(), key).Val() >= 0:
		case o.Type(context.Background(), key).Val() == "hash": // whose fields have no order
			content[key] = fmt.Sprint(o.HGetAll(context.Background(), key).Val())
		default:
			content[key] = o.Dump(context.Background(), key).Val()
		}
	}
	return content
}

// refusedWrites are requests that storage must refuse.
var refusedWrites = []step{
	{method: "GET", path: "//readyz"},
	{method: "POST", path: "/reports", body: `{"name":"Other"}`},
	{method: "POST", path: "/reports", body: `{"name":"Other"}`, header: map[string]string{"Idempotency-Key": "one"}},
	{method: "PUT", path: "/reports/{{id}}", body: `{"name":"Other"}`},
	{method: "PUT", path: "/reports/by-public-id/Fault0000001", body: `{"name":"Other"}`},
	{method: "PUT", path: connectPath, body: `{"externalWorkbookId":"d","resultLocation":"S!B7"}`},
	{method: "PUT", path: "/workbooks/by-slug/sales", body: `{"name":"W"}`},
	{method: "POST", path: "/refresh-schedules", body: `{"cron":"0 6 * * *","target":{"reportId":{{id}}}}`},
	{method: "POST", path: "/reports/{{id}}/refreshes", body: `{}`},
	{method: "DELETE", path: "/reports/{{id}}"},
}

// Each cause for which Redis refuses what it is asked has a code of its own, leaves nothing half written, and passes without a restart.
func TestEveryRefusalOfRedisSaysItsCause(t *testing.T) {
	for _, tt := range []struct {
		fact   string
		config []string
		breaks func(o operator)
		mends  func(o operator)
		code   string
		reads  bool // go on
	}{
		{
			fact:   "no memory",
			breaks: func(o operator) { o.do("CONFIG SET maxmemory 1") },
			mends:  func(o operator) { o.do("CONFIG SET maxmemory 0") },
			code:   "storage_full", reads: true,
		},
		{
			fact: "no save",
			breaks: func(o operator) {
				o.do("CONFIG SET save 3600_1000000")
				if err := os.Mkdir(o.snapshotInTheWay(), 0o700); err != nil {
					o.Fatal(err)
				}
				o.do("BGSAVE")
				o.until("persistence", "rdb_last_bgsave_status:err")
			},
			mends: func(o operator) {
				if err := os.Remove(o.snapshotInTheWay()); err != nil {
					o.Fatal(err)
				}
				o.do("BGSAVE")
				o.until("persistence", "rdb_last_bgsave_status:ok")
			},
			code: "storage_not_saving", reads: true,
		},
		{
			fact:   "a replica",
			breaks: func(o operator) { o.do("REPLICAOF 127.0.0.1 1") },
			mends:  func(o operator) { o.do("REPLICAOF NO ONE") },
			code:   "storage_read_only", reads: true,
		},
		{
			fact:   "a replica without its primary's data",
			config: []string{"replica-serve-stale-data no"},
			breaks: func(o operator) { o.do("REPLICAOF 127.0.0.1 1") },
			mends:  func(o operator) { o.do("REPLICAOF NO ONE") },
			code:   "storage_read_only",
		},
		{
			fact:   "too few replicas",
			breaks: func(o operator) { o.do("CONFIG SET min-replicas-to-write 1") },
			mends:  func(o operator) { o.do("CONFIG SET min-replicas-to-write 0") },
			code:   "storage_few_replicas", reads: true,
		},
		{
			fact:   "a user without rights",
			breaks: func(o operator) { o.do("ACL SETUSER mooring -@all") },
			mends:  func(o operator) { o.do("ACL SETUSER mooring +@all") },
			code:   "storage_denied",
		},
		{
			fact: "a user that is gone",
			breaks: func(o operator) {
				o.do("ACL DELUSER mooring")
				o.do("PING") // answered once the user's connections, which end after the reply, are gone
			},
			mends: func(o operator) { o.do("ACL SETUSER mooring on >secret ~* &* +@all") },
			code:  "storage_denied",
		},
		{
			fact:   "a start with much to read",
			config: []string{"enable-debug-command local", "loading-process-events-interval-bytes 1024"},
			breaks: func(o operator) {
				for i := range 200 {
					o.Set(context.Background(), fmt.Sprint("filler", i), strings.Repeat("x", 2000), 0)
				}
				o.do("CONFIG SET key-load-delay 300000") // microseconds: a minute for all
				go o.Do(context.Background(), "DEBUG", "RELOAD")
				o.until("persistence", "\nloading:1")
			},
			mends: func(o operator) {
				o.do("CONFIG SET key-load-delay 0")
				o.until("persistence", "\nloading:0")
			},
			code: "storage_loading",
		},
		{
			fact:   "a cluster without a slot",
			config: []string{"cluster-enabled yes", "cluster-require-full-coverage yes"},
			breaks: func(o operator) {
				o.do("CLUSTER DELSLOTS 0")
				o.untilCluster("fail")
			},
			mends: func(o operator) {
				o.do("CLUSTER ADDSLOTS 0")
				o.untilCluster("ok")
			},
			code: "storage_cluster_down",
		},
	} {
		t.Run(tt.fact, func(t *testing.T) {
			t.Parallel()
			o, address := operated(t, tt.config)
			store := storagetest.Open(t, address)
			a := newAPI(t, store, func(c *Config) {
				c.Engine = refresh.New(refresh.Config{Store: store, Log: slog.New(slog.DiscardHandler)})
			})
			a.run(t, []step{
				report("Sales"),
				{method: "PUT", path: connectPath, status: 200, body: `{"externalWorkbookId":"d","resultLocation":"S!A1","addressOnly":true}`},
			})
			before := o.stored()
			tt.breaks(o)
			for _, s := range refusedWrites {
				w := a.send(s)
				want503(t, s.method+" "+s.path, w)
				if body := w.Body.String(); !strings.Contains(body, `"`+tt.code+`"`) || !strings.Contains(body, ": nothing was changed. ") {
					t.Errorf("%s %s: %s", s.method, s.path, body)
				}
			}
			wantReads(t, a, tt.reads, tt.code)
			tt.mends(o)
			untilReady(t, a)
			after := o.stored()
			for key := range after {
				if strings.HasPrefix(key, "filler") {
					delete(after, key)
				}
			}
			if diff := cmp.Diff(before, after); diff != "" {
				t.Errorf("what is stored (-before +after):\n%s", diff)
			}
			if w := a.send(refusedWrites[3]); w.Code != http.StatusOK {
				t.Errorf("once mended: %d %s", w.Code, w.Body)
			}
		})
	}
}

// operated starts a server, and returns who operates it and its address for the service, which is a user of its own there.
func operated(t *testing.T, config []string) (operator, string) {
	t.Helper()
	clustered := slices.ContainsFunc(config, func(line string) bool { return line == "cluster-enabled yes" })
	if clustered {
		_, bus, _ := net.SplitHostPort(storagetest.FreeAddr(t))
		config = append(config, "cluster-port "+bus)
	}
	server := storagetest.Server(t, append(config, "rdbcompression no", "user mooring on >secret ~* &* +@all")...)
	o := operator{t, storagetest.Client(t, server)}
	t.Cleanup(func() { _ = o.Close() })
	if clustered {
		o.do("CLUSTER ADDSLOTSRANGE 0 16383")
		o.untilCluster("ok")
		return o, storagetest.Addr("redis://mooring:secret@" + server + ",")
	}
	return o, storagetest.Addr("redis://mooring:secret@" + server)
}

// untilCluster waits until a node finds its cluster in a state.
func (o operator) untilCluster(state string) {
	o.Helper()
	for deadline := time.Now().Add(storagetest.Patience); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		if strings.Contains(o.ClusterInfo(context.Background()).Val(), "cluster_state:"+state) {
			return
		}
	}
	o.Fatalf("the cluster is never %s", state)
}

// wantReads checks that reads are answered, or refused for the same cause. The report that was just read is known without asking.
func wantReads(t *testing.T, a *api, answered bool, code string) {
	t.Helper()
	for _, path := range []string{"/reports", "/refresh-schedules", "/refreshes"} {
		w := a.send(step{method: "GET", path: path})
		switch {
		case answered && w.Code != http.StatusOK:
			t.Errorf("GET %s: %d %s", path, w.Code, w.Body)
		case !answered && !strings.Contains(w.Body.String(), `"`+code+`"`):
			t.Errorf("GET %s: %d %s", path, w.Code, w.Body)
		}
	}
	if w := a.send(step{method: "GET", path: "//healthz"}); w.Code != http.StatusOK {
		t.Errorf("the process lives: %d %s", w.Code, w.Body)
	}
}

func untilReady(t *testing.T, a *api) {
	t.Helper()
	for deadline := time.Now().Add(storagetest.Patience); ; time.Sleep(20 * time.Millisecond) {
		w := a.send(step{method: "GET", path: "//readyz"})
		if w.Code == http.StatusOK {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("once mended: %d %s", w.Code, w.Body)
		}
	}
}
