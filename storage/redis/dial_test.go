package redis

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
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

func TestBadAddresses(t *testing.T) {
	for _, address := range []string{
		"http://localhost", "redis+sentinel://a:1", "redis+sentinel://a:1/", "redis+sentinel://a:1/main/x", "a,b", ",", "ftp+sentinel://a:1/m",
		"redis://us%zz:secret@a:1,b:2", "redis://user:secret@host/notadb",
	} {
		_, err := parseAddress(address)
		if err == nil {
			t.Errorf("%s is accepted", address)
		} else if strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: the error shows the password: %v", address, err)
		}
	}
}
