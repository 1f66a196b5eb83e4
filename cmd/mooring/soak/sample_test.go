//go:build linux

package soak

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
)

const megabyte = 1 << 20

// sample is what the processes use at one time.
type sample struct {
	at            time.Time
	server, agent usage
	redis         float64 // memory, in megabytes
	redisCPU      time.Duration
}

// usage is what one process uses.
type usage struct {
	heap       float64 // after a collection, in megabytes
	rss        float64 // in megabytes
	goroutines float64
	cpu        time.Duration // since its start
}

// sample looks at the processes.
func (s *site) sample(rdb *redis.Client) sample {
	s.t.Helper()
	taken := sample{at: time.Now(), server: s.server.usage(s.t), agent: s.agent.usage(s.t)}
	info, err := rdb.InfoMap(s.t.Context(), "memory", "cpu").Result()
	must(s.t, err)
	taken.redis = number(s.t, info["Memory"]["used_memory"]) / megabyte
	seconds := number(s.t, info["CPU"]["used_cpu_sys"]) + number(s.t, info["CPU"]["used_cpu_user"])
	taken.redisCPU = time.Duration(seconds * float64(time.Second))
	return taken
}

var (
	heapAlloc  = regexp.MustCompile(`(?m)^# HeapAlloc = (\d+)$`)
	goroutines = regexp.MustCompile(`(?m)^go_goroutines (\d+)$`)
	resident   = regexp.MustCompile(`(?m)^VmRSS:\s+(\d+) kB$`)
)

// usage collects garbage in the process, twice, since what pools hold outlives the first time, and measures. The figure of the heap is that
// from between the collection and the making of the profile.
func (w watched) usage(t *testing.T) (u usage) {
	t.Helper()
	w.get(t, "/debug/pprof/heap?gc=1&debug=1")
	u.heap = matched(t, heapAlloc, w.get(t, "/debug/pprof/heap?gc=1&debug=1")) / megabyte
	u.goroutines = matched(t, goroutines, w.get(t, "/metrics"))
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", w.Cmd.Process.Pid))
	must(t, err)
	u.rss = matched(t, resident, string(status)) / 1024
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", w.Cmd.Process.Pid))
	must(t, err)
	_, facts, _ := strings.Cut(string(stat), ") ") // behind the name; proc(5) counts on from 3 there
	fields := strings.Fields(facts)
	const ticksPerSecond = 100
	u.cpu = time.Duration(number(t, fields[14-3])+number(t, fields[15-3])) * time.Second / ticksPerSecond
	return u
}

// get asks the process for a page for operators.
func (w watched) get(t *testing.T, path string) string {
	t.Helper()
	resp, err := client.Get(w.ops + path)
	must(t, err)
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	must(t, err)
	if resp.StatusCode != http.StatusOK {
		t.Fatalf("%s: %d %s", path, resp.StatusCode, text)
	}
	return string(text)
}

func matched(t *testing.T, pattern *regexp.Regexp, text string) float64 {
	t.Helper()
	found := pattern.FindStringSubmatch(text)
	if found == nil {
		t.Fatalf("nothing matches %s in %.2000s", pattern, text)
	}
	return number(t, found[1])
}

func number(t *testing.T, text string) float64 {
	t.Helper()
	n, err := strconv.ParseFloat(text, 64)
	must(t, err)
	return n
}
