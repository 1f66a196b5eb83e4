package metrics

import (
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Requests counts answers by route, never by path: the number of series stays that of the routes table.
type Requests struct {
	registry *prometheus.Registry
	took     *prometheus.HistogramVec
}

// NewRequests makes the metrics of a server, whose page shows those of the process and of its agents too; nil is none.
func NewRequests(agent *Agent) *Requests {
	m := &Requests{
		registry: prometheus.NewRegistry(),
		took: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "mooring_http_request_seconds",
			Help:    "Time to answer a request, by method, route and status.",
			Buckets: []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 5, 30},
		}, []string{"method", "route", "status"}),
	}
	m.registry.MustRegister(m.took, collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	if agent != nil {
		m.registry.MustRegister(agent)
	}
	return m
}

// Observe counts an answer; an empty route is a request that no route took.
func (m *Requests) Observe(method, route string, status int, took time.Duration) {
	if route == "" {
		method, route = "other", "none"
	}
	m.took.WithLabelValues(method, route, strconv.Itoa(status)).Observe(took.Seconds())
}

// Page serves everything in Prometheus' text format.
func (m *Requests) Page() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{})
}
