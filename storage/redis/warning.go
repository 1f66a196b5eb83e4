package redis

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/redis/go-redis/v9"
)

const (
	oldestVersion = 7  // of Redis that is tested
	fullPercent   = 80 // of its memory from which on a server counts as nearly full
)

// Warnings returns a sentence for each thing about the servers that works and may cost data, with what to do about it. A cluster is asked
// node by node. What a login may not look at is said too. Errors: ErrReadOnly for a replica, which keeps no write even where it takes one;
// ErrDenied for a login that may not run all commands, since a script that ends in its middle leaves half of a write; those of Unavailable.
func Warnings(ctx context.Context, rdb UniversalClient) ([]string, error) {
	cluster, ok := rdb.(*redis.ClusterClient)
	if !ok {
		s, err := look(ctx, rdb)
		if err != nil {
			return nil, err
		}
		return s.warnings(), checkRights(ctx, rdb)
	}
	var mu sync.Mutex
	nodes := map[string][]string{} // addresses by what is said of them
	err := cluster.ForEachMaster(ctx, func(ctx context.Context, node *redis.Client) error {
		s, err := look(ctx, node)
		mu.Lock()
		defer mu.Unlock()
		for _, w := range s.warnings() {
			nodes[w] = append(nodes[w], node.Options().Addr)
		}
		return err
	})
	if err != nil {
		return nil, Unavailable(err)
	}
	return byNode(nodes), checkRights(ctx, rdb)
}

// byNode puts the nodes behind each sentence.
func byNode(nodes map[string][]string) []string {
	var warnings []string
	for _, w := range slices.Sorted(maps.Keys(nodes)) {
		slices.Sort(nodes[w])
		warnings = append(warnings, fmt.Sprintf("%s (%s)", w, strings.Join(nodes[w], ", ")))
	}
	return warnings
}

// server is what one server says of itself.
type server struct {
	info   map[string]string // empty when the login may not ask
	save   string            // the points at which it saves a snapshot, "" for none
	saving bool              // save is known
}

// look asks a server.
func look(ctx context.Context, rdb redis.Cmdable) (server, error) {
	text, err := rdb.Info(ctx).Result()
	if forbidden(err) {
		return server{}, nil
	}
	if err != nil {
		return server{}, Unavailable(err)
	}
	s := server{info: parseInfo(text)}
	if s.info["role"] == "slave" {
		return s, fmt.Errorf("%w: INFO says role:slave", ErrReadOnly)
	}
	config, err := rdb.ConfigGet(ctx, "save").Result()
	if err != nil && !forbidden(err) {
		return s, Unavailable(err)
	}
	s.save, s.saving = config["save"]
	return s, nil
}

// forbidden reports whether a server knows or allows a command not, as hosted ones do, and otherwise answers.
func forbidden(err error) bool {
	var reply redis.Error
	if !errors.As(err, &reply) {
		return false
	}
	return refusalOf(reply.Error()) == ErrDenied || strings.HasPrefix(reply.Error(), "ERR ")
}

// parseInfo reads the answer to INFO.
func parseInfo(text string) map[string]string {
	info := map[string]string{}
	for line := range strings.Lines(text) {
		if name, value, ok := strings.Cut(strings.TrimSpace(line), ":"); ok {
			info[name] = value
		}
	}
	return info
}

func (s server) warnings() []string {
	if len(s.info) == 0 {
		return []string{"its state could not be looked at, since the login may not run INFO: see to it that it saves to its disk " +
			"(appendonly yes), evicts nothing (maxmemory-policy noeviction) and has memory left"}
	}
	var list []string
	for _, w := range []string{s.ofVersion(), s.ofPersistence(), s.ofSaves(), s.ofEviction(), s.ofMemory()} {
		if w != "" {
			list = append(list, w)
		}
	}
	return list
}

func (s server) ofVersion() string {
	version := s.info["redis_version"]
	major, _, _ := strings.Cut(version, ".")
	if n, err := strconv.Atoi(major); err != nil || n >= oldestVersion {
		return ""
	}
	return fmt.Sprintf("version %s is older than the oldest that is tested: upgrade it to %d or newer", version, oldestVersion)
}

func (s server) ofPersistence() string {
	switch {
	case s.info["aof_enabled"] != "0":
		return ""
	case !s.saving:
		return "whether it saves to its disk could not be looked at, since the login may not run CONFIG, and it has no append-only file: " +
			"set appendonly yes, or see to it that the service which hosts it saves"
	case s.save == "":
		return "it saves nothing to its disk: everything is gone when it restarts; set appendonly yes"
	}
	return fmt.Sprintf("it saves snapshots only (save %s): a crash costs what was written since the last one; set appendonly yes", s.save)
}

// ofSaves says which save failed last.
func (s server) ofSaves() string {
	for _, field := range []string{"aof_last_write_status", "aof_last_bgrewrite_status", "rdb_last_bgsave_status"} {
		if status := s.info[field]; status != "" && status != "ok" {
			return fmt.Sprintf("its last save to the disk failed (%s:%s): its log says why, and often the disk is full", field, status)
		}
	}
	return ""
}

func (s server) ofEviction() string {
	policy := s.info["maxmemory_policy"]
	if policy == "" || policy == "noeviction" {
		return ""
	}
	return fmt.Sprintf("maxmemory-policy %s deletes data when memory runs short: set maxmemory-policy noeviction", policy)
}

func (s server) ofMemory() string {
	limit, what, remedy := s.number("maxmemory"), "maxmemory", "raise maxmemory before it refuses writes"
	if limit == 0 {
		limit, what, remedy = s.number("total_system_memory"), "the machine's memory", "give the machine more"
	}
	used := s.number("used_memory")
	if limit == 0 || used*100 <= limit*fullPercent {
		return ""
	}
	return fmt.Sprintf("%d %% of %s is used (%d of %d MB): %s", used*100/limit, what, used>>20, limit>>20, remedy)
}

// number reads a field of bytes, 0 for none.
func (s server) number(field string) int64 {
	n, _ := strconv.ParseInt(s.info[field], 10, 64)
	return n
}
