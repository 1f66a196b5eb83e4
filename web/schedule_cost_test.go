package web

import (
	"log/slog"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mooring/refresh"
	"mooring/storage/record"
	"mooring/storage/storagetest"
)

// What is done to the schedules of a report asks Redis for the same and gets as much, whatever schedules other reports have.
func TestSchedulesCostNothingForThoseOfOtherReports(t *testing.T) {
	address := storagetest.Redis(t)
	s := storagetest.Open(t, address)
	a := newAPI(t, s, func(c *Config) { c.Engine = refresh.New(refresh.Config{Store: s, Log: slog.New(slog.DiscardHandler)}) })
	a.run(t, []step{
		{name: "others", method: "POST", path: "/reports", body: `{"name":"Others"}`, status: 200, keep: map[string]string{"others": "id"}},
	})
	others, err := strconv.ParseInt(a.vars["others"], 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	more := func(n int) {
		spec := record.ScheduleSpec{Name: "Daily", Target: record.RunTarget{ReportID: others}, Cron: []string{"@daily"}, Timezone: "UTC"}
		for range n {
			at := record.Deployment{Tenant: "acme", ID: 1}
			if _, err := s.Schedules().Create(t.Context(), at, spec, record.Actor{ID: 1}, func(int64) record.Tick { return record.Tick{} }); err != nil {
				t.Fatal(err)
			}
		}
	}
	more(1)
	a.askedForSchedules(t, address) // the server learns the scripts
	few := a.askedForSchedules(t, address)
	more(999)
	for i, many := range a.askedForSchedules(t, address) {
		if diff := cmp.Diff(few[i].calls, many.calls); diff != "" || many.bytes > few[i].bytes+1000 { // numbers have more digits
			t.Errorf("%s: %d bytes beside 1 schedule of another report, %d beside 1000; commands (-1 +1000):\n%s",
				few[i].step, few[i].bytes, many.bytes, diff)
		}
	}
}

// asked is what a step made Redis do.
type asked struct {
	step  string
	calls map[string]int64
	bytes int64
}

// askedForSchedules does what can be done to the schedules of two new reports.
func (a *api) askedForSchedules(t *testing.T, address string) (list []asked) {
	t.Helper()
	for _, name := range []string{"report", "second"} {
		a.run(t, []step{{name: name, method: "POST", path: "/reports", body: `{"name":"R"}`, status: 200, keep: map[string]string{name: "id"}}})
	}
	const spec = `{"name":"Daily","target":{"reportId":{{report}}},"cron":"@daily","timezone":"UTC"}`
	for _, one := range []step{
		{name: "create", method: "POST", path: "/refresh-schedules", body: spec, keep: map[string]string{"schedule": "id"}},
		{name: "create by key", method: "PUT", path: "/refresh-schedules/by-key/k{{report}}", body: spec},
		{name: "rename", method: "PUT", path: "/refresh-schedules/{{schedule}}", body: `{"name":"Renamed"}`},
		{name: "pause", method: "POST", path: "/refresh-schedules/{{schedule}}/pause"},
		{name: "resume", method: "POST", path: "/refresh-schedules/{{schedule}}/resume"},
		{name: "aim at another report", method: "PUT", path: "/refresh-schedules/{{schedule}}", body: `{"target":{"reportId":{{second}}}}`},
		{name: "list", method: "GET", path: "/refresh-schedules?reportId={{second}}"},
		{name: "delete", method: "DELETE", path: "/refresh-schedules/{{schedule}}"},
		{name: "delete a report with its schedule", method: "DELETE", path: "/reports/{{report}}?force=true"},
	} {
		one.status = 200
		calls, bytes := storagetest.Asked(t, address, func() { a.run(t, []step{one}) })
		delete(calls, "cmdstat_zrangebyscore") // what was revoked is read once in a while, whatever is asked for
		list = append(list, asked{one.name, calls, bytes})
	}
	return list
}
