package refresh_test

import (
	"context"
	"fmt"
	"log/slog"
	"net/url"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/xuri/excelize/v2"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh"
	"mooring/refresh/host/xlsx"
	"mooring/refresh/source"
	"mooring/storage"
	"mooring/storage/record"
	"mooring/storage/storagetest"
)

// cost prints the least CPU time of three rounds that one of the operations takes where there are n of something, in µs: that of this process
// and of Redis, without what prepares a round. scripts/curves draws it.
func (f *figures) cost(curve string, n, operations int, prepare, round func()) {
	f.Helper()
	least := 0.0
	for i := range 3 {
		prepare()
		before := processorTime(f.T) + serverTime(f.T, f.rdb)
		round()
		if took := processorTime(f.T) + serverTime(f.T, f.rdb) - before; i == 0 || took < least {
			least = took
		}
	}
	fmt.Printf("CURVE %s %d %.1f\n", curve, n, least*1e6/float64(operations))
}

// drain has an agent fire what is due and end what waits.
func (f *figures) drain() {
	f.Helper()
	end := f.agent(256)
	f.untilFired()
	f.untilEmpty()
	end()
}

// TestCurvePlacements connects a report again where n of its placements stand.
func TestCurvePlacements(t *testing.T) {
	f := newFigures(t)
	const operations = 1000
	report := f.reports()[0]
	connect := func(i int) error {
		_, err := f.store.Placements().Connect(t.Context(), benchDeployment(0), report, placements.Connection{
			ExternalWorkbookID: strconv.Itoa(i / 10), ResultLocation: "Sheet1!A" + strconv.Itoa(1+i%10*10), AddressOnly: true,
		}, record.Actor{ID: 7}, nil, true)
		return err
	}
	stand := 0
	for n := 1; n <= 10_000; n *= 10 {
		f.each(n-stand, func(i int) error { return connect(stand + i) })
		stand = n
		f.cost("placements", n, operations, func() {}, func() {
			for i := range operations {
				must(t, connect(i*7919%n))
			}
		})
	}
}

// TestCurveSchedules fires schedules and drains their runs where n others are not due.
func TestCurveSchedules(t *testing.T) {
	f := newFigures(t)
	const operations = 2000
	reports, stand, tick, ids := f.reports(), 0, time.Now().UTC().Truncate(time.Second), make([]int64, operations)
	for n := 1000; n <= 1_000_000; n *= 10 {
		f.fillDue(stand, n)
		stand = n
		f.cost("schedules", n, operations, func() {
			f.each(operations, func(i int) error {
				made, err := f.store.Schedules().Create(t.Context(), benchDeployment(i), record.ScheduleSpec{
					Name: "daily", Target: record.RunTarget{ReportID: reports[i%benchTenants], ExternalWorkbookID: strconv.Itoa(i)},
					Cron: []string{"0 7 * * *"}, Timezone: "Europe/Berlin", CatchUp: record.CatchUpLatest, Overlap: record.OverlapSkip,
				}, record.Actor{ID: 7}, func(int64) record.Tick { return record.Tick{At: tick, Due: time.Now()} })
				if err == nil {
					ids[i] = made.ID
				}
				return err
			})
		}, f.drain)
		f.each(operations, func(i int) error {
			run, err := f.store.Queue().Runs.Get(t.Context(), benchDeployment(i), record.RunID(ids[i], tick))
			if err == nil && run.EndedAt == "" {
				err = fmt.Errorf("run %s has not ended", run.ID)
			}
			return err
		})
	}
}

// fillDue puts schedules into the due index that are not due, as TestBenchMillion does: those numbered from one to below the other.
func (f *figures) fillDue(from, to int) {
	f.Helper()
	soon := time.Now().Add(24 * time.Hour).UnixMilli()
	f.each((to-from)/1000, func(i int) error {
		var members []redis.Z
		for n := range 1000 {
			d := benchDeployment(i)
			members = append(members, redis.Z{Score: float64(soon + int64(n)), Member: fmt.Sprintf("s:%s:%d:%d", url.QueryEscape(d.Tenant), d.ID, 1_000_000+from+i*1000+n)})
		}
		return f.rdb.ZAdd(f.Context(), dueKey(i%storage.DefaultPartitions), members...).Err()
	})
}

func dueKey(partition int) string { return fmt.Sprintf("mooring:{p%02d}:due", partition) }

// untilFired waits until nothing is due.
func (f *figures) untilFired() {
	f.Helper()
	for due := int64(1); due > 0; time.Sleep(20 * time.Millisecond) {
		due = 0
		for p := range storage.DefaultPartitions {
			n, err := f.rdb.ZCount(f.Context(), dueKey(p), "-inf", strconv.FormatInt(time.Now().UnixMilli(), 10)).Result()
			must(f.T, err)
			due += n
		}
	}
}

