package redis

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/logging"
)

// A dead or silent storage must be noticed while a request still waits for its answer. An address may say otherwise.
const (
	defaultDialTimeout = 2 * time.Second
	defaultReadTimeout = 3 * time.Second
)

// silenceClient keeps the client library from writing lines of its own to stderr: every error it logs it also returns.
var silenceClient = sync.OnceFunc(logging.Disable)

// Dialer opens a connection to a server, as net.Dialer.DialContext does.
type Dialer func(ctx context.Context, network, address string) (net.Conn, error)

// Dial makes the client for an address, which opens its connections with dial, unless that is nil; o, unless nil, observes it. It does not
// connect yet.
func Dial(address string, dial Dialer, o Observer) (UniversalClient, error) {
	silenceClient()
	options, err := parseAddress(address)
	if err != nil {
		return nil, fmt.Errorf("redis address: %w", err)
	}
	options.Dialer = dial
	options.ContextTimeoutEnabled = true
	options.DialerRetries = 1
	// A commit sent a second time would find its lock released by the first and report it lost.
	options.MaxRetries = -1
	if options.IsClusterMode {
		sentOnce(options)
	}
	rdb := redis.NewUniversalClient(options)
	if o != nil {
		Observe(rdb, o) // before what listen adds, so that it sees its errors
	}
	listen(rdb, options.ReadTimeout)
	return rdb, nil
}

// CheckAddress returns what is wrong with an address for Dial. Nothing is connected, and the error does not repeat a password. It is not inlined,
// for UniversalClient's reason.
//
//go:noinline
func CheckAddress(address string) error {
	_, err := parseAddress(address)
	return err
}

// parseAddress reads the forms that storage.Config.Address lists. Errors never repeat the address: it may hold a password.
func parseAddress(address string) (*redis.UniversalOptions, error) {
	server, query, _ := strings.Cut(address, "?")
	if strings.Contains(query, "@") { // or the name of an unknown option would be half a password
		return nil, errors.New(`there is an "@" after a "?": write %3F for a "?" of a password, and %40 for an "@" of an option`)
	}
	given, err := url.ParseQuery(query)
	if err != nil {
		return nil, errors.New("what stands after the \"?\" is not URL-encoded: use name=value&name=value")
	}
	limits, err := takeTimeouts(given)
	if err != nil {
		return nil, err
	}
	o, err := parseServer(server, given)
	if err != nil {
		return nil, err
	}
	o.DialTimeout, o.ReadTimeout, o.WriteTimeout = limits.dial, limits.read, limits.write
	return o, nil
}

// parseServer reads an address whose options after the "?", given, stand apart.
func parseServer(address string, given url.Values) (*redis.UniversalOptions, error) {
	scheme, rest, found := strings.Cut(address, "://")
	if !found {
		scheme, rest = "redis", address
	}
	sentinel := strings.HasSuffix(scheme, "+sentinel")
	switch {
	case sentinel, strings.Contains(rest, ","):
		if len(given) > 0 {
			return nil, fmt.Errorf("unknown option %q: an address of several nodes takes dial_timeout, read_timeout and write_timeout",
				slices.Sorted(maps.Keys(given))[0])
		}
		return parseNodes(scheme, rest, sentinel)
	case scheme == "redis" || scheme == "rediss":
		return parseSingle(scheme+"://"+rest, given)
	}
	return nil, fmt.Errorf("unknown scheme %q: use redis, rediss, redis+sentinel or a comma list of nodes", scheme)
}

// parseSingle reads the address of one server; given are the options that the client library knows.
func parseSingle(address string, given url.Values) (*redis.UniversalOptions, error) {
	if _, err := redis.ParseURL(address); err != nil {
		return nil, errors.New("not a redis:// or rediss:// URL")
	}
	o, err := redis.ParseURL(address + "?" + given.Encode())
	if err != nil { // of the options only: the rest was read
		return nil, errors.New(strings.TrimPrefix(err.Error(), "redis: "))
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
