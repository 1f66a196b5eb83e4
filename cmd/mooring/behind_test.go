package main

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/xuri/excelize/v2"

	"mooring/cmd/mooring/process"
	"mooring/placements"
	"mooring/refresh/source/sqlite"
	"mooring/storage/storagetest"
)

// behind is a site whose storage loses what it was told last.
type behind struct {
	*site
	report string // its path
}

func newBehind(t *testing.T, redis string, args ...string) *behind {
	t.Helper()
	b := &behind{site: newSiteOn(t, redis, args...)}
	b.source(1)
	b.report, _ = b.site.report("1", "SELECT name, amount FROM t ORDER BY name")
	b.connect(b.report, "book.xlsx", "States!K20")
	return b
}

// source sets a version of the report's rows: in each, rows come, go and change.
func (b *behind) source(version int) {
	b.t.Helper()
	statements := []string{"DELETE FROM t"}
	for i := range 30 {
		if (i+version)%5 > 0 {
			statements = append(statements, fmt.Sprintf("INSERT INTO t VALUES ('n%02d', %d)", i, i*100+version*(i%2)))
		}
	}
	if err := sqlite.Exec(b.t.Context(), filepath.Join(b.dir, "shop.db"), statements, nil); err != nil {
		b.t.Fatal(err)
	}
}

// want are the rows of a version.
func want(version int) (rows []string) {
	rows = []string{"name|amount"}
	for i := range 30 {
		if (i+version)%5 > 0 {
			rows = append(rows, fmt.Sprintf("n%02d|%d", i, i*100+version*(i%2)))
		}
	}
	return rows
}

// refreshes makes a run and waits for its end. One that storage was saved in the middle of goes on by itself, and is waited for.
func (b *behind) refreshes() {
	b.t.Helper()
	for deadline := time.Now().Add(patience); ; time.Sleep(100 * time.Millisecond) {
		_, err := b.client.refresh(b.t.Context(), b.report)
		if err == nil {
			return
		}
		if !strings.Contains(err.Error(), string(placements.CodeRunning)) || time.Now().After(deadline) {
			b.t.Fatal(err)
		}
	}
}

// shows checks that the sheet shows a version and nothing else, and that nothing counts as typed by a person.
func (b *behind) shows(version int) {
	b.t.Helper()
	f, err := excelize.OpenFile(b.workbook())
	if err != nil {
		b.t.Fatal(err)
	}
	defer f.Close()
	var got []string
	for row := 20; row < 80; row++ {
		name, _ := f.GetCellValue("States", fmt.Sprintf("K%d", row))
		amount, _ := f.GetCellValue("States", fmt.Sprintf("L%d", row), excelize.Options{RawCellValue: true})
		if name+amount != "" {
			got = append(got, name+"|"+amount)
		}
	}
	if diff := cmp.Diff(want(version), got); diff != "" {
		b.t.Errorf("the sheet (-want +got):\n%s", diff)
	}
	_, body := b.send(http.MethodGet, b.report, "")
	var report struct {
		Placements []struct {
			SyncStatus string          `json:"syncStatus"`
			Edits      json.RawMessage `json:"edits"`
		} `json:"externalWorkbookPlacements"`
	}
	if err := json.Unmarshal([]byte(body), &report); err != nil || len(report.Placements) != 1 {
		b.t.Fatalf("%v: %s", err, body)
	}
	if p := report.Placements[0]; p.SyncStatus != "UP_TO_DATE" || p.Edits != nil {
		b.t.Errorf("the placement is %s, with the edits %s", p.SyncStatus, p.Edits)
	}
}

// A process that keeps its storage itself is killed right after a run, before it could save that.
func TestAnEmbeddedStorageThatIsKilled(t *testing.T) {
	t.Parallel()
	for saved := range 3 { // runs, before the one that is lost
		t.Run(fmt.Sprintf("after %d runs", saved), func(t *testing.T) {
			data := filepath.Join(t.TempDir(), "data")
			b := newBehind(t, "embedded", "--data", data)
			for i := range saved {
				b.source(1 + i)
				b.refreshes()
			}
			if status := b.server.terminate(); status != process.ExitDone {
				t.Fatalf("status %d\n%s", status, b.server.out)
			}
			b.serve("--data", data)
			if strings.Contains(b.server.out.String(), "before it could save") {
				t.Errorf("a clean end is told as another: %s", b.server.out)
			}
			b.source(saved + 1)
			b.refreshes()
			_ = b.server.cmd.Process.Kill()
			b.server.exited()
			b.serve("--data", data)
			b.server.waitFor("before it could save")
			b.source(saved + 2)
			b.refreshes()
			b.shows(saved + 2)
		})
	}
}

// redisServer is a Redis that is killed, and put back to what its disk had before.
type redisServer struct {
	t    *testing.T
	dir  string
	addr string
	cmd  *exec.Cmd
}

func (r *redisServer) start() {
	r.t.Helper()
	_, port, _ := net.SplitHostPort(r.addr)
	r.cmd = exec.Command(storagetest.Binary(r.t, "redis-server"), "--port", port, "--bind", "127.0.0.1", "--dir", r.dir, "--appendonly", "yes",
		"--appendfsync", "always", "--save", "") // "everysec" puts off writes while the disk is slow, and a kill loses them
	if err := r.cmd.Start(); err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(r.kill)
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		if c, err := net.Dial("tcp", r.addr); err == nil {
			c.Close()
			return
		}
	}
	r.t.Fatal("redis-server does not answer")
}

func (r *redisServer) kill() {
	_ = r.cmd.Process.Kill()
	_ = r.cmd.Wait()
}

// A Redis loses what its disk had not got when the power went: the last second of its file.
func TestARedisThatLosesItsLastSecond(t *testing.T) {
	t.Parallel()
	r := &redisServer{t: t, dir: t.TempDir(), addr: storagetest.FreeAddr(t)}
	r.start()
	b := newBehind(t, storagetest.Addr(r.addr))
	for version := 1; version < 7; version += 2 {
		disk := filepath.Join(t.TempDir(), "disk")
		r.kill() // what it wrote to its file is in it, as a process that ends loses none of that
		if err := os.CopyFS(disk, os.DirFS(r.dir)); err != nil {
			t.Fatal(err)
		}
		r.start()
		b.ready()
		b.source(version)
		b.refreshes()
		r.kill()
		r.dir = disk
		r.start()
		b.ready()
		b.source(version + 1)
		b.refreshes()
		b.shows(version + 1)
	}
	b.server.waitFor("storage came back without its last writes")
	r.kill()
	r.dir = t.TempDir()
	r.start()
	b.server.waitFor("storage came back empty")
}

// ready waits until the server takes requests.
func (b *behind) ready() {
	b.t.Helper()
	for deadline := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		if status, body := b.send(http.MethodGet, "/readyz", ""); status == http.StatusOK {
			return
		} else if time.Now().After(deadline) {
			b.t.Fatalf("not ready: %s", body)
		}
	}
}
