package refresh_test

import (
	"bufio"
	"database/sql"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/xuri/excelize/v2"
	_ "modernc.org/sqlite" // the tests fill the source

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh"
	"mooring/storage"
	"mooring/storage/record"
	"mooring/storage/storagetest"
)

// crew is a storage and the agent processes that work on it.
type crew struct {
	*testing.T
	address string
	store   *storage.Store
	engine  *refresh.Engine // asks for runs; it works on none
	dir     string
	env     []string

	mu     sync.Mutex
	agents []*agentProcess
	counts map[string]int // of what happened to agents
	wait   sync.WaitGroup
}

type agentProcess struct {
	cmd    *exec.Cmd
	exited chan struct{}
	paused bool
}

func newCrew(t *testing.T, address string, env ...string) *crew {
	t.Helper()
	c := &crew{
		T: t, address: address, store: storagetest.Open(t, address), dir: t.TempDir(), env: env, counts: map[string]int{},
	}
	must(t, c.store.Work().Queue.Prepare(t.Context()))
	c.engine = refresh.New(refresh.Config{Store: c.store, Log: slog.New(slog.DiscardHandler)})
	c.sql("CREATE TABLE cells (report INTEGER, key INTEGER, value INTEGER)")
	t.Cleanup(c.end)
	return c
}

