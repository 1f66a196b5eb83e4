package redis

import (
	"context"
	"crypto/tls"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/redis/go-redis/v9"
)

func TestParseAddress(t *testing.T) {
	type target struct {
		Addrs              []string
		DB                 int
		User, Password     string
		TLS, Cluster       bool
		Master, ServerName string
	}
	tests := map[string]struct {
		address string
		want    target
	}{
		"one server":                          {"redis://localhost:6379", target{Addrs: []string{"localhost:6379"}}},
		"a database and a password":           {"redis://ada:p%40ss@localhost:6379/3", target{Addrs: []string{"localhost:6379"}, DB: 3, User: "ada", Password: "p@ss"}},
		"TLS":                                 {"rediss://redis.example:6380", target{Addrs: []string{"redis.example:6380"}, TLS: true, ServerName: "redis.example"}},
		"no scheme is redis":                  {"localhost:6379", target{Addrs: []string{"localhost:6379"}}},
		"a comma list is a cluster":           {"a:1,b:2, c:3", target{Addrs: []string{"a:1", "b:2", "c:3"}, Cluster: true}},
		"a cluster's nodes with their scheme": {"redis://a:1,redis://b:2", target{Addrs: []string{"a:1", "b:2"}, Cluster: true}},
		"a comma makes one node a cluster":    {"a:1,", target{Addrs: []string{"a:1"}, Cluster: true}},
		"a cluster with TLS and a user":       {"rediss://ada:x@a:1,b:2", target{Addrs: []string{"a:1", "b:2"}, Cluster: true, TLS: true, User: "ada", Password: "x"}},
		"Sentinel":                            {"redis+sentinel://a:1,b:2/main", target{Addrs: []string{"a:1", "b:2"}, Master: "main"}},
		"Sentinel with all":                   {"rediss+sentinel://:x@a:1/main/2", target{Addrs: []string{"a:1"}, Master: "main", DB: 2, Password: "x", TLS: true}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			o, err := parseAddress(tt.address)
			if err != nil {
				t.Fatal(err)
			}
			got := target{o.Addrs, o.DB, o.Username, o.Password, o.TLSConfig != nil, o.IsClusterMode, o.MasterName, ""}
			if o.TLSConfig != nil {
				got.ServerName = o.TLSConfig.ServerName
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestAnAddressSaysHowLongToWait(t *testing.T) {
	forms := map[string]string{
		"one server": "redis://:x@localhost:6379/1", "no scheme": "localhost:6379", "TLS": "rediss://localhost:6379",
		"cluster": "a:1,b:2", "cluster with TLS": "rediss://ada:x@a:1,b:2", "Sentinel": "redis+sentinel://a:1,b:2/main", "a database": "redis+sentinel://a:1/main/2",
	}
	tests := map[string]struct {
		options           string
		dial, read, write time.Duration
	}{
		"nothing":              {"", 2 * time.Second, 3 * time.Second, 3 * time.Second},
		"an empty query":       {"?", 2 * time.Second, 3 * time.Second, 3 * time.Second},
		"dial only":            {"?dial_timeout=10m", 10 * time.Minute, 3 * time.Second, 3 * time.Second},
		"read is for both":     {"?read_timeout=500ms", 2 * time.Second, 500 * time.Millisecond, 500 * time.Millisecond},
		"each its own":         {"?read_timeout=1m&write_timeout=2m&dial_timeout=3m", 3 * time.Minute, time.Minute, 2 * time.Minute},
		"a number is seconds":  {"?read_timeout=7&dial_timeout=8", 8 * time.Second, 7 * time.Second, 7 * time.Second},
		"less than the client": {"?dial_timeout=1ns", 1, 3 * time.Second, 3 * time.Second},
	}
	for form, address := range forms {
		for name, tt := range tests {
			t.Run(form+", "+name, func(t *testing.T) {
				bare, err := parseAddress(address)
				if err != nil {
					t.Fatal(err)
				}
				o, err := parseAddress(address + tt.options)
				if err != nil {
					t.Fatal(err)
				}
				got, want := []time.Duration{o.DialTimeout, o.ReadTimeout, o.WriteTimeout}, []time.Duration{tt.dial, tt.read, tt.write}
				if !slices.Equal(got, want) {
					t.Errorf("got %v, want %v", got, want)
				}
				bare.DialTimeout, bare.ReadTimeout, bare.WriteTimeout = tt.dial, tt.read, tt.write
				if diff := cmp.Diff(bare, o, cmpopts.IgnoreUnexported(tls.Config{})); diff != "" {
					t.Errorf("the rest of the address is read otherwise:\n%s", diff)
				}
			})
		}
	}
}

func TestTheClientWaitsAsItsAddressSays(t *testing.T) {
	for _, address := range []string{"redis://localhost:1", "localhost:1,localhost:2", "redis+sentinel://localhost:1/main"} {
		rdb, err := Dial(address+"?dial_timeout=11s&read_timeout=12s&write_timeout=13s", nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer rdb.Close()
		var dial, read, write time.Duration
		switch rdb := rdb.(type) {
		case *redis.Client:
			o := rdb.Options()
			dial, read, write = o.DialTimeout, o.ReadTimeout, o.WriteTimeout
		case *redis.ClusterClient:
			o := rdb.Options()
			dial, read, write = o.DialTimeout, o.ReadTimeout, o.WriteTimeout
		}
		if dial != 11*time.Second || read != 12*time.Second || write != 13*time.Second {
			t.Errorf("%s: the client waits %v, %v and %v", address, dial, read, write)
		}
	}
}

func TestBadAddresses(t *testing.T) {
	const url, encoding, longer = "not a redis:// or rediss:// URL", "user and password are not URL-encoded", "is not a time longer than none, such as 10s or 500ms"
	tests := []struct{ address, want string }{
		{"http://localhost", `unknown scheme "http": use redis, rediss, redis+sentinel or a comma list of nodes`},
		{"redis+sentinel://a:1", "the name of the Sentinel master is missing: redis+sentinel://host:port/master"},
		{"redis+sentinel://a:1/", "the name of the Sentinel master is missing: redis+sentinel://host:port/master"},
		{"redis+sentinel://a:1/main/x", `database "x" is not a number`},
		{"a,b", `node "a" has no port`},
		{",", "no node named"},
		{"ftp+sentinel://a:1/m", `unknown scheme "ftp+sentinel"`},
		{"redis://us%zz:secret@a:1,b:2", encoding},
		{"redis://user:secret@host/notadb", url},
		{"redis://a:1?read_timeout=soon", `read_timeout: "soon" ` + longer},
		{"redis://a:1?read_timeout=", `read_timeout: "" ` + longer},
		{"redis://a:1?dial_timeout=0", `dial_timeout: "0" ` + longer},
		{"redis://a:1?write_timeout=-1", `write_timeout: "-1" ` + longer},
		{"rediss://a:1,b:2?dial_timeout=-1s", `dial_timeout: "-1s" ` + longer},
		{"redis+sentinel://a:1/main/2?read_timeout=5x", `read_timeout: "5x" ` + longer},
		{"redis://a:1?read_timeout=5s,redis://b:2", `read_timeout: "5s,redis://b:2" ` + longer},
		{"redis://a:1?read-timeout=5s", "unexpected option: read-timeout"},
		{"redis://a:1?pool_size=x", "invalid pool_size number: strconv.Atoi: parsing \"x\": invalid syntax"},
		{"a:1,b:2?pool_size=5", `unknown option "pool_size": an address of several nodes takes dial_timeout, read_timeout and write_timeout`},
		{"redis+sentinel://a:1/main?db=2", `unknown option "db": an address of several nodes takes dial_timeout, read_timeout and write_timeout`},
		{"redis://a:1?read_timeout=%zz", `what stands after the "?" is not URL-encoded: use name=value&name=value`},
		{"redis://user:1?secret@host", `there is an "@" after a "?": write %3F for a "?" of a password, and %40 for an "@" of an option`},
	}
	for _, tt := range tests {
		err := CheckAddress(tt.address)
		if err == nil {
			t.Errorf("%s is accepted", tt.address)
		} else if err.Error() != tt.want {
			t.Errorf("%s:\n%v, want\n%s", tt.address, err, tt.want)
		}
		if _, err := Dial(tt.address, nil, nil); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: dialed with the error %v", tt.address, err)
		}
	}
}

func TestAServerIsSilentAfterTheLimitThatItWasGiven(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, tt := range []struct {
			takes, limit time.Duration
			silent       bool
		}{
			{time.Second, 3 * time.Second, false},
			{4 * time.Second, 3 * time.Second, true},
			{4 * time.Second, 10 * time.Minute, false},
			{11 * time.Minute, 10 * time.Minute, true},
		} {
			s := &silence{limit: tt.limit}
			started := time.Now()
			err := s.bound(t.Context(), func(ctx context.Context) error {
				select {
				case <-ctx.Done():
					return ctx.Err()
				case <-time.After(tt.takes):
					return nil
				}
			})
			if took, want := time.Since(started), min(tt.takes, tt.limit); (err != nil) != tt.silent || took != want {
				t.Errorf("an answer after %s, at most %s waited for: %v after %s, want %s", tt.takes, tt.limit, err, took, want)
			}
			err = s.bound(t.Context(), func(context.Context) error { return nil })
			if (err != nil) != tt.silent {
				t.Errorf("an answer after %s, at most %s waited for: the next command: %v", tt.takes, tt.limit, err)
			}
		}
	})
}

func TestAStuckConnectionIsNoSilentServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &silence{limit: 3 * time.Second}
		answered := func(context.Context) error { return nil }
		stuck := make(chan error)
		go func() {
			stuck <- s.bound(t.Context(), func(ctx context.Context) error {
				<-ctx.Done()
				return ctx.Err()
			})
		}()
		synctest.Wait()
		if err := s.bound(t.Context(), answered); err != nil {
			t.Fatal(err)
		}
		if err := <-stuck; err == nil {
			t.Fatal("a command without an answer was answered")
		}
		if err := s.bound(t.Context(), answered); err != nil {
			t.Errorf("after one command of two was answered: %v", err)
		}
	})
}
