package record

import "testing"

func TestReportAccess(t *testing.T) {
	grants := []RoleAccess{
		{ID: 7, Actions: []string{"ReportRead"}},
		{ID: 8, Actions: []string{"ReportEdit", "SomethingOfTheirs"}},
		{ID: 9, Actions: []string{"All"}},
	}
	for name, tt := range map[string]struct {
		actor Actor
		want  Level
	}{
		"no action and no role gives nothing":             {Actor{ID: 2}, MayNothing},
		"a deployment-wide read action reads":             {Actor{ID: 2, Actions: []string{"ReportRead"}}, MayRead},
		"edit implies read":                               {Actor{ID: 2, Actions: []string{"ReportEdit"}}, MayEdit},
		"manage implies edit":                             {Actor{ID: 2, Actions: []string{"ReportManage"}}, MayManage},
		"All implies everything":                          {Actor{ID: 2, Actions: []string{"All"}}, MayManage},
		"an unknown action gives nothing":                 {Actor{ID: 2, Actions: []string{"reportread", "Fly"}}, MayNothing},
		"a workbook action gives nothing on a report":     {Actor{ID: 2, Actions: []string{"WorkbookManage"}}, MayNothing},
		"a role of the report's list gives its actions":   {Actor{ID: 2, Roles: []int64{7}}, MayRead},
		"the best of several roles counts":                {Actor{ID: 2, Roles: []int64{7, 8}}, MayEdit},
		"a role's All manages":                            {Actor{ID: 2, Roles: []int64{9}}, MayManage},
		"a role that the report does not list is nothing": {Actor{ID: 2, Roles: []int64{6}}, MayNothing},
		"token actions and role actions are united":       {Actor{ID: 2, Roles: []int64{7}, Actions: []string{"ReportEdit"}}, MayEdit},
		"the creator manages":                             {Actor{ID: 1}, MayManage},
		"a token without a user created nothing":          {Actor{}, MayNothing},
	} {
		t.Run(name, func(t *testing.T) {
			createdBy := int64(1)
			if tt.actor.ID == 0 {
				createdBy = 0
			}
			if got := tt.actor.OnReport(createdBy, grants); got != tt.want {
				t.Errorf("OnReport = %d, want %d", got, tt.want)
			}
		})
	}
}

func TestWorkbookAccess(t *testing.T) {
	for name, tt := range map[string]struct {
		actor Actor
		want  Level
	}{
		"read action reads":                     {Actor{ID: 2, Actions: []string{"WorkbookRead"}}, MayRead},
		"edit action edits":                     {Actor{ID: 2, Actions: []string{"WorkbookEdit"}}, MayEdit},
		"manage action manages":                 {Actor{ID: 2, Actions: []string{"WorkbookManage"}}, MayManage},
		"a report action is nothing on it":      {Actor{ID: 2, Actions: []string{"ReportManage"}}, MayNothing},
		"the creator manages without an action": {Actor{ID: 1}, MayManage},
	} {
		t.Run(name, func(t *testing.T) {
			if got := tt.actor.OnWorkbook(1); got != tt.want {
				t.Errorf("OnWorkbook = %d, want %d", got, tt.want)
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
			c := Actor{ID: 1, Actions: tt.actions}
			if got := c.MayCreateReport(); got != tt.reports {
				t.Errorf("reports: %t, want %t", got, tt.reports)
			}
			if got := c.MayCreateWorkbook(); got != tt.workbook {
				t.Errorf("workbooks: %t, want %t", got, tt.workbook)
			}
		})
	}
}
