package recordtest

import "mooring/storage/record"

// Person is somebody who asks, with one token.
type Person struct {
	Name        string
	ID          int64 // 0: the token names no user
	Roles       []int64
	Actions     []string // of the token itself
	Bound       []string // what was chosen for the token, as for a device's: nothing goes beyond it; nil: it has no bound
	Device      bool     // the token is of a device that the owner has approved
	Deployments []int64  // nil: all
}

// The people whom rows name.
const (
	Owner    = "the owner"    // made the report and the workbook, placed the report, asked for a run, made a schedule and a plan
	Reader   = "a reader"     // placed the report, asked for a run, made a schedule of that placement
	Boss     = "the boss"     // reads, placed the report, and made the hidden one; sees every row under row security
	Former   = "a former one" // placed the report and made a schedule of that, and may read it no more
	Stranger = "a stranger"
	Admin    = "an administrator" // may do everything, and made a key
)

// The deployment of all assets, and the one for which a token is that reaches none of them.
const (
	Deployment = 1
	Elsewhere  = 3
)

// The roles of the report's access list. That of the former one was taken from it.
const (
	Readers = 7
	Formers = 8
	Bosses  = 9
)

// People are all who ask.
func People() []Person {
	readsReports := []string{record.ActionReportRead}
	return []Person{
		{Name: Owner, ID: 1},
		{Name: "an editor", ID: 2, Actions: []string{record.ActionReportEdit, record.ActionWorkbookEdit}},
		{Name: Reader, ID: 3, Roles: []int64{Readers}},
		{Name: Stranger, ID: 4},
		{Name: "a manager", ID: 5, Actions: []string{record.ActionReportManage, record.ActionWorkbookManage}},
		{Name: Boss, ID: 6, Roles: []int64{Bosses}},
		{Name: Former, ID: 10, Roles: []int64{Formers}},
		{Name: Admin, ID: 11, Actions: []string{record.ActionAll}},
		{Name: "an administrator of one deployment", ID: 12, Actions: []string{record.ActionAll}, Deployments: []int64{Deployment}},
		{Name: "an administrator of another deployment", ID: 13, Actions: []string{record.ActionAll}, Deployments: []int64{Elsewhere}},
		{Name: "one who reads all", ID: 14, Actions: []string{record.ActionReportRead, record.ActionWorkbookRead}},
		{Name: "one of workbooks", ID: 15, Actions: []string{record.ActionWorkbookManage}},
		{Name: "a token without a user", Actions: []string{record.ActionReportRead}},
		{Name: "a narrow key of the owner", ID: 1, Actions: readsReports, Bound: readsReports},
		{Name: "a device of the owner", ID: 1, Actions: readsReports, Bound: readsReports, Device: true},
		{Name: "a device without actions", ID: 1, Actions: []string{}, Bound: []string{}, Device: true},
		{Name: "a key of the boss for editing", ID: 6, Roles: []int64{Bosses}, Bound: []string{record.ActionReportEdit}},
		{Name: "an administrator's key for reports", ID: 11, Actions: []string{record.ActionReportManage}, Bound: []string{record.ActionReportManage}},
	}
}

// Makers are the tokens with which the assets are made: what the owner and the boss have besides, the day that they make one.
func Makers() []Person {
	actions := []string{record.ActionReportEdit, record.ActionWorkbookEdit}
	return []Person{{Name: Owner + " at work", ID: 1, Actions: actions}, {Name: Boss + " at work", ID: 6, Actions: actions, Roles: []int64{Bosses}}}
}

// UserOf is the user of that name; 0: nobody is called so.
func UserOf(name string) int64 {
	for _, p := range People() {
		if p.Name == name {
			return p.ID
		}
	}
	return 0
}

// Actor is who the person's token speaks for.
func (p Person) Actor() record.Actor {
	return record.Actor{ID: p.ID, Roles: p.Roles, Actions: p.Actions, Bound: p.Bound}
}

// Asset is what a request is about.
type Asset string

const (
	Report Asset = "report" // of the owner, who lets Readers and Bosses read it
	Hidden Asset = "hidden" // a report of the boss, who lets nobody read it
	Board  Asset = "board"  // a workbook of the owner
)

// Grants are the access list of the report.
func Grants() []record.RoleAccess {
	read := []string{record.ActionReportRead}
	return []record.RoleAccess{{ID: Readers, Name: "Readers", Actions: read}, {ID: Bosses, Name: "Bosses", Actions: read}}
}

// Maker is the user who made an asset.
func (a Asset) Maker() int64 {
	if a == Hidden {
		return 6
	}
	return 1
}

// standing is what one person may do.
type standing struct {
	report, hidden, board record.Level
	reports, boards       bool // may create them
}

const (
	none   = record.MayNothing
	read   = record.MayRead
	edit   = record.MayEdit
	manage = record.MayManage
)

// standings say what everybody may do in the deployment of the assets.
var standings = map[string]standing{
	//                                        report  hidden  board   creates
	Owner:                                    {manage, none, manage, false, false},
	"an editor":                              {edit, edit, edit, true, true},
	Reader:                                   {read, none, none, false, false},
	Stranger:                                 {none, none, none, false, false},
	"a manager":                              {manage, manage, manage, true, true},
	Boss:                                     {read, manage, none, false, false},
	Former:                                   {none, none, none, false, false},
	"an administrator":                       {manage, manage, manage, true, true},
	"an administrator of one deployment":     {manage, manage, manage, true, true},
	"an administrator of another deployment": {manage, manage, manage, true, true}, // there
	"one who reads all":                      {read, read, read, false, false},
	"one of workbooks":                       {none, none, manage, false, true},
	"a token without a user":                 {read, read, none, false, false},
	"a narrow key of the owner":              {read, read, none, false, false},
	"a device of the owner":                  {read, read, none, false, false},
	"a device without actions":               {none, none, none, false, false},
	"a key of the boss for editing":          {read, edit, none, false, false},
	"an administrator's key for reports":     {manage, manage, none, true, false},
	Owner + " at work":                       {manage, edit, manage, true, true},
	Boss + " at work":                        {edit, manage, edit, true, true},
}

// Level is what the person may do with an asset.
func (p Person) Level(on Asset) record.Level {
	switch s := standings[p.Name]; on {
	case Report:
		return s.report
	case Hidden:
		return s.hidden
	default:
		return s.board
	}
}

// MayCreate reports whether the person may create reports, and workbooks.
func (p Person) MayCreate() (reports, boards bool) {
	s := standings[p.Name]
	return s.reports, s.boards
}
