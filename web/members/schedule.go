package members

import (
	"math"

	"mooring/placements"
	"mooring/refresh"
	"mooring/refresh/cron"
	"mooring/storage/record"
	"mooring/web/bind"
)

// ScheduleBody is what a body says of a schedule but for its target.
type ScheduleBody struct {
	name, timezone, catchUp, overlap placements.Optional[string]
	cron                             placements.Optional[[]string]
	oneCron                          bool // cron is one text
	jitterSeconds                    placements.Optional[int64]
	paused                           placements.Optional[bool]
	placements.Options
}

// Members names them.
func (b *ScheduleBody) Members(o *bind.Object) {
	bind.OptionalText(o, "name", &b.name, MaxName)
	o.TextOrList("cron", &b.cron, &b.oneCron, cron.MaxSpecs, MaxName)
	bind.OptionalText(o, "timezone", &b.timezone, MaxName)
	bind.OptionalChoice(o, "catchUp", &b.catchUp, catchUps)
	bind.OptionalChoice(o, "overlap", &b.overlap, overlapRules)
	o.OptionalWhole("jitterSeconds", &b.jitterSeconds, bind.AnyNumber)
	o.OptionalFlag("paused", &b.paused)
	Options(o, &b.Options)
	NoSettings(o)
}

var (
	catchUps     = []string{record.CatchUpLatest, record.CatchUpSkip, record.CatchUpAll}
	overlapRules = []string{record.OverlapSkip, record.OverlapQueue}
)

// Faults returns what is wrong with the spec that the body makes.
func (b *ScheduleBody) Faults(spec record.ScheduleSpec) []placements.Detail {
	_, err := refresh.CheckSchedule(&spec)
	wrong := placements.DetailsOf(err)
	for i := range wrong {
		if b.oneCron && wrong[i].Pointer == "/cron/0" {
			wrong[i].Pointer = "/cron"
		}
	}
	return wrong
}

// Apply sets in spec what was sent; null sets the default.
func (b *ScheduleBody) Apply(spec *record.ScheduleSpec) {
	setSent(&spec.Name, b.name)
	setSent(&spec.Timezone, b.timezone)
	setSent(&spec.CatchUp, b.catchUp)
	setSent(&spec.Overlap, b.overlap)
	spec.Options = b.Over(spec.Options)
	setSent(&spec.Paused, b.paused)
	setSent(&spec.JitterSeconds, b.jitter())
	setSent(&spec.Cron, b.cron)
}

// jitter is what was sent of jitterSeconds: a number that no int holds is as wrong as one that another holds.
func (b *ScheduleBody) jitter() (j placements.Optional[int]) {
	j.Sent = b.jitterSeconds.Sent
	if b.jitterSeconds.Value != nil {
		j = placements.Sent(int(max(-1, min(*b.jitterSeconds.Value, math.MaxInt32))))
	}
	return j
}

// setSent sets target to what was sent; null is the zero value.
func setSent[T any](target *T, sent placements.Optional[T]) {
	if sent.Sent {
		*target = sent.OrZero()
	}
}
