package web

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"runtime"
	"strconv"
	"testing"

	"github.com/gin-gonic/gin"

	"mooring/storage"
	"mooring/storage/storagetest"
	"mooring/web/gate"
	"mooring/web/metrics"
)

// observedStore opens a storage that is observed, as that of a server is.
func observedStore(t *testing.T, address string) *storage.Store {
	t.Helper()
	s, err := storage.Open(t.Context(), storage.Config{
		Address: address, Log: slog.New(slog.DiscardHandler), Observer: metrics.NewStorage(metrics.New("")),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// TestReportFigures measures an upsert that changes something and a get, each against a bare gin handler that does one EVAL or one HGETALL of
// the same size, in turns of one run, on a real Redis of its own, and what a get could cost at the least. scripts/bench-api runs it.
func TestReportFigures(t *testing.T) {
	if os.Getenv("MOORING_BENCH") == "" {
		t.Skip("a measurement: run scripts/bench-api")
	}
	address := storagetest.Redis(t)
	a := newAPI(t, observedStore(t, address))
	a.sut = a.server.Handler() // without the checks of answers: it is measured
	ours := listen(t, a.sut)
	ids := make([]string, connections)
	for worker := range ids {
		made := a.object(t, step{method: "PUT", path: upsertPath(worker), body: upsertBody(worker, 0)})
		ids[worker] = fmt.Sprintf("%.0f", made["id"])
	}
	upsert := func(worker, n int) []byte { return a.message("PUT", upsertPath(worker), upsertBody(worker, n)) }
	get := func(worker, _ int) []byte { return a.message("GET", "/api/v1/deployments/1/reports/"+ids[worker], "") }

	defer runtime.KeepAlive(make([]byte, heapFloor))
	rig := rig{redis: storagetest.CPUTime(t, address)}
	change := measured{"upsert that changes something", ours, upsert}
	rig.compare(t, yardstick(t, a, storagetest.Eval(t, address), change), change, ">= 0.85")

	stored := a.send(step{method: "GET", path: "/reports/" + ids[0]}).Body.String()
	read := listen(t, bareReader(storagetest.HGetAll(t, address, split(stored))))
	bare := func(int, int) []byte { return a.message("GET", "/bare", "") }
	hgetall := measured{"bare gin handler, one HGETALL", read, bare}
	rig.compare(t, hgetall, measured{"get", ours, get}, ">= 2")
	unread := listen(t, bareAnswer(a.server.gate, []byte(stored)))
	rig.compare(t, hgetall, measured{"what any cache leaves: the token, no Redis", unread, bare}, "")
}

// message is a request of the editor on the wire.
func (a *api) message(method, path, body string) []byte {
	return fmt.Appendf(nil, "%s %s HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s",
		method, path, a.tokens["editor"], len(body), body)
}

func upsertPath(worker int) string {
	return fmt.Sprintf("/api/v1/deployments/1/reports/by-public-id/Figure%06d", worker)
}

// upsertBody is a report of usual size; each n makes another title.
func upsertBody(worker, n int) string {
	return fmt.Sprintf(`{"name":"Revenue by region %d","title":"Revenue, edition %d","sqlQuery":"SELECT region, date_trunc('month', day), sum(revenue) FROM orders WHERE day >= '2024-01-01' GROUP BY 1, 2 ORDER BY 1, 2",`+
		`"pivotItems":{"columns":["month"],"filters":[],"measures":["revenue"],"rows":["region"],"showColumnTotals":true},`+
		`"meta":{"chart":{"kind":"bar","stacked":true,"colours":["#0b4fa8","#7a4b00","#0a6b2d"]},"axis":{"title":"EUR","min":0}},"source":"SHEETS_A"}`, worker, n)
}

// split is a text cut into the number of fields that a report is stored in.
func split(text string) map[string]string {
	const fields = 4
	m := map[string]string{}
	for i := range fields {
		m["field"+strconv.Itoa(i)] = text[i*len(text)/fields : (i+1)*len(text)/fields]
	}
	return m
}

// bareReader is the yardstick of reads.
func bareReader(get func(context.Context) (map[string]string, error)) http.Handler {
	router := gin.New()
	router.GET("/bare", func(c *gin.Context) {
		fields, err := get(c.Request.Context())
		if err != nil {
			c.String(http.StatusInternalServerError, err.Error())
			return
		}
		c.JSON(http.StatusOK, fields)
	})
	return router
}

// bareAnswer checks the token and asks Redis nothing: no get from memory can cost less.
func bareAnswer(admits *gate.Gate, answer []byte) http.Handler {
	router := gin.New()
	router.GET("/bare", func(c *gin.Context) {
		if _, err := admits.Authenticate(c.Request); err != nil {
			c.String(http.StatusUnauthorized, err.Error())
			return
		}
		c.Data(http.StatusOK, "application/json; charset=utf-8", answer)
	})
	return router
}
