package web

import (
	"net/http"

	"github.com/gin-gonic/gin"

	"mooring/placements"
)

// createPlan plans what it takes to make the deployment's assets what a bundle wants; nothing else changes.
func (s *Server) createPlan(c *gin.Context) error {
	var in bundleInput
	if err := s.readBundle(c, &in); err != nil {
		return err
	}
	r := current(c)
	plan, err := s.engine.PlanBundle(c.Request.Context(), r.deployment(), &in.Bundle, r.Caller.Actor)
	if err != nil {
		return err
	}
	return answerValue(c, plan)
}

// getPlan answers with a plan as the caller may see it.
func (s *Server) getPlan(c *gin.Context) error {
	r := current(c)
	plan, err := s.store.KeptPlan(c.Request.Context(), r.deployment(), c.Param("planId"), r.Caller.Actor)
	if err != nil {
		return err
	}
	return answerValue(c, plan)
}

// applyPlan does exactly what a plan says, all of it or nothing, and once.
func (s *Server) applyPlan(c *gin.Context) error {
	r := current(c)
	plan, err := s.store.KeptPlan(c.Request.Context(), r.deployment(), c.Param("planId"), r.Caller.Actor)
	if err != nil {
		return err
	}
	if len(plan.Assets) < plan.Summary.Assets() {
		return placements.Errorf(placements.CodeForbidden,
			"This token may not read all that the plan changes, and nothing was applied: apply it with one that may.")
	}
	result, err := s.engine.ApplyPlan(c.Request.Context(), r.deployment(), c.Param("planId"), r.Caller.Actor)
	if err != nil {
		return err
	}
	return answerValue(c, result)
}

// answerValue answers with the JSON of v.
func answerValue(c *gin.Context, v any) error {
	body, err := encode(v)
	if err != nil {
		return err
	}
	c.Data(http.StatusOK, jsonType, body)
	return nil
}
