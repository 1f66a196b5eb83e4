package metrics

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Storage counts what this process says to Redis. It is a redis.Observer.
type Storage struct {
	took     map[string]prometheus.Observer
	failures *prometheus.CounterVec
}

// NewStorage makes the metrics of a storage, and adds them to r.
func NewStorage(r *Registry) *Storage {
	took := prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name: "mooring_redis_duration_seconds",
		Help: "Time that Redis took to answer a command, a script or a pipeline of several; wait is one that waits there for work or events.",
		Buckets: []float64{
			.0001, .00025, .0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 3,
		},
	}, []string{"kind"})
	m := &Storage{took: map[string]prometheus.Observer{}, failures: counts("mooring_redis_errors_total",
		"Commands, scripts and pipelines that Redis did not answer as it should, by what was wrong.", "kind")}
	for _, kind := range []string{"command", "script", "pipeline", "wait"} {
		m.took[kind] = took.WithLabelValues(kind)
	}
	for _, kind := range []string{"unreachable", "timeout", "full", "unsaved", "readonly", "replicas", "loading", "cluster", "denied", "busy", "other"} {
		m.failures.WithLabelValues(kind)
	}
	r.all.MustRegister(took, m.failures)
	return m
}

// Exchanged is redis.Observer's.
func (m *Storage) Exchanged(kind string, took time.Duration, failure string) {
	if series, ok := m.took[kind]; ok {
		series.Observe(took.Seconds())
	}
	if failure != "" {
		m.failures.WithLabelValues(failure).Inc()
	}
}
