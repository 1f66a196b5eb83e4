package storagetest

import (
	"context"
	"fmt"
	"net"
	"strings"
	"testing"
	"time"
)

// Cluster starts a cluster of three nodes for the length of the test and returns its address, with Patience.
func Cluster(t testing.TB) string {
	t.Helper()
	return Addr(strings.Join(ClusterNodes(t), ","))
}

// ClusterNodes starts a cluster of three nodes for the length of the test and returns their host:port.
func ClusterNodes(t testing.TB) []string {
	t.Helper()
	const slots = 16384
	var nodes []string
	for i := range 3 {
		_, bus, _ := net.SplitHostPort(FreeAddr(t))
		nodes = append(nodes, Server(t, "cluster-enabled yes", "cluster-port "+bus, "cluster-node-timeout 5000"))
		node := Client(t, nodes[i])
		from, to := i*slots/3, (i+1)*slots/3-1
		if err := node.ClusterAddSlotsRange(t.Context(), from, to).Err(); err != nil {
			t.Fatal(err)
		}
		host, port, _ := net.SplitHostPort(nodes[0])
		meet := []any{"CLUSTER", "MEET", host, port, busOf(t, nodes[0])}
		if err := node.Do(t.Context(), meet...).Err(); err != nil {
			t.Fatal(err)
		}
	}
	for _, addr := range nodes {
		untilWhole(t, addr)
	}
	return nodes
}

// busOf asks a node for the port on which it talks to the others.
func busOf(t testing.TB, addr string) string {
	t.Helper()
	node := Client(t, addr)
	config, err := node.ConfigGet(t.Context(), "cluster-port").Result()
	if err != nil {
		t.Fatal(err)
	}
	return config["cluster-port"]
}

// untilWhole waits until a node knows who has which slot.
func untilWhole(t testing.TB, addr string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), Patience)
	defer cancel()
	node := Client(t, addr)
	for {
		info, err := node.ClusterInfo(ctx).Result()
		if err != nil {
			t.Fatal(fmt.Errorf("cluster does not form: %w", err))
		}
		if strings.Contains(info, "cluster_state:ok") && strings.Contains(info, "cluster_known_nodes:3") {
			return
		}
		Again(ctx)
	}
}

// Again waits a moment before a test looks again for what must come, and reports whether ctx goes on.
func Again(ctx context.Context) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(20 * time.Millisecond):
		return true
	}
}
