package web

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"mooring/storage/storagetest"
)

// The load of TestSubscriberFigures.
const (
	subscribers = 10_000
	happenings  = 20 // events, each sent when the one before has reached everybody
	apart       = 300 * time.Millisecond
	quiet       = 5 * time.Second
)

// TestSubscriberFigures measures what 10,000 subscribers to the events of a deployment cost one server, and how long an event takes from the
// request that causes it to each of them. They are a process of their own on the loopback. scripts/bench-events runs it.
func TestSubscriberFigures(t *testing.T) {
	if os.Getenv("MOORING_BENCH") == "" {
		t.Skip("a measurement: run scripts/bench-events")
	}
	address := storagetest.Redis(t)
	a := newAPI(t, observedStore(t, address))
	a.sut = a.server.Handler()
	defer runtime.KeepAlive(make([]byte, heapFloor))
	rig := rig{redis: storagetest.CPUTime(t, address)}
	report := a.made(t)
	change := func(n int) {
		body := fmt.Sprintf(`{"title":"Edition %d"}`, n)
		if w := a.send(step{method: "PUT", path: "/reports/" + report, body: body}); w.Code != 200 {
			t.Fatalf("%d %s", w.Code, w.Body)
		}
	}
	before := memory(t)
	them := a.subscribers(t, serveOn(t, a.server))
	after := memory(t)
	fmt.Printf("| 10,000 subscribers: the server's memory each | %s | <= 20 kB |\n", after.each(before))

	idle := rig.spent(t)
	time.Sleep(quiet)
	now := rig.spent(t)
	fmt.Printf("| nothing happens: CPU of the server, of Redis, %% of a core | %.1f, %.1f | |\n", percent(now.here-idle.here), percent(now.redis-idle.redis))

	var median, slowest []float64
	begun := rig.spent(t)
	for n := range happenings {
		sent := time.Now()
		change(n)
		half, most := them.reached(t)
		median, slowest = append(median, ms(half.Sub(sent))), append(slowest, ms(most.Sub(sent)))
		time.Sleep(apart)
	}
	ended := rig.spent(t)
	slices.Sort(median)
	slices.Sort(slowest)
	each := func(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1000 / (happenings * subscribers) }
	fmt.Printf("| event to client, p50, p99, of the slowest of %d events | %.0f, %.0f, %.0f ms | p99 <= 100 ms |\n", happenings,
		median[happenings/2], slowest[happenings/2], slowest[happenings-1])
	fmt.Printf("| CPU an event and subscriber: server, Redis, subscriber, µs | %.1f, %.1f, %.1f | |\n",
		each(ended.here-begun.here), each(ended.redis-begun.redis), them.spent(t)/(happenings*subscribers))
	fmt.Printf("| afterwards: the server's memory each | %s | |\n", memory(t).each(before))
}

func percent(d time.Duration) float64 { return 100 * d.Seconds() / quiet.Seconds() }

// serveOn serves s as the program does, for the length of the test.
func serveOn(t *testing.T, s *Server) (address string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx, l, time.Minute) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return l.Addr().String()
}

// footprint is what this process takes, in bytes.
type footprint struct{ resident, heap, stacks uint64 }

func memory(t *testing.T) footprint {
	t.Helper()
	runtime.GC() // what pools keep until the next one goes with that
	debug.FreeOSMemory()
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		t.Fatal(err)
	}
	pages, _ := strconv.ParseUint(strings.Fields(string(text))[1], 10, 64)
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return footprint{pages * uint64(os.Getpagesize()), m.HeapInuse, m.StackInuse}
}

func (f footprint) each(before footprint) string {
	each := func(now, was uint64) float64 { return float64(int64(now-was)) / subscribers / 1000 }
	return fmt.Sprintf("%.1f kB resident each, heap %.1f, stacks %.1f; %d goroutines", each(f.resident, before.resident), each(f.heap, before.heap),
		each(f.stacks, before.stacks), runtime.NumGoroutine())
}

// subscribed is the process of the subscribers, which answers each line with one.
type subscribed struct {
	in  io.Writer
	out *bufio.Reader
}

// subscribers starts the process and waits until all of them are connected.
func (a *api) subscribers(t *testing.T, address string) *subscribed {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run", "^TestSubscribers$", "-test.timeout", "10m")
	cmd.Env = append(os.Environ(), "MOORING_SUBSCRIBE="+address, "MOORING_TOKEN="+a.tokens["viewer"])
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()
		_ = cmd.Wait()
	})
	s := &subscribed{in, bufio.NewReader(out)}
	s.answer(t)
	return s
}

// answer reads the numbers of the next line.
func (s *subscribed) answer(t *testing.T) []int64 {
	t.Helper()
	line, err := s.out.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	var numbers []int64
	for _, text := range strings.Fields(line) {
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			t.Fatalf("subscribers: %s", line)
		}
		numbers = append(numbers, n)
	}
	return numbers
}

// reached waits until an event has reached all, and returns when it had reached half of them, and 99 of 100.
func (s *subscribed) reached(t *testing.T) (half, most time.Time) {
	n := s.answer(t)
	return time.Unix(0, n[0]), time.Unix(0, n[1])
}

// spent is the CPU time of the process since it was asked last, or all were connected, in µs.
func (s *subscribed) spent(t *testing.T) float64 {
	fmt.Fprintln(s.in)
	return float64(s.answer(t)[0]) / 1000
}

// TestSubscribers is the process of the subscribers.
func TestSubscribers(t *testing.T) {
	address := os.Getenv("MOORING_SUBSCRIBE")
	if address == "" {
		t.Skip("a part of TestSubscriberFigures")
	}
	request := fmt.Appendf(nil, "GET /api/v1/deployments/1/events HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\n\r\n", os.Getenv("MOORING_TOKEN"))
	var connected sync.WaitGroup
	arrived := make(chan time.Time, subscribers)
	for range subscribers {
		conn, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		connected.Add(1)
		go subscribe(t, conn, request, connected.Done, arrived)
	}
	connected.Wait()
	clock := rig{redis: func() time.Duration { return 0 }}
	begun := clock.spent(t).here
	fmt.Println(subscribers)
	for range happenings {
		at := make([]int64, subscribers)
		for i := range at {
			at[i] = (<-arrived).UnixNano()
		}
		slices.Sort(at)
		fmt.Println(at[subscribers/2], at[subscribers*99/100])
	}
	asked := bufio.NewScanner(os.Stdin)
	for asked.Scan() {
		fmt.Println(int64(clock.spent(t).here - begun))
	}
}

// subscribe reads a stream: connected is called when it is open, and for each event the time is told.
func subscribe(t *testing.T, conn net.Conn, request []byte, connected func(), arrived chan<- time.Time) {
	if _, err := conn.Write(request); err != nil {
		t.Error(err)
		return
	}
	b := make([]byte, 1<<10)
	for open := false; ; {
		n, err := conn.Read(b)
		if err != nil {
			return
		}
		now := time.Now()
		if !open && bytes.Contains(b[:n], []byte(": connected")) {
			open = true
			connected()
		}
		for range bytes.Count(b[:n], []byte("\ndata: ")) {
			arrived <- now
		}
	}
}
