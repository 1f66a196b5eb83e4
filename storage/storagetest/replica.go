package storagetest

import (
	"context"
	"net"
	"strings"
	"testing"

	"github.com/redis/go-redis/v9"
)

// Replica starts a replica of the node with that id in a cluster of those nodes, for the length of the test, and returns its host:port once it
// has all that the node has.
func Replica(t testing.TB, cluster []string, id string) string {
	t.Helper()
	_, bus, _ := net.SplitHostPort(FreeAddr(t))
	addr := Server(t, "cluster-enabled yes", "cluster-port "+bus, "cluster-node-timeout 5000")
	node := Client(t, addr)
	host, port, _ := net.SplitHostPort(cluster[0])
	if err := node.Do(t.Context(), "CLUSTER", "MEET", host, port, busOf(t, cluster[0])).Err(); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), Patience)
	defer cancel()
	err := node.ClusterReplicate(ctx, id).Err()
	for err != nil && Again(ctx) { // until the node has heard of the other one
		err = node.ClusterReplicate(ctx, id).Err()
	}
	for err == nil && !hasAll(ctx, node) && Again(ctx) {
	}
	if err != nil || ctx.Err() != nil {
		t.Fatalf("a replica does not come: %v, %v", err, ctx.Err())
	}
	return addr
}

// hasAll reports whether a replica has what its primary has.
func hasAll(ctx context.Context, node *redis.Client) bool {
	info, err := node.Info(ctx, "replication").Result()
	return err == nil && strings.Contains(info, "master_link_status:up")
}
