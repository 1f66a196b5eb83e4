package metrics

import (
	"slices"
	"strings"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"
)

// tenantLabel is the label of what is counted by tenant.
const tenantLabel = "tenant"

// anonymous gathers what all has, the series of all tenants in one: their names are nobody's business who reads metrics without a token.
type anonymous struct{ all prometheus.Gatherer }

// Gather returns the families without the label of tenants.
func (g anonymous) Gather() ([]*dto.MetricFamily, error) {
	families, err := g.all.Gather()
	for i, f := range families {
		if slices.ContainsFunc(f.GetMetric(), byTenant) {
			families[i] = together(f)
		}
	}
	return families, err
}

func isTenant(l *dto.LabelPair) bool { return l.GetName() == tenantLabel }

func byTenant(m *dto.Metric) bool { return slices.ContainsFunc(m.GetLabel(), isTenant) }

// together is a family with the series added up that differ in their tenants only.
func together(f *dto.MetricFamily) *dto.MetricFamily {
	out := &dto.MetricFamily{Name: f.Name, Help: f.Help, Type: f.Type, Unit: f.Unit}
	series := map[string]*dto.Metric{}
	for _, m := range f.GetMetric() {
		labels := slices.DeleteFunc(slices.Clone(m.GetLabel()), isTenant)
		key := keyOf(labels)
		sum := series[key]
		if sum == nil {
			sum = &dto.Metric{Label: labels}
			series[key] = sum
			out.Metric = append(out.Metric, sum)
		}
		add(sum, m)
	}
	return out
}

func keyOf(labels []*dto.LabelPair) string {
	var key strings.Builder
	for _, l := range labels {
		key.WriteString(l.GetName() + "\x00" + l.GetValue() + "\x00")
	}
	return key.String()
}

// add adds the value of m to sum: every metric by tenant is a counter, a gauge of how many there are, or a histogram.
func add(sum, m *dto.Metric) {
	switch {
	case m.Counter != nil:
		sum.Counter = &dto.Counter{Value: new(sum.GetCounter().GetValue() + m.Counter.GetValue())}
	case m.Gauge != nil:
		sum.Gauge = &dto.Gauge{Value: new(sum.GetGauge().GetValue() + m.Gauge.GetValue())}
	case m.Histogram != nil:
		sum.Histogram = addHistogram(sum.GetHistogram(), m.Histogram)
	}
}

// addHistogram returns the sum of histograms with the same buckets; sum may be nil.
func addHistogram(sum, h *dto.Histogram) *dto.Histogram {
	out := &dto.Histogram{
		SampleCount: new(sum.GetSampleCount() + h.GetSampleCount()), SampleSum: new(sum.GetSampleSum() + h.GetSampleSum()),
	}
	for i, b := range h.GetBucket() {
		count := b.GetCumulativeCount()
		if sum != nil {
			count += sum.Bucket[i].GetCumulativeCount()
		}
		out.Bucket = append(out.Bucket, &dto.Bucket{UpperBound: b.UpperBound, CumulativeCount: new(count)})
	}
	return out
}
