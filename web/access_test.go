package web

import (
	"testing"

	"mooring/placements"
	"mooring/storage/record"
)

func TestReportAccess(t *testing.T) {
	grants := []record.RoleAccess{
		{ID: 7, Actions: []string{"ReportRead"}},
		{ID: 8, Actions: []string{"ReportEdit", "SomethingOfTheirs"}},
		{ID: 9, Actions: []string{"All"}},
	}
	for name, tt := range map[string]struct {
		caller Caller
		want   level
	}{
		"no action and no role gives nothing":             {Caller{UserID: 2}, mayNothing},
		"a deployment-wide read action reads":             {Caller{UserID: 2, Actions: []string{"ReportRead"}}, mayRead},
		"edit implies read":                               {Caller{UserID: 2, Actions: []string{"ReportEdit"}}, mayEdit},
		"manage implies edit":                             {Caller{UserID: 2, Actions: []string{"ReportManage"}}, mayManage},
		"All implies everything":                          {Caller{UserID: 2, Actions: []string{"All"}}, mayManage},
		"an unknown action gives nothing":                 {Caller{UserID: 2, Actions: []string{"reportread", "Fly"}}, mayNothing},
		"a workbook action gives nothing on a report":     {Caller{UserID: 2, Actions: []string{"WorkbookManage"}}, mayNothing},
		"a role of the report's list gives its actions":   {Caller{UserID: 2, Roles: []int64{7}}, mayRead},
		"the best of several roles counts":                {Caller{UserID: 2, Roles: []int64{7, 8}}, mayEdit},
		"a role's All manages":                            {Caller{UserID: 2, Roles: []int64{9}}, mayManage},
		"a role that the report does not list is nothing": {Caller{UserID: 2, Roles: []int64{6}}, mayNothing},
		"token actions and role actions are united":       {Caller{UserID: 2, Roles: []int64{7}, Actions: []string{"ReportEdit"}}, mayEdit},
		"the creator manages":                             {Caller{UserID: 1}, mayManage},
		"a token without a user created nothing":          {Caller{}, mayNothing},
	} {
		t.Run(name, func(t *testing.T) {
			createdBy := int64(1)
			if tt.caller.UserID == 0 {
				createdBy = 0
			}
			if got := tt.caller.onReport(createdBy, grants); got != tt.want {
				t.Errorf("onReport = %d, want %d", got, tt.want)
			}
		})
	}
}

func TestWorkbookAccess(t *testing.T) {
	for name, tt := range map[string]struct {
		caller Caller
		want   level
	}{
		"read action reads":                     {Caller{UserID: 2, Actions: []string{"WorkbookRead"}}, mayRead},
		"edit action edits":                     {Caller{UserID: 2, Actions: []string{"WorkbookEdit"}}, mayEdit},
		"manage action manages":                 {Caller{UserID: 2, Actions: []string{"WorkbookManage"}}, mayManage},
		"a report action is nothing on it":      {Caller{UserID: 2, Actions: []string{"ReportManage"}}, mayNothing},
		"the creator manages without an action": {Caller{UserID: 1}, mayManage},
	} {
		t.Run(name, func(t *testing.T) {
			if got := tt.caller.onWorkbook(1); got != tt.want {
				t.Errorf("onWorkbook = %d, want %d", got, tt.want)
			}
		})
	}
}

func TestCreateNeedsEditInTheTokensOwnActions(t *testing.T) {
	for name, tt := range map[string]struct {
		actions           []string
		reports, workbook bool
	}{
		"none":         {nil, false, false},
		"ReportRead":   {[]string{"ReportRead"}, false, false},
		"ReportEdit":   {[]string{"ReportEdit"}, true, false},
		"WorkbookEdit": {[]string{"WorkbookEdit"}, false, true},
		"All":          {[]string{"All"}, true, true},
	} {
		t.Run(name, func(t *testing.T) {
			c := Caller{UserID: 1, Actions: tt.actions}
			if got := c.actor().MayCreateReport(); got != tt.reports {
				t.Errorf("reports: %t, want %t", got, tt.reports)
			}
			if got := c.actor().MayCreateWorkbook(); got != tt.workbook {
				t.Errorf("workbooks: %t, want %t", got, tt.workbook)
			}
		})
	}
}

func TestDeploymentScope(t *testing.T) {
	if c := (Caller{}); !c.inDeployment(5) {
		t.Error("a token without deployments is good for all of the tenant")
	}
	if c := (Caller{Deployments: []int64{}}); c.inDeployment(5) {
		t.Error("an empty list of deployments names none")
	}
	if c := (Caller{Deployments: []int64{1, 5}}); !c.inDeployment(5) || c.inDeployment(2) {
		t.Error("a list of deployments is exactly that list")
	}
}

func TestDemand(t *testing.T) {
	for name, tt := range map[string]struct {
		have, want level
		code       placements.Code
	}{
		"enough passes":                            {mayEdit, mayEdit, ""},
		"more passes":                              {mayManage, mayRead, ""},
		"readable but not editable is forbidden":   {mayRead, mayEdit, placements.CodeForbidden},
		"editable but not manageable is forbidden": {mayEdit, mayManage, placements.CodeForbidden},
		"unreadable is not found, whatever asked":  {mayNothing, mayManage, placements.CodeNotFound},
	} {
		t.Run(name, func(t *testing.T) {
			err := demand(tt.have, tt.want, "report")
			if placements.CodeOf(err) != tt.code {
				t.Errorf("demand = %v, want code %q", err, tt.code)
			}
		})
	}
}
