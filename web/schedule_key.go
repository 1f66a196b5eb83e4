package web

import (
	"github.com/gin-gonic/gin"

	"mooring/storage/record"
)

// getScheduleByKey answers with the schedule that has the path's key.
func (s *Server) getScheduleByKey(c *gin.Context) error {
	found, err := s.store.Schedules().ByKey(c.Request.Context(), current(c).deployment(), c.Param("key"))
	if err != nil {
		return absent(err, "schedule")
	}
	have, err := s.onSchedule(c, found)
	if err != nil {
		return err
	}
	if err := demand(have, mayRead, "schedule"); err != nil {
		return err
	}
	return s.answerSchedule(c, found)
}

// upsertSchedule creates the schedule with the path's key, or changes the one that has it.
func (s *Server) upsertSchedule(c *gin.Context) error {
	var in scheduleInput
	if err := s.read(c, &in); err != nil {
		return err
	}
	r := current(c)
	change := func(found *record.Schedule) error { return s.upsertOn(c, found, &in) }
	written, err := s.engine.UpsertSchedule(c.Request.Context(), r.deployment(), c.Param("key"), r.Caller.Actor, change)
	if err != nil {
		return absent(err, "report")
	}
	return s.answerWritten(c, written)
}

// upsertOn changes what was found by the key, if the caller may: a stored schedule, or one with nothing but the key.
func (s *Server) upsertOn(c *gin.Context, found *record.Schedule, in *scheduleInput) error {
	if found.ID == 0 {
		return s.startSchedule(c, found, in)
	}
	have, err := s.onSchedule(c, found)
	if err != nil {
		return err
	}
	if have < mayRead {
		return s.takenKey(c, found.Key, in)
	}
	if err := demand(have, mayEdit, "schedule"); err != nil {
		return err
	}
	if err := ifMatch(c, scheduleEdition(found)); err != nil {
		return err
	}
	return s.rewrite(c, found, in)
}
