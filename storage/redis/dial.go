package redis

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/logging"
)

// A dead or silent storage must be noticed while a request still waits for its answer.
const (
	dialTimeout = 2 * time.Second
	ioTimeout   = 3 * time.Second
)

// silenceClient keeps the client library from writing lines of its own to stderr: every error it logs it also returns.
var silenceClient = sync.OnceFunc(logging.Disable)

// Dialer opens a connection to a server, as net.Dialer.DialContext does.
type Dialer func(ctx context.Context, network, address string) (net.Conn, error)

// Dial makes the client for an address, which opens its connections with dial, unless that is nil; o, unless nil, observes it. It does not
// connect yet.
func Dial(address string, dial Dialer, o Observer) (redis.UniversalClient, error) {
	silenceClient()
	options, err := parseAddress(address)
	if err != nil {
		return nil, fmt.Errorf("redis address: %w", err)
	}
	options.Dialer = dial
	options.ContextTimeoutEnabled = true
	options.DialTimeout, options.ReadTimeout, options.WriteTimeout = dialTimeout, ioTimeout, ioTimeout
	options.DialerRetries = 1
	// A commit sent a second time would find its lock released by the first and report it lost.
	options.MaxRetries = -1
	rdb := redis.NewUniversalClient(options)
	if o != nil {
		Observe(rdb, o) // before what listen adds, so that it sees its errors
	}
	listen(rdb)
	return rdb, nil
}

// parseAddress reads the forms that Config.Address lists. Errors never repeat the address: it may hold a password.
func parseAddress(address string) (*redis.UniversalOptions, error) {
	scheme, rest, found := strings.Cut(address, "://")
	if !found {
		scheme, rest = "redis", address
	}
	sentinel := strings.HasSuffix(scheme, "+sentinel")
	switch {
	case sentinel, strings.Contains(rest, ","):
		return parseNodes(scheme, rest, sentinel)
	case scheme == "redis" || scheme == "rediss":
		return parseSingle(scheme + "://" + rest)
	}
	return nil, fmt.Errorf("unknown scheme %q: use redis, rediss, redis+sentinel or a comma list of nodes", scheme)
}

func parseSingle(address string) (*redis.UniversalOptions, error) {
	o, err := redis.ParseURL(address)
	if err != nil {
		return nil, errors.New("not a redis:// or rediss:// URL")
	}
	return &redis.UniversalOptions{
		Addrs: []string{o.Addr}, DB: o.DB, Username: o.Username, Password: o.Password, TLSConfig: o.TLSConfig,
		Protocol: o.Protocol, PoolSize: o.PoolSize, ClientName: o.ClientName,
	}, nil
}

// parseNodes reads "[user:password@]host:port,…[/master[/db]]", the part after the slash for Sentinel only. Nodes of a
// cluster may each repeat the scheme.
func parseNodes(scheme, rest string, sentinel bool) (*redis.UniversalOptions, error) {
	o := &redis.UniversalOptions{IsClusterMode: !sentinel}
	switch strings.TrimSuffix(scheme, "+sentinel") {
	case "redis":
	case "rediss":
		o.TLSConfig = &tls.Config{MinVersion: tls.VersionTLS12}
	default:
		return nil, fmt.Errorf("unknown scheme %q", scheme)
	}
	if at := strings.LastIndex(rest, "@"); at >= 0 {
		user, err := url.Parse("redis://" + rest[:at] + "@host")
		if err != nil {
			return nil, errors.New("user and password are not URL-encoded")
		}
		o.Username = user.User.Username()
		o.Password, _ = user.User.Password()
		rest = rest[at+1:]
	}
	if sentinel {
		return withMaster(o, rest)
	}
	return o, addNodes(o, rest)
}

func withMaster(o *redis.UniversalOptions, rest string) (*redis.UniversalOptions, error) {
	nodes, master, _ := strings.Cut(rest, "/")
	name, db, hasDB := strings.Cut(master, "/")
	if name == "" {
		return nil, errors.New("the name of the Sentinel master is missing: redis+sentinel://host:port/master")
	}
	o.MasterName = name
	if hasDB {
		n, err := strconv.Atoi(db)
		if err != nil {
			return nil, fmt.Errorf("database %q is not a number", db)
		}
		o.DB = n
	}
	return o, addNodes(o, nodes)
}

func addNodes(o *redis.UniversalOptions, nodes string) error {
	for node := range strings.SplitSeq(nodes, ",") {
		if _, host, found := strings.Cut(node, "://"); found {
			node = host
		}
		if node = strings.TrimSuffix(strings.TrimSpace(node), "/"); node == "" {
			continue
		}
		if !strings.Contains(node, ":") {
			return fmt.Errorf("node %q has no port", node)
		}
		o.Addrs = append(o.Addrs, node)
	}
	if len(o.Addrs) == 0 {
		return errors.New("no node named")
	}
	return nil
}
