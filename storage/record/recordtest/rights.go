package recordtest

import (
	"slices"

	"mooring/storage/record"
)

// Takes is what an operation asks of a token.
type Takes int

const (
	Nothing         Takes = iota // it is for everybody, with or without a token
	Valid                        // a valid token
	Inside                       // a token for the deployment; the answer has only what its person may read
	ReadsAll                     // reading every report, by the token's own actions
	Reads                        // the level on the asset
	Edits                        //
	Manages                      //
	CreatesReports               // editing reports, by the token's own actions
	CreatesBoards                // editing workbooks, by the token's own actions
	PlacerOrEdits                // reading, of one's own placement; editing the report, of another person's
	PlacerOrManages              // reading, of one's own placement; managing the report, of another person's
	Schedules                    // PlacerOrEdits, by a token that is not narrowed to reading: a schedule goes on changing a document
	Placer                       // reading, and being who placed it
	AskerOrEdits                 // reading, of a run that one has asked for; editing the report, of another person's
	Asker                        // reading, and being who began it
	MakerOrEdits                 // reading, of a schedule that one has made; editing the report, of another person's
	Session                      // a session of a browser
	Personal                     // a token of one's own, which that of a device or one with a bound is not
	OwnDevice                    // being the person whose device it is, with a token that is not narrow
	MakesKeys                    // the action All in a token of one's own, for the deployment; a session needs no action
	EndsKey                      // being the person who made it, or All for every deployment, with a token that is not narrow
	All                          // the action All in the token
	AllOfAccount                 // the action All in a token for every deployment
)

// Right is what one operation takes.
type Right struct {
	Operation string // its operationId in the OpenAPI document
	How       string // in which form it is asked, where there are several
	On        Asset
	Whose     string // placement, run, schedule, plan, device or key it is about
	Takes     Takes
}

// Answer is what becomes of a request.
type Answer string

const (
	Done    Answer = "done"
	Refused Answer = "refused"    // 403
	Absent  Answer = "not found"  // 404, as for what does not exist
	Empty   Answer = "nothing"    // 409: nothing in it that the person may read
	Unknown Answer = "no session" // 401
)

// Answer is what a person gets who asks for it; nil asks without a token.
func (r Right) Answer(p *Person) Answer {
	switch {
	case r.Takes == Nothing:
		return Done
	case p == nil:
		return Unknown
	case !r.inAccount() && !p.inside():
		return Refused
	case r.Operation == "startDocumentRuns":
		return r.ofDocument(p, Empty)
	case slices.Contains(ofLinks, r.Operation) && r.ofDocument(p, Absent) == Absent:
		return Absent
	}
	switch r.Takes {
	case Valid, Inside:
		return Done
	case Session:
		return Absent
	case Personal: // whose code is nobody's
		return allow(p.personal() && (r.Operation != "approvePairing" || p.inside()), Absent)
	case OwnDevice:
		if p.is(r.Whose) && p.personal() {
			return Done
		}
		return Absent
	case MakesKeys:
		return allow(p.personal() && highest(p), Done)
	case EndsKey:
		if p.personal() && (p.is(r.Whose) || highest(p) && p.Deployments == nil) {
			return Done
		}
		return Absent
	case ReadsAll:
		return allow(highest(p, record.ActionReportRead, record.ActionReportEdit, record.ActionReportManage), Done)
	case CreatesReports:
		reports, _ := p.MayCreate()
		return allow(reports, Done)
	case CreatesBoards:
		_, boards := p.MayCreate()
		return allow(boards, Done)
	case All:
		return allow(highest(p), Done)
	case AllOfAccount:
		return allow(highest(p) && p.Deployments == nil, Done)
	}
	if p.Level(r.On) < read {
		return Absent
	}
	return allow(r.reaches(p), Done)
}

// Consumes reports whether an asset is gone, applied or another person's once it is done.
func (r Right) Consumes() bool {
	return slices.Contains([]string{
		"deleteReport", "setAccess", "deleteWorkbook", "connectWorkbook", "stampRefresh", "disconnectWorkbook", "deleteSchedule", "resumeSchedule",
		"applyPlan", "endDevice", "endKey",
	}, r.Operation)
}

// inAccount reports whether the operation is about no deployment.
func (r Right) inAccount() bool {
	return slices.Contains([]Takes{Valid, Session, Personal, OwnDevice, EndsKey, AllOfAccount}, r.Takes) || slices.Contains(acrossDeployments, r.Operation)
}

// acrossDeployments are operations without a deployment in their path.
var acrossDeployments = append([]string{"listAgents", "startDocumentRuns"}, ofLinks...)

// ofLinks are the operations on where a document is.
var ofLinks = []string{"getDocumentLink", "linkDocument", "unlinkDocument"}

// ofDocument is the answer to what concerns what the person may read in a document, with the one of who may read nothing there.
func (r Right) ofDocument(p *Person, nothing Answer) Answer {
	if p.Level(r.On) < read || !p.inside() {
		return nothing
	}
	return Done
}

// reaches reports whether a person who may read the asset may do it.
func (r Right) reaches(p *Person) bool {
	switch l := p.Level(r.On); r.Takes {
	case Reads:
		return true
	case Edits:
		return l >= edit
	case Manages:
		return l >= manage
	case PlacerOrManages:
		return l >= manage || p.is(r.Whose)
	case Placer, Asker:
		return p.is(r.Whose)
	case MakerOrEdits, Schedules:
		return l >= edit || p.is(r.Whose) && p.canEdit()
	default: // PlacerOrEdits, AskerOrEdits
		return l >= edit || p.is(r.Whose)
	}
}

// inside reports whether the token is for the deployment of the assets.
func (p *Person) inside() bool {
	return p.Deployments == nil || slices.Contains(p.Deployments, Deployment)
}

// personal reports whether the token is the person's own, made for no purpose.
func (p *Person) personal() bool { return !p.Device && p.Bound == nil }

// canEdit reports whether the token's bound lets it edit reports at all.
func (p *Person) canEdit() bool {
	return p.Bound == nil || slices.Contains(p.Bound, record.ActionReportEdit) || slices.Contains(p.Bound, record.ActionReportManage)
}

// is reports whether the person is the user of that name, with whichever token.
func (p *Person) is(name string) bool { return p.ID != 0 && UserOf(name) == p.ID }

// highest reports whether the token itself has All or one of the actions.
func highest(p *Person, actions ...string) bool {
	return slices.ContainsFunc(append(actions, record.ActionAll), func(a string) bool { return slices.Contains(p.Actions, a) })
}

func allow(ok bool, then Answer) Answer {
	if !ok {
		return Refused
	}
	return then
}
