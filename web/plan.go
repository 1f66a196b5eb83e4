package web

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"

	"github.com/gin-gonic/gin"

	"mooring/placements"
	"mooring/storage/record"
	"mooring/storage/record/portable"
	"mooring/web/bind"
	"mooring/web/members"
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
	plan, err := s.store.Plans().Get(c.Request.Context(), r.deployment(), c.Param("planId"), r.Caller.Actor)
	if err != nil {
		return err
	}
	return answerValue(c, plan)
}

// applyPlan does exactly what a plan says, all of it or nothing, and once.
func (s *Server) applyPlan(c *gin.Context) error {
	r := current(c)
	plan, err := s.store.Plans().Get(c.Request.Context(), r.deployment(), c.Param("planId"), r.Caller.Actor)
	if err != nil {
		return err
	}
	if !plan.ShowsAll() {
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

// listManaged answers with what a project manages, in the form that a bundle has, and with what no project does as far as adopt names it.
func (s *Server) listManaged(c *gin.Context) error {
	first, err := pageSize(c)
	if err != nil {
		return err
	}
	project, r := c.Query("project"), current(c)
	if !portable.IsProject(project) {
		return placements.Errorf(placements.CodeParameter,
			"project is required: send the name of a project, 1 to 64 of a-z, 0-9, dot, underscore and hyphen.")
	}
	list, err := s.store.Plans().Managed(c.Request.Context(), r.deployment(), project, r.Caller.Actor)
	if err != nil {
		return err
	}
	if adopt := c.QueryArray("adopt"); len(adopt) > 0 {
		others, err := s.store.Plans().Unmanaged(c.Request.Context(), r.deployment(), r.Caller.Actor)
		if err != nil {
			return err
		}
		if err := unadoptable(adopt, slices.Concat(list, others)); err != nil {
			return err
		}
		list = append(list, slices.DeleteFunc(others, func(a portable.ManagedAsset) bool { return !adopted(adopt, a) })...)
	}
	p, err := managedPage(list, first, c.Query("after"))
	if err != nil {
		return err
	}
	return answerPage(c, p, func(a portable.ManagedAsset) ([]byte, error) { return encode(a) })
}

// adopted reports whether one of the names is that of an asset: all, report:RevByRegion1 or report:#17.
func adopted(names []string, a portable.ManagedAsset) bool {
	return slices.ContainsFunc(names, func(name string) bool {
		return name == "all" || name == string(a.Kind)+":"+a.Ref || a.Kind == portable.KindReport && name == fmt.Sprintf("report:#%v", a.ID)
	})
}

// unadoptable refuses names that are of none of the assets.
func unadoptable(names []string, assets []portable.ManagedAsset) error {
	var strange []string
	for _, name := range names {
		if name != "all" && !slices.ContainsFunc(assets, func(a portable.ManagedAsset) bool { return adopted([]string{name}, a) }) {
			strange = append(strange, name)
		}
	}
	if len(strange) == 0 {
		return nil
	}
	return placements.Errorf(placements.CodeParameter,
		"adopt names %s, and this deployment has no such asset that this token may read and that no other project manages: name another one.",
		strings.Join(strange, ", "))
}

// managedPage is the page of the list after a cursor, which is the place of the last asset before it.
func managedPage(list []portable.ManagedAsset, first int, after string) (p record.Page[portable.ManagedAsset], err error) {
	from, err := base64.RawURLEncoding.DecodeString(after)
	if err != nil {
		return p, placements.Errorf(placements.CodeCursor, "The cursor is not one of this list: send the endCursor of the page before.")
	}
	slices.SortStableFunc(list, func(a, b portable.ManagedAsset) int { return cmp.Compare(managedPlace(a), managedPlace(b)) })
	list = slices.DeleteFunc(list, func(a portable.ManagedAsset) bool { return managedPlace(a) <= string(from) })
	p.Items = list[:min(first, len(list))]
	p.HasNextPage = len(p.Items) < len(list)
	if n := len(p.Items); n > 0 {
		p.EndCursor = base64.RawURLEncoding.EncodeToString([]byte(managedPlace(p.Items[n-1])))
	}
	return p, nil
}

// managedPlace orders assets as they refer to each other: reports first.
func managedPlace(a portable.ManagedAsset) string {
	return fmt.Sprintf("%d %s %v", slices.Index(members.Kinds, a.Kind), a.Ref, a.ID)
}

// bundleInput is the body of a plan's creation.
type bundleInput struct{ members.Plan }

func (b *bundleInput) members(o *bind.Object) { b.Plan.Members(o) }

// readBundle fills in with a body that may be as large as a bundle.
func (s *Server) readBundle(c *gin.Context, in *bundleInput) error {
	raw, err := s.readBody(c)
	if placements.CodeOf(err) == placements.CodeTooLarge || len(raw) > portable.MaxBundleBytes {
		return placements.Errorf(placements.CodePlanTooLarge, "A bundle has at most %d bytes: split the project.", portable.MaxBundleBytes)
	}
	if err != nil {
		return err
	}
	c.Request.Body = io.NopCloser(bytes.NewReader(raw))
	return s.read(c, in)
}

// rules makes the bundle of what was read, and judges it. What needs the server is judged by the plan, unless none can be made.
func (b *bundleInput) rules(s *Server, c *gin.Context, f *bind.Faults) error {
	if err := b.Declare(strict(c), f); err != nil || len(*f) == 0 {
		return err
	}
	r := current(c)
	unknown, err := s.store.Plans().Faults(c.Request.Context(), r.deployment(), &b.Bundle, r.Caller.Actor)
	doubtful := b.Doubtful(*f)
	f.Join(slices.DeleteFunc(unknown, func(d placements.Detail) bool { return slices.Contains(doubtful, d.Code) })...)
	return err
}
