package simulation

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha1"
	"encoding/hex"
	"errors"
	"io"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/alicebob/miniredis/v2/server"
)

// network is between the processes and Redis. Each exchange takes a time of its own that follows from the seed and from what is asked, so that
// no two of them reach Redis at the same moment, and their order does not depend on which goroutine was first.
type network struct {
	*world
	redis   *miniredis.Miniredis
	replica *replica          // nil: it has none
	links   []*link           // that are open
	skew    time.Duration     // by which the clock of Redis is ahead of that of the processes
	names   map[string]string // of scripts, by their digests
	taken   map[time.Time]bool
	serving sync.Mutex      // one client at a time
	waiting []chan struct{} // those who wait for entries of queues

	down  time.Time // until when Redis is not reachable
	slow  time.Time // until when it takes long
	lossy time.Time // until when exchanges are lost
}

func newNetwork(w *world) *network {
	n := &network{world: w, redis: newRedis(w), names: map[string]string{}, taken: map[time.Time]bool{}}
	if !w.without["fail over"] {
		n.replica = newReplica(w)
	}
	return n
}

func (n *network) close() {
	n.redis.Close()
	if n.replica != nil {
		n.replica.redis.Close()
	}
}

func newRedis(w *world) *miniredis.Miniredis {
	m := miniredis.NewMiniRedis()
	c, err := m.Dial() // begins to serve
	must(w.T, err)
	must(w.T, c.Close())
	m.SetTime(time.Now())
	m.ClockTTL(true)
	return m
}

var errUnreachable = errors.New("redis is not reachable")

// dial connects a process; a nil one is the auditor, for whom nothing fails and which waits for nothing.
func (n *network) dial(p *process) func(context.Context, string, string) (net.Conn, error) {
	return func(ctx context.Context, _, _ string) (net.Conn, error) {
		if p != nil && p.dead {
			return nil, errUnreachable
		}
		l := &link{network: n, process: p, wake: make(chan struct{}, 1), readable: make(chan struct{}, 1), closed: make(chan struct{})}
		l.peer = server.NewPeer(bufio.NewWriter(&l.reply))
		n.mu.Lock()
		n.links = append(n.links, l)
		n.mu.Unlock()
		go l.serve()
		return l, nil
	}
}

// link is a connection. Its mutex is held by nobody who waits.
type link struct {
	*network
	process *process // nil: the auditor's
	peer    *server.Peer
	echo    *server.Peer // at the replica
	reply   bytes.Buffer

	mu       sync.Mutex
	sent     []byte // by the client, not whole yet
	asked    [][]string
	answers  []byte
	deadline time.Time
	ended    bool
	wake     chan struct{}
	readable chan struct{}
	closed   chan struct{}
}

func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

func (l *link) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ended {
		return 0, net.ErrClosed
	}
	l.sent = append(l.sent, b...)
	for {
		args, rest, ok := command(l.sent)
		if !ok {
			break
		}
		l.asked, l.sent = append(l.asked, args), rest
	}
	signal(l.wake)
	return len(b), nil
}

// command reads the first command of what was sent.
func command(b []byte) (args []string, rest []byte, ok bool) {
	count, b, ok := number(b, '*')
	for range count {
		if !ok {
			return nil, nil, false
		}
		var size int
		if size, b, ok = number(b, '$'); !ok || len(b) < size+2 {
			return nil, nil, false
		}
		args, b = append(args, string(b[:size])), b[size+2:]
	}
	return args, b, ok && count > 0
}

func number(b []byte, mark byte) (n int, rest []byte, ok bool) {
	end := bytes.IndexByte(b, '\n')
	if end < 2 || b[0] != mark {
		return 0, nil, false
	}
	n, err := strconv.Atoi(string(b[1 : end-1]))
	return n, b[end+1:], err == nil
}

func (l *link) Read(b []byte) (int, error) {
	for {
		l.mu.Lock()
		n, ended, deadline := copy(b, l.answers), l.ended, l.deadline
		l.answers = l.answers[n:]
		l.mu.Unlock()
		switch {
		case n > 0:
			return n, nil
		case ended:
			return 0, io.EOF
		}
		if err := l.await(deadline); err != nil {
			return 0, err
		}
	}
}

// await waits until there is something to read.
func (l *link) await(deadline time.Time) error {
	if deadline.IsZero() {
		<-l.readable
		return nil
	}
	timer := time.NewTimer(time.Until(deadline))
	defer timer.Stop()
	select {
	case <-l.readable:
		return nil
	case <-timer.C:
		return os.ErrDeadlineExceeded
	}
}