// TestCurveTenants drains runs that n tenants have asked for.
func TestCurveTenants(t *testing.T) {
	f := newFigures(t)
	const operations = 10_000
	var reports []int64
	deployment := func(i int) record.Deployment { return record.Deployment{Tenant: "tenant-" + strconv.Itoa(i), ID: 1} }
	for n := 1; n <= 10_000; n *= 10 {
		stand := len(reports)
		reports = append(reports, make([]int64, n-stand)...)
		f.each(n-stand, func(i int) error {
			report, err := f.store.Reports().Create(t.Context(), deployment(stand+i), record.ReportInput{Name: placements.Sent("Nothing")}, record.Actor{ID: 7})
			if err == nil {
				reports[stand+i] = report.ID
			}
			return err
		})
		f.cost("tenants", n, operations, func() {
			f.each(operations, func(i int) error {
				return storagetest.Enqueue(t.Context(), f.store.Work(), deployment(i%n), &record.Run{
					ReportID: reports[i%n], ExternalWorkbookID: strconv.Itoa(i), Placements: []record.RunPlacement{},
				})
			})
		}, f.drain)
	}
}

// rowsSource returns a table of n rows and 10 columns, of which 10 rows differ from one version to the next.
type rowsSource struct {
	rows    int
	version *atomic.Int64
}

func (s rowsSource) Query(_ context.Context, _ source.Query, b *checksum.Builder) ([]source.Column, error) {
	columns := make([]source.Column, 10)
	for i := range columns {
		columns[i].Name = fmt.Sprint("column ", i)
		b.Text(columns[i].Name)
	}
	b.EndRow()
	for row := range s.rows {
		n := float64(row)
		if row%(s.rows/10) == 0 {
			n += float64(s.version.Load()) / 1024
		}
		for range columns {
			b.Number(n)
		}
		b.EndRow()
	}
	return columns, nil
}

func (rowsSource) Check(context.Context) error { return nil }
func (rowsSource) Close() error                { return nil }

// newFolder is an engine with the .xlsx files of a folder and a source for deployment d.
func (f *figures) newFolder(dir string, d record.Deployment, s source.Source) *refresh.Engine {
	f.Helper()
	h, err := (&xlsx.Config{Dir: dir}).Open(f.Context(), nil)
	must(f.T, err)
	return refresh.New(refresh.Config{
		Store: f.store, Log: slog.New(slog.DiscardHandler),
		Tenants: map[string]refresh.Tenant{"acme": {
			Deployments: map[int64]refresh.DeploymentSource{d.ID: {Source: s, Location: time.UTC}},
			Hosts:       []refresh.Spreadsheets{{Kind: placements.SheetsB, Driver: h}},
		}},
	})
}

// placed makes a report that is placed in n new workbooks of the folder.
func (f *figures) placed(dir string, d record.Deployment, n int) {
	f.Helper()
	report, err := f.store.Reports().Create(f.Context(), d, record.ReportInput{
		Name: placements.Sent("Report"), SQLQuery: placements.Sent("q"), Source: placements.Sent("SHEETS_B"),
	}, record.Actor{ID: 7})
	must(f.T, err)
	for i := range n {
		name := fmt.Sprintf("book-%d.xlsx", i)
		book := excelize.NewFile()
		must(f.T, book.SaveAs(filepath.Join(dir, name)))
		must(f.T, book.Close())
		_, err = f.store.Placements().Connect(f.Context(), d, report.ID, placements.Connection{
			ExternalWorkbookID: name, AddressOnly: true, ResultLocation: "Sheet1!A1",
		}, record.Actor{ID: 7, Actions: []string{record.ActionReportRead}}, nil, true)
		must(f.T, err)
	}
}

// TestCurveRows refreshes a block of n rows of 10 cells in an .xlsx file, of which 10 rows changed.
func TestCurveRows(t *testing.T) {
	f := newFigures(t)
	for n := 1000; n <= 1_000_000; n *= 10 {
		f.refreshed("rows", n, n, 1)
	}
}

// TestCurveDocuments refreshes a report of 100 rows, of which 10 changed, in each of n .xlsx files.
func TestCurveDocuments(t *testing.T) {
	f := newFigures(t)
	for n := 1; n <= 1000; n *= 10 {
		f.refreshed("documents", n, 100, n)
	}
}

// refreshed prints the cost of a refresh of all blocks of a report of that many rows, which stands in that many files.
func (f *figures) refreshed(curve string, n, rows, documents int) {
	f.Helper()
	dir, s := f.TempDir(), rowsSource{rows, new(atomic.Int64)}
	d := record.Deployment{Tenant: "acme", ID: int64(n)}
	engine := f.newFolder(dir, d, s)
	f.placed(dir, d, documents)
	f.refreshDocument(engine, d) // the blocks stand
	f.cost(curve, n, 1, func() { s.version.Add(1) }, func() { f.refreshDocument(engine, d) })
}
