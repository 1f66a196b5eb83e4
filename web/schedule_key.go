package web

import (
	"fmt"

	"github.com/gin-gonic/gin"

	"mooring/placements"
	"mooring/refresh"
	"mooring/storage"
	"mooring/storage/record"
	"mooring/web/bind"
)

// getScheduleByKey answers with the schedule that has the path's key.
func (s *Server) getScheduleByKey(c *gin.Context) error {
	found, err := s.store.ScheduleByKey(c.Request.Context(), current(c).deployment(), c.Param("key"))
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
	return s.answerSchedule(c, written)
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
	if err := ifMatch(c, found.Version); err != nil {
		return err
	}
	return s.rewrite(c, found, in)
}

// takenKey refuses an upsert by the key of a schedule that the caller may not read as it would refuse to create one.
func (s *Server) takenKey(c *gin.Context, key string, in *scheduleInput) error {
	made := &record.Schedule{ScheduleSpec: record.ScheduleSpec{Key: key}}
	if err := s.startSchedule(c, made, in); err != nil {
		return err
	}
	if _, err := refresh.CheckSchedule(&made.ScheduleSpec); err != nil {
		return err
	}
	return storage.KeyTaken(key)
}

// startSchedule fills in a schedule that is created, if the caller may.
func (s *Server) startSchedule(c *gin.Context, made *record.Schedule, in *scheduleInput) error {
	if err := expectNone(c, in.expected); err != nil {
		return err
	}
	in.apply(&made.ScheduleSpec)
	if made.Target.ReportID != 0 {
		if err := s.hold(c, made.Target.ReportID); err != nil {
			return err
		}
	}
	return s.mayAim(c, made.Target)
}

// keyRule takes a schedule's key.
func keyRule(sent string) (code placements.Code, message string) {
	return placements.CodeInvalid, record.KeyFault(sent)
}

// sameKey checks the key of the path, and that a body that has one too has the same.
func (b *scheduleInput) sameKey(inPath string, f *bind.Faults) {
	if inPath == "" {
		return
	}
	if wrong := record.KeyFault(inPath); wrong != "" {
		f.Add(placements.Detail{Code: placements.CodeInvalid, Message: "In the path: " + wrong})
	}
	if b.key.Sent && b.key.OrZero() != inPath {
		message := fmt.Sprintf("The path says %.80s: send the same key, or none.", inPath)
		f.Join(placements.Detail{Pointer: "/key", Code: placements.CodeKeyFixed, Message: message})
	}
}
