package recordtest

import "slices"

// Rights are what every operation of the interface takes. A test of web fails when one has no line here.
func Rights() []Right {
	return slices.Concat(ofService, ofAccount, onAssets(), onPlacements(), onRuns(), onSchedules(), onPlans())
}

// ofService are for everybody. What a hook is sent is told by its signature.
var ofService = []Right{
	{Operation: "getSpec"},
	{Operation: "getDocs"},
	{Operation: "getDocsIndex"},
	{Operation: "getDocsPage"},
	{Operation: "getDocsAsset"},
	{Operation: "getManifest"},
	{Operation: "healthz"},
	{Operation: "readyz"},
	{Operation: "metrics"},
	{Operation: "getSignIn"},
	{Operation: "signIn"},
	{Operation: "createDeviceCode"},
	{Operation: "createDeviceTokens"},
	{Operation: "receiveHook"},
}

var ofAccount = []Right{
	{Operation: "getMe", Takes: Valid},
	{Operation: "signOut", Takes: Session},
	{Operation: "getPairing", Takes: Personal},
	{Operation: "approvePairing", Takes: Personal},
	{Operation: "denyPairing", Takes: Personal},
	{Operation: "listDevices", Takes: Valid},
	{Operation: "endDevice", Whose: Owner, Takes: OwnDevice},
	{Operation: "listKeys", Takes: Valid},
	{Operation: "createKey", Takes: MakesKeys},
	{Operation: "endKey", Whose: Admin, Takes: EndsKey},
	{Operation: "getSettings", Takes: Valid},
	{Operation: "putSettings", Takes: AllOfAccount},
	{Operation: "listRevocations", Takes: AllOfAccount},
	{Operation: "revokeToken", Takes: AllOfAccount}, // another's
	{Operation: "listAgents", Takes: All},
	{Operation: "getQuota", Takes: Valid},
	{Operation: "listAccountAudit", Takes: AllOfAccount},
	{Operation: "listAudit", Takes: All},
	{Operation: "getStats", Takes: ReadsAll},
	{Operation: "listDocuments", Takes: ReadsAll},
	{Operation: "streamEvents", Takes: Inside},
	{Operation: "listDocumentPlacements", On: Report, Whose: Owner, Takes: Valid},
}

// onAssets are the rights on reports and workbooks themselves.
func onAssets() []Right {
	list := []Right{
		{Operation: "listReports", Takes: Inside},
		{Operation: "createReport", Takes: CreatesReports},
		{Operation: "listCatalog", Takes: CreatesReports},
		{Operation: "previewQuery", How: OfNew, Takes: CreatesReports},
		{Operation: "listWorkbooks", Takes: Inside},
		{Operation: "createWorkbook", Takes: CreatesBoards},
	}
	for _, on := range []Asset{Report, Hidden} {
		list = append(list, each(on, Reads, "getReport", "getReportByPublicId", "listVersions", "getVersion", "showResult")...)
		list = append(list, each(on, Edits, "updateReport", "upsertReport", "previewQuery")...)
		list = append(list, each(on, Manages, "setAccess", "deleteReport")...)
	}
	list = append(list, each(Board, Reads, "getWorkbook", "getWorkbookBySlug")...)
	list = append(list, each(Board, Edits, "updateWorkbook", "upsertWorkbook", "updateDashboard", "publishDashboard")...)
	return append(list, each(Board, Manages, "deleteWorkbook")...)
}

func each(on Asset, takes Takes, operations ...string) (list []Right) {
	for _, name := range operations {
		list = append(list, Right{Operation: name, On: on, Takes: takes})
	}
	return list
}

// The forms of a connect, and of a run, that ask for different rights.
const (
	Anew        = "anew"                     // where nothing of the report stands
	TakenOver   = "at another's address"     // with data, so that it becomes the caller's
	Moved       = "to another cell"          //
	Renamed     = "to the sheet's new name"  // by the sheet's id
	Options     = "with options"             // and nothing else
	OptionsData = "with options and data"    // as one who takes it over
	ByKeeping   = "keeping edits"            //
	ByWriting   = "overwriting edits"        //
	ByClient    = "by an add-in"             //
	ForAll      = "for the whole report"     //
	ForOne      = "for one placement"        //
	OfNothing   = "of what matches nothing"  //
	OfTheReport = "that changes the report"  //
	ByKey       = "by the key of a schedule" //
	OfNew       = "of a new report"          //
)

// placers are those who placed the report; the boss has placed the hidden one, too.
var placers = []string{Owner, Reader, Boss}

