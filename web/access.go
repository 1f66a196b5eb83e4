package web

import (
	"errors"
	"slices"
	"time"

	"mooring/placements"
	"mooring/storage"
	"mooring/storage/record"
)

// level is what a caller may do with one asset.
type level = record.Level

const (
	mayNothing = record.MayNothing
	mayRead    = record.MayRead
	mayEdit    = record.MayEdit
	mayManage  = record.MayManage
)

// Caller is who sent a request, as its token says (decisions.md §3).
type Caller struct {
	Tenant      string
	Issuer      string
	Subject     string
	UserID      int64
	Email       string
	Name        string
	Deployments []int64 // nil: every deployment of the tenant
	Roles       []int64
	Actions     []string // deployment-wide

	TokenID string // jti, what a revocation names
	Expires time.Time
}

// inDeployment reports whether the token covers deployment d.
func (c *Caller) inDeployment(d int64) bool {
	return c.Deployments == nil || slices.Contains(c.Deployments, d)
}

// isAdmin reports whether the token carries All.
func (c *Caller) isAdmin() bool { return slices.Contains(c.Actions, record.ActionAll) }

// actor is the caller as the access rules and records know them.
func (c *Caller) actor() record.Actor {
	return record.Actor{ID: c.UserID, Email: c.Email, Name: c.Name, Roles: c.Roles, Actions: c.Actions}
}

// onReport is the caller's level on a report with that creator and those grants.
func (c *Caller) onReport(createdBy int64, grants []record.RoleAccess) level {
	return c.actor().OnReport(createdBy, grants)
}

// onWorkbook is the caller's level on a workbook with that creator.
func (c *Caller) onWorkbook(createdBy int64) level { return c.actor().OnWorkbook(createdBy) }

// created reports whether the caller is the creator.
func (c *Caller) created(by int64) bool { return c.actor().Is(by) }

// demand checks a caller's level on an asset: what may not be read is not found, what may be read but not more is forbidden.
func demand(have, want level, noun string) error {
	switch {
	case have < mayRead:
		return notFound(noun)
	case have < want:
		return placements.Errorf(placements.CodeForbidden,
			"This token may read the %s but not change it: ask for a token with more actions.", noun)
	}
	return nil
}

// notFound says that an asset does not exist, or that the caller may not know whether it does.
func notFound(noun string) *placements.Error {
	return placements.Errorf(placements.CodeNotFound,
		"No such %s here, or this token may not read it: check the id, and the roles and actions of the token.", noun)
}

// absent says what storage means by not found: of every asset in the words of notFound, so that nothing tells one that does not exist from
// one that may not be read.
func absent(err error, noun string) error {
	if errors.Is(err, storage.ErrNotFound) {
		return notFound(noun)
	}
	return err
}
