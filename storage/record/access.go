package record

import (
	"slices"

	"mooring/placements"
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

// Level is what an actor may do with one asset. Each level implies those below it.
type Level int

// The levels.
const (
	MayNothing Level = iota
	MayRead
	MayEdit
	MayManage
)

// reportActions and workbookActions are the level that an action grants on one kind of asset.
var (
	reportActions = map[string]Level{
		ActionReportRead: MayRead, ActionReportEdit: MayEdit, ActionReportManage: MayManage, ActionAll: MayManage,
	}
	workbookActions = map[string]Level{
		ActionWorkbookRead: MayRead, ActionWorkbookEdit: MayEdit, ActionWorkbookManage: MayManage, ActionAll: MayManage,
	}
)

// Actor is who asks for something, or on whose behalf it is done, as a token said.
type Actor struct {
	ID      int64    `json:"id"` // 0: the token names no user
	Email   string   `json:"email,omitempty"`
	Roles   []int64  `json:"roles,omitempty"`
	Name    string   `json:"-"`
	Actions []string `json:"-"` // of the token itself, deployment-wide; stored as KeptActor says, and never shown
	Via     Via      `json:"-"` // not stored with the actor
}

// Via is the way of a write to the service, for the audit.
type Via struct {
	Token   string // the token's jti, or the id of the device that has it; empty: none was sent
	Address string // of the client, as the server saw it
	Plan    string // whose apply it is part of; empty: none's
}

// OnReport is the actor's level on a report with that creator and those grants: the token's own actions, the actions of each grant to one
// of its roles, everything for the creator.
func (w Actor) OnReport(createdBy int64, grants []RoleAccess) Level {
	if w.Is(createdBy) {
		return MayManage
	}
	l := highest(reportActions, w.Actions)
	for _, g := range grants {
		if slices.Contains(w.Roles, g.ID) {
			l = max(l, highest(reportActions, g.Actions))
		}
	}
	return l
}

// OnWorkbook is the actor's level on a workbook with that creator.
func (w Actor) OnWorkbook(createdBy int64) Level {
	if w.Is(createdBy) {
		return MayManage
	}
	return highest(workbookActions, w.Actions)
}

// MayCreateReport reports whether the token's own actions reach edit on reports.
func (w Actor) MayCreateReport() bool { return highest(reportActions, w.Actions) >= MayEdit }

// MayCreateWorkbook reports whether the token's own actions reach edit on workbooks.
func (w Actor) MayCreateWorkbook() bool { return highest(workbookActions, w.Actions) >= MayEdit }

// Is reports whether the actor is that user. A token without a user is none.
func (w Actor) Is(uid int64) bool { return uid != 0 && uid == w.ID }

// SeesCells reports whether the actor, with that level on a report, may see what cells of its block held, such as edits, overwritten rows and
// changes (decisions.md §3). of is the user on whose behalf the block was written before and then; 0: it was not one and the same.
func (w Actor) SeesCells(of int64, l Level) bool { return l >= MayManage || w.Is(of) }

// User is the actor as records name them.
func (w Actor) User() User { return User{ID: w.ID, Email: w.Email, FirstName: w.Name} }

// runAs is the actor as placements keep them.
func (w Actor) RunAs() placements.RunAs {
	return placements.RunAs{UID: w.ID, Email: w.Email, Roles: w.Roles, Actions: w.onReports()}
}

// Behalf is on whose behalf p is queried.
func Behalf(p placements.Placement) Actor {
	as := p.Behalf()
	return Actor{ID: as.UID, Email: as.Email, Roles: as.Roles, Actions: as.Actions}
}

// onReports are those of the token's own actions that decide about reports.
func (w Actor) onReports() (actions []string) {
	for _, a := range w.Actions {
		if reportActions[a] > MayNothing {
			actions = append(actions, a)
		}
	}
	return actions
}

// KeptActor is an actor as runs and schedules store them: their rights are judged again whenever they are used.
type KeptActor struct {
	Actor
	Actions []string `json:"actions,omitempty"`
}

func Keep(w Actor) KeptActor {
	return KeptActor{Actor{ID: w.ID, Email: w.Email, Roles: w.Roles}, w.onReports()}
}

func (k KeptActor) Restored() Actor {
	k.Actor.Actions = k.Actions
	return k.Actor
}

// level is the actor's level on the report of that definition.
func (w Actor) Level(d *Definition) Level { return w.OnReport(d.CreatedBy, d.RolesWithAccess) }

func highest(table map[string]Level, actions []string) Level {
	l := MayNothing
	for _, a := range actions {
		l = max(l, table[a])
	}
	return l
}

// IsAction reports whether an action means something to the service.
func IsAction(name string) bool {
	_, onReport := reportActions[name]
	_, onWorkbook := workbookActions[name]
	return onReport || onWorkbook
}