func (l *link) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ended {
		return net.ErrClosed
	}
	l.ended = true
	l.peer.Close()
	close(l.closed)
	signal(l.readable)
	l.world.mu.Lock()
	defer l.world.mu.Unlock()
	l.links = slices.DeleteFunc(l.links, func(one *link) bool { return one == l })
	return nil
}

func (l *link) SetDeadline(t time.Time) error { return l.SetReadDeadline(t) }

func (l *link) SetReadDeadline(t time.Time) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.deadline = t
	return nil
}

func (l *link) SetWriteDeadline(time.Time) error { return nil }

func (l *link) LocalAddr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 1} }

func (l *link) RemoteAddr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 6379} }

// serve answers what was asked, in its order, until the connection ends.
func (l *link) serve() {
	for {
		l.mu.Lock()
		asked := l.asked
		l.asked = nil
		l.mu.Unlock()
		if len(asked) == 0 {
			select {
			case <-l.wake:
				continue
			case <-l.closed:
				return
			}
		}
		if !l.exchange(asked) {
			_ = l.Close() // by whichever side
			return
		}
	}
}

// exchange hands commands to Redis and its replies to the client. It returns false when the connection breaks, before or after.
func (l *link) exchange(asked [][]string) bool {
	content := l.content(asked)
	step := l.step(asked)
	if l.process == nil || step == "hello" || step == "client" { // which of two needs another connection must not matter
		l.perform(asked)
		return l.answer()
	}
	arrive, fate := l.fate(step, content)
	if !l.wait(time.Until(arrive)) || fate == lostBefore {
		return false
	}
	if l.process.springs(step, false) || !l.thaw() {
		return false
	}
	if !l.performOrAwait(asked) {
		return false
	}
	l.trace.exchange(l.process.name, step, content)
	if len(asked) == 1 {
		l.auditStep(l.process, step, asked[0], begunOf(l.reply.String()))
	}
	l.network.stir(step)
	if l.process.springs(step, true) || fate == lostAfter {
		l.trace.note("%s %s is not answered", l.process.name, step)
		return false
	}
	if !l.thaw() {
		return false
	}
	if fate == late {
		if !l.wait(time.Duration(1+content%4) * time.Second) {
			return false
		}
	}
	return l.answer()
}

// thaw waits until the process goes on, and reports whether the connection is still open then.
func (l *link) thaw() bool {
	still := time.Until(l.process.frozen)
	return still <= 0 || l.wait(still)
}

// wait waits as long as the connection is open, and reports whether it still is.
func (l *link) wait(d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-l.closed:
		return false
	}
}

// performOrAwait is perform, but for a command that waits for entries of a queue: that waits here, since those who wait at Redis wake in any
// order. It returns false when the connection breaks meanwhile.
func (l *link) performOrAwait(asked [][]string) bool {
	block := slices.Index(asked[0], "block")
	if len(asked) > 1 || asked[0][0] != "xreadgroup" || block < 0 {
		l.perform(asked)
		return true
	}
	ms, _ := strconv.Atoi(asked[0][block+1])
	until := time.Now().Add(time.Duration(ms) * time.Millisecond)
	now := [][]string{slices.Delete(slices.Clone(asked[0]), block, block+2)}
	stirred := make(chan struct{}, 1)
	l.world.mu.Lock()
	l.waiting = append(l.waiting, stirred)
	l.world.mu.Unlock()
	defer func() {
		l.world.mu.Lock()
		defer l.world.mu.Unlock()
		l.waiting = slices.DeleteFunc(l.waiting, func(c chan struct{}) bool { return c == stirred })
	}()
	for {
		l.perform(now)
		if nothing := l.reply.Bytes(); nothing[0] != '_' && !bytes.HasPrefix(nothing, []byte("*-1")) || !time.Now().Before(until) {
			return true
		}
		l.reply.Reset()
		timer := time.NewTimer(time.Until(until))
		select {
		case <-stirred:
		case <-timer.C:
		case <-l.closed:
			timer.Stop()
			return false
		}
		timer.Stop()
		at, _ := l.fate("wake", 0)
		if !l.wait(time.Until(at)) {
			return false
		}
	}
}

