package record

import (
	"slices"
	"testing"
)

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
		"a bound ends what was created":                   {Actor{ID: 1, Bound: []string{"ReportRead"}}, MayRead},
		"a bound ends what a role may":                    {Actor{ID: 2, Roles: []int64{9}, Bound: []string{"ReportEdit"}}, MayEdit},
		"a bound ends the token's own actions":            {Actor{ID: 2, Actions: []string{"All"}, Bound: []string{"ReportRead"}}, MayRead},
		"a bound of another kind leaves nothing":          {Actor{ID: 1, Bound: []string{"WorkbookManage"}}, MayNothing},
		"a bound to nothing leaves nothing":               {Actor{ID: 1, Actions: []string{"All"}, Bound: []string{}}, MayNothing},
		"a bound grants nothing":                          {Actor{ID: 2, Bound: []string{"All"}}, MayNothing},
		"a bound to All is none":                          {Actor{ID: 1, Bound: []string{"All"}}, MayManage},
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
		"a bound ends what was created":         {Actor{ID: 1, Bound: []string{"WorkbookEdit"}}, MayEdit},
		"a bound on reports leaves nothing":     {Actor{ID: 1, Actions: []string{"All"}, Bound: []string{"ReportManage"}}, MayNothing},
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
		actions, bound    []string
		reports, workbook bool
	}{
		"none":                       {nil, nil, false, false},
		"ReportRead":                 {[]string{"ReportRead"}, nil, false, false},
		"ReportEdit":                 {[]string{"ReportEdit"}, nil, true, false},
		"WorkbookEdit":               {[]string{"WorkbookEdit"}, nil, false, true},
		"All":                        {[]string{"All"}, nil, true, true},
		"All bounded to workbooks":   {[]string{"All"}, []string{"WorkbookEdit"}, false, true},
		"All bounded to reading":     {[]string{"All"}, []string{"ReportRead", "WorkbookRead"}, false, false},
		"none bounded to everything": {nil, []string{"All"}, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			c := Actor{ID: 1, Actions: tt.actions, Bound: tt.bound}
			if got := c.MayCreateReport(); got != tt.reports {
				t.Errorf("reports: %t, want %t", got, tt.reports)
			}
			if got := c.MayCreateWorkbook(); got != tt.workbook {
				t.Errorf("workbooks: %t, want %t", got, tt.workbook)
			}
		})
	}
}

func TestScheduleAccess(t *testing.T) {
	for name, tt := range map[string]struct {
		actor    Actor
		onReport Level
		want     Level
		lost     Level // where the report is gone
	}{
		"who may nothing":                       {Actor{ID: 2}, MayNothing, MayNothing, MayNothing},
		"an editor of the report":               {Actor{ID: 2}, MayEdit, MayEdit, MayNothing},
		"All":                                   {Actor{ID: 2, Actions: []string{"All"}}, MayManage, MayManage, MayManage},
		"who made it and may read":              {Actor{ID: 1}, MayRead, MayManage, MayManage},
		"who made it and may not read any more": {Actor{ID: 1}, MayNothing, MayNothing, MayManage},
		"who made it, by a reading device":      {Actor{ID: 1, Bound: []string{"ReportRead"}}, MayRead, MayRead, MayRead},
		"who made it, by a device for nothing":  {Actor{ID: 1, Bound: []string{}}, MayNothing, MayNothing, MayNothing},
		"All, by a device for workbooks":        {Actor{ID: 2, Actions: []string{"All"}, Bound: []string{"WorkbookManage"}}, MayNothing, MayNothing, MayNothing},
	} {
		t.Run(name, func(t *testing.T) {
			if got := tt.actor.OnSchedule(1, tt.onReport); got != tt.want {
				t.Errorf("OnSchedule = %d, want %d", got, tt.want)
			}
			if got := tt.actor.OnLostSchedule(1); got != tt.lost {
				t.Errorf("OnLostSchedule = %d, want %d", got, tt.lost)
			}
		})
	}
}

func TestStoppingARun(t *testing.T) {
	run := &Run{RequestedBy: Actor{ID: 1}}
	for name, tt := range map[string]struct {
		actor    Actor
		onReport Level
		want     bool
	}{
		"who asked for it":                       {Actor{ID: 1}, MayRead, true},
		"who asked and may not read it any more": {Actor{ID: 1}, MayNothing, false},
		"a reader":                               {Actor{ID: 2}, MayRead, false},
		"an editor":                              {Actor{ID: 2}, MayEdit, true},
		"a token without a user, of such a token's": {Actor{}, MayRead, false},
	} {
		if got := tt.actor.MayStop(run, tt.onReport); got != tt.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}

// What is stored of an actor has their bound, an empty one too: a run does no more than the token that asked for it.
func TestKeptActorsKeepTheirBound(t *testing.T) {
	for _, bound := range [][]string{nil, {}, {"ReportRead"}} {
		text, err := Encode(Keep(Actor{ID: 1, Actions: []string{"ReportEdit", "Fly"}, Bound: bound}))
		if err != nil {
			t.Fatal(err)
		}
		var kept KeptActor
		if err := Decode(text, &kept); err != nil {
			t.Fatal(err)
		}
		back := kept.Restored()
		if (back.Bound == nil) != (bound == nil) || !slices.Equal(back.Bound, bound) || !slices.Equal(back.Actions, []string{"ReportEdit"}) {
			t.Errorf("%v came back as %+v", bound, back)
		}
	}
}
