package main

import (
	"fmt"
	"net"
	"net/url"
	"os/exec"
	"slices"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"mooring/storage/storagetest"
)

// durableRedis is a Redis that a test can stop and start again, and that loses nothing by it.
type durableRedis struct {
	t    *testing.T
	addr string
	dir  string
	cmd  *exec.Cmd
}

func newDurableRedis(t *testing.T) *durableRedis {
	t.Helper()
	k := &durableRedis{t: t, addr: storagetest.FreeAddr(t), dir: t.TempDir()}
	t.Cleanup(k.stop)
	k.start()
	return k
}

// start starts it and waits until it listens.
func (k *durableRedis) start() {
	k.t.Helper()
	_, port, _ := net.SplitHostPort(k.addr)
	k.cmd = exec.Command(storagetest.Binary(k.t, "redis-server"), "--port", port, "--bind", "127.0.0.1", "--dir", k.dir, "--appendonly", "yes",
		"--appendfsync", "always", "--save", "")
	if err := k.cmd.Start(); err != nil {
		k.t.Fatal(err)
	}
	often := time.NewTicker(20 * time.Millisecond)
	defer often.Stop()
	for deadline := time.After(patience); ; {
		if conn, err := net.Dial("tcp", k.addr); err == nil {
			_ = conn.Close()
			return
		}
		select {
		case <-often.C:
		case <-deadline:
			k.t.Fatal("redis-server does not listen")
		}
	}
}

// stop kills it, as a crash does.
func (k *durableRedis) stop() {
	if k.cmd != nil {
		_ = k.cmd.Process.Kill()
		_ = k.cmd.Wait()
		k.cmd = nil
	}
}

// The service recovers by itself from an outage of its storage: the console says so on every screen, keeps what it showed and does not sign the
// user out.
func TestConsoleStorageOutage(t *testing.T) {
	t.Parallel()
	server := newDurableRedis(t)
	s := newConsoleSiteOn(t, storagetest.Addr(server.addr), storagetest.Amounts{Reports: 4, Placements: 8, Documents: 4, Runs: 40, Schedules: 4})
	c := s.open(s.token, "placements")
	c.allow("503")
	c.allow("ERR_INCOMPLETE_CHUNKED_ENCODING")
	rows := c.rows()
	server.stop()
	const said = `document.querySelector("#outage").innerText.includes("storage does not answer")`
	c.until(said)
	c.shows("What is shown here is of")
	if n := c.rows(); n != rows || rows == 0 {
		t.Errorf("%d rows are shown, there were %d", n, rows)
	}
	c.looksRight("kept")
	c.size(1280, 800)
	block, run := s.filled.Placements[0], s.filled.Runs[0]
	for _, screen := range append(slices.Clone(consoleScreens),
		fmt.Sprintf("placements/%d/%s", block.ReportID, block.ID), "runs/"+url.PathEscape(run.ID), fmt.Sprintf("reports/%d", block.ReportID),
		fmt.Sprintf("schedules/%d", s.filled.Schedules[0].ID)) {
		c.eval(fmt.Sprintf("(location.hash = %q, null)", "#/1/"+screen))
		c.until(said + ` && document.querySelector("#main").innerText.includes("not been read yet") && !document.querySelector("#key")` +
			` && !document.querySelector("#outage").innerText.includes("What is shown")`)
	}
	c.looksRight("unread")
	c.size(1280, 800)
	c.do(chromedp.Reload())
	c.until(said)
	c.looksRight("reloaded")
	c.eval(`(location.hash = "#/1/placements", null)`)
	server.start()
	c.until(fmt.Sprintf(`!%s && document.querySelectorAll("#main tbody tr:not(:has(.empty))").length === %d`, said, rows))
	if evalAs[bool](c.page, `!!document.querySelector("#key")`) {
		t.Error("the user was signed out")
	}
}
