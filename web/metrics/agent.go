package metrics

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"mooring/placements"
	"mooring/storage/record"
)

// AgentMetrics counts what the agents of this process do. It is a refresh.AgentObserver.
type AgentMetrics struct {
	tenants map[string]bool

	late       *prometheus.HistogramVec
	ticks      *prometheus.CounterVec
	runs       *prometheus.CounterVec
	retries    *prometheus.CounterVec
	took       *prometheus.HistogramVec
	quota      *prometheus.HistogramVec
	rows       *prometheus.CounterVec
	edits      *prometheus.CounterVec
	hung       *prometheus.GaugeVec
	deliveries *prometheus.CounterVec
}

// otherTenant is the label of a tenant that is not in the configuration any more.
const otherTenant = "other"

// NewAgent makes the metrics of an agent that works for those tenants, and adds them to r.
func NewAgent(r *Registry, tenants []string) *AgentMetrics {
	m := &AgentMetrics{
		tenants: map[string]bool{},
		late: perTenant("mooring_run_lateness_seconds", "Time from when a run of a schedule was due to when its first attempt began.",
			.005, .01, .025, .05, .1, .25, .5, 1, 5, 15, 60, 600, 3600),
		ticks: counts("mooring_ticks_total",
			"Ticks of schedules by what became of them, when it was decided: fired; skipped, since the schedule's earlier run had not ended; "+
				"or missed, since no agent was there in time. superseded counts fired ones again whose runs left a block to a newer run.",
			"tenant", "outcome"),
		runs: counts("mooring_runs_total", "Runs that have ended, by their state and the class of what went wrong.", "tenant", "state", "class"),
		retries: counts("mooring_run_retries_total",
			"Attempts of runs that another one follows, by the class of what went wrong; empty: the agent was shut down.", "tenant", "class"),
		took: perTenant("mooring_run_duration_seconds", "Time that attempts of runs took, without the waits between them.",
			.01, .05, .1, .25, .5, 1, 2.5, 5, 15, 60, 300, 900),
		quota: perTenant("mooring_quota_wait_seconds", "Time that runs wait because a quota of a spreadsheet host or a source is used up.",
			1, 2.5, 5, 10, 20, 30, 60, 120, 300, 900, 3600),
		rows:  counts("mooring_rows_written_total", "Rows written into spreadsheets.", "tenant"),
		edits: counts("mooring_edits_kept_total", "Cells typed by hand that runs left as they were, counted by every run that does.", "tenant"),
		hung: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "mooring_hung_calls",
			Help: "Calls to files of spreadsheets and sources that runs gave up waiting for and that have not come back from the system: " +
				"a disk or a network drive hangs. Each keeps a thread.",
		}, []string{"tenant"}),
		deliveries: counts("mooring_webhook_deliveries_total",
			"Deliveries of events to webhooks: delivered, failed when another one follows, or given_up.", "outcome"),
	}
	m.prepare(tenants)
	r.all.MustRegister(m.late, m.ticks, m.runs, m.retries, m.took, m.quota, m.rows, m.edits, m.hung, m.deliveries)
	return m
}

func perTenant(name, help string, buckets ...float64) *prometheus.HistogramVec {
	return prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: name, Help: help, Buckets: buckets}, []string{"tenant"})
}

func counts(name, help string, labels ...string) *prometheus.CounterVec {
	return prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
}

// prepare makes the series of every tenant, each at zero: the first failure is an increase then.
func (m *AgentMetrics) prepare(tenants []string) {
	for _, outcome := range []string{"delivered", "failed", "given_up"} {
		m.deliveries.WithLabelValues(outcome)
	}
	for _, tenant := range tenants {
		m.tenants[tenant] = true
		for _, perTenant := range []*prometheus.HistogramVec{m.late, m.took, m.quota} {
			perTenant.WithLabelValues(tenant)
		}
		m.rows.WithLabelValues(tenant)
		m.edits.WithLabelValues(tenant)
		m.hung.WithLabelValues(tenant)
		for _, outcome := range record.TickOutcomes() {
			m.ticks.WithLabelValues(tenant, string(outcome))
		}
		for _, class := range []placements.Class{placements.Transient, placements.Quota} {
			m.retries.WithLabelValues(tenant, string(class))
		}
		m.runs.WithLabelValues(tenant, string(placements.RunSucceeded), "")
		for _, class := range []placements.Class{
			placements.Transient, placements.Quota, placements.Auth, placements.Structure, placements.Conflict, placements.Permanent,
		} {
			m.runs.WithLabelValues(tenant, string(placements.RunFailed), string(class))
		}
	}
}

// label is the value of a tenant's label: a storage may hold runs of more tenants than the configuration does.
func (m *AgentMetrics) label(tenant string) string {
	if m.tenants[tenant] {
		return tenant
	}
	return otherTenant
}

// Began is refresh.AgentObserver's.
func (m *AgentMetrics) Began(tenant string, late time.Duration) {
	m.late.WithLabelValues(m.label(tenant)).Observe(max(0, late.Seconds()))
}

// Ticked is refresh.AgentObserver's.
func (m *AgentMetrics) Ticked(tenant string, outcome record.TickOutcome, ticks int) {
	m.ticks.WithLabelValues(m.label(tenant), string(outcome)).Add(float64(ticks))
}

// Attempted is refresh.AgentObserver's.
func (m *AgentMetrics) Attempted(tenant string, state placements.RunState, class placements.Class, took time.Duration, rowsWritten int) {
	tenant = m.label(tenant)
	if state == placements.RunQueued {
		m.retries.WithLabelValues(tenant, string(class)).Inc()
	} else {
		m.runs.WithLabelValues(tenant, string(state), string(class)).Inc()
	}
	m.took.WithLabelValues(tenant).Observe(took.Seconds())
	m.rows.WithLabelValues(tenant).Add(float64(rowsWritten))
}

// WaitsForQuota is refresh.AgentObserver's.
func (m *AgentMetrics) WaitsForQuota(tenant string, wait time.Duration) {
	m.quota.WithLabelValues(m.label(tenant)).Observe(max(0, wait.Seconds()))
}

// KeptEdits is refresh.AgentObserver's.
func (m *AgentMetrics) KeptEdits(tenant string, cells int) {
	m.edits.WithLabelValues(m.label(tenant)).Add(float64(cells))
}

// Hangs is refresh.AgentObserver's.
func (m *AgentMetrics) Hangs(tenant string, n int) {
	m.hung.WithLabelValues(m.label(tenant)).Add(float64(n))
}

// Delivered is refresh.AgentObserver's.
func (m *AgentMetrics) Delivered(outcome string) { m.deliveries.WithLabelValues(outcome).Inc() }