// stir wakes those who wait for entries of queues, after a step that may have added some.
func (n *network) stir(step string) {
	switch step {
	case "xreadgroup", "lease due", "orphans", "renew attempt", "renew document", "hgetall", "get", "time":
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, c := range n.waiting {
		signal(c)
	}
}

// precision is that of the clock of Redis. Whenever that moves on, each key is looked at.
const precision = 10 * time.Millisecond

// perform has Redis carry out commands, by its own clock.
func (l *link) perform(asked [][]string) {
	l.serving.Lock()
	defer l.serving.Unlock()
	at := time.Now().Add(l.skew).Truncate(precision)
	l.redis.SetTime(at)
	for _, args := range asked {
		l.redis.Server().Dispatch(l.peer, args)
	}
	l.peer.Flush()
	if l.replica != nil {
		l.replica.follow(l, asked, at)
	}
}

// answer hands the replies to the client.
func (l *link) answer() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ended {
		return false
	}
	l.answers = append(l.answers, l.reply.Bytes()...)
	l.reply.Reset()
	signal(l.readable)
	return true
}

// content is a number that depends on what is asked, but for what names this process of the operating system.
func (l *link) content(asked [][]string) uint64 {
	sum := uint64(0)
	for _, args := range asked {
		n := min(len(args), 2)
		if name := strings.ToUpper(args[0]); (name == "EVALSHA" || name == "EVAL") && len(args) > 2 {
			keys, _ := strconv.Atoi(args[2])
			n = min(len(args), 3+keys)
		}
		sum = mixed(sum, textSum(args[:n]...))
	}
	return sum
}

// step names an exchange: the script, or else the command.
func (l *link) step(asked [][]string) string {
	args := asked[len(asked)-1]
	switch name := strings.ToLower(args[0]); {
	case name == "evalsha" && len(args) > 1:
		if l.names[args[1]] == "transaction" && slices.Contains(args, "complete") {
			return "complete"
		}
		return l.names[args[1]]
	case name == "eval" && len(args) > 1:
		sum := sha1.Sum([]byte(args[1]))
		return l.script(hex.EncodeToString(sum[:]), args[1])
	default:
		return name
	}
}

// script names a script by what stands in no other.
func (n *network) script(sum, text string) string {
	for _, s := range scripts {
		if strings.Contains(text, s.mark) {
			n.names[sum] = s.name
			return s.name
		}
	}
	n.names[sum] = "script"
	return "script"
}

// fate is what becomes of an exchange.
type fate int

const (
	arrives    fate = iota
	lostBefore      // the connection breaks before Redis has read it
	lostAfter       // and after: its answer is lost
	late            // the answer comes late, perhaps too late
)

// fate decides when an exchange reaches Redis, and what becomes of it.
func (l *link) fate(step string, content uint64) (at time.Time, f fate) {
	now := time.Now()
	x := mixed(l.seed, textSum(l.process.name), content, uint64(now.UnixNano()))
	took := 100*time.Microsecond + time.Duration(part(mixed(x, 1))*float64(time.Millisecond))
	if now.Before(l.slow) {
		took += time.Duration(part(mixed(x, 2)) * float64(1500*time.Millisecond))
	}
	at = now.Add(took)
	if now.Before(l.process.frozen) {
		at = l.process.frozen.Add(took)
	}
	l.world.mu.Lock()
	for l.taken[at] {
		at = at.Add(1)
	}
	if len(l.taken) > 1000 {
		clear(l.taken)
	}
	l.taken[at] = true
	l.world.mu.Unlock()
	switch lot := part(mixed(x, 3)); {
	case now.Before(l.down):
		f = lostBefore
	case !now.Before(l.lossy):
	case lot < 0.05:
		f = lostBefore
	case lot < 0.12:
		f = lostAfter
	case lot < 0.15:
		f = late
	}
	if f != arrives {
		l.saw("network: " + [...]string{"", "question lost", "answer lost", "answer late"}[f])
	}
	return at, f
}

// scripts name those that a process may crash at, by what stands in no other one.
var scripts = []struct{ name, mark string }{
	{"transaction", "operations, condition, read = ARGV[1]"},
	{"fire", "local function fire("},
	{"enqueue", "local function enqueue("},
	{"claim", "Shows placements as being refreshed by a run of agents"},
	{"client begins", "start_client"},
	{"begin", "startAttempt(run"},
	{"write ahead", "mayWrite(run[1]"},
	{"requeue", "redis.call('ZREM', KEYS[2], ARGV[1]) == 0"},
	{"lease due", "local due, limit, lease, at"},
	{"renew attempt", "mayRenew(fields[1]"},
	{"orphans", "XAUTOCLAIM"},
	{"renew document", "PEXPIRE', lock"},
	{"lock document", "if not waits and redis.call('ZCARD', turn)"},
	{"unlock", "if redis.call('GET', lock) == ARGV[1] then redis.call('DEL', lock)"},
	{"stop", "freeDocument takes the document"},
	{"name", "Finds the asset that has a name"},
	{"blocks", "Reads the blocks of placements"},
	{"presence", "redis.call('HDEL', KEYS[1], old)"},
}
