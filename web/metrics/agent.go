package metrics

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"mooring/placements"
)

// Agent counts what the agents of this process do, and asks how much waits for them. It is a refresh.Observer and a prometheus.Collector.
type Agent struct {
	late  *prometheus.HistogramVec
	runs  *prometheus.CounterVec
	took  *prometheus.HistogramVec
	rows  *prometheus.CounterVec
	depth prometheus.GaugeFunc
}

// Queue is what agents work through; the storage has it.
type Queue interface {
	Depth(ctx context.Context) (int64, error)
}

// NewAgent makes the metrics of agents at work on that queue.
func NewAgent(q Queue) *Agent {
	return &Agent{
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
		}, func() float64 { return depthOf(q) }),
	}
}

// scrapeLimit is how long a scrape waits for the queue.
const scrapeLimit = 2 * time.Second

func depthOf(q Queue) float64 {
	ctx, cancel := context.WithTimeout(context.Background(), scrapeLimit)
	defer cancel()
	depth, err := q.Depth(ctx)
	if err != nil {
		return -1
	}
	return float64(depth)
}

// Fired is refresh.Observer's.
func (m *Agent) Fired(tenant string, late time.Duration) {
	m.late.WithLabelValues(tenant).Observe(late.Seconds())
}

// Attempted is refresh.Observer's.
func (m *Agent) Attempted(tenant string, state placements.RunState, class placements.Class, took time.Duration, rowsWritten int) {
	m.runs.WithLabelValues(tenant, string(state), string(class)).Inc()
	m.took.WithLabelValues(tenant).Observe(took.Seconds())
	m.rows.WithLabelValues(tenant).Add(float64(rowsWritten))
}

func (m *Agent) all() []prometheus.Collector {
	return []prometheus.Collector{m.late, m.runs, m.took, m.rows, m.depth}
}

// Describe is prometheus.Collector's.
func (m *Agent) Describe(ch chan<- *prometheus.Desc) {
	for _, c := range m.all() {
		c.Describe(ch)
	}
}

// Collect is prometheus.Collector's.
func (m *Agent) Collect(ch chan<- prometheus.Metric) {
	for _, c := range m.all() {
		c.Collect(ch)
	}
}
