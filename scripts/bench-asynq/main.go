// Command bench-asynq measures hibiken/asynq on a Redis, as refresh/bench_test.go measures Mooring's agents: the same figures under the
// same names. It is a module of its own, so that Mooring does not depend on asynq.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/hibiken/asynq"
	"github.com/redis/go-redis/v9"
)

func main() {
	if len(os.Args) != 3 {
		log.Fatal("usage: bench-asynq drain|pickup|lateness|recovery|worker REDIS-HOST:PORT")
	}
	b := &bench{address: os.Args[2], client: asynq.NewClient(asynq.RedisClientOpt{Addr: os.Args[2]})}
	b.rdb = redis.NewClient(&redis.Options{Addr: b.address})
	if os.Args[1] == "worker" {
		b.worker()
		return
	}
	must(b.rdb.FlushDB(context.Background()).Err())
	map[string]func(){"drain": b.drain, "pickup": b.pickup, "lateness": b.lateness, "recovery": b.recovery}[os.Args[1]]()
}

type bench struct {
	address string
	client  *asynq.Client
	rdb     *redis.Client
}

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func figure(name string, value float64) { fmt.Printf("FIGURE %s %.3f\n", name, value) }

// serve handles tasks until the returned function is called.
func (b *bench) serve(workers int, handle func(*asynq.Task) error) (end func()) {
	s := asynq.NewServer(asynq.RedisClientOpt{Addr: b.address}, asynq.Config{
		Concurrency: workers, LogLevel: asynq.FatalLevel, DelayedTaskCheckInterval: 100 * time.Millisecond, TaskCheckInterval: 10 * time.Millisecond,
	})
	must(s.Start(asynq.HandlerFunc(func(_ context.Context, t *asynq.Task) error { return handle(t) })))
	return s.Shutdown
}

func (b *bench) each(n int, do func(i int)) {
	var group sync.WaitGroup
	for worker := range 64 {
		group.Go(func() {
			for i := worker; i < n; i += 64 {
				do(i)
			}
		})
	}
	group.Wait()
}

func (b *bench) enqueue(payload any, options ...asynq.Option) {
	text, err := json.Marshal(payload)
	must(err)
	_, err = b.client.Enqueue(asynq.NewTask("bench", text), options...)
	must(err)
}

func (b *bench) drain() {
	const runs = 60_000
	b.each(runs, func(i int) { b.enqueue(i) })
	var done atomic.Int64
	all := make(chan struct{})
	start, own, server := time.Now(), processorTime(), b.serverTime()
	end := b.serve(512, func(*asynq.Task) error {
		if done.Add(1) == runs {
			close(all)
		}
		return nil
	})
	<-all
	figure("drain_per_second", runs/time.Since(start).Seconds())
	figure("drain_worker_cpu_us", (processorTime()-own)*1e6/runs)
	figure("drain_redis_cpu_us", (b.serverTime()-server)*1e6/runs)
	end()
}

func processorTime() float64 {
	var u syscall.Rusage
	must(syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()).Seconds()
}

func (b *bench) serverTime() float64 {
	info, err := b.rdb.InfoMap(context.Background(), "cpu").Result()
	must(err)
	var user, sys float64
	_, err = fmt.Sscan(info["CPU"]["used_cpu_user"], &user)
	must(err)
	_, err = fmt.Sscan(info["CPU"]["used_cpu_sys"], &sys)
	must(err)
	return user + sys
}

// waits collects how long after the time in its payload each task started.
type waits struct {
	mu   sync.Mutex
	list []float64
	next chan struct{}
}

func (w *waits) handle(t *asynq.Task) error {
	now := time.Now()
	var due time.Time
	must(json.Unmarshal(t.Payload(), &due))
	w.mu.Lock()
	w.list = append(w.list, float64(now.Sub(due).Microseconds())/1000)
	w.mu.Unlock()
	w.next <- struct{}{}
	return nil
}

func (w *waits) figures(name string) {
	slices.Sort(w.list)
	figure(name+"_p50_ms", w.list[len(w.list)/2])
	figure(name+"_p99_ms", w.list[len(w.list)*99/100])
}

func (b *bench) pickup() {
	w := &waits{next: make(chan struct{}, 1)}
	defer b.serve(32, w.handle)()
	time.Sleep(300 * time.Millisecond)
	for range 300 {
		b.enqueue(time.Now())
		<-w.next
	}
	w.figures("pickup")
}

func (b *bench) lateness() {
	tasks := 100_000
	if n, err := strconv.Atoi(os.Getenv("MOORING_SCHEDULES")); err == nil {
		tasks = n
	}
	window := time.Duration(tasks) * time.Minute / 100_000
	w := &waits{next: make(chan struct{}, tasks)}
	start := time.Now().Add(5*time.Second + time.Duration(tasks)*250*time.Microsecond)
	b.each(tasks, func(int) {
		due := start.Add(rand.N(window)).Truncate(time.Second) // asynq keeps whole seconds
		b.enqueue(due, asynq.ProcessAt(due))
	})
	if time.Now().After(start) {
		log.Print("the tasks were enqueued late")
	}
	own, server := processorTime(), b.serverTime()
	end := b.serve(256, w.handle)
	for range tasks {
		<-w.next
	}
	figure("lateness_worker_cpu_us", (processorTime()-own)*1e6/float64(tasks))
	figure("lateness_redis_cpu_us", (b.serverTime()-server)*1e6/float64(tasks))
	end()
	w.figures("lateness")
}

// recovery kills a worker process and waits until its tasks have started again.
func (b *bench) recovery() {
	const tasks = 8
	for i := range tasks {
		b.enqueue(i, asynq.Timeout(time.Hour))
	}
	first := b.start()
	b.untilStarted(tasks)
	second := b.start()
	time.Sleep(1500 * time.Millisecond)
	must(first.Process.Kill())
	_ = first.Wait()
	killed := time.Now()
	b.untilStarted(2 * tasks)
	figure("recovery_seconds", time.Since(killed).Seconds())
	must(second.Process.Kill())
	_ = second.Wait()
}

const startedKey = "bench:started"

func (b *bench) start() *exec.Cmd {
	worker := exec.Command(os.Args[0], "worker", b.address)
	worker.Stderr = os.Stderr
	must(worker.Start())
	return worker
}

func (b *bench) untilStarted(n int) {
	for {
		started, err := b.rdb.Get(context.Background(), startedKey).Int()
		if err == nil && started >= n {
			return
		}
		time.Sleep(time.Millisecond)
	}
}

// worker counts the tasks that it starts and ends none.
func (b *bench) worker() {
	b.serve(32, func(*asynq.Task) error {
		must(b.rdb.Incr(context.Background(), startedKey).Err())
		select {}
	})
	select {}
}
