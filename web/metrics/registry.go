package metrics

import (
	"net/http"
	"runtime"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Registry is everything that one process counts. It is safe for concurrent use.
type Registry struct {
	all      *prometheus.Registry
	requests *prometheus.HistogramVec
}

// New makes the registry of a program of that version: it counts requests, and has what Go and the operating system say of the process.
func New(version string) *Registry {
	r := &Registry{
		all: prometheus.NewRegistry(),
		requests: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "mooring_http_request_duration_seconds",
			Help:    "Time to answer a request, by method, route and status.",
			Buckets: []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 5, 30},
		}, []string{"method", "route", "status"}),
	}
	build := prometheus.NewGauge(prometheus.GaugeOpts{
		Name:        "mooring_build_info",
		Help:        "1; its labels name the version of the program and that of Go which built it.",
		ConstLabels: prometheus.Labels{"version": version, "goversion": runtime.Version()},
	})
	build.Set(1)
	r.all.MustRegister(r.requests, build, collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return r
}

// Observe counts an answer by its route, never by its path: the number of series stays that of the routes table. An empty route is a
// request that no route took.
func (r *Registry) Observe(method, route string, status int, took time.Duration) {
	if route == "" {
		method, route = "other", "none"
	}
	r.requests.WithLabelValues(method, route, strconv.Itoa(status)).Observe(took.Seconds())
}

// Page serves everything in Prometheus' text format.
func (r *Registry) Page() http.Handler {
	return promhttp.HandlerFor(r.all, promhttp.HandlerOpts{})
}

// SharedPage is Page for an address that others than operators reach: what is counted by tenant is added up, and names none.
func (r *Registry) SharedPage() http.Handler {
	return promhttp.HandlerFor(anonymous{r.all}, promhttp.HandlerOpts{})
}
