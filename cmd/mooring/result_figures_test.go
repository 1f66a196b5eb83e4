package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"mooring/checksum"
	"mooring/refresh/source"
	"mooring/refresh/source/sqlite"
)

// wide is a query of 999,999 rows and 10 columns below its header, of the kinds that SQLite has.
const wide = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 999999)
	SELECT i AS id, 'customer ' || (i % 5000) AS customer, i * 1.25 AS amount, i % 7 AS quantity, date('2020-01-01', (i % 1500) || ' days') AS day,
	'https://example.org/orders/' || i AS link, CASE WHEN i % 5 = 0 THEN NULL ELSE i / 3.0 END AS share, 'region ' || (i % 12) AS region,
	i % 100 AS percent, 'a "quoted" note, number ' || i AS note FROM n`

// TestResultFigures prints how a large result streams to curl and what memory the server takes for it; scripts/bench-result calls it. It
// checks what the answers hold, not how long they take.
func TestResultFigures(t *testing.T) {
	t.Parallel()
	if os.Getenv("MOORING_BENCH_RESULT") == "" {
		t.Skip("run scripts/bench-result")
	}
	if _, err := exec.LookPath("curl"); err != nil {
		t.Skip("curl is not installed")
	}
	f := &resultFigures{site: newSite(t)}
	f.path, _ = f.report("1", wide)
	table := f.table()
	f.encoded = table.Size()
	have, err := json.Marshal(map[string]any{"have": table.Checksum()})
	if err != nil {
		t.Fatal(err)
	}
	fmt.Printf("| the encoded bytes; the server before | %.1f MB; %.1f MB | |\n", megabytes(f.encoded), megabytes(f.memory("VmRSS")))
	f.fetch("the whole result", "{}")
	f.fetch("the whole result, packed", "{}", "-H", "Accept-Encoding: gzip")
	f.fetch("the whole result, to a slow client (40 MB/s)", "{}", "--limit-rate", "40M")
	answer := f.fetch("nothing, to a client that has it all", string(have))
	if !strings.Contains(answer, `"writes":[]`) {
		t.Errorf("a client that has it all got %.200q", answer)
	}
}

// resultFigures is a server, a report with the query, and the size of its result.
type resultFigures struct {
	*site
	path    string
	encoded int
}

// table is the result as the server should send it, from the same database by way of no server.
func (f *resultFigures) table() *checksum.Grid {
	src, err := (&sqlite.Config{Path: filepath.Join(f.dir, "shop.db")}).Open(f.t.Context())
	if err != nil {
		f.t.Fatal(err)
	}
	defer src.Close()
	var b checksum.Builder
	if _, err := src.Query(f.t.Context(), source.Query{SQL: wide}, &b); err != nil {
		f.t.Fatal(err)
	}
	return b.Grid()
}

// fetch lets curl ask for the result, prints a line, and returns the end of the answer.
func (f *resultFigures) fetch(what, body string, options ...string) string {
	f.t.Helper()
	f.forgetPeak()
	request, answer := filepath.Join(f.dir, "request.json"), filepath.Join(f.dir, "answer")
	writeFile(f.t, request, body)
	out, err := exec.CommandContext(f.t.Context(), "curl", append([]string{
		"--silent", "--show-error", "--fail", "--max-time", "600", "--output", answer, "--data-binary", "@" + request,
		"--write-out", "%{time_starttransfer} %{time_total}", "-H", "Content-Type: application/json",
		"-H", "Authorization: Bearer " + f.client.token, f.client.base + f.path + "/result",
	}, options...)...).Output()
	if err != nil {
		f.t.Fatalf("%s: %v", what, err)
	}
	first, whole, _ := strings.Cut(string(out), " ")
	peak := f.memory("VmHWM")
	text, err := os.ReadFile(answer)
	if err != nil {
		f.t.Fatal(err)
	}
	fmt.Printf("| %s | %.1f MB, first byte after %s s, last after %s s; memory %.1f MB, %.2f × the encoded bytes | <= 1.5 × |\n", what, megabytes(len(text)), first[:4],
		whole[:4], megabytes(peak), float64(peak)/float64(f.encoded))
	return string(text[max(0, len(text)-200):])
}

// forgetPeak makes the kernel measure the server's peak anew.
func (f *resultFigures) forgetPeak() {
	f.t.Helper()
	if err := os.WriteFile(f.proc("clear_refs"), []byte("5"), 0); err != nil {
		f.t.Skipf("the peak is measured by Linux: %v", err)
	}
}

// memory is a line of the server's status in /proc, in bytes.
func (f *resultFigures) memory(name string) int {
	f.t.Helper()
	status, err := os.ReadFile(f.proc("status"))
	if err != nil {
		f.t.Skipf("memory is read from /proc: %v", err)
	}
	_, rest, _ := strings.Cut(string(status), name+":")
	kilobytes, err := strconv.Atoi(strings.Fields(rest)[0])
	if err != nil {
		f.t.Fatal(err)
	}
	return kilobytes << 10
}

func (f *resultFigures) proc(name string) string {
	return fmt.Sprintf("/proc/%d/%s", f.server.cmd.Process.Pid, name)
}

func megabytes(bytes int) float64 { return float64(bytes) / 1e6 }
