package main

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestBoundsFigures prints what memory the server takes under two attacks that nothing but its bounds hold off; scripts/bench-bounds calls it.
func TestBoundsFigures(t *testing.T) {
	t.Parallel()
	if os.Getenv("MOORING_BENCH_BOUNDS") == "" {
		t.Skip("run scripts/bench-bounds")
	}
	f := &resultFigures{site: newSite(t)}
	f.silentReaders()
	f.largeList("?first=500&include=meta")
	f.largeList("?first=500")
}

// silentReaders has ten clients of one token ask for a result of 230 MB each, and read nothing of the answers.
func (f *resultFigures) silentReaders() {
	f.t.Helper()
	const clients = 10
	path, _ := f.report("1", `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 11500) SELECT printf('%.*c', 20000, 'x') AS x FROM n`)
	f.forgetPeak()
	var heads sync.WaitGroup
	answers := make(chan string, clients)
	for range clients {
		conn, err := net.Dial("tcp", strings.TrimPrefix(f.client.base, "http://"))
		if err != nil {
			f.t.Fatal(err)
		}
		defer conn.Close()
		heads.Go(func() {
			fmt.Fprintf(conn, "POST %s/result HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nContent-Length: 0\r\n\r\n", path,
				f.client.token)
			head, _ := bufio.NewReaderSize(conn, 16).ReadString('\n')
			answers <- strings.TrimSpace(head)
		})
	}
	heads.Wait()
	close(answers)
	count := map[string]int{}
	for head := range answers {
		count[head]++
	}
	f.print(fmt.Sprintf("%d results of 230 MB to clients that do not read: %v", clients, count))
}

// largeList lists 40 reports of 15 MB.
func (f *resultFigures) largeList(query string) {
	f.t.Helper()
	const listed = "/api/v1/deployments/1/reports"
	meta := strings.Repeat("x", 15_000_000)
	if _, body := f.send("GET", listed+"?search=large&first=1", ""); !strings.Contains(body, "large") {
		for i := range 40 {
			if status, answer := f.send("POST", listed, fmt.Sprintf(`{"name":"large %d","meta":{"text":%q}}`, i, meta)); status != http.StatusOK {
				f.t.Fatalf("%d %.200s", status, answer)
			}
		}
	}
	time.Sleep(time.Second) // the server's own housekeeping, not an outcome
	f.forgetPeak()
	r, err := http.NewRequestWithContext(f.t.Context(), "GET", f.client.base+listed+query, nil)
	if err != nil {
		f.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+f.client.token)
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		f.t.Fatal(err)
	}
	defer answer.Body.Close()
	n, err := io.Copy(io.Discard, answer.Body)
	if err != nil {
		f.t.Fatal(err)
	}
	f.print(fmt.Sprintf("GET reports%s of 40 reports with 15 MB of meta: %.1f MB", query, megabytes(int(n))))
}

func (f *resultFigures) print(what string) {
	f.t.Helper()
	fmt.Printf("| %s | %.1f MB, %.1f MB after it | |\n", what, megabytes(f.memory("VmHWM")), megabytes(f.memory("VmRSS")))
}
