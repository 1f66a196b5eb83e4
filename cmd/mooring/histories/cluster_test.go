//go:build unix

package histories

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"mooring/cmd/mooring/programtest"
	"mooring/storage/storagetest"
)

// The storage on a cluster: all that the servers keep of their tenant is in one shard, which has replicas.
const (
	replicas = 2

	// nodeTimeout is the cluster's. A node stands for election again no sooner than four of it after the last time.
	nodeTimeout     = "1000"
	betweenElection = 4500 * time.Millisecond
	electionLimit   = 6 * time.Second // longer than a node goes on with a switch-over that was asked for
)

// shard is the part of a cluster that holds what the servers keep.
type shard struct {
	t *testing.T

	turn  sync.Mutex // of those who change nodes
	mu    sync.Mutex
	nodes []*node // the primary first
}

// node is a redis-server of the shard.
type node struct {
	*redis.Client
	stood time.Time // for election
}

// newCluster starts a cluster of three nodes, and returns what a configuration calls it.
func newCluster(t *testing.T) (nodes []string, address string) {
	t.Helper()
	nodes = storagetest.ClusterNodes(t)
	return nodes, strings.Join(nodes, ",")
}

// newShard gives replicas to the node that holds the most. None takes over by itself, as what was acknowledged could be lost then.
func newShard(t *testing.T, cluster []string) *shard {
	t.Helper()
	var all []*node
	for _, address := range cluster {
		all = append(all, &node{Client: storagetest.Client(t, address)})
	}
	s := &shard{t: t, nodes: []*node{slices.MaxFunc(all, func(a, b *node) int { return int(a.keys(t) - b.keys(t)) })}}
	id := s.nodes[0].ClusterMyID(t.Context()).Val()
	for range replicas {
		n := &node{Client: storagetest.Client(t, storagetest.Replica(t, cluster, id))}
		s.nodes, all = append(s.nodes, n), append(all, n)
	}
	for _, n := range all {
		for name, value := range map[string]string{"cluster-replica-no-failover": "yes", "cluster-node-timeout": nodeTimeout} {
			if err := n.ConfigSet(t.Context(), name, value).Err(); err != nil {
				t.Fatal(err)
			}
		}
	}
	return s
}

func (n *node) keys(t *testing.T) int64 {
	t.Helper()
	count, err := n.DBSize(t.Context()).Result()
	if err != nil {
		t.Fatal(err)
	}
	return count
}

// switchOver makes a replica the primary, without the loss of a write: the primary holds writes back until the replica has all of them.
func (s *shard) switchOver() {
	s.turn.Lock()
	defer s.turn.Unlock()
	for deadline := time.Now().Add(programtest.Patience); time.Now().Before(deadline); {
		next := slices.MinFunc(s.nodes[1:], func(a, b *node) int { return a.stood.Compare(b.stood) })
		time.Sleep(time.Until(next.stood.Add(betweenElection)))
		if next.becomesPrimary() {
			s.mu.Lock()
			defer s.mu.Unlock()
			i := slices.Index(s.nodes, next)
			s.nodes[0], s.nodes[i] = next, s.nodes[0]
			return
		}
	}
	s.t.Error("no replica becomes the primary")
}

// becomesPrimary asks a replica to take over, and reports whether it does. One refuses that does not know enough of the cluster yet.
func (n *node) becomesPrimary() bool {
	ctx, cancel := context.WithTimeout(context.Background(), electionLimit)
	defer cancel()
	asked := false
	for !n.isPrimary(ctx) { // it may be since it was asked the last time
		asked = asked || n.ClusterFailover(ctx).Err() == nil
		if !storagetest.Again(ctx) {
			n.stood = time.Now()
			return false
		}
	}
	n.stood = time.Now()
	return true
}

func (n *node) isPrimary(ctx context.Context) bool {
	role, err := n.Do(ctx, "ROLE").Slice()
	return err == nil && role[0] == "master"
}

// cut cuts all connections of servers to the primary.
func (s *shard) cut() {
	s.mu.Lock()
	defer s.mu.Unlock()
	_ = s.nodes[0].ClientKillByFilter(context.Background(), "TYPE", "normal").Err() // its own may be among them
}
