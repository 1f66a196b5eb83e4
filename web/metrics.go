package web

import (
	"strconv"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// metrics counts answers by route, never by path: the number of series stays that of the routes table.
type metrics struct {
	registry *prometheus.Registry
	took     *prometheus.HistogramVec
}

func newMetrics(agent *AgentMetrics) *metrics {
	m := &metrics{
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

func (m *metrics) observe(method, route string, status int, took time.Duration) {
	if route == "" {
		method, route = "other", "none"
	}
	m.took.WithLabelValues(method, route, strconv.Itoa(status)).Observe(took.Seconds())
}

// metricsPage serves the metrics in Prometheus' text format.
func (s *Server) metricsPage(c *gin.Context) error {
	promhttp.HandlerFor(s.metrics.registry, promhttp.HandlerOpts{}).ServeHTTP(c.Writer, c.Request)
	return nil
}