func onPlacements() []Right {
	list := []Right{
		{Operation: "listPlacements", Takes: Inside},
		{Operation: "listCauses", Takes: Inside},
		{Operation: "listPeople", Takes: Inside},
		{Operation: "connectWorkbook", How: Anew, On: Report, Takes: Reads},
		{Operation: "connectWorkbook", How: Anew, On: Hidden, Takes: Reads},
	}
	list = append(list, ofLink(Report, Owner)...)
	list = append(list, ofLink(Hidden, Boss)...)
	for _, whose := range placers {
		list = append(list, ofPlacement(Report, whose)...)
	}
	return append(list, ofPlacement(Hidden, Boss)...)
}

// ofLink are the rights on where the document of one placement is.
func ofLink(on Asset, whose string) []Right {
	return []Right{
		{"getDocumentLink", "", on, whose, Reads},
		{"linkDocument", "", on, whose, Reads},
		{"unlinkDocument", "", on, whose, Edits},
	}
}

func ofPlacement(on Asset, whose string) (list []Right) {
	for _, how := range []string{Moved, Renamed, Options, OptionsData} {
		list = append(list, Right{"connectWorkbook", how, on, whose, PlacerOrEdits})
	}
	return append(list,
		Right{"connectWorkbook", TakenOver, on, whose, Reads},
		Right{"stampRefresh", "", on, whose, Reads},
		Right{"listEdits", "", on, whose, Reads},
		Right{"returnEdits", "", on, whose, PlacerOrEdits},
		Right{"listChanges", "", on, whose, Reads},
		Right{"getChange", "", on, whose, Reads},
		Right{"restoreChange", "", on, whose, PlacerOrManages},
		Right{"disconnectWorkbook", "", on, whose, Reads},
	)
}

func onRuns() []Right {
	list := []Right{
		{Operation: "listDeploymentRuns", Takes: Inside},
		{Operation: "changeRuns", How: OfNothing, Takes: ReadsAll},
		{Operation: "startDocumentRuns", On: Report, Whose: Owner, Takes: Reads},
		{Operation: "startDocumentRuns", On: Hidden, Whose: Boss, Takes: Reads},
		{Operation: "listRuns", On: Report, Takes: Reads},
		{Operation: "listRuns", On: Hidden, Takes: Reads},
	}
	for _, whose := range placers {
		list = append(list, ofRun(Report, whose)...)
	}
	list = append(list, ofRun(Hidden, Boss)...)
	for _, name := range []string{"renewLease", "planRun", "completeRun"} {
		list = append(list, Right{name, "", Report, Owner, Asker}, Right{name, "", Hidden, Boss, Asker})
	}
	return list
}

func ofRun(on Asset, whose string) []Right {
	return []Right{
		{"startRun", ByKeeping, on, whose, Reads},
		{"startRun", ByWriting, on, whose, PlacerOrEdits},
		{"startRun", ByClient, on, whose, Placer},
		{"previewRefresh", "", on, whose, Placer},
		{"getRun", "", on, whose, Reads},
		{"getRunById", "", on, whose, Reads},
		{"stopRun", "", on, whose, AskerOrEdits},
		{"stopRunById", "", on, whose, AskerOrEdits},
	}
}

func onSchedules() []Right {
	list := []Right{
		{Operation: "listSchedules", Takes: Inside},
		{Operation: "listTicks", Takes: Inside},
		{Operation: "changeSchedules", How: OfNothing, Takes: ReadsAll},
		{Operation: "createSchedule", How: ForAll, On: Report, Takes: Edits},
		{Operation: "createSchedule", How: ForAll, On: Hidden, Whose: Boss, Takes: Schedules},
	}
	for _, whose := range placers {
		list = append(list, Right{"createSchedule", ForOne, Report, whose, Schedules})
	}
	for _, of := range []struct {
		on    Asset
		whose string
	}{{Report, Owner}, {Report, Reader}, {Report, Former}, {Hidden, Boss}} {
		for _, name := range []string{"updateSchedule", "pauseSchedule", "resumeSchedule", "upsertSchedule", "deleteSchedule"} {
			list = append(list, Right{name, "", of.on, of.whose, MakerOrEdits})
		}
		for _, name := range []string{"getSchedule", "getScheduleByKey", "listScheduleRuns"} {
			list = append(list, Right{name, "", of.on, of.whose, Reads})
		}
		takes := PlacerOrEdits
		if of.whose == Owner {
			takes = Edits // it names the placements of others too
		}
		list = append(list, Right{"runSchedule", "", of.on, of.whose, takes})
	}
	return list
}

func onPlans() []Right {
	return []Right{
		{Operation: "listManaged", Takes: Inside},
		{Operation: "createPlan", Takes: Inside},
		{Operation: "getPlan", On: Report, Whose: Owner, Takes: Reads},
		{Operation: "applyPlan", On: Report, Whose: Owner, Takes: Edits},
		{Operation: "getPlan", On: Hidden, Whose: Boss, Takes: Reads},
		{Operation: "applyPlan", On: Hidden, Whose: Boss, Takes: Edits},
	}
}