// patience bounds every wait of these tests; on a sound machine none comes near it.
const patience = storagetest.Patience

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func (c *crew) sql(statement string, args ...any) {
	c.Helper()
	db, err := sql.Open("sqlite", filepath.Join(c.dir, "shop.db")+"?_pragma=busy_timeout(20000)&_pragma=journal_mode(wal)")
	must(c.T, err)
	defer db.Close()
	// Readers that were killed leave the file to be recovered, which the next ones may meet.
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); {
		if _, err = db.Exec(statement, args...); err == nil {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	c.Fatal(err)
}

// start starts an agent process.
func (c *crew) start() *agentProcess {
	c.Helper()
	a := &agentProcess{cmd: exec.Command(os.Args[0]), exited: make(chan struct{})}
	a.cmd.Env = append(append(os.Environ(), agentAddress+"="+c.address, agentDir+"="+c.dir), c.env...)
	a.cmd.Stderr = os.Stderr
	out, err := a.cmd.StdoutPipe()
	must(c.T, err)
	must(c.T, a.cmd.Start())
	c.mu.Lock()
	c.agents = append(c.agents, a)
	c.mu.Unlock()
	ready := make(chan struct{})
	c.wait.Go(func() {
		defer close(a.exited)
		for lines := bufio.NewScanner(out); lines.Scan(); {
			what, step, _ := strings.Cut(lines.Text(), " ")
			switch what {
			case "ready":
				close(ready)
			case "pause":
				c.count(lines.Text())
				c.wait.Go(func() { c.resume(a) })
			case "kill":
				c.count(what + " " + step)
			}
		}
		_ = a.cmd.Wait()
	})
	select {
	case <-ready:
	case <-a.exited:
	}
	return a
}

func (c *crew) count(what string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.counts[what]++
}

// The time for which a paused agent is silent: beyond every lease.
const (
	leastPause = 11 * time.Second
	mostPause  = 14 * time.Second
)

// resume lets a paused agent go on when everybody else thinks that it is dead.
func (c *crew) resume(a *agentProcess) {
	c.mu.Lock()
	a.paused = true
	c.mu.Unlock()
	select {
	case <-a.exited:
	case <-time.After(leastPause + rand.N(mostPause-leastPause)):
	}
	_ = a.cmd.Process.Signal(syscall.SIGCONT)
	c.mu.Lock()
	a.paused = false
	c.mu.Unlock()
}

// alive are the agents that are neither dead nor paused.
func (c *crew) alive() []*agentProcess {
	c.mu.Lock()
	defer c.mu.Unlock()
	var alive []*agentProcess
	for _, a := range c.agents {
		select {
		case <-a.exited:
		default:
			if !a.paused {
				alive = append(alive, a)
			}
		}
	}
	return alive
}

// keep keeps n agents alive until done, killing and pausing one now and then.
func (c *crew) keep(n int, every time.Duration, done func() bool) {
	c.Helper()
	last := time.Now()
	for !done() {
		alive := c.alive()
		for range n - len(alive) {
			c.start()
		}
		if len(alive) > n { // one was paused and is back
			_ = alive[0].cmd.Process.Signal(syscall.SIGTERM)
			c.count("drain")
			<-alive[0].exited
		}
		if len(alive) > 0 && time.Since(last) > every && every > 0 {
			last = time.Now()
			c.strike(alive[rand.N(len(alive))])
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// strike kills or pauses an agent wherever it is.
func (c *crew) strike(a *agentProcess) {
	if rand.N(4) > 0 {
		c.count("kill anywhere")
		_ = a.cmd.Process.Kill()
		<-a.exited
		return
	}
	c.count("pause anywhere")
	c.mu.Lock()
	a.paused = true
	c.mu.Unlock()
	_ = a.cmd.Process.Signal(syscall.SIGSTOP)
	c.wait.Go(func() { c.resume(a) })
}

// calm ends all trouble that agents make for themselves.
func (c *crew) calm() {
	c.Helper()
	must(c.T, os.WriteFile(filepath.Join(c.dir, calmFile), nil, 0o600))
}

// end ends every agent.
func (c *crew) end() {
	c.mu.Lock()
	agents := c.agents
	c.mu.Unlock()
	for _, a := range agents {
		_ = a.cmd.Process.Signal(syscall.SIGCONT)
		_ = a.cmd.Process.Kill()
	}
	c.wait.Wait()
}

// mooredReport is a report with one placement and what its source holds.
type mooredReport struct {
	d             record.Deployment
	id            int64
	index         int // among those of its tenant
	document      string
	column        int // where its block begins; it always begins in row 1, counted from 0
	schedule      int64
	first         time.Time // its first tick
	version, rows int
}

// perDocument is how many reports share a document, side by side.
const perDocument = 3

// reports makes n reports of a tenant.
func (c *crew) reports(tenant string, n int) []*mooredReport {
	c.Helper()
	list := make([]*mooredReport, n)
	for i := range list {
		r := &mooredReport{
			d: record.Deployment{Tenant: tenant, ID: 1}, index: i,
			document: fmt.Sprintf("%s-%d.xlsx", tenant, i/perDocument), column: 1 + 3*(i%perDocument),
		}
		query := fmt.Sprintf("source-%s-%d", tenant, i)
		if tenant == realTenant {
			query = fmt.Sprintf("SELECT key, value FROM cells WHERE report = %d ORDER BY key", i)
		}
		if tenant == realTenant && i%perDocument == 0 {
			book := excelize.NewFile()
			must(c.T, book.SaveAs(filepath.Join(c.dir, r.document)))
			must(c.T, book.Close())
		}
		report, err := c.store.Reports().Create(c.Context(), r.d, record.ReportInput{
			Name: placements.Sent(r.name()), SQLQuery: placements.Sent(query), Source: placements.Sent("SHEETS_B"),
		}, record.Actor{ID: 7})
		must(c.T, err)
		r.id = report.ID
		_, err = c.store.Placements().Connect(c.Context(), r.d, r.id, placements.Connection{
			ExternalWorkbookID: r.document, AddressOnly: true,
			ResultLocation: "Sheet1!" + placements.Anchor{Row: 1, Column: r.column}.String(),
		}, record.Actor{ID: 7, Actions: []string{record.ActionReportRead}}, nil, false)
		must(c.T, err)
		list[i] = r
		c.change(r)
	}
	return list
}

// change sets another version and another height of the source of a report.
func (c *crew) change(r *mooredReport) {
	c.Helper()
	i := r.index
	r.version, r.rows = r.version+1, 3+rand.N(9)
	if r.d.Tenant != realTenant {
		file := filepath.Join(c.dir, fmt.Sprintf("source-%s-%d", r.d.Tenant, i))
		must(c.T, os.WriteFile(file+".new", fmt.Appendf(nil, "%d %d", r.version, r.rows), 0o600))
		must(c.T, os.Rename(file+".new", file))
		return
	}
	var rows []string
	for key, row := range fileTable(r.version, r.rows)[1:] {
		rows = append(rows, fmt.Sprintf("(%d, %d, %v)", i, key, row[1].Number))
	}
	c.sql(fmt.Sprintf("BEGIN; DELETE FROM cells WHERE report = %d; INSERT INTO cells VALUES %s; COMMIT", i, strings.Join(rows, ", ")))
}

// cells reads a report's document, a line a row.
func (c *crew) cells(r *mooredReport) []string {
	c.Helper()
	var lines []string
	if r.d.Tenant != realTenant {
		d, err := fileHost{c.dir}.load(r.document)
		must(c.T, err)
		for row := range 40 {
			key, value := d.Cells[spot(1+row, r.column)], d.Cells[spot(1+row, r.column+1)]
			if key.Kind == 0 && value.Kind == 0 {
				continue
			}
			lines = append(lines, shown(key)+"|"+shown(value))
		}
		return lines
	}
	f, err := excelize.OpenFile(filepath.Join(c.dir, r.document))
	must(c.T, err)
	defer f.Close()
	rows, err := f.GetRows("Sheet1")
	must(c.T, err)
	for _, row := range rows {
		if len(row) > r.column+1 && row[r.column] != "" {
			lines = append(lines, row[r.column]+"|"+row[r.column+1])
		}
	}
	return lines
}

func shown(cell checksum.Cell) string {
	if cell.Kind == checksum.Number {
		return number(cell.Number)
	}
	return cell.Text
}

func number(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

// name distinguishes the report from the others of its document.
func (r *mooredReport) name() string { return fmt.Sprintf("report %d in %s", r.index, r.document) }

// want is what the document must show.
func (r *mooredReport) want() []string {
	lines := []string{"key|value"}
	for _, row := range fileTable(r.version, r.rows)[1:] {
		lines = append(lines, number(row[0].Number)+"|"+number(row[1].Number))
	}
	return lines
}
