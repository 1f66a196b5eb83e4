//go:build unix

package histories

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"mooring/cmd/mooring/programtest"
	"mooring/storage/storagetest"
)

func TestMain(m *testing.M) {
	code := m.Run()
	programtest.Remove()
	os.Exit(code)
}

const configuration = `
listen: 127.0.0.1:0
redis: %s
signing: {keys: [{id: main, algorithm: HS256, secret: "0123456789abcdef0123456789abcdef"}]}
limits: {schedulesPerUser: 0, schedulesPerTenant: 0}
tenants:
  acme:
    deployments: {1: {source: {kind: sqlite, path: data.db}}}
    spreadsheets: {SHEETS_B: {kind: xlsx, dir: .}}
`

// servers is how many serve the one Redis.
const servers = 3

// server is one server of the program, behind a relay for its clients and one on its way to Redis.
type server struct {
	t      *testing.T
	config string
	front  *relay // between clients and the server
	back   *relay // between the server and Redis; nil with a cluster, whose nodes name each other

	waiting atomic.Int32 // clients that wait for an answer

	mu      sync.Mutex
	process *programtest.Process
	down    bool // killed or paused
}

// rig is the servers on one Redis or on a cluster, and a token for them.
type rig struct {
	servers []*server
	shard   *shard // of the cluster; nil with one Redis
	token   string
}

// newRig starts everything; it ends with the test.
func newRig(t *testing.T, onCluster bool) *rig {
	t.Helper()
	var cluster []string
	var one, address string
	if onCluster {
		cluster, address = newCluster(t)
	} else {
		one = storagetest.Server(t)
	}
	r := new(rig)
	for range servers {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "data.db"), nil, 0o600); err != nil { // an empty database
			t.Fatal(err)
		}
		s := &server{t: t, config: filepath.Join(dir, "mooring.yaml"), front: newRelay(t)}
		if !onCluster {
			s.back = newRelay(t)
			s.back.to(one)
			address = "redis://" + s.back.address
		}
		if err := os.WriteFile(s.config, fmt.Appendf(nil, configuration, address), 0o600); err != nil {
			t.Fatal(err)
		}
		s.start()
		r.servers = append(r.servers, s)
	}
	r.token = programtest.Key(t, r.servers[0].config, "--user", "1", "--deployment", "1", "--action", "All")
	if onCluster {
		r.shard = newShard(t, cluster)
	}
	return r
}

// cutFromRedis cuts the connections of a server to Redis; those of all servers to the primary of a cluster's shard.
func (r *rig) cutFromRedis(s *server) {
	if r.shard != nil {
		r.shard.cut()
	} else {
		s.back.cut()
	}
}

// start starts the server and waits until it serves. A start that ends because its connection to Redis is cut is begun again.
func (s *server) start() {
	s.t.Helper()
	var p *programtest.Process
	for serves, deadline := false, time.Now().Add(programtest.Patience); !serves; {
		p = programtest.Start(s.t, "serve", "--config", s.config, "--agent=false")
		if _, serves = p.Out.Line("msg=serving", p.Ended); !serves && (!p.HasEnded() || time.Now().After(deadline)) {
			s.t.Errorf("the server does not start: %s", p.Out)
			return
		}
	}
	base := p.Address()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.process, s.down = p, false
	s.front.to(base[len("http://"):])
}

// setDown notes whether the server can answer, so that most clients choose another one.
func (s *server) setDown(down bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.down = down
}

func (s *server) isDown() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.down
}
