package metrics

import (
	"context"
	"crypto/rand"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"mooring/placements"
	"mooring/storage/record"
)

// Queue is what agents work through; the storage has it.
type Queue interface {
	// Report returns what is the same for all processes to one of them, and nil to the others.
	Report(ctx context.Context, process string, list []record.Deployment) (*record.Backlog, error)
	EndReports(ctx context.Context, process string) error
}

// Lists is what stands where; the storage has it.
type Lists interface {
	// WaitingDocuments returns how many spreadsheets of each deployment have a block that waits, by the reason.
	WaitingDocuments(ctx context.Context, list ...record.Deployment) ([]map[placements.Reason]int64, error)
}

// BacklogMetrics has what is the same for all processes that use a storage; one of them shows it, see Queue. It asks at every scrape.
type BacklogMetrics struct {
	queue       Queue
	lists       Lists
	deployments []record.Deployment
	log         *slog.Logger
	process     string      // the name of this process to the queue
	shown       atomic.Bool // it has shown the backlog
	failed      atomic.Bool // the last report

	depth, schedules, agents, waiting *prometheus.Desc
}

// scrapeLimit is how long a scrape waits for the queue.
const scrapeLimit = 2 * time.Second

// NewBacklog makes the metrics of a queue, and of the schedules and spreadsheets of some deployments, and adds them to r.
func NewBacklog(r *Registry, q Queue, lists Lists, deployments []record.Deployment, log *slog.Logger) *BacklogMetrics {
	m := &BacklogMetrics{
		queue: q, lists: lists, deployments: deployments, log: log, process: rand.Text(),
		depth: prometheus.NewDesc("mooring_queue_depth",
			"Runs that are queued or at work, over all agents. One process shows it.", nil, nil),
		schedules: prometheus.NewDesc("mooring_schedules",
			"Schedules that are active or paused; late are the active ones that were due for over a minute and did not fire. "+
				"One process shows it.",
			[]string{"state"}, nil),
		agents: prometheus.NewDesc("mooring_agents", "Agents that take runs. One process shows it.", nil, nil),
		waiting: prometheus.NewDesc("mooring_documents_waiting",
			"Spreadsheets with a block whose refresh waits, by what it waits for. One where reports of two deployments stand is counted for both. "+
				"One process shows it.",
			[]string{tenantLabel, "reason"}, nil),
	}
	r.all.MustRegister(m)
	return m
}

// Describe is prometheus.Collector's.
func (m *BacklogMetrics) Describe(ch chan<- *prometheus.Desc) {
	ch <- m.depth
	ch <- m.schedules
	ch <- m.agents
	ch <- m.waiting
}

// Collect is prometheus.Collector's. It shows nothing when another process does, or the storage does not answer.
func (m *BacklogMetrics) Collect(ch chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), scrapeLimit)
	defer cancel()
	b, waiting, err := m.report(ctx)
	if failed := m.failed.Swap(err != nil); err != nil && !failed {
		m.log.Warn("metrics lack the queue, the schedules and the spreadsheets that wait: the storage did not answer", "error", err)
	}
	if err != nil || b == nil {
		return
	}
	m.shown.Store(true)
	show := func(d *prometheus.Desc, n int64, labels ...string) {
		ch <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, float64(n), labels...)
	}
	show(m.depth, b.Depth)
	show(m.agents, b.Agents)
	show(m.schedules, b.Active, "active")
	show(m.schedules, b.Paused, "paused")
	show(m.schedules, b.Late, "late")
	for tenant, documents := range waiting {
		for _, reason := range placements.Waits() {
			show(m.waiting, documents[reason], tenant, string(reason))
		}
	}
}

// report returns what this process shows, and how many spreadsheets of each tenant wait for each reason; nil when another process does.
func (m *BacklogMetrics) report(ctx context.Context) (*record.Backlog, map[string]map[placements.Reason]int64, error) {
	b, err := m.queue.Report(ctx, m.process, m.deployments)
	if err != nil || b == nil {
		return nil, nil, err
	}
	list, err := m.lists.WaitingDocuments(ctx, m.deployments...)
	if err != nil {
		return nil, nil, err
	}
	waiting := map[string]map[placements.Reason]int64{}
	for i, d := range m.deployments {
		if waiting[d.Tenant] == nil {
			waiting[d.Tenant] = map[placements.Reason]int64{}
		}
		for reason, documents := range list[i] {
			waiting[d.Tenant][reason] += documents
		}
	}
	return b, waiting, nil
}

// Close lets another process show the backlog at once; without it, one does within a minute.
func (m *BacklogMetrics) Close() {
	if !m.shown.Load() {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), scrapeLimit)
	defer cancel()
	if err := m.queue.EndReports(ctx, m.process); err != nil {
		m.log.Debug("the metrics of the queue are not left to another process", "error", err)
	}
}
