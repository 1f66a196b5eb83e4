package web

import (
	"context"
	"strconv"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"mooring/placements"
	"mooring/storage"
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

// AgentMetrics shows what the agents of this process do, and how much waits in the storage. It is a refresh.Observer and a
// prometheus.Collector.
type AgentMetrics struct {
	late  *prometheus.HistogramVec
	runs  *prometheus.CounterVec
	took  *prometheus.HistogramVec
	rows  *prometheus.CounterVec
	depth prometheus.GaugeFunc
}

// NewAgentMetrics makes the metrics of agents on that storage.
func NewAgentMetrics(s *storage.Store) *AgentMetrics {
	return &AgentMetrics{
		late: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "mooring_fire_lateness_seconds",
			Help:    "Time from when a tick was due to when it became a run.",
			Buckets: []float64{.005, .01, .025, .05, .1, .25, .5, 1, 5, 15, 60, 600, 3600},
		}, []string{"tenant"}),
		runs: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "mooring_run_attempts_total",
			Help: "Attempts of runs, by the state they came to and the class of what went wrong; class quota waited for a quota.",
		}, []string{"tenant", "state", "class"}),
		took: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "mooring_run_attempt_seconds",
			Help:    "Time that attempts of runs took.",
			Buckets: []float64{.01, .05, .1, .25, .5, 1, 2.5, 5, 15, 60, 300, 900},
		}, []string{"tenant"}),
		rows: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "mooring_rows_written_total",
			Help: "Rows written into spreadsheets.",
		}, []string{"tenant"}),
		depth: prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "mooring_queue_depth",
			Help: "Runs that are queued or at work, over all agents; -1 when the storage does not answer.",
		}, func() float64 { return queueDepth(s.Queue()) }),
	}
}

// scrapeLimit is how long a scrape waits for the storage.
const scrapeLimit = 2 * time.Second

func queueDepth(q *storage.Queue) float64 {
	ctx, cancel := context.WithTimeout(context.Background(), scrapeLimit)
	defer cancel()
	depth, err := q.Depth(ctx)
	if err != nil {
		return -1
	}
	return float64(depth)
}

// Fired is refresh.Observer's.
func (m *AgentMetrics) Fired(tenant string, late time.Duration) {
	m.late.WithLabelValues(tenant).Observe(late.Seconds())
}

// Attempted is refresh.Observer's.
func (m *AgentMetrics) Attempted(tenant string, state placements.RunState, class placements.Class, took time.Duration, rowsWritten int) {
	m.runs.WithLabelValues(tenant, string(state), string(class)).Inc()
	m.took.WithLabelValues(tenant).Observe(took.Seconds())
	m.rows.WithLabelValues(tenant).Add(float64(rowsWritten))
}

func (m *AgentMetrics) all() []prometheus.Collector {
	return []prometheus.Collector{m.late, m.runs, m.took, m.rows, m.depth}
}

// Describe is prometheus.Collector's.
func (m *AgentMetrics) Describe(ch chan<- *prometheus.Desc) {
	for _, c := range m.all() {
		c.Describe(ch)
	}
}

// Collect is prometheus.Collector's.
func (m *AgentMetrics) Collect(ch chan<- prometheus.Metric) {
	for _, c := range m.all() {
		c.Collect(ch)
	}
}

// NewOperations makes a server of the routes that operators need beside an agent without the HTTP interface: /healthz, /readyz, /metrics.
func NewOperations(cfg Config) *Server {
	s := New(cfg)
	s.router = s.newRouter(operations())
	return s
}
