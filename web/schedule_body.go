package web

import (
	"errors"

	"github.com/gin-gonic/gin"

	"mooring/refresh"
	"mooring/storage"
)

// decodeSchedule reads a body of scheduleShape; creates says that what is left out is not stored already.
func (s *Server) decodeSchedule(c *gin.Context, creates bool) (values, error) {
	body, k, err := s.examine(c, scheduleShape)
	if err != nil {
		return nil, err
	}
	var spec storage.ScheduleSpec
	if !creates {
		spec.Target.ReportID, spec.Cron = 1, []string{"@hourly"}
	}
	body.applySchedule(&spec)
	_, err = refresh.CheckSchedule(&spec)
	if invalid, ok := errors.AsType[*storage.Invalid](err); ok {
		k.join(body.scheduleFaults(invalid))
	}
	return body, k.err()
}

// scheduleFaults are the faults of a schedule at their places in the body: a cron that is one text is no list.
func (v values) scheduleFaults(i *storage.Invalid) []detail {
	details := invalidFault(i).details
	if _, one := v["cron"].(string); one {
		for n := range details {
			if details[n].Pointer == "/cron/0" {
				details[n].Pointer = "/cron"
			}
		}
	}
	return details
}
