package simulation

import (
	"bufio"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/alicebob/miniredis/v2/server"
)

// replica carries out what Redis has carried out, some time later. When Redis fails it takes its place, and what it has not carried out yet
// is lost, though it was answered.
type replica struct {
	redis *miniredis.Miniredis
	lag   time.Duration
	queue []carried
}

// maxLag is how far a replica is behind at most.
const maxLag = 2 * time.Second

// carried are commands that Redis has carried out.
type carried struct {
	link *link
	at   time.Time // by the clock of Redis
	come time.Time
	list [][]string
}

// newReplica returns the replica of an empty Redis.
func newReplica(w *world) *replica {
	lag := time.Duration(mixed(w.seed, 31) % uint64(maxLag))
	return &replica{redis: newRedis(w), lag: lag}
}

// reads are commands that change nothing.
var reads = []string{
	"get", "hget", "hgetall", "hmget", "smembers", "zrangebyscore", "zrange", "zrangebylex", "time", "exists", "mget", "hello", "client", "ping",
}

// catchUp carries out what is old enough.
func (r *replica) catchUp() {
	for len(r.queue) > 0 && time.Since(r.queue[0].come) >= r.lag {
		r.carryOut(r.queue[0])
		r.queue = r.queue[1:]
	}
}

// follow notes commands to carry out.
func (r *replica) follow(l *link, list [][]string, at time.Time) {
	r.catchUp()
	if slices.ContainsFunc(list, func(args []string) bool { return !slices.Contains(reads, strings.ToLower(args[0])) }) {
		r.queue = append(r.queue, carried{l, at, time.Now(), list})
	}
}

func (r *replica) carryOut(c carried) {
	if c.link.echo == nil {
		c.link.echo = server.NewPeer(bufio.NewWriter(io.Discard))
	}
	r.redis.SetTime(c.at)
	for _, args := range c.list {
		r.redis.Server().Dispatch(c.link.echo, args)
	}
	c.link.echo.Flush()
}

// failOver has the replica take the place of Redis, once in the life of a world that has one.
func (w *world) failOver(r *rand.Rand) {
	n := w.network
	if n.replica == nil {
		return
	}
	w.askRefresh(r)
	time.Sleep(time.Duration(r.Int64N(int64(maxLag)))) // amid what follows
	n.replica.catchUp()
	w.trace.note("%d answered steps are lost", len(n.replica.queue))
	if len(n.replica.queue) > 0 {
		w.saw("network: last writes lost")
	}
	n.redis.Close()
	n.redis, n.replica = n.replica.redis, nil
	n.down = soon(r, 10)
	for _, l := range slices.Clone(n.links) {
		if l.process != nil { // for the auditor nothing fails
			_ = l.Close()
		}
	}
	w.forget()
}

// forget has the auditor take things as they are stored now, and believe no placement before it was refreshed again.
func (w *world) forget() {
	clear(w.final)
	clear(w.fences)
	clear(w.begun)
	for _, p := range w.placed {
		p.lost, p.version = time.Now(), 0
	}
}
