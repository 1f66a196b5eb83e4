package web

import (
	"math"
	"net/http"

	"github.com/gin-gonic/gin"

	"mooring/placements"
	"mooring/refresh"
	"mooring/refresh/cron"
	"mooring/storage/record"
	"mooring/web/bind"
)

// scheduleInput is the body of a schedule's creation and update (decisions.md §7).
type scheduleInput struct {
	name, timezone, catchUp, overlap placements.Optional[string]
	target                           placements.Optional[record.RunTarget]
	cron                             placements.Optional[[]string]
	oneCron                          bool // cron is one text
	jitterSeconds, expected          placements.Optional[int64]
	paused, shiftRows                placements.Optional[bool]
	placements.Options
}

func (b *scheduleInput) members(o *bind.Object) {
	bind.OptionalText(o, "name", &b.name, maxName)
	bind.Optional(o, "target", &b.target, func(o *bind.Object, in *record.RunTarget) {
		o.Required("reportId")
		bind.Text(o, "placementId", &in.PlacementID, maxText)
		bind.Text(o, "externalWorkbookId", &in.ExternalWorkbookID, maxText)
		bind.Whole(o, "reportId", &in.ReportID, 1)
	})
	o.TextOrList("cron", &b.cron, &b.oneCron, cron.MaxSpecs, maxName)
	bind.OptionalText(o, "timezone", &b.timezone, maxName)
	bind.OptionalChoice(o, "catchUp", &b.catchUp, catchUps)
	bind.OptionalChoice(o, "overlap", &b.overlap, overlapRules)
	o.OptionalWhole("jitterSeconds", &b.jitterSeconds, bind.AnyNumber)
	o.OptionalFlag("paused", &b.paused)
	o.OptionalWhole("expectedVersion", &b.expected, 1)
	o.OptionalFlag("shiftRows", &b.shiftRows)
	optionMembers(o, &b.Options)
	o.Ignored("id", "deploymentId", "pausedReason", "createdAt", "updatedAt", "createdBy", "version", "nextFires", "lastRun")
}

var (
	catchUps     = []string{refresh.CatchUpLatest, refresh.CatchUpSkip, refresh.CatchUpAll}
	overlapRules = []string{refresh.OverlapSkip, refresh.OverlapQueue}
)

// rules judges the spec that the body makes; of one that changes a schedule, what is left out is right.
func (b *scheduleInput) rules(_ *Server, c *gin.Context, f *bind.Faults) error {
	var spec record.ScheduleSpec
	if c.Request.Method != http.MethodPost {
		spec.Target.ReportID, spec.Cron = 1, []string{"@hourly"}
	}
	b.apply(&spec)
	_, err := refresh.CheckSchedule(&spec)
	wrong := placements.DetailsOf(err)
	for i := range wrong {
		if b.oneCron && wrong[i].Pointer == "/cron/0" {
			wrong[i].Pointer = "/cron"
		}
	}
	f.Join(wrong...)
	return nil
}

// apply sets in spec what was sent; null sets the default.
func (b *scheduleInput) apply(spec *record.ScheduleSpec) {
	setSent(&spec.Name, b.name)
	setSent(&spec.Timezone, b.timezone)
	setSent(&spec.CatchUp, b.catchUp)
	setSent(&spec.Overlap, b.overlap)
	spec.Options = b.Over(spec.Options)
	setSent(&spec.ShiftRows, b.shiftRows)
	setSent(&spec.Paused, b.paused)
	if b.jitterSeconds.Sent {
		spec.JitterSeconds = int(max(-1, min(b.jitterSeconds.OrZero(), math.MaxInt32)))
	}
	setSent(&spec.Target, b.target)
	setSent(&spec.Cron, b.cron)
}
