package web

import (
	"slices"
	"time"

	"mooring/storage"
)

// The actions that mean something to the service; others are kept as opaque strings (decisions.md §3).
const (
	ActionReportRead     = "ReportRead"
	ActionReportEdit     = "ReportEdit"
	ActionReportManage   = "ReportManage"
	ActionWorkbookRead   = "WorkbookRead"
	ActionWorkbookEdit   = "WorkbookEdit"
	ActionWorkbookManage = "WorkbookManage"
	ActionAll            = "All"
)

// level is what a caller may do with one asset. Each level implies those below it.
type level int

const (
	mayNothing level = iota
	mayRead
	mayEdit
	mayManage
)

// reportActions and workbookActions say which level an action gives on one kind of asset.
var (
	reportActions   = map[string]level{ActionReportRead: mayRead, ActionReportEdit: mayEdit, ActionReportManage: mayManage, ActionAll: mayManage}
	workbookActions = map[string]level{ActionWorkbookRead: mayRead, ActionWorkbookEdit: mayEdit, ActionWorkbookManage: mayManage, ActionAll: mayManage}
)

// Caller is who sent a request, as its token says (decisions.md §3).
type Caller struct {
	Tenant      string
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

// inDeployment tells whether the token is good for deployment d.
func (c *Caller) inDeployment(d int64) bool {
	return c.Deployments == nil || slices.Contains(c.Deployments, d)
}

// isAdmin tells whether the token carries All.
func (c *Caller) isAdmin() bool { return slices.Contains(c.Actions, ActionAll) }

// onReport is the caller's level on a report with that creator and those grants: the token's own actions, the actions of
// each grant to one of its roles, everything for the creator.
func (c *Caller) onReport(createdBy int64, grants []storage.RoleAccess) level {
	if c.created(createdBy) {
		return mayManage
	}
	l := highest(reportActions, c.Actions)
	for _, g := range grants {
		if slices.Contains(c.Roles, g.ID) {
			l = max(l, highest(reportActions, g.Actions))
		}
	}
	return l
}

// onWorkbook is the caller's level on a workbook with that creator.
func (c *Caller) onWorkbook(createdBy int64) level {
	if c.created(createdBy) {
		return mayManage
	}
	return highest(workbookActions, c.Actions)
}

// created tells whether the caller is the creator. A token without a user id created nothing.
func (c *Caller) created(by int64) bool { return by != 0 && by == c.UserID }

// mayCreate tells whether the token's own actions reach edit on that kind of asset.
func (c *Caller) mayCreate(actions map[string]level) bool {
	return highest(actions, c.Actions) >= mayEdit
}

// demand checks a caller's level on an asset: what may not be read is not found, what may be read but not more is forbidden.
func demand(have, want level, noun string) error {
	switch {
	case have < mayRead:
		return notFound(noun)
	case have < want:
		return refuse(codeForbidden, "This token may read the %s but not change it: ask for a token with more actions.", noun)
	}
	return nil
}

// notFound says that an asset does not exist, or may not be known to.
func notFound(noun string) *fault {
	return refuse(codeNotFound, "No such %s here, or this token may not read it: check the id, and the roles and actions of the token.", noun)
}

func highest(table map[string]level, actions []string) level {
	l := mayNothing
	for _, a := range actions {
		l = max(l, table[a])
	}
	return l
}
